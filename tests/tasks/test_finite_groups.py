"""Further alphabets: every one has a group that multiplies as its name says, and tables that are none are refused."""

import numpy as np
import pytest

from elegans.base.errors import UsageError
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.tasks.finite_groups import (
    Alternating,
    Dihedral,
    Elementary,
    Frobenius21,
    FromTable,
    Generated,
    Product,
    Quaternion,
)

ORDERS: dict[Alphabet, int] = {
    Dihedral(4): 8, Alternating(4): 12, Quaternion(): 8, Frobenius21(): 21, Elementary(3): 8,
    Product(Cyclic(2), Symmetric(3)): 12, FromTable(((0, 1, 2), (1, 2, 0), (2, 0, 1))): 3,
    Generated(((1, 2, 3, 0), (1, 0, 2, 3))): 24,
}  # fmt: skip


@pytest.mark.parametrize("alphabet", ORDERS, ids=str)
def test_labels_are_the_table_of_the_group(alphabet: Alphabet) -> None:
    batch, group = GroupComposition(alphabet).enumerate(), alphabet.group()
    assert group is alphabet.group()
    assert group.order == ORDERS[alphabet]
    assert np.array_equal(batch.y, group.table[batch.x[:, 0], batch.x[:, 1]])


def test_products_multiply_in_each_factor() -> None:
    table = Product(Cyclic(4), Symmetric(3)).group().table
    a, b = (3, 2), (2, 4)
    assert table[a[0] * 6 + a[1], b[0] * 6 + b[1]] == (5 % 4) * 6 + Symmetric(3).group().table[2, 4]


def test_what_is_no_group_is_refused_when_it_is_written_down() -> None:
    with pytest.raises(UsageError, match="Latin"):
        FromTable(((0, 1), (0, 1)))
    with pytest.raises(UsageError, match="one length"):
        FromTable(((0, 1), (0,)))
    with pytest.raises(UsageError, match="permutations"):
        Generated(((0, 0),))
