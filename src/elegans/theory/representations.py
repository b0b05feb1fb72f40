"""Real irreducible representations R : G → O(D), and how much of a function on G lives in each.

A real irrep is one of three types, told apart by t = (1/|G|) Σ_g (tr R(g))²: real (t = 1), where R is also
irreducible over the complex numbers; complex (t = 2), where R is a complex irrep together with its conjugate;
quaternionic (t = 4), where R is a complex irrep taken twice. The spec's d_R and χ_R belong to the complex
constituent, so D = d_R or 2 d_R and tr R = χ_R or 2 Re χ_R. With δ = D/t (which is d_R for real type),

    α_R = (δ/|G|) Σ_g u(g) R(g),        P_R(u) = (|G|/δ) ‖α_R‖²_F,        Σ_R P_R(u) = ‖u‖²

hold for every type. On Z_n the P_R are the Fourier powers with the frequencies j and -j merged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial, pi

import numpy as np
from numpy.typing import NDArray

from elegans.theory.decomposition import real_irreps
from elegans.theory.groups import LARGEST_DEGREE, Group, Ints, symmetric
from elegans.theory.young import partitions, young_orthogonal_form

Floats = NDArray[np.float64]

_INDICATOR = {1: 1, 2: 0, 4: -1}


@dataclass(frozen=True, eq=False)
class Irrep:
    """A real irreducible representation of `group`: orthogonal `matrices[g] = R(g)` of shape (|G|, D, D)."""

    group: Group
    label: str
    matrices: Floats

    def __post_init__(self) -> None:
        """Refuse what has the wrong shape, is not orthogonal or is reducible."""
        shape = self.matrices.shape
        if len(shape) != 3 or shape[0] != self.group.order or shape[1] != shape[2]:
            raise ValueError(
                f"irrep {self.label!r} of {self.group.name} has shape {shape}: pass ({self.group.order}, D, D)."
            )
        if not np.allclose(self.matrices @ self.matrices.transpose(0, 2, 1), np.eye(shape[1]), atol=1e-8):
            raise ValueError(f"irrep {self.label!r} of {self.group.name} is not orthogonal: change the basis first.")
        if round(self._symmetric_endomorphisms) != 1:
            raise ValueError(f"representation {self.label!r} of {self.group.name} is reducible: decompose it first.")

    @cached_property
    def endomorphisms(self) -> int:
        """t = (1/|G|) Σ_g (tr R(g))², the dimension of the commutant: 1, 2 or 4 for real irreps."""
        return round(float(np.mean(self._trace**2)))

    @property
    def indicator(self) -> int:
        """Frobenius–Schur indicator of the complex constituent: 1 real, 0 complex, -1 quaternionic type."""
        return _INDICATOR[self.endomorphisms]

    @property
    def dimension(self) -> int:
        """d_R, the dimension of the complex constituent."""
        return self.matrices.shape[1] if self.indicator == 1 else self.matrices.shape[1] // 2

    @property
    def delta(self) -> float:
        """δ = D/t."""
        return self.matrices.shape[1] / self.endomorphisms

    @cached_property
    def character(self) -> Floats:
        """χ_R, the real part of the complex constituent's character, shape (|G|,)."""
        return self._trace * (self.dimension / self.matrices.shape[1])

    @property
    def _symmetric_endomorphisms(self) -> float:
        """Dimension of the symmetric matrices that commute with R: only the multiples of 1 if R is irreducible."""
        squares = self.group.table.diagonal()
        return float(np.mean(self._trace**2 + self._trace[squares])) / 2

    @property
    def _trace(self) -> Floats:
        return np.einsum("gii->g", self.matrices)


def irreps(group: Group) -> tuple[Irrep, ...]:
    """All real irreps up to isomorphism, the trivial one first.

    Cyclic groups (in any numbering) have rotations, `groups.symmetric(n)` has Young's orthogonal form, and all others are
    decomposed numerically, in some orthonormal basis.
    """
    exponent = _exponents(group)
    if exponent is not None:
        return _rotations(group, exponent)
    for n in range(3, LARGEST_DEGREE + 1):
        if factorial(n) == group.order and np.array_equal(symmetric(n).table, group.table):
            return tuple(Irrep(group, str(shape), young_orthogonal_form(shape)) for shape in partitions(n))
    found = real_irreps(group)
    number = [sum(R.shape[1] == S.shape[1] for S in found[: i + 1]) for i, R in enumerate(found)]
    return tuple(Irrep(group, f"{R.shape[1]}-dimensional {k}", R) for R, k in zip(found, number, strict=True))


def coefficients(rep: Irrep, u: Floats) -> Floats:
    """α_R of functions u on the group: (…, |G|) ↦ (…, D, D)."""
    return np.tensordot(u, rep.matrices, axes=1) * (rep.delta / rep.group.order)


def power(reps: Sequence[Irrep], u: Floats) -> Floats:
    """P_R(u) for every R in `reps`: (…, |G|) ↦ (…, len(reps)). Over all irreps it sums to ‖u‖²."""
    if u.shape[-1] != reps[0].group.order:
        raise ValueError(f"u has {u.shape[-1]} values but {reps[0].group.name} has {reps[0].group.order} elements.")
    per_rep = [rep.group.order / rep.delta * np.sum(coefficients(rep, u) ** 2, axis=(-2, -1)) for rep in reps]
    return np.stack(per_rep, axis=-1)


def fourier_power(u: Floats) -> Floats:
    """(|û(j)|² + |û(-j)|²)/n for j = 0 … ⌊n/2⌋, with j = -j counted once: (…, n) ↦ (…, ⌊n/2⌋ + 1), summing to ‖u‖²."""
    n: int = u.shape[-1]
    frequency = np.arange(n // 2 + 1)
    pairs = np.where(np.equal(2 * frequency % n, 0), 1.0, 2.0)
    return pairs * np.abs(np.fft.rfft(u, axis=-1)) ** 2 / n


def max_normalised_power(powers: Floats) -> Floats:
    """The largest share among the non-trivial powers (index 0, the mean, left out): (…, R) ↦ (…)."""
    return powers[..., 1:].max(axis=-1) / powers[..., 1:].sum(axis=-1)


def _exponents(group: Group) -> Ints | None:
    """The x with g^x = a for each element a and one generator g, shape (|G|,); None if G is not cyclic."""
    powers = np.full((group.order, group.order), group.identity)
    for x in range(1, group.order):
        powers[x] = group.table[powers[x - 1], np.arange(group.order)]
    generates = (np.sort(powers, axis=0) == np.arange(group.order)[:, None]).all(axis=0)
    return np.argsort(powers[:, np.argmax(generates)]) if generates.any() else None


def _rotations(group: Group, exponent: Ints) -> tuple[Irrep, ...]:
    """Irreps of a cyclic group: rotations by 2πjx/n, and ±1 at j = 0 and j = n/2."""
    n = group.order
    angles = [np.asarray(2 * pi / n * (j * exponent % n), dtype=np.float64) for j in range(n // 2 + 1)]
    matrices = [_sign(angle) if 2 * j % n == 0 else _rotation(angle) for j, angle in enumerate(angles)]
    return tuple(Irrep(group, f"frequency {j}", of_j) for j, of_j in enumerate(matrices))


def _sign(angle: Floats) -> Floats:
    return np.asarray(np.round(np.cos(angle)), dtype=np.float64)[:, None, None]


def _rotation(angle: Floats) -> Floats:
    rows = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return np.array(rows).transpose(2, 0, 1)
