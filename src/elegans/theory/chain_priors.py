"""Moments of the laws that chains are drawn from: Dirichlet rows, and two states that stay with a and with b.

    p ~ Dir(α), A = Σ α:   E p_j = α_j / A,   E p_j^2 = α_j (α_j + 1) / (A (A + 1)),
                           E H(p) = ψ(A + 1) - Σ_j (α_j / A) ψ(α_j + 1)
    λ = a + b - 1:         E λ^{2m} = 2 / ((2m+1)(2m+2))  for a, b ~ U(0, 1),
                           (2ε)^{2m} / (2m+1)             for a = b ~ U(1/2 - ε, 1/2 + ε),  odd moments 0

ε = 1/2 is a = b ~ U(0, 1). For the flat row E H is H_k - 1 with the harmonic number H_k.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import psi

from elegans.theory.markov import Floats


def dirichlet_second_moment(alpha: ArrayLike) -> Floats:
    """E p_j^2 for every j: (k,)."""
    a = _concentrations(alpha)
    return a * (a + 1) / (a.sum() * (a.sum() + 1))


def dirichlet_entropy(alpha: ArrayLike) -> float:
    """E H(p) in nats."""
    a = _concentrations(alpha)
    of_parts: Floats = psi(a + 1)
    return float(psi(float(a.sum()) + 1)) - float(np.sum(a / a.sum() * of_parts))


def _concentrations(alpha: ArrayLike) -> Floats:
    a = np.asarray(alpha, np.float64)
    if a.ndim != 1 or len(a) < 2 or not np.all(a > 0):
        raise ValueError(f"alpha = {alpha}, but a Dirichlet law has two or more positive concentrations in a row.")
    return a


def flat_eigenvalue_moment(n: int) -> float:
    """E λ^n for a, b ~ U(0, 1), whose λ has the density 1 - |λ|."""
    return 0.0 if n % 2 else 2.0 / ((n + 1) * (n + 2))


def equal_eigenvalue_moment(n: int, eps: float = 0.5) -> float:
    """E λ^n for a = b ~ U(1/2 - eps, 1/2 + eps), whose λ is uniform on [-2 eps, 2 eps]."""
    return 0.0 if n % 2 else (2.0 * eps) ** n / (n + 1)


def equal_uniform_risk(eps: float, nodes: int = 200) -> float:
    """E KL(P_x || 1/2) = ln 2 - E h(a) for a = b ~ U(1/2 - eps, 1/2 + eps); ln 2 - 1/2 for eps = 1/2."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    a = 0.5 + eps * x
    return float(np.log(2.0) + np.sum(w / 2 * (a * np.log(a) + (1 - a) * np.log1p(-a))))
