"""Closed forms of the second step against sums, enumeration and the tensor; thresholds against simulated descent."""

from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import second_step as s
from elegans.theory.induction import gradient_tensor, population_gradient
from elegans.theory.markov import stationary, two_state
from elegans.theory.population_tensor import diagonal_part, flat_law, flat_tensor, push

inside = st.floats(0.05, 0.95)


@given(inside, inside, st.integers(1, 30), st.data())
def test_meetings_in_closed_form(a: float, b: float, p: int, data: st.DataObject):
    j = data.draw(st.integers(1, p))
    C = s.meetings(a, b, p, j)
    np.testing.assert_allclose(C, s.meetings_by_powers(a, b, p, j), atol=1e-10)
    assert np.all(C > -1e-10) and C.sum() <= p - j + 1 + 1e-9


@given(inside, inside, st.integers(1, 30))
def test_first_offset_is_the_case_of_equal_positions(a: float, b: float, p: int):
    each, true = s.first_offset(a, b, p)
    C = s.meetings_by_powers(a, b, p, 1)
    np.testing.assert_allclose(np.diag(each), C, atol=1e-10)
    assert true == pytest.approx(float(np.sum(two_state(a, b).T * C)), abs=1e-10)


@given(inside, inside, st.floats(-1, 1), st.floats(-1, 1))
def test_mean_logit_gradients_over_all_contexts(a: float, b: float, off: float, excess: float):
    W = off + excess * np.eye(2)
    logits, true = s.logit_gradients_by_enumeration(two_state(a, b), W, 5)
    for j in range(1, 6):
        by_formula, true_by_formula = s.logit_gradients(a, b, W, 5, j)
        np.testing.assert_allclose(logits[j - 1], by_formula, atol=1e-10)
        assert true[j - 1] == pytest.approx(true_by_formula, abs=1e-10)


@given(inside, inside, st.integers(2, 30))
def test_diagonal_gradient_is_that_of_the_tensor(a: float, b: float, t: int):
    d = diagonal_part(gradient_tensor(two_state(a, b), t))
    np.testing.assert_allclose(s.diagonal_gradient(np.array([a]), np.array([b]), t)[0], d, atol=1e-10)


def test_printed_formulas_miss_by_the_worked_amounts():
    a, b = np.array([0.3]), np.array([0.8])
    assert np.sum(two_state(0.3, 0.8).T * s.meetings(0.3, 0.8, 9, 2)) == pytest.approx(3.606420, abs=1e-6)
    assert s.printed_true_meetings(0.3, 0.8, 9, 2) == pytest.approx(3.904088, abs=1e-6)
    assert s.printed_diagonal_gradient(a, b, 12)[0, 0] == pytest.approx(0.77259, abs=1e-5)
    assert s.diagonal_gradient(a, b, 12)[0, 0] == pytest.approx(1.13446, abs=1e-5)
    line = s.meetings_without_parentheses(0.3, 0.8, 9, 2) - s.meetings_by_powers(0.3, 0.8, 9, 2)
    assert np.abs(line).max() > 0.1


def test_leading_factors_in_closed_form():
    first, second = s.leading_summands(flat_law(40), 12)
    G = first + second
    assert G[0] == pytest.approx((1 - log(2)) / 3, abs=1e-9)
    assert G[1] == pytest.approx((8 - 11 * log(2)) / 3, abs=1e-9)
    a, b, w = flat_law(40)
    np.testing.assert_allclose(w @ s.leading_factors(two_state(a, b), 12), G, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_leading_factor_of_offset_one_and_of_far_offsets(seed: int, k: int):
    P = np.random.default_rng(seed).dirichlet(np.ones(k), (1, k))
    factors, squares = s.leading_factors(P, 400), stationary(P) ** 2
    assert factors[0, 0] == pytest.approx(float(np.sum(squares * (np.diagonal(P, axis1=1, axis2=2) - 1 / k))))
    far = np.sum(squares * (P @ stationary(P)[0][:, None])[..., 0]) - squares.sum() / k
    assert factors[0, -1] == pytest.approx(float(far), abs=1e-6)


@pytest.mark.parametrize("t", [10, 14, 30, 100])
def test_threshold_separates_simulated_descent(t: int):
    T = flat_tensor(t)
    low, high = s.rate_for_offset_two(*push(T))
    for eta, largest in ((0.99 * low, 0), (1.01 * low, 1), (100 * low, 1)):
        W, v = np.ones((2, 2)), np.ones(t)
        for _ in range(2):
            down_W, down_v = population_gradient(T, W, v)
            W, v = W + eta * down_W, v + eta * down_v
        assert np.argmax(v) == largest
    assert high == inf


@pytest.mark.parametrize("t", [2, 5, 9])
def test_short_contexts_have_no_threshold(t: int):
    assert s.rate_for_offset_two(*push(flat_tensor(t))) == (inf, inf)


def test_an_upper_threshold_where_a_later_offset_rises_faster():
    low, high = s.rate_for_offset_two(2.0, 0.0, np.array([3.0, 2.0, 1.0]), np.array([0.0, 1.0, 2.0]))
    assert (low, high) == (1.0, 1.0)
