"""The best single neuron for given class weights τ (lemma D.13), by ascent, and what it must look like.

For unit vectors u, v, w the squares drop out of the expected margin, which is the trilinear form

    T(u, v, w) = (2/|G|²) Σ_{a,b} u(a) v(b) (w(ab) - Σ_{c≠e} τ_c w(abc)),

so that ‖u‖² + ‖v‖² + ‖w‖² = 1 allows max T / (3√3). Fixing two of the three, the best third is a normalised gradient:
taking turns climbs. Within a real-type irrep the maximum is taken by matched matrices of rank one only,

    u(g) = s xᵀR(g)y,   v(g) = s yᵀR(g)z,   w(g) = s xᵀR(g)z,   s = √(d/(3|G|)),   |x| = |y| = |z| = 1.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elegans.theory.groups import Group
from elegans.theory.quadratic_nets import Network
from elegans.theory.representations import Irrep, coefficients

Floats = NDArray[np.float64]


class Neuron(NamedTuple):
    """Weights u, v, w (|G|,) of total norm one, and the expected τ-margin that they reach."""

    u: Floats
    v: Floats
    w: Floats
    value: float


def ascend(group: Group, tau: Floats, u: Floats, v: Floats, turns: int = 2000) -> Neuron:
    """The local maximum that taking turns reaches from u and v; τ (K,) is given per class."""
    value = 0.0
    w = np.zeros(group.order)
    for _ in range(turns):
        before = value
        w = _unit(_slope_w(group, tau, u, v))
        contrast = _contrasted(group, tau, w)[group.table]
        u = _unit(contrast @ v)
        slope = contrast.T @ u
        v, value = _unit(slope), float(np.linalg.norm(slope)) * 2 / group.order**2
        if value - before <= 1e-16 * value:
            break
    return Neuron(u / sqrt(3), v / sqrt(3), w / sqrt(3), value / (3 * sqrt(3)))


def best_of(group: Group, tau: Floats, starts: int, seed: int) -> Neuron:
    """The best of several ascents from Gaussian starts."""
    rng = np.random.default_rng(seed)
    found = [ascend(group, tau, *rng.standard_normal((2, group.order))) for _ in range(starts)]
    return max(found, key=lambda neuron: neuron.value)


def best_in(rep: Irrep, tau: Floats, starts: int, seed: int) -> Neuron:
    """The best neuron within one irrep: the span of its matrix entries is closed under taking turns."""
    rng = np.random.default_rng(seed)
    flat = rep.matrices.reshape(rep.group.order, -1)
    found = [ascend(rep.group, tau, *(rng.standard_normal((2, flat.shape[1])) @ flat.T)) for _ in range(starts)]
    return max(found, key=lambda neuron: neuron.value)


def rank_one_neuron(rep: Irrep, x: Floats, y: Floats, z: Floats) -> Floats:
    """The matched neuron (u, v, w) of an irrep of real type as rows, (3, |G|)."""
    if rep.indicator != 1:
        raise ValueError(f"irrep {rep.label!r} of {rep.group.name} is not of real type: use best_in.")
    s = sqrt(rep.dimension / (3 * rep.group.order))
    x, y, z = (part / np.linalg.norm(part) for part in (x, y, z))
    return s * np.stack([_entry(rep, x, y), _entry(rep, y, z), _entry(rep, x, z)])


def rank_one_score(rep: Irrep, u: Floats) -> float:
    """σ₁²/Σσ² of the coefficient matrix α_R of u: 1 for rank one."""
    sigma = np.linalg.svd(coefficients(rep, u), compute_uv=False)
    return float(sigma[0] ** 2 / np.sum(sigma**2))


def orbit(group: Group, neuron: Floats, share: float) -> Network:
    """All u(g₁·g₂), v(g₂⁻¹·g₃), w(g₁·g₃) of a unit neuron (3, |G|), equally large, with ‖θ‖₂,₃³ = share.

    These shifts keep norms and labels, so with them the margin of the neuron is spread evenly over all inputs.
    """
    n = group.order
    g1, g2, g3 = np.indices((n, n, n)).reshape(3, -1, 1)
    move = group.table
    x = np.arange(n)
    places = {"U": move[move[g1, x], g2], "V": move[move[group.inverse[g2], x], g3], "W": move[move[g1, x], g3]}
    scale = np.cbrt(share / n**3)
    return {name: scale * part[places[name]] for name, part in zip("UVW", neuron, strict=True)}


def _slope_w(group: Group, tau: Floats, u: Floats, v: Floats) -> Floats:
    """Gradient in w, up to a factor: products with ab = x, contrasted with those that miss x by c."""
    sums = np.bincount(group.table.ravel(), weights=np.outer(u, v).ravel(), minlength=group.order)
    return sums - sums[group.table[:, group.inverse]] @ tau[group.class_of]


def _contrasted(group: Group, tau: Floats, w: Floats) -> Floats:
    """x ↦ w(x) - Σ_c τ_c w(xc)."""
    return w - w[group.table] @ tau[group.class_of]


def _entry(rep: Irrep, x: Floats, y: Floats) -> Floats:
    return np.asarray(np.einsum("i,gij,j->g", x, rep.matrices, y), dtype=np.float64)


def _unit(x: Floats) -> Floats:
    return x / np.linalg.norm(x)
