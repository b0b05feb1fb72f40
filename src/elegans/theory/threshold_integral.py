"""Spectrum of a threshold function with any real weights, for any n, by one integral instead of 2^n points.

    1[s > 0] = ½ + 1/π ∫_0^∞ sin(ts)/t dt   (s ≠ 0)
    E[χ_T(x) 1[w·x + b > 0]] = ½ 1[T = ∅] + 1/π ∫_0^∞ Im(e^{itb} i^{|T|} Π_{j∈T} sin(t w_j) Π_{j∉T} cos(t w_j)) dt/t

The integrand is almost periodic. For n ≥ 15 weights of a continuous law it has faded, to about 2^-n, long before t = 40/‖w‖,
where the integral is cut. Weights with a common divisor, such as ±1, never fade: `neuron_gradients` has closed forms for them.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
REACH, NODES, FEWEST = 40.0, 400, 15  # the cut in units of 1/‖w‖, nodes of the Gauss-Legendre rule, the fewest inputs


def threshold_gradients(W: Floats, b: Floats, k: int) -> Floats:
    """g_i = E[χ_[k] x_i 1[w·x + b > 0]] of every neuron, 2 ≤ k < n. Shapes (m, n), (m,) -> (m, n)."""
    m, n = W.shape
    if n < FEWEST or not 2 <= k < n:
        raise ValueError(f"n = {n}, k = {k}: needs n ≥ {FEWEST} and 2 ≤ k < n; enumerate the cube for fewer inputs.")
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    unit, weights = (nodes + 1) / 2, weights / 2
    out = np.empty((m, n))
    for i in range(m):
        reach = REACH / np.linalg.norm(W[i])
        t = reach * unit
        sin, cos = np.sin(np.outer(t, W[i])), np.cos(np.outer(t, W[i]))
        inside = without_one(sin[:, :k]) * cos[:, :k] * cos[:, k:].prod(1, keepdims=True)
        outside = sin[:, :k].prod(1, keepdims=True) * without_one(cos[:, k:]) * sin[:, k:]
        for columns, product, size in ((slice(k), inside, k - 1), (slice(k, n), outside, k + 1)):
            phase = (np.exp(1j * t * b[i]) * 1j**size).imag
            out[i, columns] = (weights * phase / unit) @ product / np.pi
    return out


def without_one(a: Floats) -> Floats:
    """Products of all columns but one, without division. Shapes (m, n) -> (m, n)."""
    ones = np.ones((len(a), 1))
    before = np.cumprod(np.hstack([ones, a[:, :-1]]), axis=1)
    after = np.cumprod(np.hstack([ones, a[:, :0:-1]]), axis=1)[:, ::-1]
    return before * after
