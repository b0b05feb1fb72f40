"""SGD with gradients frozen at w_0 is a random walk: how far its farthest coordinate gets (section B.3.3).

    w_t - w_0 = Σ_{s≤t} g_s        E g_i = β_i,  Var g_i = σ_i²        ρ(t) = max_i |w_{t,i} - w_{0,i}|

    E ρ >= t max|β_i| (Jensen)      E ρ <= σ√(2t log 2n) if β = 0 and g_i is sub-Gaussian (union bound)
    the two bounds meet at          t* = 2 log(2n) σ²/β²
    independent normal coordinates  E ρ = ∫_0^∞ 1 - Π_i Pr[|β_i t + σ_i √t Z| <= a] da

A step of a neuron sin(w·x + b) on the label χ_S is g = χ_S cos(w·x + b) x. Its second moment does not depend on the label:

    E[g_i g_j] = ½ 1[i = j] + ½ E[x_i x_j cos(2w·x + 2b)]
"""

from math import inf, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from elegans.theory.sinusoid import wave

Floats = NDArray[np.float64]
POINTS = 4000  # of the trapezoidal rule; its error is far below 1e-4 of the value


def noise_level(t: ArrayLike, sigma: float, n: int) -> Floats:
    """σ√(2t log 2n), a bound on E ρ of n coordinates without drift."""
    return sigma * np.sqrt(2 * np.asarray(t, np.float64) * log(2 * n))


def crossover(sigma: float, beta: float, n: int) -> float:
    """t* = 2 log(2n) σ²/β², where the drift t|β| reaches the noise level."""
    return 2 * log(2 * n) * sigma**2 / beta**2


def expected_rho(t: Floats, beta: Floats, sigma: Floats) -> Floats:
    """E ρ of a walk with independent normal coordinates. Shapes (T,), (n,), (n,) -> (T,)."""
    kinds, count = np.unique(np.stack([np.abs(beta), sigma], axis=1), axis=0, return_counts=True)
    out = np.empty(len(t))
    for i, time in enumerate(t):
        middle, spread = time * kinds[:, :1], sqrt(time) * kinds[:, 1:]
        a = np.linspace(0, float((middle + 10 * spread).max()), POINTS)
        inside = np.asarray(special.ndtr((a - middle) / spread) - special.ndtr((-a - middle) / spread), np.float64)
        out[i] = np.trapezoid(1 - np.prod(inside ** count[:, None], axis=0), a)
    return out


def local_exponents(t: Floats, rho: Floats, reach: int) -> tuple[Floats, Floats]:
    """Slopes d log ρ / d log t over `reach` grid points to both sides, and the times in their middle."""
    u, v = np.log(t), np.log(rho)
    slope = (v[2 * reach :] - v[: -2 * reach]) / (u[2 * reach :] - u[: -2 * reach])
    return t[reach:-reach], slope


def first_above(t: Floats, values: Floats, level: float) -> float:
    """Where the values first pass a level, interpolated in log t; the last time if they never do."""
    above = values >= level
    i = int(np.argmax(above))
    if not above.any() or i == 0:
        return float(t[0] if above.any() else t[-1])
    weight = (level - values[i - 1]) / (values[i] - values[i - 1])
    return float(t[i - 1] * (t[i] / t[i - 1]) ** weight)


def lasting(t: NDArray[np.int64], holds: NDArray[np.bool_]) -> float:
    """The first of the times t from which on something always holds; inf if it does not at the last."""
    wrong = np.flatnonzero(~holds)
    first = int(wrong[-1]) + 1 if len(wrong) else 0
    return float(t[first]) if first < len(t) else inf


def normal_walk(rng: np.random.Generator, t: NDArray[np.int64], beta: Floats, covariance: Floats) -> Floats:
    """One walk of normal steps with this mean and covariance at increasing times. Shapes (T,), (n,), (n, n) -> (T, n)."""
    more = np.diff(t, prepend=0)[:, None].astype(np.float64)
    noise = rng.standard_normal((len(t), len(beta))) @ np.linalg.cholesky(covariance).T
    return np.cumsum(more * beta + np.sqrt(more) * noise, axis=0)


def second_moment(w: Floats, b: float) -> Floats:
    """E[x_i x_j cos²(w·x + b)], shape (n, n); no cos 2w_i may vanish."""
    pairs = -np.outer(np.tan(2 * w), np.tan(2 * w))
    np.fill_diagonal(pairs, 1.0)
    return (np.eye(len(w)) + wave(2 * w, 2 * b, ()).real * pairs) / 2
