"""The largest of n shares of a random vector's power: what spectra look like before training.

A Gaussian vector on Z_p, p odd, has independent and equally distributed powers at the n = (p-1)/2 frequencies, each exponential.
Their shares are uniform on the simplex, and the largest share M has

    P(M ≤ x) = Σ_{j=0}^{n} (-1)^j C(n, j) (1 - jx)_+^{n-1},        E M = H_n / n,   H_n = 1 + 1/2 + … + 1/n.
"""

from fractions import Fraction
from math import comb

import numpy as np


def mean(n: int) -> Fraction:
    """E M = H_n/n, exactly."""
    _check(n)
    return sum((Fraction(1, j) for j in range(1, n + 1)), Fraction(0)) / n


def mean_by_integration(n: int) -> Fraction:
    """E M = ∫ P(M > x) dx, term by term: Σ_{j≥1} (-1)^{j+1} C(n, j) / (jn), exactly."""
    _check(n)
    return sum((Fraction((-1) ** (j + 1) * comb(n, j), j * n) for j in range(1, n + 1)), Fraction(0))


def distribution(n: int, x: Fraction) -> Fraction:
    """P(M ≤ x), exactly: the terms alternate and are huge for large n."""
    _check(n)
    terms = ((-1) ** j * comb(n, j) * max(1 - j * x, Fraction(0)) ** (n - 1) for j in range(n + 1) if j * x < 1)
    return sum(terms, Fraction(0))


def density(n: int, x: float) -> float:
    """Derivative of P(M ≤ x) at 0 < x < 1, n ≥ 3."""
    _check(n)
    exact = Fraction(x)
    terms = ((-1) ** (j + 1) * comb(n, j) * j * (1 - j * exact) ** (n - 2) for j in range(1, n + 1) if j * exact < 1)
    return float((n - 1) * sum(terms, Fraction(0)))


def quantile(n: int, level: float) -> float:
    """The x with P(M ≤ x) = level, by bisection to 1e-9."""
    low, high = 1 / n, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if distribution(n, Fraction(middle)) < level else (low, middle)
    return float(np.mean([low, high]))


def _check(n: int) -> None:
    if n < 1:
        raise ValueError(f"n={n}: there must be at least one share.")
