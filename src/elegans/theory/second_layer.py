"""A second layer that computes parity from the neurons after one step (Lemma B.4).

Ideal neurons see the k relevant bits only. With m of them equal to -1, a neuron of direction s = ±1 and bias b is

    σ(s/(2k) Σ_{j≤k} x_j + b) = σ(s (½ - m/k) + b)

The printed construction takes s = 1, b_i = -½ + i/k (or (i+1)/k, the text has both), u_i = 8k (-1)^(i+1) for i ≤ k-2,
u_{k-1} = 6k, u_k = -2k. It misses 2χ at m = k. One mirrored neuron (s = -1, b = -½ + 1/k, u = 2k) mends it.

What the irrelevant weights add is bounded by Hoeffding: for n weights of size at most Δ,

    Pr[|Σ_j d_j x_j| ≥ Δ √(2n log(2k/ε))] ≤ ε/k            (printed with √(n log(2k/ε) / 2), half of it)
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from elegans.theory.majority import xi
from elegans.theory.polynet_error import open_ball

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SecondLayer:
    """Directions s, biases b and second-layer weights u of the neurons, each of shape (r,)."""

    k: int
    s: Floats
    b: Floats
    u: Floats

    def neurons(self) -> Floats:
        """Their values for m = 0..k, shape (k + 1, r)."""
        m = np.arange(self.k + 1)[:, None]
        return np.maximum(self.s * (0.5 - m / self.k) + self.b, 0)

    def values(self) -> Floats:
        """f* for m = 0..k, shape (k + 1,)."""
        return self.neurons() @ self.u

    def error(self) -> float:
        """max_m |f*(m) - 2 (-1)^m|."""
        return float(np.abs(self.values() - target(self.k)).max())

    def best_error(self) -> float:
        """Least-squares distance from 2χ that no second layer on these neurons goes below."""
        A, y = self.neurons(), target(self.k)
        return float(np.linalg.norm(A @ np.linalg.lstsq(A, y)[0] - y))


def target(k: int) -> Floats:
    """2χ_[k] as a function of m."""
    return 2 * alternating(k + 1)


def alternating(r: int) -> Floats:
    """1, -1, 1, ... of length r."""
    return 1.0 - 2.0 * (np.arange(r, dtype=np.float64) % 2)


def printed(k: int, shift: int = 0) -> SecondLayer:
    """The k neurons of the text, with biases -½ + (i + shift)/k."""
    _check(k)
    i = np.arange(1, k + 1)
    u = 8 * k * alternating(k)
    u[-2:] = 6 * k, -2 * k
    return SecondLayer(k, np.ones(k), -0.5 + (i + shift) / k, u)


def corrected(k: int) -> SecondLayer:
    """The printed neurons and a mirrored one: exactly 2χ for every even k, on the grid of biases."""
    p = printed(k)
    return SecondLayer(k, np.append(p.s, -1.0), np.append(p.b, -0.5 + 1 / k), np.append(p.u, 2.0 * k))


def unmirrored(k: int) -> SecondLayer:
    """k + 1 neurons without a mirrored one, exact for even k ≥ 4 (for k = 2 a bias leaves the grid)."""
    _check(k)
    i = np.arange(1, k + 2)
    u = 8 * k * alternating(k + 1)
    u[-2:] = -6 * k, 2 * k
    return SecondLayer(k, np.ones(k + 1), -0.5 + i / k, u)


def learning_rate(n: int, k: int) -> float:
    """η = 1 / (k |ξ_{k-1}|), for which the relevant weights become ±1/(2k)."""
    return 1 / (k * abs(xi(n, k - 1)))


def irrelevant_bound(n: int, k: int, tau: float) -> float:
    """Claim 2: (|ξ_{k+1}| + 2τ) / (2k |ξ_{k-1}|) bounds the irrelevant weights after a step with error τ."""
    return (abs(xi(n, k + 1)) + 2 * tau) / (2 * k * abs(xi(n, k - 1)))


def allowed_error(n: int, k: int, eps: float) -> float:
    """τ = |ξ_{k-1}| / (16 k √(2n log(2k/ε))) of Lemma B.5."""
    return abs(xi(n, k - 1)) / (16 * k * sqrt(2 * n * log(2 * k / eps)))


def deviation(n: int, k: int, eps: float) -> float:
    """√(2n log(2k/ε)), in units of Δ."""
    return sqrt(2 * n * log(2 * k / eps))


def deviation_printed(n: int, k: int, eps: float) -> float:
    """√(n log(2k/ε) / 2), in units of Δ: half of what Hoeffding's inequality gives."""
    return sqrt(n * log(2 * k / eps) / 2)


def worst_tail(n: int, t: float) -> float:
    """Exact Pr[|Σ_{j≤n} ±1| ≥ t]: all n weights as large as they may be."""
    return float(1 - open_ball(t, n))


def _check(k: int) -> None:
    if k < 2 or k % 2:
        raise ValueError(f"k = {k}: the construction is for even k >= 2.")
