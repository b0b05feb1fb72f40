"""The real character table: everything that the maximum margin of a group task depends on.

Rows are the real irreps R (trivial first), columns the conjugacy classes C ({e} first). A row carries the
dimension d_R of the complex constituent, its Frobenius–Schur indicator and χ_R(C), the real part of its
character; a complex constituent and its conjugate share one row. Where a sum runs over all complex irreps ρ,
such a row counts twice (`copies`), and Σ_ρ d_ρ² = |G|. The factor κ_R is 1 for real type, 1/√2 otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elegans.theory.representations import Irrep

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CharacterTable:
    """Class sizes |C| (K,), indicators (R,) in {1, 0, -1}, and values χ_R(C) of shape (R, K)."""

    sizes: Ints
    indicators: Ints
    values: Floats

    def __post_init__(self) -> None:
        """Refuse tables without trivial row or identity column, and lists of irreps that are not complete."""
        if self.values.shape != (len(self.indicators), len(self.sizes)):
            raise ValueError(
                f"values have shape {self.values.shape}: pass one row for each of {len(self.indicators)} irreps "
                f"and one column for each of {len(self.sizes)} classes."
            )
        if self.sizes[0] != 1 or not np.allclose(self.values[0], 1):
            raise ValueError("the first class must be {e} and the first irrep the trivial one: reorder the table.")
        squares = float(self.copies @ self.dimensions**2)
        if not np.isclose(squares, self.order):
            raise ValueError(f"Σ d² is {squares:g} but |G| is {self.order}: give every irrep exactly once.")

    @property
    def order(self) -> int:
        """|G|."""
        return int(self.sizes.sum())

    @property
    def dimensions(self) -> Floats:
        """d_R, shape (R,)."""
        return self.values[:, 0]

    @property
    def copies(self) -> Floats:
        """How many complex irreps a row stands for: 2 for complex type, else 1; shape (R,)."""
        return np.where(self.indicators == 0, 2.0, 1.0)

    @property
    def kappa(self) -> Floats:
        """κ_R, shape (R,)."""
        return np.where(self.indicators == 1, 1.0, np.sqrt(0.5))

    @property
    def inseparable(self) -> Ints:
        """Class ↦ number of its column among the distinct columns, shape (K,): C and C⁻¹ share one."""
        distinct: list[Floats] = []
        number = np.empty(len(self.sizes), dtype=np.int64)
        for k, column in enumerate(self.values.T):
            same = [i for i, other in enumerate(distinct) if np.allclose(column, other, atol=1e-9)]
            number[k] = same[0] if same else len(distinct)
            if not same:
                distinct.append(column)
        return number


def character_table(reps: Sequence[Irrep]) -> CharacterTable:
    """The table of a complete list of irreps, in their order and in the order of `group.classes`."""
    classes = reps[0].group.classes
    return CharacterTable(
        np.array([len(members) for members in classes]),
        np.array([rep.indicator for rep in reps]),
        np.array([[rep.character[members[0]] for members in classes] for rep in reps]),
    )
