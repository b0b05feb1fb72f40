"""Groups: the axioms, the convention of composition, and tables that are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory.groups import Group, cyclic, permutations, symmetric

GROUPS = [cyclic(1), cyclic(2), cyclic(5), cyclic(12), symmetric(1), symmetric(3), symmetric(4), symmetric(5)]

# A Latin square with identity 0 in which (1·1)·2 = 2 and 1·(1·2) = 4.
LOOP = [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]]


@pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
def test_identity_and_inverse(group: Group) -> None:
    every = np.arange(group.order)
    assert np.array_equal(group.table[group.identity], every)
    assert np.array_equal(group.table[:, group.identity], every)
    assert (group.table[every, group.inverse] == group.identity).all()
    assert (group.table[group.inverse, every] == group.identity).all()


@given(st.sampled_from(GROUPS), st.tuples(*[st.integers(0, 10**6)] * 5))
def test_product_is_associative_and_the_task_is_equivariant(group: Group, numbers: tuple[int, ...]) -> None:
    a, b, g1, g2, g3 = (k % group.order for k in numbers)

    def product(*factors: int) -> int:
        result = factors[-1]
        for factor in factors[-2::-1]:
            result = int(group.table[factor, result])
        return result

    assert group.table[group.table[a, b], g1] == product(a, b, g1)
    left, right = product(g1, a, g2), product(int(group.inverse[g2]), b, g3)
    assert group.table[left, right] == product(g1, a, b, g3)


@given(st.integers(2, 5), st.integers(0, 10**6), st.integers(0, 10**6))
def test_permutations_compose_from_the_right(n: int, s: int, t: int) -> None:
    sigma = permutations(n)
    s, t = s % len(sigma), t % len(sigma)
    assert np.array_equal(sigma[symmetric(n).table[s, t]], sigma[s][sigma[t]])


@pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
def test_conjugacy_classes_partition_the_group(group: Group) -> None:
    assert group.classes[0].tolist() == [group.identity]
    assert sorted(np.concatenate(group.classes).tolist()) == list(range(group.order))
    for k, members in enumerate(group.classes):
        orbit = group.table[group.table[:, members[0]], group.inverse]
        assert sorted(set(orbit.tolist())) == members.tolist()
        assert (group.class_of[members] == k).all()
        assert group.order % len(members) == 0


def test_classes_come_in_the_order_of_their_smallest_members() -> None:
    first = [int(members[0]) for members in symmetric(5).classes]
    assert first == sorted(first)


def test_class_sizes_of_s5_are_those_of_cycle_types() -> None:
    assert sorted(len(members) for members in symmetric(5).classes) == [1, 10, 15, 20, 20, 24, 30]


def test_classes_of_inverses() -> None:
    assert symmetric(4).inverse_class.tolist() == [0, 1, 2, 3, 4]
    assert cyclic(5).inverse_class.tolist() == [0, 4, 3, 2, 1]


def test_identity_need_not_be_element_zero() -> None:
    shifted = Group("Z4 shifted by 1", (cyclic(4).table - 1) % 4)
    assert shifted.identity == 1
    assert [members.tolist() for members in shifted.classes] == [[1], [0], [2], [3]]


def test_groups_are_values() -> None:
    assert cyclic(4) == cyclic(4)
    assert hash(cyclic(4)) == hash(cyclic(4))
    assert cyclic(6) != symmetric(3)
    assert not cyclic(3).table.flags.writeable


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (np.zeros((2, 3), dtype=int), "square"),
        (np.zeros((0, 0), dtype=int), "square"),
        (np.zeros((2, 2)), "integers"),
        (np.array([[0, 1], [0, 1]]), "Latin"),
        (np.array([[0, 0], [1, 1]]), "Latin"),
        (np.array([[1, 2], [2, 1]]), "Latin"),
        (np.array(LOOP), "associative"),
        (np.subtract.outer(np.arange(3), np.arange(3)) % 3, "associative"),
    ],
)
def test_tables_of_no_group_are_refused(table: np.ndarray, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Group("wrong", table)


def test_sizes_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="n=0"):
        cyclic(0)
    for n in (0, 7):
        with pytest.raises(ValueError, match=f"S_{n}"):
            symmetric(n)
