"""The symmetrised initialisation of Theorem 5.5: r neurons in pairs that differ in the sign of u only, so that f = 0.

w_i ~ Unif{±1}^n        b_i ~ Unif{-1 + 1/k, -1 + 2/k, ..., 1 - 1/k}        u_{i + r/2} = -u_i,  i ≤ r/2
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Network = dict[str, Floats]


def bias_grid(k: int) -> Floats:
    """The 2k - 1 admissible biases."""
    if k < 1:
        raise ValueError(f"k = {k}: the grid -1 + 1/k, ..., 1 - 1/k needs k >= 1.")
    return np.arange(1 - k, k) / k


def symmetric_start(rng: np.random.Generator, n: int, k: int, width: int) -> Network:
    """Fresh weights W (n, r), b (r,), u (r,) of the network Σ_i u_i ReLU(w_i·x + b_i)."""
    if width < 2 or width % 2:
        raise ValueError(f"width = {width}: neurons come in pairs; take an even width.")
    half = width // 2
    W = rng.choice((-1.0, 1.0), (n, half))
    b, u = rng.choice(bias_grid(k), half), rng.choice((-1.0, 1.0), half)
    return {"W": np.hstack([W, W]), "b": np.concatenate([b, b]), "u": np.concatenate([u, -u])}
