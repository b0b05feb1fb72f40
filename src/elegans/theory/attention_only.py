"""The attention-only transformer written out position by position, in double precision: a reference to test against.

    z^(l) = z^(l-1) + softmax(mask(A)) z^(l-1) W_V,   A_ij = (z_i W_Q) (z_j W_K + v_{i-j+1})^T / sqrt(d),   j <= i    (8.4)-(8.5)

Weights come by name: embed (k, d), read (d, k), and q{l}, k{l}, v{l} (d, d), pos{l} (t, d) whose row j-1 is the offset
index j. Where they are given, o{l} (d, d) mixes a layer's output, and ln{l}_g, ln{l}_b, ln_g, ln_b are layer norms.
"""

import math
from collections.abc import Mapping

import numpy as np

from elegans.theory.markov import Floats

EPSILON = 1e-5  # of the layer norm


def forward(weights: Mapping[str, Floats], x: list[int], layers: int, heads: int = 1) -> Floats:
    """Logits (t, k) for one context."""
    z = weights["embed"][x]
    for l in range(layers):
        z = z + attended(weights, z, l, heads)
    return normed(weights, "ln", z) @ weights["read"]


def attended(weights: Mapping[str, Floats], z: Floats, l: int, heads: int = 1) -> Floats:
    """What layer l adds to z (t, d), one head, one position and one earlier position at a time."""
    h, (t, d) = normed(weights, f"ln{l}", z), z.shape
    q, k, v, pos = (weights[f"{name}{l}"] for name in ("q", "k", "v", "pos"))
    size = d // heads
    out = np.zeros((t, d))
    for s in (slice(a * size, (a + 1) * size) for a in range(heads)):
        for i in range(t):
            A = np.array([(h[i] @ q)[s] @ ((h[j] @ k)[s] + pos[i - j][s]) / math.sqrt(size) for j in range(i + 1)])
            weight = np.exp(A - A.max())
            out[i, s] = weight / weight.sum() @ (h[: i + 1] @ v)[:, s]
    return out @ weights[f"o{l}"] if f"o{l}" in weights else out


def normed(weights: Mapping[str, Floats], name: str, z: Floats) -> Floats:
    """The layer norm called `name`, or z itself where there is none."""
    if f"{name}_g" not in weights:
        return z
    centred = z - z.mean(-1, keepdims=True)
    return (
        centred / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON) * weights[f"{name}_g"] + weights[f"{name}_b"]
    )


def parameters(k: int, d: int, t: int, layers: int, norms_and_mixing: bool = False) -> int:
    """2kd + L(3d^2 + td), and L(d^2 + 2d) + 2d more with output projections and layer norms."""
    return 2 * k * d + layers * (3 * d * d + t * d) + norms_and_mixing * (layers * (d * d + 2 * d) + 2 * d)
