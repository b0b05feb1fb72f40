"""Sums of powers of λ over ordered positions s ≤ t' ≤ p ≤ t: the four sums of (E.16), as printed and in stable form.

    Σ λ^{p-s}  = Σ_r (t-r)(r+1) λ^r         = (I) / (λ-1)                                                    (A)
    Σ λ^{p-t'} = Σ_r (t-r)(t-r+1)/2 λ^r     = (II) / (λ-1)²                                                  (B)
    Σ λ^{t'-s} = the same, by time reversal = (III) / (λ-1)                                                  (C)
    Σ 1        = t(t+1)(t+2)/6              = (IV)                                                           (D)

r = 0..t-1. The polynomials in the middle are good for every λ in [-1, 1]. The printed quotients are undefined at λ = 1,
(I) at λ = 0 too, and near λ = 1 they lose 3 log10 1/(1-λ) digits: terms of size (1-λ)^{-3} cancel down to t³.
"""

import numpy as np
from numpy.typing import ArrayLike

from elegans.theory.markov import Floats


def position_sums(lam: ArrayLike, t: int) -> Floats:
    """(A), (B), (C), (D) by their polynomials, for λ (...): (4, ...)."""
    lam, r = np.asarray(lam, np.float64), np.arange(_length(t))
    reversible = np.polynomial.polynomial.polyval(lam, (t - r) * (t - r + 1) / 2)
    apart = np.polynomial.polynomial.polyval(lam, (t - r) * (r + 1.0))
    return np.stack([apart, reversible, reversible, np.full(lam.shape, t * (t + 1) * (t + 2) / 6)])


def position_sums_by_loop(lam: ArrayLike, t: int) -> Floats:
    """(A), (B), (C), (D) term by term, for λ (...): (4, ...)."""
    lam = np.asarray(lam, np.float64)
    total = np.zeros((4, *lam.shape))
    for p in range(1, _length(t) + 1):
        for t1 in range(1, p + 1):
            for s in range(1, t1 + 1):
                total += np.stack([lam ** (p - s), lam ** (p - t1), lam ** (t1 - s), np.ones_like(lam)])
    return total


def printed_brackets(lam: ArrayLike, t: int) -> Floats:
    """(I), (II), (III), (IV) of (E.17) as printed, for λ (...) other than 0 and 1: (4, ...)."""
    lam, t = np.asarray(lam, np.float64), _length(t)
    if np.any((lam == 0) | (lam == 1)):
        raise ValueError("λ is 0 or 1, where the printed brackets divide by zero; use position_sums.")
    one = (lam - (t + 1) * lam ** (t + 1) + t * lam ** (t + 2)) / (1 - lam) ** 2
    one += -(1 - lam**t) / ((1 - 1 / lam) * (1 - lam)) + t / (lam - 1)
    two = lam**2 * (1 - lam**t) / (1 - lam) - lam * t * (t + 3) / 2 + t * (t + 1) / 2
    three = t * lam / (1 - lam) - (lam**2 - lam ** (t + 2)) / (1 - lam) ** 2 - t * (t + 1) / 2
    return np.stack([one, two, three, np.full(lam.shape, t * (t + 1) * (t + 2) / 6)])


def printed_sums(lam: ArrayLike, t: int) -> Floats:
    """(A), (B), (C), (D) from the printed brackets, for λ (...) other than 0 and 1: (4, ...)."""
    lam = np.asarray(lam, np.float64)
    return printed_brackets(lam, t) / np.stack([lam - 1, (lam - 1) ** 2, lam - 1, np.ones_like(lam)])


def pair_sums(lam: ArrayLike, t: int) -> Floats:
    """Σ_{p=j..t} Σ_{n=1..p-j+1} λ^n for every offset j = 1..t, for λ (...): (..., t)."""
    powers = np.asarray(lam, np.float64)[..., None] ** np.arange(1, _length(t) + 1)
    return np.cumsum(np.cumsum(powers, axis=-1), axis=-1)[..., ::-1]


def _length(t: int) -> int:
    if t < 1:
        raise ValueError(f"t = {t}, but a context has at least one token; use t >= 1.")
    return t
