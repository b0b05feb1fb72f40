"""Spectrum and Fourier gap of majority, Maj(x) = sign(Σ_i x_i) for odd n (Lemmas B.1 and B.2):

    ξ_k = (-1)^((k-1)/2) C((n-1)/2, (k-1)/2) / C(n-1, k-1) · 2^-(n-1) C(n-1, (n-1)/2)    k odd, 0 for k even

ξ_k is the coefficient of every set of size k. Consecutive odd coefficients have the ratio

    |ξ_{k+1}| / |ξ_{k-1}| = (k-1)/(n-k)                                                  k even

which takes the place of (B.5): the printed chain bounds the ratio by a multiple of k/n only. Lemma B.1
is printed with C(n,k) ξ_k² of order k^(-2/3); the exponent is -3/2, and both are kept here.
Integers are exact up to n = 1001; beyond, log-gamma keeps a relative error of about 1e-16 n log n.
"""

from fractions import Fraction
from math import comb, exp, factorial, fsum, lgamma, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT_UP_TO = 1001  # one coefficient is then a fraction of 1000-bit integers: 20 µs
EXPONENT, PRINTED_EXPONENT = -3 / 2, -2 / 3
C1_SQUARED, C2_SQUARED = (2 / pi) ** 1.5, 3 / 4  # C(n,k) ξ_k² k^(3/2) lies between them for odd n >= 2k²


def majority(x: NDArray[np.number[Any]]) -> NDArray[np.int8]:
    """sign(Σ_i x_i). Shapes (..., n) -> (...)."""
    _check(x.shape[-1], 1)
    return np.sign(np.sum(x, axis=-1, dtype=np.int64)).astype(np.int8)


def xi_exact(n: int, k: int) -> Fraction:
    """ξ_k as a fraction; zero for even k."""
    _check(n, k)
    if k % 2 == 0:
        return Fraction(0)
    m, j = (n - 1) // 2, (k - 1) // 2
    return Fraction((-1) ** j * comb(m, j) * comb(2 * m, m), comb(2 * m, 2 * j) << 2 * m)


def log_abs_xi(n: int, k: int) -> float:
    """log |ξ_k| by log-gamma, for odd k; never underflows."""
    _check(n, k)
    if k % 2 == 0:
        raise ValueError(f"k = {k}: even coefficients of majority vanish and have no logarithm; take an odd k.")
    m, j = (n - 1) // 2, (k - 1) // 2
    return fsum((_log_comb(m, j), -_log_comb(2 * m, 2 * j), _log_comb(2 * m, m), -2 * m * log(2)))


def xi(n: int, k: int) -> float:
    """ξ_k; beyond n of about 2000 the middle coefficients underflow to zero, so use `log_abs_xi` for ratios."""
    if n <= EXACT_UP_TO or k % 2 == 0:
        return float(xi_exact(n, k))
    return (-1) ** ((k - 1) // 2) * exp(log_abs_xi(n, k))


def ratio(n: int, k: int) -> float:
    """|ξ_{k+1}| / |ξ_{k-1}| for even k, computed from the spectrum."""
    _check_gap(n, k)
    if n <= EXACT_UP_TO:
        return float(abs(xi_exact(n, k + 1) / xi_exact(n, k - 1)))
    return exp(log_abs_xi(n, k + 1) - log_abs_xi(n, k - 1))


def ratio_predicted(n: int, k: int) -> float:
    """(k-1)/(n-k), the exact value of the ratio."""
    _check_gap(n, k)
    return (k - 1) / (n - k)


def ratio_printed(n: int, k: int) -> float:
    """k/n, what (B.5) becomes if its order is read as a value."""
    _check_gap(n, k)
    return k / n


def ratio_table(n: tuple[int, ...]) -> dict[str, NDArray[Any]]:
    """The ratio against its formulas for all even k <= n - 2: one row per (n, k), errors relative to the formula."""
    cells = [(m, k) for m in n for k in range(2, m - 1, 2)]
    measured = np.array([ratio(m, k) for m, k in cells])
    predicted = np.array([ratio_predicted(m, k) for m, k in cells])
    printed = np.array([ratio_printed(m, k) for m, k in cells])
    return {
        "n": np.array([m for m, _ in cells], dtype=np.int64),
        "k": np.array([k for _, k in cells], dtype=np.int64),
        "ratio": measured,
        "predicted": predicted,
        "error": np.abs(measured / predicted - 1),
        "error_with_k_over_n": np.abs(measured / printed - 1),
    }


def normalised_weight(n: int, k: int, exponent: float = EXPONENT) -> float:
    """C(n,k) ξ_k² k^(-exponent) for odd k: between C1_SQUARED and C2_SQUARED with the exponent -3/2 (n >= 2k²)."""
    return exp(_log_comb(n, k) + 2 * log_abs_xi(n, k) - exponent * log(k))


def majority_gap(n: int, k: int) -> float:
    """Largest γ of majority at every |S| = k: |ξ_{k-1}| - |ξ_{k+1}| = (n-2k+1)/(n-k) |ξ_{k-1}|, 0 for odd k."""
    _check(n, k)
    return (n - 2 * k + 1) / (n - k) * abs(xi(n, k - 1)) if k % 2 == 0 else 0.0


def threshold_gap(n: int, k: int) -> float:
    """Gap of the 0/1 threshold 1[Σ_i x_i > 0] = (1 + Maj)/2: half of the majority gap."""
    return majority_gap(n, k) / 2


def gap_bound(n: int, k: int) -> float:
    """γ_k = 0.03 (n-1)^(-(k-1)/2), the gap promised by Lemma B.2 for even k and odd n >= 4k."""
    _check_gap(n, k)
    if n < 4 * k:
        raise ValueError(f"n = {n}, k = {k}: Lemma B.2 is stated for n >= 4k; take n >= {4 * k + 1}.")
    return 0.03 * (n - 1) ** (-(k - 1) / 2)


def gap_limit(k: int) -> float:
    """sqrt(2/π) (k-3)!!, limit of the majority gap times (n-1)^((k-1)/2) for even k."""
    if k < 2 or k % 2:
        raise ValueError(f"k = {k}: the gap of majority has a positive limit for even k only; take k = 2, 4, ...")
    pairs = k // 2 - 1  # (2p - 1)!! = (2p)! / (2^p p!), also for p = 0
    return sqrt(2 / pi) * factorial(2 * pairs) / (factorial(pairs) << pairs)


def _log_comb(a: int, b: int) -> float:
    return fsum((lgamma(a + 1), -lgamma(b + 1), -lgamma(a - b + 1)))


def _check(n: int, k: int) -> None:
    if n < 1 or n % 2 == 0:
        raise ValueError(f"n = {n}: majority ties on even n; take an odd n >= 1.")
    if not 0 <= k <= n:
        raise ValueError(f"k = {k}: a subset of n = {n} coordinates has between 0 and n elements.")


def _check_gap(n: int, k: int) -> None:
    _check(n, k)
    if k % 2 or k < 2:
        raise ValueError(f"k = {k}: neighbours k - 1 and k + 1 are non-zero for even k >= 2 only; take an even k.")
