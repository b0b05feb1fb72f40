"""Quadratic networks written down by hand: some of largest margin, some merely correct (constructions K1, K2, K4–K6).

On Z_p a neuron of frequency ζ is u(a) = cos(θ_u + 2πζa/p), likewise v and w, with θ_u + θ_v = θ_w. On a group whose
irreps are real it is u = s R_{(i,j)}, v = ±s R_{(j,l)}, w = ±s R_{(i,l)}, s = √(d/(3|G|)), where R_{(i,j)} is the
function g ↦ R(g)_{ij}; summed over i, j, l and signs these neurons give logits ∝ χ_R(abc⁻¹).
"""

from collections.abc import Iterable, Sequence
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elegans.theory.quadratic_nets import Network
from elegans.theory.representations import Irrep

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EIGHT_PHASES = (pi / 2) * np.array(
    [[0, 0, 0], [0, 2, 2], [1, -1, 0], [1, 1, 2], [-1, 0, -1], [-1, 2, 1], [0, -1, -1], [0, 1, 1]], dtype=np.float64
)
SIX_PHASES = (pi / 3) * np.array([[j, 4 * j, 5 * j] for j in range(6)], dtype=np.float64)


def cyclic_network(p: int) -> Network:
    """K1: the paper's maximum-margin network on Z_p, p odd, of width 4(p-1); logits 4 Σ_ζ cos(2πζ(a+b-c)/p)."""
    return _waves(p, _all_frequencies(p), EIGHT_PHASES)


def narrow_cyclic_network(p: int) -> Network:
    """K2: six neurons a frequency are enough, so width 3(p-1)."""
    return _waves(p, _all_frequencies(p), SIX_PHASES)


def single_frequency_network(p: int, zeta: int) -> Network:
    """K6: the eight neurons of one frequency ζ; it classifies Z_p if gcd(ζ, p) = 1, with a smaller margin."""
    if zeta % p == 0:
        raise ValueError(f"frequency ζ={zeta} is constant on Z_{p}: take ζ between 1 and {p - 1}.")
    return _waves(p, [zeta], EIGHT_PHASES)


def representation_network(reps: Sequence[Irrep], shares: ArrayLike | None = None) -> Network:
    """K4: width 2 Σ_{R≠1} d_R³ and ‖θ‖_{2,3} = 1; `shares` (R,) of ‖θ‖³ an irrep, d_R^{5/2}/Σ d^{5/2} unless given."""
    if any(rep.indicator != 1 for rep in reps):
        raise ValueError(
            f"K4 needs irreps of real type and {reps[0].group.name} has others: use cyclic_network for Z_p."
        )
    dims = np.array([rep.dimension for rep in reps])
    weights = np.append(0.0, dims[1:] ** 2.5) if shares is None else np.asarray(shares, dtype=np.float64)
    if weights.shape != dims.shape or weights.min() < 0 or weights[0] != 0 or weights.sum() == 0:
        raise ValueError(
            f"shares {weights} must be one number ≥ 0 for each of {len(dims)} irreps, 0 for the trivial one."
        )
    scale = np.cbrt(weights / weights.sum() / (2 * dims**3))
    return _joined(_matrix_entries(rep, float(s)) for rep, s in zip(reps[1:], scale[1:], strict=True))


def memorising_network(labels: Ints) -> Network:
    """K5: two one-hot neurons (1, ±1, ±1/4) for every cell of any table [n]² → [n]; the logits are 1[c = r(a, b)]."""
    return _cells(labels, 1.0, 0.25)


def balanced_memorising_network(labels: Ints) -> Network:
    """K5 with all three entries t, 4t³ = 1: the same logits at the smallest norm of its kind."""
    return _cells(labels, 0.25 ** (1 / 3), 0.25 ** (1 / 3))


def _all_frequencies(p: int) -> range:
    if p < 3 or p % 2 == 0:
        raise ValueError(f"this construction pairs the frequencies ±ζ of an odd p ≥ 3, got p={p}: choose p odd.")
    return range(1, (p + 1) // 2)


def _waves(p: int, frequencies: Iterable[int], phases: Floats) -> Network:
    """Neurons cos(θ + 2πζ·/p) for every ζ and every row (θ_u, θ_v, θ_w) of `phases`."""
    angles = np.concatenate([phases[:, :, None] + 2 * pi * zeta / p * np.arange(p) for zeta in frequencies])
    return {name: np.cos(angles[:, k]) for k, name in enumerate("UVW")}


def _matrix_entries(rep: Irrep, scale: float) -> Network:
    """The 2d³ neurons of one irrep, each of norm `scale`."""
    d, order = rep.dimension, rep.group.order
    entries = sqrt(d / (3 * order)) * scale * rep.matrices.transpose(1, 2, 0)
    i, j, k = np.indices((d, d, d)).reshape(3, -1)
    u, v, w = entries[i, j], entries[j, k], entries[i, k]
    return {"U": np.concatenate([u, u]), "V": np.concatenate([v, -v]), "W": np.concatenate([w, -w])}


def _joined(parts: Iterable[Network]) -> Network:
    networks = list(parts)
    return {name: np.concatenate([network[name] for network in networks]) for name in "UVW"}


def _cells(labels: Ints, inner: float, outer: float) -> Network:
    n = len(labels)
    if labels.shape != (n, n) or not np.issubdtype(labels.dtype, np.integer) or not np.isin(labels, np.arange(n)).all():
        raise ValueError(f"labels must be an (n, n) table of integers 0 … n-1, got {labels.dtype} {labels.shape}.")
    one_hot = np.eye(n)
    a, b = np.indices((n, n)).reshape(2, -1)
    u, v, w = inner * one_hot[a], inner * one_hot[b], outer * one_hot[labels.ravel()]
    return {"U": np.concatenate([u, u]), "V": np.concatenate([v, -v]), "W": np.concatenate([w, -w])}
