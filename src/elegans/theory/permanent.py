"""The permanent, which is what a product of linear forms has in common with a parity:

    E[χ_S(x) Π_i (w_i·x + b_i)] = perm(W_{:,S}) = Σ_π Π_i w_{i,π(i)}        for k forms and |S| = k, whatever b

Every form has to give one coordinate of S, and no form can give less than that and leave the degree at k.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def permanent(A: Floats) -> float:
    """Glynn's formula: 2^{1-k} Σ_δ (Π_i δ_i) Π_j Σ_i δ_i a_ij over the signs δ with δ_1 = 1. Shape (k, k)."""
    k = len(A)
    if A.shape != (k, k) or k > 20:
        raise ValueError(f"A has shape {A.shape}: the permanent is taken of square matrices with at most 20 rows.")
    if k == 0:
        return 1.0
    signs = np.array([(1, *rest) for rest in product((1, -1), repeat=k - 1)], np.float64)
    return float(signs.prod(1) @ (signs @ A).prod(1) / 2 ** (k - 1))


def permanent_gradient(A: Floats) -> Floats:
    """∂perm/∂a_ij, the permanents of the minors. Shapes (k, k) -> (k, k)."""
    k = range(len(A))
    minors = [[permanent(np.delete(np.delete(A, i, 0), j, 1)) for j in k] for i in k]
    return np.array(minors)
