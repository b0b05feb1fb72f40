"""Characters of S_n without matrices, against matrices, orthogonality and known values."""

from math import factorial

import numpy as np
import pytest

from elegans.theory.character_tables import character_table
from elegans.theory.groups import permutations, symmetric
from elegans.theory.margins import condition_h
from elegans.theory.representations import irreps
from elegans.theory.symmetric_characters import centraliser, character, symmetric_table
from elegans.theory.young import partitions


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_traces_of_youngs_form_are_these_characters(n: int) -> None:
    group, sigma = symmetric(n), permutations(n)
    for members in group.classes:
        cycles = _cycle_type(tuple(sigma[members[0]].tolist()))
        assert len(members) == factorial(n) // centraliser(cycles)
        for rep, shape in zip(irreps(group), partitions(n), strict=True):
            assert rep.character[members[0]] == pytest.approx(character(shape, cycles), abs=1e-9)


@pytest.mark.parametrize("n", [2, 7, 9, 11])
def test_rows_are_orthonormal(n: int) -> None:
    table = symmetric_table(n)
    gram = (table.values * table.sizes) @ table.values.T
    assert np.array_equal(gram, factorial(n) * np.eye(len(gram)))


def test_known_values() -> None:
    assert [character((4, 1), c) for c in [(1,) * 5, (2, 1, 1, 1), (5,), (3, 2)]] == [4, 2, -1, -1]
    assert [character((2, 1, 1, 1), c) for c in [(1,) * 5, (2, 1, 1, 1), (5,), (3, 2)]] == [4, -2, -1, 1]
    assert character((3, 2, 1), (1,) * 6) == 16
    assert symmetric_table(1).values.tolist() == [[1.0]]
    with pytest.raises(ValueError, match="n=0"):
        symmetric_table(0)


def test_condition_h_as_with_matrices() -> None:
    by_matrices = condition_h(character_table(irreps(symmetric(5))))
    assert np.allclose(sorted(condition_h(symmetric_table(5))), sorted(by_matrices))


def _cycle_type(sigma: tuple[int, ...]) -> tuple[int, ...]:
    left, lengths = set(range(len(sigma))), []
    while left:
        start = i = left.pop()
        length = 1
        while (i := sigma[i]) != start:
            left.remove(i)
            length += 1
        lengths.append(length)
    return tuple(sorted(lengths, reverse=True))
