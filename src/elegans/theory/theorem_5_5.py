"""Theorem 5.5: sizes for which two-stage SGD learns parities, as printed and with the constants that the proof gives.

    T ≥ 2^9 k³ r n² / ε²                                      corrected: 2^12
    r ≥ k 2^k log(8k/ε)                                       corrected: k 2^(k+1) log(8k/ε)
    B ≥ c1^-1 2^8 k^(7/6) n C(n,k-1) log(128k³n/ε) log(32nr/ε)    corrected: 2^10 k² n ξ_{k-1}^-2 log log
    n ≥ 2^11 k^4 c2² log(128k³n/ε) / c1²                      corrected: 2^7 k² (k-1)² (n/(n-k))² log(128k³n/ε)

Inside the proof ε' = ε/(64k²n) and δ' = ε/8. T must bring 2Mρ/√T, M = 8k^1.5, ρ = 2√r n, down to ε/4 with the factor 2
of the text: 16 k^1.5 √r n / √(T-1) ≤ ε/4. B must bring the error of the gradient below τ of Lemma B.5 by Hoeffding. r must
cover: r/2 pairs are drawn, and a pair has one of k given biases and relevant weights of equal sign with p = 2^-(k-1)/(2k-1).
n follows from the exact ratio (k-1)/(n-k), and is smaller than printed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, comb, log, sqrt
from typing import Literal

from elegans.theory.majority import C1_SQUARED, C2_SQUARED, xi
from elegans.theory.second_layer import allowed_error

Version = Literal["printed", "corrected"]


@dataclass(frozen=True)
class Sizes:
    """Smallest dimension n, and width r, batch B and steps T at the dimension that was asked for."""

    n: float
    r: int
    B: float
    T: float


def thm55(n: int, k: int, eps: float, version: Version) -> Sizes:
    """What the theorem asks for at dimension n (which may be below the n that it allows)."""
    _check(n, k, eps)
    r = width(k, eps / 8, version)
    batch = batch_printed if version == "printed" else batch_corrected
    return Sizes(smallest_n(k, eps, version), r, batch(n, k, r, eps), steps(n, k, r, eps, version))


def width(k: int, delta: float, version: Version) -> int:
    """The next even number after k 2^k log(k/δ), twice that in the corrected version."""
    r = k * 2 ** (k if version == "printed" else k + 1) * log(k / delta)
    return 2 * ceil(r / 2)


def steps(n: int, k: int, r: int, eps: float, version: Version) -> float:
    """T: the printed 2^9 k³ r n²/ε², or 2^12 k³ r n²/ε²; a step more because T - 1 of them train."""
    return 1 + 2 ** (9 if version == "printed" else 12) * k**3 * r * n**2 / eps**2


def optimisation_error(n: int, k: int, r: int, T: float) -> float:
    """16 k^1.5 √r n / √(T-1), what the second stage leaves; it has to be at most ε/4."""
    return 16 * k**1.5 * sqrt(r) * n / sqrt(T - 1)


def batch_printed(n: int, k: int, r: int, eps: float) -> float:
    """B as printed, with c1 = (2/π)^(3/4)."""
    return 2**8 * k ** (7 / 6) * n * comb(n, k - 1) * _logs(n, k, r, eps) / sqrt(C1_SQUARED)


def batch_corrected(n: int, k: int, r: int, eps: float) -> float:
    """2^10 k² n ξ_{k-1}^-2 log(128k³n/ε) log(32nr/ε)."""
    return 2**10 * k**2 * n * _logs(n, k, r, eps) / xi(n, k - 1) ** 2


def batch_needed(n: int, k: int, r: int, eps: float) -> float:
    """2/τ² log(4nr/δ') with τ and ε', δ' of the proof: Lemma B.5 asks for it."""
    return concentration_batch(n, r, allowed_error(n, k, eps / (64 * k**2 * n)), eps / 8)


def concentration_batch(n: int, r: int, tau: float, delta: float) -> float:
    """B = 2/τ² log(4nr/δ): all entries of the gradient are then within τ with probability 1 - δ (Hoeffding)."""
    return 2 / tau**2 * log(4 * n * r / delta)


def smallest_n(k: int, eps: float, version: Version) -> float:
    """The least n that satisfies its own condition, by iteration from below."""

    def asked(n: float) -> float:
        bits = log(128 * k**3 * n / eps)
        if version == "printed":
            return 2**11 * k**4 * C2_SQUARED * bits / C1_SQUARED
        return 2**7 * k**2 * (k - 1) ** 2 * (n / (n - k)) ** 2 * bits

    return fixed_point(asked, 4.0 * k)


def fixed_point(f: Callable[[float], float], start: float) -> float:
    """x = f(x) for a slowly growing f."""
    x = start
    for _ in range(200):
        x = f(x)
    return x


def type_probability(k: int) -> float:
    """2^-(k-1)/(2k-1): a pair has relevant weights of one sign and one given bias of 2k - 1."""
    return 2.0 ** (1 - k) / (2 * k - 1)


def coverage(k: int, pairs: int) -> float:
    """Probability that all k biases of Lemma B.4 appear among so many pairs (the mirrored neuron is a twin).

    Inclusion and exclusion: Σ_j (-1)^j C(k,j) (1 - jp)^pairs.
    """
    p = type_probability(k)
    return float(sum((-1) ** j * comb(k, j) * (1 - j * p) ** pairs for j in range(k + 1)))


def _logs(n: int, k: int, r: int, eps: float) -> float:
    return log(128 * k**3 * n / eps) * log(32 * n * r / eps)


def _check(n: int, k: int, eps: float) -> None:
    if n % 2 == 0 or k < 2 or k % 2 or not 0 < eps < 1:
        raise ValueError(f"n = {n}, k = {k}, ε = {eps}: the theorem is for odd n, even k >= 2 and 0 < ε < 1.")
