"""The error of the disjoint PolyNet f(x) = Π_{i≤k} ⟨w_i, x_{P_i}⟩, exactly and in bounds (Lemma B.9).

Each of the k blocks has n' coordinates: a relevant one with weight v_i and n' - 1 irrelevant ones with weights u_i.
With U_i = Σ_j ±u_ij over fair signs the error is, as long as no block ties,

    err = ½ - ½ Π_i Pr[|U_i| < |v_i|]

Weights with Π v_i > 0 are meant throughout: they predict the parity, others its opposite.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from elegans.theory.boolean import cube

Floats = NDArray[np.float64]

LARGEST_LAW = 2**20  # atoms of Σ ±u_j: any 20 weights, or thousands on a common lattice
BERRY_ESSEEN = 0.56


def open_ball(c: Floats | float, m: int) -> Floats:
    """Pr[|U| < c] for U a sum of m fair signs. Shapes (...) -> (...)."""
    return _two_sided(np.floor((m - np.asarray(c, dtype=np.float64)) / 2), m)


def closed_ball(c: Floats | float, m: int) -> Floats:
    """Pr[|U| <= c] for U a sum of m fair signs. Shapes (...) -> (...)."""
    return _two_sided(np.ceil((m - np.asarray(c, dtype=np.float64)) / 2) - 1, m)


def sign_sum(u: Floats) -> tuple[Floats, Floats]:
    """Law of Σ_j ±u_j over fair signs: sorted values and their probabilities. Shapes (m,) -> (atoms,), (atoms,)."""
    values: Floats = np.zeros(1)
    mass: Floats = np.ones(1)
    for a in np.abs(u):
        values, place = np.unique(np.concatenate((values - a, values + a)), return_inverse=True)
        mass = np.bincount(place, weights=np.concatenate((mass, mass)) / 2).astype(np.float64)
        if values.size > LARGEST_LAW:
            raise ValueError(f"u has {u.size} weights: their sum takes too many values to list; use error_normal.")
    return values, mass


def inside_and_tie(v: float, u: Floats) -> tuple[float, float]:
    """Pr[|U| < |v|] and Pr[|U| = |v|] for one block, u of shape (n'-1,); ties are those of float64 arithmetic."""
    c, a = abs(v), np.abs(u)
    if u.size and a.min() == a.max() > 0:
        inside = float(open_ball(c / a[0], u.size))
        return inside, float(closed_ball(c / a[0], u.size)) - inside
    values, mass = sign_sum(u)
    return float(mass[np.abs(values) < c].sum()), float(mass[np.abs(values) == c].sum())


def error(v: Floats, u: Floats) -> float:
    """Exact error when sign(0) counts as wrong, as in the paper. Shapes (k,), (k, n'-1).

    With p_i^± = Pr[±(|v_i| + U_i) > 0] it is 1 - ½ [Π(p_i^+ + p_i^-) + Π(p_i^+ - p_i^-)].
    """
    inside, tie = _blocks(v, u)
    return float(1 - (np.prod(1 - tie / 2) + np.prod(inside + tie / 2)) / 2)


def error_tie_free(v: Floats, u: Floats) -> float:
    """½ - ½ Π Pr[|U_i| < |v_i|]: the error between lattice values of v, continued to them from the left."""
    inside, _ = _blocks(v, u)
    return float(0.5 - np.prod(inside) / 2)


def errors_listed(w: Floats) -> Floats:
    """Tie-free errors of many small nets by listing all signs, whatever the sign of Π v_i. Shapes (..., k, n') -> (...).

    The relevant weight is the first of each block; a negative product turns every prediction round.
    """
    v, u = w[..., 0], w[..., 1:]
    inside = np.abs(u @ cube(u.shape[-1]).T.astype(np.float64)) < np.abs(v)[..., None]
    return 0.5 - 0.5 * np.prod(np.sign(v) * inside.mean(axis=-1), axis=-1)


def error_normal(v: Floats, norm: Floats) -> Floats:
    """The error with each U_i replaced by a normal variable of deviation ‖u_i‖₂. Shapes (..., k), (..., k) -> (...)."""
    return 0.5 - np.prod(_erf(np.abs(v) / norm / sqrt(2)), axis=-1) / 2


def error_bounds(v: Floats, u: Floats) -> tuple[float, float]:
    """Corrected bounds of Lemma B.9: Berry-Esseen at both ends of the interval below, Hoeffding above."""
    z, top = _standardised(v, u)
    lower = 0.5 - np.prod(_erf(z / sqrt(2)) + 2 * BERRY_ESSEEN * top) / 2
    return float(lower), float(np.sum(np.exp(-(z**2) / 2)))


def error_bounds_printed(v: Floats, u: Floats) -> tuple[float, float]:
    """The bounds as printed, ‖u‖_∞/‖u‖₂³ below and 2 Σ exp(-v²/‖u‖₂²) above; both can be violated."""
    z, top = _standardised(v, u)
    square: Floats = np.linalg.norm(u, axis=-1) ** 2
    lower = 0.5 - np.prod(_erf(z / sqrt(2)) + BERRY_ESSEEN * top / square) / 2
    return float(lower), float(2 * np.sum(np.exp(-(z**2))))


def squared(v: Floats) -> Floats:
    """v_i², of relevant weights whose product is positive."""
    if not np.all(np.prod(np.sign(v), axis=-1) > 0):
        raise ValueError(
            "v: the formulas hold for a positive product of the relevant weights; flip the sign of one of them."
        )
    return v**2


def _erf(z: Floats) -> Floats:
    return np.asarray(special.erf(z), dtype=np.float64)


def _two_sided(last: Floats, m: int) -> Floats:
    """1 - 2 Pr[B <= last] for B binomial(m, ½), clipped to probabilities."""
    tail = special.betainc(m - np.clip(last, 0, m - 1), np.maximum(last, 0) + 1, 0.5) if m else np.zeros_like(last)
    return np.clip(np.where(last < 0, 1.0, 1 - 2 * tail), 0, 1)


def _blocks(v: Floats, u: Floats) -> tuple[Floats, Floats]:
    squared(v)
    if u.ndim != 2 or v.shape != u.shape[:1]:
        raise ValueError(
            f"v has shape {v.shape}, u {u.shape}: pass the relevant weights (k,) and the others (k, n'-1)."
        )
    pairs = np.array([inside_and_tie(float(a), b) for a, b in zip(v, u, strict=True)])
    return pairs[:, 0], pairs[:, 1]


def _standardised(v: Floats, u: Floats) -> tuple[Floats, Floats]:
    """|v_i|/‖u_i‖₂ and ‖u_i‖_∞/‖u_i‖₂."""
    norm = np.linalg.norm(u, axis=-1)
    if not np.all(norm > 0):
        raise ValueError("u: a block without irrelevant weights has no scale; its probability is exactly 1, use error.")
    return np.abs(v) / norm, np.abs(u).max(axis=-1) / norm
