"""Real irreducible representations of any finite group, from its Cayley table alone.

On functions f on G the group acts by (L(g) f)(x) = f(g⁻¹x). With random numbers c_z = c_{z⁻¹} the symmetric matrix

    M_{xy} = c_{x⁻¹y}

commutes with every L(g), and as M is generic among such matrices each of its eigenspaces is one real irrep. An orthonormal
basis Q of it gives R(g) = Qᵀ L(g) Q. Every irrep occurs; of isomorphic ones, told by their characters, the one with
the best separated eigenvalue is kept.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from elegans.theory.groups import Group

Floats = NDArray[np.float64]

SEPARATE = 1e-6
SEEDS = range(10)


def real_irreps(group: Group) -> list[Floats]:
    """Orthogonal matrices (|G|, D, D) of all real irreps, by dimension, then by descending character: the trivial first."""
    for seed in SEEDS:
        found = _distinct(group, seed)
        if np.isclose(sum(_share(R) for R in found), group.order):
            return sorted(found, key=lambda R: (R.shape[1], tuple(-np.round(_character(group, R), 6))))
    raise RuntimeError(f"no seed in {SEEDS} separated the irreps of {group.name}: eigenvalues lie too close together.")


def _distinct(group: Group, seed: int) -> list[Floats]:
    """One space of matrices for every character met, best separated first."""
    kept: dict[tuple[float, ...], Floats] = {}
    for Q in _eigenspaces(group, seed):
        character = [float(np.sum(Q[group.table[members[0]]] * Q)) for members in group.classes]
        kept.setdefault(tuple(np.round(character, 5) + 0.0), Q)
    return [_matrices(group, Q) for Q in kept.values()]


def _eigenspaces(group: Group, seed: int) -> Iterator[Floats]:
    """Orthonormal bases of the eigenspaces of M, those with the widest gap to the next eigenvalue first."""
    c = np.random.default_rng(seed).standard_normal(group.order)
    values, vectors = np.linalg.eigh((c + c[group.inverse])[group.table[group.inverse]])
    cuts = np.flatnonzero(np.diff(values) > SEPARATE) + 1
    centre = np.array([part.mean() for part in np.split(values, cuts)])
    gap = np.pad(np.diff(centre), 1, constant_values=np.inf)
    spaces = np.split(vectors, cuts, axis=1)
    for i in np.argsort(-np.minimum(gap[1:], gap[:-1])):
        yield spaces[int(i)]


def _matrices(group: Group, Q: Floats) -> Floats:
    """R(g)_{ij} = Σ_x Q_{gx,i} Q_{x,j}; one-dimensional ones are exactly ±1."""
    R: Floats = np.einsum("gxi,xj->gij", Q[group.table], Q, optimize=True)
    return np.round(R) if R.shape[1] == 1 else R


def _character(group: Group, R: Floats) -> Floats:
    traces: Floats = np.einsum("gii->g", R)
    return traces[[int(members[0]) for members in group.classes]]


def _share(R: Floats) -> float:
    """D²/t with t = (1/|G|) Σ_g (tr R(g))²: what an irreducible R adds to |G|."""
    traces: Floats = np.einsum("gii->g", R)
    return R.shape[1] ** 2 / float(np.mean(traces**2))
