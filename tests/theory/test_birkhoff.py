"""Volumes and moments of the doubly stochastic matrices: known counts, other counts by brute force, and a simulation."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from elegans.theory import birkhoff


def test_magic_squares_as_tabulated():
    assert [birkhoff.squares(3, r) for r in range(5)] == [1, 6, 21, 55, 120]
    assert [birkhoff.squares(4, r) for r in range(6)] == [1, 24, 282, 2008, 10147, 40176]


@pytest.mark.parametrize("r", [0, 1, 3])
def test_weighted_squares_by_brute_force(r: int):
    cells = [np.reshape(c, (2, 2)) for c in product(range(r + 1), repeat=4)]
    squares = [c for c in cells if (c.sum(0) == r).all() and (c.sum(1) == r).all()]
    assert birkhoff.squares(2, r, 2) == sum(int(c[0, 0]) ** 2 for c in squares)


def test_volumes_are_those_of_the_specification():
    assert [birkhoff.acceptance_of_block(k) for k in (2, 3, 4)] == [1, Fraction(1, 8), Fraction(11, 11340)]
    assert [birkhoff.acceptance_of_rows(k) for k in (2, 3, 4)] == [1, Fraction(1, 2), Fraction(22, 105)]


def test_two_symbols_are_a_uniform_number():
    third, sixth = Fraction(1, 3), Fraction(1, 6)
    assert birkhoff.moments(2) == {"p11": Fraction(1, 2), "p11 p11": third, "p11 p12": sixth, "p11 p22": third}


def test_moments_against_rejection_from_uniform_blocks():
    block = np.random.default_rng(0).random((200_000, 2, 2))
    block = block[(block.sum(1) <= 1).all(1) & (block.sum(2) <= 1).all(1) & (block.sum((1, 2)) >= 1)]
    assert len(block) / 200_000 == pytest.approx(1 / 8, abs=0.004)
    law = birkhoff.moments(3)
    for name, other in (("p11 p11", (0, 0)), ("p11 p12", (0, 1)), ("p11 p22", (1, 1))):
        values = block[:, 0, 0] * block[:, other[0], other[1]]
        assert values.mean() == pytest.approx(float(law[name]), abs=5 * values.std() / len(block) ** 0.5)


def test_rows_average_to_the_first_moment():
    for k in (3, 4):
        law = birkhoff.moments(k)
        assert law["p11"] == Fraction(1, k)
        assert law["p11 p11"] + (k - 1) * law["p11 p12"] == law["p11"]


def test_five_symbols_are_refused():
    with pytest.raises(ValueError, match="k = 5"):
        birkhoff.squares(5, 1)
