"""Further alphabets for `GroupComposition`: named groups, direct products, and any group by its table or its generators.

el.GroupComposition(Dihedral(4))                                        symmetries of a square
el.GroupComposition(Product(Cyclic(2), Symmetric(3)))                   a direct product
el.GroupComposition(FromTable(((0, 1, 2), (1, 2, 0), (2, 0, 1))))       one's own, by its Cayley table
el.GroupComposition(Generated(((1, 2, 3, 0), (1, 0, 2, 3))))            one's own, by permutations
"""

from functools import cache

import numpy as np

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.tasks.composition import Alphabet
from elegans.theory import named_groups
from elegans.theory.groups import LARGEST_DEGREE, Group

LARGEST_PRODUCT = 720  # elements: as many as S_6 has
Table = tuple[tuple[int, ...], ...]


class Dihedral(Alphabet):
    """D_n, 2n elements: rotations first, then reflections."""

    n: int = static(low=2)

    def group(self) -> Group:
        return _dihedral(self.n)


class Alternating(Alphabet):
    """A_k, the k!/2 even permutations in lexicographic order."""

    k: int = static(low=3, high=LARGEST_DEGREE)

    def group(self) -> Group:
        return _alternating(self.k)


class Quaternion(Alphabet):
    """Q_8 = {±1, ±i, ±j, ±k}."""

    def group(self) -> Group:
        return _quaternion()


class Frobenius21(Alphabet):
    """The 21 maps x ↦ 2^e x + c of the integers modulo 7, which has complex representations of dimension 3."""

    def group(self) -> Group:
        return _frobenius21()


class Elementary(Alphabet):
    """Z_2^k: bitwise exclusive or of k bits."""

    k: int = static(low=1, high=7)

    def group(self) -> Group:
        return _elementary(self.k)


class Product(Alphabet):
    """The direct product of two groups; the right factor runs fastest."""

    left: Alphabet = static()
    right: Alphabet = static()

    def check(self) -> None:
        order = self.left.group().order * self.right.group().order
        if order > LARGEST_PRODUCT:
            raise UsageError(
                f"this product has {order} elements, but its table would be too large over {LARGEST_PRODUCT}; "
                "take smaller factors"
            )

    def group(self) -> Group:
        return _product(self.left.group(), self.right.group())


class FromTable(Alphabet):
    """Any group: `table[a][b]` is the number of ab."""

    table: Table = static(((0, 1), (1, 0)))

    def check(self) -> None:
        _explained(_from_table, self.table)

    def group(self) -> Group:
        return _from_table(self.table)


class Generated(Alphabet):
    """The group that some permutations of 0, 1, 2, … generate, each given by its images."""

    generators: Table = static(((1, 0),))

    def check(self) -> None:
        _explained(_generated, self.generators)

    def group(self) -> Group:
        return _generated(self.generators)


_dihedral, _alternating = cache(named_groups.dihedral), cache(named_groups.alternating)
_quaternion, _frobenius21 = cache(named_groups.quaternion), cache(named_groups.frobenius21)
_elementary = cache(named_groups.elementary)


@cache
def _product(left: Group, right: Group) -> Group:
    return named_groups.product(left, right)


@cache
def _from_table(table: Table) -> Group:
    if len({len(row) for row in table}) != 1:
        raise ValueError("the rows of a Cayley table must have one length: pass |G| rows of |G| numbers.")
    return Group(f"a group of order {len(table)}", np.array(table))


@cache
def _generated(generators: Table) -> Group:
    return named_groups.generated(f"a group with {len(generators)} generators", generators)


def _explained(make: object, table: Table) -> None:
    """What theory refuses is refused where the alphabet is made."""
    try:
        make(table)  # type: ignore[operator]
    except ValueError as error:
        raise UsageError(str(error)) from error
