"""Bounds on normal weights that the proof of Theorem 5.7 uses, with the exact probabilities of their failure.

max of N normal variables  |·| <= √(2 log(2N/p))        fails with probability at most p      (B.13)
χ²_m ∈ [m - 2√(mτ), m + 2√(mτ) + 2τ]                    fails with probability at most 2e^-τ  (B.14)
"""

from math import exp, expm1, log, log1p, sqrt

from scipy import special


def largest_bound(count: int, failure: float) -> float:
    """Union bound on the largest of `count` absolute values of N(0,1): √(2 log(2N/p))."""
    _check(count, failure)
    return sqrt(2 * log(2 * count / failure))


def largest_bound_once(count: int, failure: float) -> float:
    """The same without the factor 2 before the logarithm, which is too small."""
    _check(count, failure)
    return sqrt(log(2 * count / failure))


def largest_exceeds(count: int, bound: float) -> float:
    """Pr[max of `count` absolute values > bound], exactly: 1 - (1 - p)^N with p = erfc(bound/√2)."""
    return -expm1(count * log1p(-float(special.erfc(bound / sqrt(2)))))


def square_band(m: int, tau: float) -> tuple[float, float]:
    """The interval around m that χ²_m leaves with probability at most 2e^-τ (Laurent and Massart 2000)."""
    _check(m, exp(-tau))
    spread = 2 * sqrt(m * tau)
    return m - spread, m + spread + 2 * tau


def square_outside(m: int, low: float, high: float) -> float:
    """Pr[χ²_m < low or χ²_m > high], exactly."""
    return float(special.chdtr(m, max(low, 0.0)) + special.chdtrc(m, high))


def _check(count: int, failure: float) -> None:
    if count < 1 or not 0 < failure <= 1:
        raise ValueError(f"{count} variables, failure {failure}: take at least one variable and a probability.")
