"""Elimination over GF(2) against brute force, and on parities."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elegans.learners.elimination import packed, solve, support

systems = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(systems, st.integers(1, 6), st.integers(1, 8))
@settings(deadline=None, max_examples=100)
def test_every_small_system_agrees_with_trying_all_vectors(rng: np.random.Generator, n: int, m: int):
    a, c = rng.random((m, n)) < 0.5, rng.random(m) < 0.5
    solutions = [s for s in product((False, True), repeat=n) if np.array_equal(a @ np.array(s, int) % 2, c)]
    found = solve(a, c)
    assert (found.s is None) == (not solutions)
    assert found.unique == (len(solutions) == 1)
    if found.s is not None:
        assert tuple(found.s.tolist()) in solutions and len(solutions) == 2 ** (n - found.rank)


@pytest.mark.parametrize("n", [5, 63, 64, 65, 130])
def test_solutions_solve_across_word_boundaries(n: int):
    rng = np.random.default_rng(n)
    a, s = rng.random((n + 30, n)) < 0.5, rng.random(n) < 0.5
    found = solve(a, (a @ s.astype(int) % 2).astype(bool))
    assert found.unique
    np.testing.assert_array_equal(found.s, s)


def test_packing_puts_the_first_bit_lowest():
    bits = np.zeros((2, 70), bool)
    bits[0, 0] = bits[0, 65] = bits[1, 63] = True
    np.testing.assert_array_equal(packed(bits), np.array([[1, 2], [2**63, 0]], np.uint64))


def test_a_parity_is_found_and_a_flipped_label_is_fatal():
    rng = np.random.default_rng(0)
    x = rng.choice((-1, 1), (40, 20))
    y = x[:, [2, 7, 11]].prod(1)
    assert support(x, y) == (2, 7, 11)
    for i in range(40):
        assert support(x, np.where(np.arange(40) == i, -y, y)) != (2, 7, 11)
    assert support(x[:10], y[:10]) is None, "ten equations leave twenty unknowns open"


def test_a_square_system_of_characters():
    """All 2^n points: every support of 4 coordinates is found."""
    x = np.array(list(product((1, -1), repeat=4)))
    for k in range(5):
        for S in combinations(range(4), k):
            assert support(x, x[:, list(S)].prod(1)) == S
