"""Fixed features cannot fit all parities (Theorem 5.6), for the hinge loss.

For Ψ: {±1}^n → R^D with ‖Ψ‖ ≤ 1, and since (1 - z)_+ ≥ 1 - z,

    min_{‖w‖≤R} E (1 - χ_S w·Ψ)_+ ≥ 1 - R ‖E[χ_S Ψ]‖        Σ_{|S|=k} ‖E[χ_S Ψ]‖² ≤ E‖Ψ‖² ≤ 1

so some S has a loss above 1 - ε as soon as R² < ε² C(n,k); the dimension D does not enter. For R ≤ 1 the first bound is
an equality. Functions on the cube are listed in the order of `elegans.theory.boolean`.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from elegans.theory.boolean import cube, dimension, index, walsh_hadamard

Floats = NDArray[np.float64]


def normalised(features: Floats) -> Floats:
    """Features divided by their largest norm on the cube, so that ‖Ψ‖ ≤ 1. Shapes (2^n, D) -> (2^n, D)."""
    return features / np.linalg.norm(features, axis=1).max()


def relu_features(W: Floats, b: Floats) -> Floats:
    """σ(w_j·x + b_j) on the cube. Shapes (D, n), (D,) -> (2^n, D)."""
    return np.maximum(cube(W.shape[1]) @ W.T + b, 0)


def tangent_features(W: Floats, b: Floats, u: Floats) -> Floats:
    """Gradient of Σ_j u_j σ(w_j·x + b_j) in all its parameters: 2^n rows of r (n + 2) numbers."""
    x = cube(W.shape[1]).astype(np.float64)
    z = x @ W.T + b
    slope = (z > 0) * u
    inner = slope[:, :, None] * x[:, None, :]
    return np.hstack([np.maximum(z, 0), slope, inner.reshape(len(x), -1)])


def parities(n: int, k: int) -> Floats:
    """χ_S on the cube for all |S| = k in lexicographic order, shape (C(n,k), 2^n)."""
    x = cube(n).astype(np.float64)
    return np.stack([x[:, S].prod(1) for S in combinations(range(n), k)])


def alignments(features: Floats, k: int) -> Floats:
    """‖E[χ_S Ψ]‖ for all |S| = k. Shapes (2^n, D) -> (C(n,k),)."""
    n = dimension(features[:, 0])
    columns = np.stack([walsh_hadamard(column) for column in features.T], axis=1) / len(features)
    return np.linalg.norm(columns[[index(S) for S in combinations(range(n), k)]], axis=1)


def hinge(features: Floats, labels: Floats, w: Floats) -> Floats:
    """E (1 - y w·Ψ)_+ for one w a labelling. Shapes (2^n, D), (m, 2^n), (m, D) -> (m,)."""
    return np.maximum(1 - labels * (w @ features.T), 0).mean(1)


def least_hinge(features: Floats, labels: Floats, R: float, steps: int) -> Floats:
    """The hinge loss that projected subgradient descent reaches in the ball of radius R: from above, shape (m,)."""
    w = np.zeros((len(labels), features.shape[1]))
    best = hinge(features, labels, w)
    for t in range(1, steps + 1):
        active = labels * (labels * (w @ features.T) < 1)
        slope = active @ features / len(features)
        w += R / np.sqrt(t) * slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-300)
        w /= np.maximum(np.linalg.norm(w, axis=1, keepdims=True) / R, 1)
        best = np.minimum(best, hinge(features, labels, w))
    return best


def radius(eps: float, sets: int) -> float:
    """ε √C(n,k): below this radius some parity keeps a loss above 1 - ε."""
    return eps * float(np.sqrt(sets))
