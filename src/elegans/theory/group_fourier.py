"""The Fourier transform of a finite group over the real numbers, in one and in three variables.

The √(δ/|G|) R_{ij} of all real irreps of real type are an orthonormal basis; of the D² entries of a complex or quaternionic
R only D²/t are independent, so there an orthonormal basis of their span takes their place. For f on G×G×G the share
of energy in (R, S, T) is the squared length of its projection onto span R ⊗ span S ⊗ span T. The printed form

    f̂(j, k, l) = Σ_{a,b,c} ρ_j(a) ρ_k(b) ρ_l(c) f(a, b, c)

uses the entries themselves (`entries_transform`). For f = λ 1[ab = c] it is λ |G|²/d² if j = (i₁, i₂), k = (i₂, i₃),
l = (i₁, i₃) of one R, and 0 otherwise.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elegans.theory.representations import Irrep, coefficients

Floats = NDArray[np.float64]


def transform(reps: Sequence[Irrep], u: Floats) -> list[Floats]:
    """û(R) = Σ_g u(g) R(g) for each R: turns u ∗ v into û v̂, (u ∗ v)(x) = Σ_{ab=x} u(a) v(b)."""
    return [np.tensordot(u, rep.matrices, axes=1) for rep in reps]


def inverse_transform(reps: Sequence[Irrep], found: Sequence[Floats]) -> Floats:
    """u(g) = (1/|G|) Σ_R δ_R tr(û(R)ᵀ R(g))."""
    n = reps[0].group.order
    parts = [rep.delta / n * np.einsum("ij,gij->g", F, rep.matrices) for rep, F in zip(reps, found, strict=True)]
    return np.sum(parts, axis=0)


def projections(reps: Sequence[Irrep]) -> list[Floats]:
    """Orthonormal bases (|G|, D²/t) of the spans of matrix entries; together they are |G| columns."""
    bases: list[Floats] = []
    for rep in reps:
        flat = rep.matrices.reshape(rep.group.order, -1)
        left, sigma, _ = np.linalg.svd(flat, full_matrices=False)
        bases.append(np.asarray(left[:, sigma > 1e-6 * sigma[0]], dtype=np.float64))
    return bases


def energy(reps: Sequence[Irrep], f: Floats) -> Floats:
    """Energy of f (|G|, |G|, |G|) in each (R, S, T), shape (R, R, R); it sums to Σ f²."""
    bases = projections(reps)
    sizes = [basis.shape[1] for basis in bases]
    B = np.concatenate(bases, axis=1)
    for _ in range(3):
        f = np.tensordot(f, B, axes=(0, 0))
    squares = f**2
    starts = np.cumsum([0, *sizes[:-1]])
    for axis in range(3):
        squares = np.add.reduceat(squares, starts, axis=axis)
    return squares


def entries_transform(rep: Irrep, other: Irrep, third: Irrep, f: Floats) -> Floats:
    """f̂(j, k, l) for all entries j of `rep`, k of `other`, l of `third`: shape (D, D, D', D', D'', D'')."""
    for R in (rep, other, third):
        f = np.tensordot(f, R.matrices, axes=(0, 0))
    return f


def convolve(reps: Sequence[Irrep], u: Floats, v: Floats) -> Floats:
    """(u ∗ v)(x) = Σ_{ab=x} u(a) v(b), by the transform."""
    return inverse_transform(reps, [F @ H for F, H in zip(transform(reps, u), transform(reps, v), strict=True)])


def isotypic(rep: Irrep, u: Floats) -> Floats:
    """The part of u that lies in the span of the entries of R."""
    return np.asarray(np.einsum("ij,gij->g", coefficients(rep, u), rep.matrices), dtype=np.float64)
