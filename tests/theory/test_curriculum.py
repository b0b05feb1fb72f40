"""The two steps of the curriculum against plain gradients, their limits, and the background in closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import curriculum as c
from elegans.theory.induction import gradient_tensor, population_gradient
from elegans.theory.markov import two_state
from elegans.theory.population_tensor import flat_tensor, push, symmetric_law

rates = st.floats(0.1, 1000)


@given(st.floats(0.01, 0.45), rates, rates, st.integers(2, 12))
def test_both_steps_are_gradient_steps_the_second_with_full_decay(eps: float, k1: float, k2: float, t: int):
    found = c.two_steps(t, eps, k1, k2, w=0.3, v=0.7)
    down_W, down_v = population_gradient(flat_tensor(t), np.full((2, 2), 0.3), np.full(t, 0.7))
    W, v = 0.3 + k1 / t**2 * down_W, 0.7 + k1 / t**2 * down_v
    a, b, weights = symmetric_law(0.5 - eps, 0.5 + eps, 30)
    T = np.tensordot(weights, gradient_tensor(two_state(a, b), t), axes=1)
    down_W, down_v = population_gradient(T, W, v)
    for one, other in ((found.W1, W), (found.v1, v), (found.W2, k2 / t * down_W), (found.v2, k2 / t * down_v)):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * k2)


@given(st.floats(0.01, 0.4), rates)
def test_v_is_a_background_and_even_offsets(eps: float, k1: float):
    t = 30
    found, N = c.two_steps(t, eps, k1), np.arange(30, 0, -1)
    x, weights = np.polynomial.legendre.leggauss(80)
    powers = np.array([weights @ (2 * eps * x) ** n / 2 for n in range(t + 1)])  # E λ^n
    g = np.cumsum(np.cumsum(powers[1:]))[::-1] / (2 * t)
    rho, off = found.W1[0, 0], found.W1[0, 1]
    expected = (rho + off) / 2 * g + (rho - off) * N * (N + 1) / (8 * t) * powers[1:]
    np.testing.assert_allclose(found.v2, expected / t, atol=1e-12 * k1)


def test_constants_are_those_of_the_first_step():
    diagonal, off, _, _ = push(flat_tensor(800))
    assert (6 * diagonal / 800**2, 6 * off / 800**2) == pytest.approx((c.B, c.A), rel=0.02)


@pytest.mark.parametrize(("eps", "quoted"), [(0.05, 0.16767), (0.1, 0.17078), (0.2, 0.18476)])
def test_limits_as_tabulated_and_reached(eps: float, quoted: float):
    found = c.two_steps(800, eps, 100.0)
    assert c.limit_w(eps) / eps**2 == pytest.approx(quoted, abs=6e-6)
    assert found.W2[0, 0] == pytest.approx(c.limit_w(eps), rel=0.01)
    assert found.v2[1] == pytest.approx(c.limit_v(eps, 2, 100.0), rel=0.04)
    assert found.v2[1] / np.abs(found.v2).sum() == pytest.approx(c.limit_share(eps, 100.0), abs=0.01)
    assert c.printed_limit_w(eps) < 0 == c.limit_v(eps, 3, 100.0)


@given(st.floats(0.001, 0.49), st.floats(0, 1e9))
def test_the_share_of_offset_two_is_below_one_half(eps: float, k1: float):
    assert 0 <= c.limit_share(eps, k1) < (1 - c.A / c.B) / 2 + 1e-9
