"""The error of the disjoint PolyNet against enumeration of its inputs, and its bounds on random nets."""

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from elegans.theory import boolean, polynet_error

Floats = NDArray[np.float64]
SMALL = st.tuples(st.integers(1, 3), st.integers(1, 4))
SEEDS = st.integers(0, 2**32 - 1)


def enumerated_error(v: Floats, u: Floats) -> float:
    """Share of all inputs on which sign f(x) is not the parity of the first coordinate of each block."""
    k, m = u.shape
    x = boolean.cube(k * (m + 1)).reshape(-1, k, m + 1).astype(np.float64)
    f = np.prod(np.einsum("bkj,kj->bk", x, np.column_stack((v, u))), axis=1)
    return np.count_nonzero(np.sign(f) != np.prod(x[:, :, 0], axis=1)) / f.size


def positive(v: Floats) -> Floats:
    return v * np.where(np.arange(v.size) == 0, np.prod(np.sign(v)), 1)


@given(SMALL, SEEDS)
@settings(max_examples=60, deadline=None)
def test_error_of_integer_weights_equals_enumeration_with_ties(shape: tuple[int, int], seed: int):
    rng = np.random.default_rng(seed)
    v, u = positive(rng.choice([-3.0, -2, -1, 1, 2, 3], shape[0])), rng.integers(-2, 3, shape).astype(np.float64)
    assert polynet_error.error(v, u) == pytest.approx(enumerated_error(v, u), abs=1e-12)


@given(SMALL, SEEDS)
@settings(max_examples=60, deadline=None)
def test_error_of_general_weights_equals_enumeration(shape: tuple[int, int], seed: int):
    rng = np.random.default_rng(seed)
    v, u = positive(2 * rng.standard_normal(shape[0])), rng.standard_normal(shape)
    assert polynet_error.error(v, u) == pytest.approx(enumerated_error(v, u), abs=1e-12)
    assert polynet_error.error_tie_free(v, u) == pytest.approx(polynet_error.error(v, u), abs=1e-12)


@pytest.mark.parametrize(("k", "m"), [(1, 5), (2, 4), (3, 4), (4, 3)])
def test_error_of_sign_weights_equals_enumeration_at_and_between_lattice_values(k: int, m: int):
    rng = np.random.default_rng(0)
    for c in np.arange(0.5, m + 2, 0.5):
        v, u = np.full(k, c), rng.choice([-1.0, 1.0], (k, m))
        assert polynet_error.error(v, u) == pytest.approx(enumerated_error(v, u), abs=1e-12)
        assert polynet_error.error_tie_free(v, u) == pytest.approx(enumerated_error(v - 1e-6, u), abs=1e-12)


def test_balls_agree_with_the_listed_law():
    for m in (0, 1, 2, 7, 40):
        values, mass = polynet_error.sign_sum(np.ones(m))
        assert values.size == m + 1 and mass.sum() == pytest.approx(1, abs=1e-14)
        for c in (0.5, 1.0, 2.0, 3.5, 7.0, 50.0):
            assert polynet_error.open_ball(c, m) == pytest.approx(mass[np.abs(values) < c].sum(), abs=1e-14)
            assert polynet_error.closed_ball(c, m) == pytest.approx(mass[np.abs(values) <= c].sum(), abs=1e-14)


def test_error_is_zero_exactly_when_every_relevant_weight_dominates():
    u = np.array([[1.0, 2.0, 0.5], [3.0, 1.0, 1.0]])
    assert polynet_error.error(np.array([3.6, 5.1]), u) == 0
    assert polynet_error.error(np.array([3.6, 5.0]), u) > 0


def test_normal_approximation_is_within_berry_esseen():
    rng = np.random.default_rng(0)
    u = rng.standard_normal((1, 18))
    norm, top = float(np.linalg.norm(u)), float(np.abs(u).max())
    for v in (0.3, 2.0, 5.0, 9.0):
        difference = polynet_error.error_normal(np.array([v]), np.array([norm])) - polynet_error.error_tie_free(
            np.array([v]), u
        )
        assert abs(float(difference)) <= polynet_error.BERRY_ESSEEN * top / norm


def random_nets(count: int) -> Iterator[tuple[Floats, Floats]]:
    rng = np.random.default_rng(1)
    for _ in range(count):
        k, m = int(rng.integers(2, 5)), int(rng.integers(2, 11))
        u = rng.standard_normal((k, m)) if rng.random() < 0.5 else np.ones((k, m))
        yield 3 * sqrt(m) * rng.random() * np.abs(rng.standard_normal(k)), u


def test_corrected_error_bounds_hold_and_both_printed_ones_fail():
    below = above = 0
    for v, u in random_nets(500):
        exact, (lower, upper) = polynet_error.error(v, u), polynet_error.error_bounds(v, u)
        assert lower - 1e-12 <= exact <= upper + 1e-12
        printed_lower, printed_upper = polynet_error.error_bounds_printed(v, u)
        below += exact < printed_lower - 1e-12
        above += exact > printed_upper + 1e-12
    assert below > 20 and above > 0


def test_counterexample_to_the_printed_upper_bound():
    v, u = np.full(2, 3 * sqrt(1000)), np.ones((2, 1000))
    assert polynet_error.error(v, u) == pytest.approx(0.0026, abs=1e-4)
    assert polynet_error.error_bounds_printed(v, u)[1] == pytest.approx(0.0005, abs=1e-4)


def test_corrected_bounds_are_the_stated_functions_of_one_block():
    lower, upper = polynet_error.error_bounds(np.array([4.0]), np.ones((1, 4)))
    assert upper == pytest.approx(np.exp(-2))
    assert lower == pytest.approx(0.5 - (0.9544997361 + 1.12 / 2) / 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: polynet_error.error(np.array([1.0, -1.0]), np.ones((2, 3))),
        lambda: polynet_error.error(np.array([1.0, 0.0]), np.ones((2, 3))),
        lambda: polynet_error.error(np.ones(2), np.ones((3, 3))),
        lambda: polynet_error.error_bounds(np.ones(2), np.zeros((2, 3))),
        lambda: polynet_error.sign_sum(np.random.default_rng(0).standard_normal(25)),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], object]):
    with pytest.raises(ValueError):
        call()


@pytest.mark.parametrize(("k", "m"), [(1, 3), (2, 4), (3, 3)])
def test_listed_errors_of_many_nets_equal_the_errors_one_by_one(k: int, m: int):
    rng = np.random.default_rng(0)
    w = rng.standard_normal((5, k, m + 1))
    w[:, :, 0] = [positive(v) for v in w[:, :, 0]]
    expected = [polynet_error.error_tie_free(a[:, 0], a[:, 1:]) for a in w]
    np.testing.assert_allclose(polynet_error.errors_listed(w), expected, atol=1e-14)
