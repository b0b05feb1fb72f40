"""Appendix D.9.2: a maximum margin from some irreps κ_R and as many classes κ_C ∌ e, for groups of real type.

    τ:  (1/√d_m) (1 - Σ_{n∈κ_C} |C_n| τ_n χ_m(C_n)/d_m) = v  for m ∈ κ_R,      Σ |C_n| τ_n = 1
    λ:  Σ_{m∈κ_R} λ_m χ_m(C_n) = v'                          for n ∈ κ_C,      Σ λ_m = 1

If τ, λ ≥ 0, no irrep outside κ_R exceeds v and no class outside κ_C exceeds v', then γ* = 2/(3|G|)^{3/2} v, networks of
maximum margin with logits ∝ Σ λ_m χ_m(abc⁻¹) exist, and the sets say where they live. The linear programme of `margin_optima`
finds such a solution without a search; the search shows how many there are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from elegans.theory.character_tables import CharacterTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SINGULAR = 1e-9
ROUNDING = 1e-9


@dataclass(frozen=True)
class Subset:
    """A pair of sets that passes, with its solution; rows and classes are numbered as in the table."""

    irreps: tuple[int, ...]
    classes: tuple[int, ...]
    tau: Floats
    coefficients: Floats
    gamma: float


def passing(table: CharacterTable, size: int, *, with_sizes: bool = True) -> Iterator[Subset]:
    """All passing pairs of sets of one size. Without class sizes the normalisation is the printed Σ τ_n = 1."""
    if (table.indicators != 1).any():
        raise ValueError("appendix D.9.2 is about groups of real type: use margin_optima.exact_margin for others.")
    columns = np.array(list(combinations(range(1, len(table.sizes)), size)))
    for rows in combinations(range(1, len(table.values)), size):
        yield from _of_rows(table, np.array(rows), columns, with_sizes)


def search(table: CharacterTable, *, with_sizes: bool = True) -> list[Subset]:
    """All passing pairs of all sizes."""
    sizes = range(1, len(table.values))
    return [found for size in sizes for found in passing(table, size, with_sizes=with_sizes)]


def pairs(table: CharacterTable) -> int:
    """How many pairs of equally large sets there are."""
    K = len(table.values) - 1
    return sum(len(list(combinations(range(K), s))) ** 2 for s in range(1, K + 1))


def _of_rows(table: CharacterTable, rows: Ints, columns: Ints, with_sizes: bool) -> Iterator[Subset]:
    d, chi = table.dimensions, table.values
    weights = table.sizes.astype(np.float64)
    A = chi[rows[:, None], columns[:, None, :]]  # (systems, s, s): characters of κ_R on κ_C
    inner = np.where(with_sizes, weights, 1.0)
    tau, v = _solved(A * weights[columns][:, None] / d[rows, None] ** 1.5, inner[columns], d[rows] ** -0.5)
    lam, level = _solved(-A.transpose(0, 2, 1), np.ones(A.shape[:2]), np.zeros(len(rows)))
    reach = d**-0.5 - np.einsum("rsc,sc->sr", chi[:, columns] / d[:, None, None] ** 1.5, tau * weights[columns])
    logits = lam @ chi[rows]
    worst = np.max(reach[:, 1:] - v[:, None], axis=1), np.max(logits[:, 1:] - level[:, None], axis=1)
    good = (np.minimum(tau.min(axis=1), lam.min(axis=1)) > -ROUNDING) & (np.maximum(*worst) < ROUNDING)
    for i in np.flatnonzero(good):
        gamma = 2 / (3 * table.order) ** 1.5 * float(v[i])
        yield Subset(tuple(map(int, rows)), tuple(map(int, columns[i])), tau[i], lam[i], gamma)


def _solved(A: Floats, normal: Floats, right: Floats) -> tuple[Floats, Floats]:
    """x and v with A x + v = right and normal · x = 1 for each system; nan where that is singular."""
    systems, s = normal.shape
    full = np.zeros((systems, s + 1, s + 1))
    full[:, :s, :s], full[:, :s, s], full[:, s, :s] = A, 1.0, normal
    scaled = full / np.linalg.norm(full, axis=2, keepdims=True)
    singular = np.abs(np.linalg.det(scaled)) < SINGULAR
    full[singular] = np.eye(s + 1)
    x = np.asarray(np.linalg.solve(full, np.append(right, 1.0)[None, :, None])[..., 0], dtype=np.float64)
    x[singular] = np.nan
    return x[:, :s], x[:, s]
