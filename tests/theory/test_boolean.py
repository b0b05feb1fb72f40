"""Orthogonality, expansion and gaps on the whole cube, against definitions written out as sums."""

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from elegans.theory import boolean

SUBSETS_OF_FIVE = [S for size in range(6) for S in combinations(range(5), size)]
INTEGERS = hnp.arrays(np.int64, 64, elements=st.integers(-1000, 1000))


def test_cube_lists_every_point_once_in_the_documented_order():
    x = boolean.cube(6)
    assert x.shape == (64, 6) and len(np.unique(x, axis=0)) == 64
    for j, point in enumerate(x):
        assert boolean.subset(j) == tuple(np.flatnonzero(point == -1))
        assert boolean.index(boolean.subset(j)) == j


def test_characters_are_orthonormal():
    chi = np.stack([boolean.character(5, S).astype(np.int64) for S in SUBSETS_OF_FIVE])
    assert np.array_equal(chi @ chi.T, 32 * np.eye(32, dtype=np.int64))


@pytest.mark.parametrize("S", [(), (0,), (4,), (1, 3), (0, 2, 4), (0, 1, 2, 3, 4)])
def test_parity_is_plus_one_exactly_for_an_even_number_of_minus_ones(S: tuple[int, ...]):
    x = boolean.cube(5)
    minus = (x[:, S] == -1).sum(axis=1)
    assert np.array_equal(boolean.parity(x, S) == 1, minus % 2 == 0)
    assert boolean.parity(x, S).dtype == x.dtype


def test_flipping_a_bit_flips_the_label_exactly_for_relevant_bits():
    x, S = boolean.cube(6), (1, 4, 5)
    for i in range(6):
        flipped = x.copy()
        flipped[:, i] *= -1
        assert np.array_equal(boolean.parity(flipped, S), boolean.parity(x, S) * (-1 if i in S else 1))


def test_parity_commutes_with_permuting_coordinates():
    x = boolean.cube(4)
    for order in permutations(range(4)):
        assert np.array_equal(boolean.parity(x[:, order], (0, 2)), boolean.parity(x, (order[0], order[2])))


@given(INTEGERS)
@settings(deadline=None)
def test_transform_is_the_sum_over_characters_and_stays_integer(f: NDArray[np.int64]):
    transform = boolean.walsh_hadamard(f)
    assert transform.dtype == np.int64
    for j in (0, 1, 6, 37, 63):
        assert transform[j] == (f * boolean.character(6, boolean.subset(j))).sum()
    assert np.array_equal(boolean.walsh_hadamard(transform), 64 * f)


@given(INTEGERS)
@settings(deadline=None)
def test_parseval_and_expansion(f: NDArray[np.int64]):
    coefficients = boolean.spectrum(f)
    assert np.sum(coefficients**2) == pytest.approx(np.mean(f.astype(np.float64) ** 2), rel=1e-12)
    np.testing.assert_allclose(boolean.expansion(coefficients), f, atol=1e-9)
    for S in ((), (2,), (0, 5), (1, 2, 3)):
        assert boolean.coefficient(f, S) == pytest.approx(coefficients[boolean.index(S)], abs=1e-9)


@given(INTEGERS)
@settings(deadline=None)
def test_transform_leaves_its_argument_alone(f: NDArray[np.int64]):
    before = f.copy()
    boolean.walsh_hadamard(f)
    assert np.array_equal(f, before)


def test_a_wrong_parity_has_no_correlation_with_the_label():
    expected = np.zeros(256)
    expected[boolean.index((2, 3, 7))] = 1
    assert np.array_equal(boolean.spectrum(boolean.character(8, (2, 3, 7))), expected)


def test_gap_of_a_hand_made_function():
    weights = {(0,): 0.5, (1,): -0.4, (0, 1, 2): 0.1, (0, 1, 3): -0.3, (2,): 9.0}
    f = np.sum([c * boolean.character(4, S) for S, c in weights.items()], axis=0)
    assert boolean.gap(f, (0, 1)) == pytest.approx(0.4 - 0.3)
    assert boolean.gap(f, (0, 3)) == pytest.approx(0.0 - 0.3)
    assert boolean.gap(f, (0, 1, 2, 3)) == pytest.approx(0.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: boolean.cube(-1),
        lambda: boolean.cube(60),
        lambda: boolean.index((1, 1)),
        lambda: boolean.index((-1,)),
        lambda: boolean.subset(-1),
        lambda: boolean.parity(boolean.cube(3), (3,)),
        lambda: boolean.parity(np.array([0, 1]), (0,)),
        lambda: boolean.spectrum(np.ones(6)),
        lambda: boolean.spectrum(np.ones((4, 4))),
        lambda: boolean.walsh_hadamard(np.ones(4).astype("int8")),
        lambda: boolean.gap(np.ones(4), ()),
        lambda: boolean.gap(np.ones(4), (2,)),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], object]):
    with pytest.raises(ValueError):
        call()
