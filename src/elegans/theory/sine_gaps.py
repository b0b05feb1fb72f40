"""Fourier gaps of the gradient that a sine induces on parity, exactly and for any n (figure B.8, left).

    g_i = E[χ_[k](x) x_i sin(v·x)]        |g_i| = P / |tan v_i|  (i ≤ k),    P |tan v_i|  (i > k),    k even
    P = Π_{j≤k} |sin v_j| Π_{j>k} |cos v_j|
    Γ = P (1 / min_{j≤k} |tan v_j| - max_{j>k} |tan v_j|)        strict: max in place of min

It follows from `elegans.theory.sinusoid`; for odd k the whole gradient vanishes, because sine is odd. If all |v_j| < π/4,
both gaps are positive: every tangent is below 1. At v = ±1/√n they are equal, and n^((k-1)/2) Γ → e^(-1/2) for every
even k: the power of n is that of majority, whose constant is √(2/π) (k-3)!!.
"""

from collections.abc import Callable
from math import cos, exp, sin, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LIMIT_AT_SIGNS = exp(-1 / 2)


def relaxed_gap(v: Floats, k: int) -> Floats:
    """Γ: largest relevant minus largest irrelevant entry. Shapes (..., n) -> (...)."""
    return _gap(v, k, np.min)


def strict_gap(v: Floats, k: int) -> Floats:
    """γ of Definition 5.4: smallest relevant minus largest irrelevant entry. Shapes (..., n) -> (...)."""
    return _gap(v, k, np.max)


def gap_at_signs(n: int, k: int) -> float:
    """Either gap at v = ±1/√n: sin^(k-1) cos^(n-k-1) cos(2/√n), with both functions taken at 1/√n."""
    _check(n, k)
    s = 1 / sqrt(n)
    return sin(s) ** (k - 1) * cos(s) ** (n - k - 1) * cos(2 * s) if k % 2 == 0 else 0.0


def _gap(v: Floats, k: int, end: Callable[..., Floats]) -> Floats:
    _check(v.shape[-1], k)
    if k % 2:
        return np.zeros(v.shape[:-1])
    size = np.abs(np.sin(v[..., :k])).prod(-1) * np.abs(np.cos(v[..., k:])).prod(-1)
    tan = np.abs(np.tan(v))
    return size * (1 / end(tan[..., :k], axis=-1) - tan[..., k:].max(-1))


def _check(n: int, k: int) -> None:
    if not 0 < k < n:
        raise ValueError(f"n = {n}, k = {k}: the gap compares relevant and irrelevant inputs; take 0 < k < n.")
