"""The first step on chains with a = b against matrix powers, exact averages and growth."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import symmetric_chains as c
from elegans.theory.induction import gradient_tensor
from elegans.theory.markov import two_state
from elegans.theory.population_tensor import first_step, mean_tensor, symmetric_law


@given(st.floats(0.02, 0.97), st.integers(1, 40))
def test_one_chain_pushes_as_its_tensor(a: float, t: int):
    W, v = first_step(gradient_tensor(two_state(a, a), t))
    one = np.array([a])
    np.testing.assert_allclose(W, c.w_push(one, t) * np.eye(2), atol=1e-11)
    np.testing.assert_allclose(v, c.v_push(one, t)[0], atol=1e-11)
    diagonal, off = c.printed_w_push(one, t)
    assert (diagonal[0], off[0]) == pytest.approx((W[0, 0], 0), abs=1e-9)


@pytest.mark.parametrize("t", [1, 2, 9, 60])
def test_means_are_those_of_the_tensor(t: int):
    W, v = first_step(mean_tensor(symmetric_law(n=40), t))
    np.testing.assert_allclose(W, c.mean_w_push(t) * np.eye(2), atol=1e-11)
    np.testing.assert_allclose(v, c.mean_v_push(t), atol=1e-12)


@pytest.mark.parametrize(("t", "w", "v"), [(10, 0.58751, 0.27693), (100, 16.01535, 0.74332), (1000, 294.2534, 1.29812)])
def test_means_as_tabulated(t: int, w: float, v: float):
    assert c.mean_w_push(t) == pytest.approx(w, rel=1e-5)
    assert c.mean_v_push(t)[0] == pytest.approx(v, rel=2e-5)


def test_growth_is_logarithmic():
    t = 100_000
    assert c.mean_w_push(2 * t) / (2 * t) - c.mean_w_push(t) / t == pytest.approx(log(2) / 16, rel=1e-3)
    assert c.mean_v_push(2 * t)[0] - c.mean_v_push(t)[0] == pytest.approx(log(2) / 4, rel=1e-3)
    assert (log(2) / 16, log(2) / 4) == (c.W_GROWTH, c.V_GROWTH)


@given(st.floats(0.05, 0.9))
def test_leading_order_of_a_fixed_chain(a: float):
    one = np.array([a])
    off = c.w_push(one, 2000) - c.leading_w_push(one, 2000)
    assert np.abs(off) <= 5 / ((2 - 2 * a) * 2000) * np.abs(c.leading_w_push(one, 2000))


def test_printed_v_falls_where_the_true_one_rises():
    assert c.printed_v_push(10)[0] == -0.5 and np.all(c.mean_v_push(10)[:-1] > 0)
