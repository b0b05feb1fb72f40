"""The exact maximum margin of quadratic networks on any group: a matrix game of irreps against wrong answers.

Let m_R ≥ 0 be the share of ‖θ‖³ that the irrep R ≠ 1 holds. Averaged over the symmetries of the task, the best network
with these shares has margin γ₀ Σ_R m_R A_{RC} against the wrong answers of class C, where

    A_{RC} = κ_R d_R^{-3/2} (d_R - χ_R(C)),        γ₀ = 2/(3|G|)^{3/2}.

So γ*(G) = γ₀ max_m min_C (mA)_C: a linear programme (F1 of the spec), and γ₀ times the value of the game A. The
opponent's strategy q gives weights τ_C = q_C/|C| for which no single neuron does better.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from elegans.theory.character_tables import CharacterTable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ExactMargin:
    """γ* with its two certificates: shares m_R (R,) guarantee `gamma`, weights τ_C (K,) forbid more than `upper`."""

    gamma: float
    upper: float
    shares: Floats
    tau: Floats


def margin_game(table: CharacterTable) -> Floats:
    """A_{RC} for non-trivial irreps and classes C ≠ {e}, shape (R-1, K-1)."""
    if table.order < 2:
        raise ValueError("a group with one element has no wrong answers, so no margin: use |G| ≥ 2.")
    d = table.dimensions[1:, None]
    return table.kappa[1:, None] * d**-1.5 * (d - table.values[1:, 1:])


def gamma_0(table: CharacterTable) -> float:
    """γ₀ = 2/(3|G|)^{3/2}, the scale of the game."""
    return 2 / (3 * table.order) ** 1.5


def exact_margin(table: CharacterTable) -> ExactMargin:
    """γ*(G) by linear programming, primal and dual solved apart."""
    game, scale = margin_game(table), gamma_0(table)
    column = table.inseparable[1:] - 1
    merged = game[:, np.unique(column, return_index=True)[1]]
    shares, strategy = _maximin(merged), _maximin(-merged.T)
    tau = strategy[column] / np.bincount(column, weights=table.sizes[1:])[column]
    return ExactMargin(
        gamma=scale * float((shares @ merged).min()),
        upper=scale * float((merged @ strategy).max()),
        shares=np.append(0.0, shares),
        tau=np.append(0.0, tau),
    )


def margin_within(table: CharacterTable, irreps: Sequence[int]) -> float:
    """The largest margin of networks whose neurons live in these irreps (numbers of rows, the trivial one not among them)."""
    rows = sorted(set(irreps))
    if not rows or rows[0] < 1 or rows[-1] >= len(table.indicators):
        raise ValueError(f"irreps {list(irreps)} must be some of the numbers 1 … {len(table.indicators) - 1}.")
    game = margin_game(table)[np.array(rows) - 1]
    return gamma_0(table) * float((_maximin(game) @ game).min())


def _maximin(game: Floats) -> Floats:
    """A mixed strategy over the rows that maximises the smallest expected payoff over the columns."""
    rows, columns = game.shape
    result = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-game.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs",
    )
    if result.x is None:
        raise RuntimeError(f"the linear programme of the {rows}×{columns} game was not solved: {result.message}")
    strategy = np.clip(np.asarray(result.x[:rows], dtype=np.float64), 0, None)
    return strategy / strategy.sum()
