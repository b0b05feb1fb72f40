"""The exact global minimum of the regularised loss on a group task, over quadratic networks of any width.

With the game A_{RC} and the scale γ₀ of `margin_optima`, a network that holds ‖θ‖³ m_R in the irrep R has at best

    log(1 + Σ_{C≠e} |C| e^{-(xA)_C}) + (λ/γ₀) Σ_R x_R,        x_R = γ₀ ‖θ‖³ m_R ≥ 0,

as its cross-entropy plus λ‖θ‖³ (F2 of the spec): a convex programme, solved by Newton steps along the central path of a
logarithmic barrier. The minimum predicts the end of training; as λ → 0 its normalised margin rises to γ*.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elegans.theory.character_tables import CharacterTable
from elegans.theory.margin_optima import gamma_0, margin_game

Floats = NDArray[np.float64]

PATH = 10.0 ** -np.arange(14)


@dataclass(frozen=True)
class RegularisedOptimum:
    """The global minimum of cross-entropy + λ‖θ‖³, with `shares` (R,) of ‖θ‖³.

    `gap` bounds how far `loss` is above it; on the central path it is (λ/γ₀)(R-1)ε with the last ε of the barrier.
    """

    loss: float
    gap: float
    cross_entropy: float
    norm_cubed: float
    normalised_margin: float
    shares: Floats


def regularised_optimum(table: CharacterTable, lam: float) -> RegularisedOptimum:
    """The minimum over all networks of any width of the loss with penalty λ Σ_i ‖ω_i‖³."""
    if lam <= 0:
        raise ValueError(f"without weight decay there is no minimiser, got λ={lam}: pass λ > 0, or use exact_margin.")
    game, sizes, scale = margin_game(table), table.sizes[1:].astype(np.float64), gamma_0(table)
    x = _central_path(game, sizes, scale / lam)
    margins, total = x @ game, float(x.sum())
    cross_entropy = float(np.log1p(sizes @ np.exp(-margins)))
    slope = 1 - scale / lam * game @ _wrong_probabilities(margins, sizes)
    return RegularisedOptimum(
        loss=cross_entropy + lam / scale * total,
        gap=lam / scale * float(x @ slope),
        cross_entropy=cross_entropy,
        norm_cubed=total / scale,
        normalised_margin=scale * float(margins.min()) / total,
        shares=np.append(0.0, x / total),
    )


def _wrong_probabilities(margins: Floats, sizes: Floats) -> Floats:
    """Softmax mass of each class of wrong answers at the given margins, (K-1,)."""
    odds = sizes * np.exp(-margins)
    return odds / (1 + odds.sum())


def _central_path(game: Floats, sizes: Floats, s: float) -> Floats:
    """Minimise s·log(1 + Σ_C |C| e^{-(xA)_C}) + Σ x over x ≥ 0."""
    x = np.ones(len(game))
    for epsilon in PATH:
        for _ in range(100):
            step = _newton_step(x, game, sizes, s, epsilon)
            length = _line_search(x, step, game, sizes, s, epsilon)
            x = x + length * step
            if np.max(np.abs(step) / x) < 1e-9 or length == 0:
                break
    return x


def _barrier(x: Floats, game: Floats, sizes: Floats, s: float, epsilon: float) -> float:
    return float(s * np.log1p(sizes @ np.exp(-(x @ game))) + x.sum() - epsilon * np.log(x).sum())


def _newton_step(x: Floats, game: Floats, sizes: Floats, s: float, epsilon: float) -> Floats:
    p = _wrong_probabilities(x @ game, sizes)
    mean = game @ p
    gradient = 1 - s * mean - epsilon / x
    hessian = s * ((game * p) @ game.T - np.outer(mean, mean)) + np.diag(epsilon / x**2)
    return np.asarray(np.linalg.solve(hessian, -gradient), dtype=np.float64)


def _line_search(x: Floats, step: Floats, game: Floats, sizes: Floats, s: float, epsilon: float) -> float:
    """The longest 2^{-k} that keeps x positive and does not raise the barrier beyond rounding; 0 if none does."""
    start = _barrier(x, game, sizes, s, epsilon)
    for k in range(60):
        candidate = x + 0.5**k * step
        if candidate.min() > 0 and _barrier(candidate, game, sizes, s, epsilon) <= start + 1e-15 * abs(start):
            return 0.5**k
    return 0.0
