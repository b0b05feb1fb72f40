"""A sinusoidal neuron on the cube, exactly and for any n (section 2.4 of the specification):

    E[χ_T(x) e^{i(w·x + b)}] = e^{ib} i^{|T|} Π_{j∈T} sin w_j Π_{j∉T} cos w_j
    E[sin²(w·x + b)] = ½ - ½ cos(2b) Π_j cos 2w_j

The derivative by w_i multiplies by i x_i, and χ_T x_i = χ_{T△i}, so all population gradients have the same form.
Weights have shape (..., n), b broadcasts against (...). A neuron sin(s(w·x + b) + β) enters as weights s w and b s b + β.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]


def wave(w: Floats, b: ArrayLike, T: Iterable[int]) -> Complex:
    """E[χ_T e^{i(w·x + b)}]. Shapes (..., n) -> (...)."""
    inside = _members(w, T)
    size = np.where(inside, np.sin(w), np.cos(w)).prod(-1)
    return np.exp(1j * np.asarray(b, np.float64)) * 1j ** int(inside.sum()) * size


def correlation(w: Floats, b: ArrayLike, S: Iterable[int]) -> Floats:
    """E[χ_S sin(w·x + b)]."""
    return wave(w, b, S).imag


def mean_square(w: Floats, b: ArrayLike) -> Floats:
    """E[sin²(w·x + b)]."""
    return 0.5 - 0.5 * np.cos(2 * np.asarray(b, np.float64)) * np.cos(2 * w).prod(-1)


def correlation_gradient(w: Floats, b: ArrayLike, S: Iterable[int]) -> Floats:
    """∂/∂w_i E[χ_S sin(w·x + b)] = E[χ_S x_i cos(w·x + b)] for every i. Shapes (..., n) -> (..., n)."""
    members = set(S)
    return np.stack([wave(w, b, members ^ {i}).real for i in range(w.shape[-1])], axis=-1)


def mean_square_gradient(w: Floats, b: ArrayLike) -> Floats:
    """∂/∂w_i E[sin²(w·x + b)] = cos(2b) sin 2w_i Π_{j≠i} cos 2w_j. Shapes (..., n) -> (..., n)."""
    n = w.shape[-1]
    others = np.stack([np.delete(np.cos(2 * w), i, axis=-1).prod(-1) for i in range(n)], axis=-1)
    return np.cos(2 * np.asarray(b, np.float64))[..., None] * np.sin(2 * w) * others


def _members(w: Floats, T: Iterable[int]) -> NDArray[np.bool_]:
    members, n = list(T), w.shape[-1]
    if members and not 0 <= min(members) <= max(members) < n:
        raise ValueError(f"T = {members}: w has n = {n} coordinates; use coordinates 0 to n - 1.")
    inside = np.zeros(n, np.bool_)
    inside[members] = True
    return inside
