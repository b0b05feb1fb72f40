"""What a context says about one row of the transition matrix, by integrating prior times likelihood as they stand.

    p(P_i | x) ∝ Π_j P_ij^{α_j - 1} · Π_j P_ij^{c_ij}

on the simplex, by Gauss-Legendre in coordinates s_1 = P_i1, s_2 = P_i2 / (1-P_i1), ... with the Jacobian of that map. For
integer α everything is a polynomial, so enough nodes make the rule exact; (8.1)-(8.3) are nowhere assumed.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from elegans.theory.markov import Floats


def simplex_nodes(k: int, n: int, below: float = 1.0) -> tuple[Floats, Floats]:
    """Points p (n^(k-1), k) of the simplex with p_1 ≤ below, and weights that integrate polynomials of degree 2n - k."""
    x, w = np.polynomial.legendre.leggauss(n)
    unit = np.array(np.meshgrid(*[(x + 1) / 2] * (k - 1), indexing="ij")).reshape(k - 1, -1)
    weight = np.array(np.meshgrid(*[w / 2] * (k - 1), indexing="ij")).reshape(k - 1, -1)
    unit[0] *= below
    rest: Floats = np.cumprod(1 - unit, axis=0, dtype=np.float64)
    left = np.concatenate([np.ones((1, unit.shape[1])), rest])
    return np.concatenate([unit * left[:-1], left[-1:]]).T, below * np.asarray(
        np.prod(weight * left[:-1], axis=0), np.float64
    )


def unnormalised(p: Floats, counts: ArrayLike, alpha: ArrayLike) -> Floats:
    """Prior times likelihood at points p (n, k): (n,)."""
    prior = np.prod(p ** (np.asarray(alpha, np.float64) - 1), axis=-1)
    return prior * np.prod(p ** np.asarray(counts, np.float64), axis=-1)


def posterior_moment(counts: ArrayLike, alpha: ArrayLike, powers: ArrayLike) -> float:
    """E[Π_j P_ij^{m_j} | x] for integer α, counts and powers (k,), by quadrature."""
    total = int(np.sum(counts) + np.sum(alpha) + np.sum(powers))
    p, w = simplex_nodes(len(np.asarray(counts)), total // 2 + 2)
    density = w * unnormalised(p, counts, alpha)
    return float(np.sum(density * np.prod(p ** np.asarray(powers, np.float64), axis=-1)) / np.sum(density))


def posterior_cdf(counts: ArrayLike, alpha: ArrayLike, at: ArrayLike) -> Floats:
    """Pr[P_i1 ≤ x | x_1..x_t] at points (m,), by quadrature."""
    n = int(np.sum(counts) + np.sum(alpha)) // 2 + 2
    rules = [simplex_nodes(len(np.asarray(counts)), n, float(x)) for x in (*np.asarray(at, np.float64), 1.0)]
    mass = np.array([np.sum(w * unnormalised(p, counts, alpha)) for p, w in rules])
    return mass[:-1] / mass[-1]


def dirichlet_moment(parameters: ArrayLike, powers: ArrayLike) -> float:
    """E Π_j p_j^{m_j} for p ~ Dir(parameters): Π_j (a_j)_{m_j} / (Σ a)_{Σ m}, rising factorials."""
    a, m = np.asarray(parameters, np.float64), [int(q) for q in np.asarray(powers)]
    above = math.prod(math.prod(float(x) + i for i in range(q)) for x, q in zip(a, m, strict=True))
    return above / math.prod(float(a.sum()) + i for i in range(sum(m)))


def beta_cdf(first: float, second: float, at: ArrayLike) -> Floats:
    """Distribution function of Beta(first, second) at points (m,)."""
    return np.asarray(betainc(first, second, np.asarray(at, np.float64)), np.float64)
