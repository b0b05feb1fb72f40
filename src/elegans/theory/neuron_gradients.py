"""The population gradient of one neuron on parity, by enumeration and in closed form (section 5.4.1, Lemma B.3).

    g_i = E[χ_[k](x) x_i σ'(w·x + b)] = ĥ([k] △ i),    h = σ'(w·x + b)
    Γ = max_{i≤k} |g_i| - max_{i>k} |g_i|              strict: min_{i≤k} |g_i| - max_{i>k} |g_i|

It is minus the gradient of the correlation loss. For ReLU, odd n, even k and weights w ∈ {±1}^n with |b| < 1

    g_j = ½ ξ_{k-1} χ_{[k] - j}(w)   (j ≤ k)           g_j = ½ ξ_{k+1} χ_{[k] + j}(w)   (j > k)           ∂/∂b: 0

with ξ the spectrum of majority. Coordinates 1..k of the paper are 0..k-1 here.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from elegans.theory.boolean import character, cube
from elegans.theory.majority import xi

Floats = NDArray[np.float64]
AT_ONCE = 2**22  # pre-activations held at one time


def step(z: Floats) -> Floats:
    """1[z > 0], the derivative of ReLU."""
    return (z > 0).astype(np.float64)


def gradients(derivative: Callable[[Floats], Floats], W: Floats, k: int, b: Floats | None = None) -> Floats:
    """g of every row of W by enumeration. Shapes (m, n), (m,) -> (m, n)."""
    m, n = W.shape
    x = cube(n).astype(np.float64)
    labelled = x * character(n, range(k))[:, None]
    bias = np.zeros(m) if b is None else b
    out = np.empty((m, n))
    for i in range(0, m, max(1, AT_ONCE >> n)):
        rows = slice(i, i + max(1, AT_ONCE >> n))
        out[rows] = derivative(x @ W[rows].T + bias[rows]).T @ labelled / len(x)
    return out


def relaxed_gap(g: Floats, k: int) -> Floats:
    """Γ: largest relevant minus largest irrelevant entry. Shapes (..., n) -> (...)."""
    return np.abs(g[..., :k]).max(-1) - np.abs(g[..., k:]).max(-1)


def strict_gap(g: Floats, k: int) -> Floats:
    """γ of Definition 5.4: smallest relevant minus largest irrelevant entry. Shapes (..., n) -> (...)."""
    return np.abs(g[..., :k]).min(-1) - np.abs(g[..., k:]).max(-1)


def gradient_at_signs(W: Floats, k: int) -> Floats:
    """g of ReLU neurons with weights ±1 and |b| < 1 in closed form. Shapes (m, n) -> (m, n)."""
    n = W.shape[1]
    if n % 2 == 0 or k % 2 or not np.all(np.abs(W) == 1):
        raise ValueError(f"n = {n}, k = {k}: the closed form needs odd n, even k and weights ±1.")
    size = np.full(n, xi(n, k + 1) if k < n else 0.0)
    size[:k] = xi(n, k - 1)
    return size / 2 * W[:, :k].prod(1, keepdims=True) * W


def gradient_at_ones(n: int, k: int) -> Floats:
    """The warm-up: ½ξ_{k-1} on the relevant coordinates, ½ξ_{k+1} on the others, shape (n,)."""
    return gradient_at_signs(np.ones((1, n)), k)[0]


def loss_slopes(W: Floats, b: Floats, u: Floats, k: int, h: float) -> tuple[Floats, Floats]:
    """Slopes of the hinge loss at f = 0 in W and b by central differences. Shapes (m, n), (m,), (m,) -> (m, n), (m,).

    One neuron of a network with f = 0 moves at a time. The loss is linear for |h| < 1 - |b|, |h| < 1/n, so the differences
    are exact up to rounding.
    """
    m, n = W.shape
    x, y = cube(n).astype(np.float64), character(n, range(k)).astype(np.float64)
    z = x @ W.T + b

    def loss(direction: Floats) -> Floats:
        up, down = (u * (np.maximum(z + s * h * direction, 0) - np.maximum(z, 0)) for s in (1, -1))
        margins = np.stack([up, down]) * y[:, None]
        high, low = np.maximum(1 - margins, 0).mean(1)
        return (high - low) / (2 * h)

    slopes = np.stack([loss(x[:, [j]]) for j in range(n)], axis=1)
    return slopes.reshape(m, n), loss(np.ones((len(x), 1)))
