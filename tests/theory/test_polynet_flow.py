"""The flow of the disjoint PolyNet against closed forms, an integrator, and the bounds of Lemma B.8."""

from collections.abc import Callable
from math import inf, log

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from elegans.theory import polynet_flow

Floats = NDArray[np.float64]


def velocity(_: float, v: Floats) -> Floats:
    return np.prod(v) / v


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_flow_from_equal_starts_has_the_closed_form(k: int):
    for a, b in ((1.0, 1.5), (0.3, 20.0)):
        t = polynet_flow.equal_time(k, b, a)
        assert float(polynet_flow.flow_time(np.full(k, a), b**2 - a**2)) == pytest.approx(t, rel=1e-12)
        assert polynet_flow.equal_weight(k, t, a) == pytest.approx(b, rel=1e-9)
    assert polynet_flow.equal_time(k, 1.0) == 0 and float(polynet_flow.flow_time(np.ones(k), 0.0)) == 0


def test_blow_up_anchors():
    for k in (3, 4, 7):
        assert float(polynet_flow.blow_up_time(np.ones(k))) == pytest.approx(1 / (k - 2), rel=1e-12)
        assert polynet_flow.equal_time(k, inf) == pytest.approx(1 / (k - 2))
        assert polynet_flow.equal_weight(k, 1.0 / (k - 2)) == inf
    assert polynet_flow.equal_time(2, 3.0) == pytest.approx(log(3))
    assert polynet_flow.equal_time(4, 2.0) == pytest.approx(3 / 8)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_flow_time_agrees_with_an_integrator(k: int):
    v = np.random.default_rng(k).standard_normal(k)
    v[0] *= np.prod(np.sign(v))
    q = 3.0
    t = float(polynet_flow.flow_time(v, q))
    path = solve_ivp(velocity, (0, t), v, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(path.y[:, -1] ** 2, v**2 + q, rtol=1e-7)


def test_flow_time_adds_up_and_broadcasts():
    v = np.abs(np.random.default_rng(0).standard_normal((5, 4))) * np.logspace(-4, 1, 5)[:, None]
    q = np.array([0.0, 1e-9, 0.1, 2.0, 1e5])
    left = polynet_flow.blow_up_time(np.sqrt(v**2 + q[:, None]))
    np.testing.assert_allclose(polynet_flow.flow_time(v, q) + left, polynet_flow.blow_up_time(v), rtol=1e-12)
    one_by_one = [float(polynet_flow.flow_time(a, b)) for a, b in zip(v, q, strict=True)]
    np.testing.assert_allclose(polynet_flow.flow_time(v, q), one_by_one, rtol=1e-13)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_lemma_b8_bounds_hold_on_random_starts(k: int):
    rng = np.random.default_rng(k)
    for v, q in zip(np.abs(rng.standard_normal((75, k))), rng.exponential(3, 75), strict=True):
        t = float(polynet_flow.flow_time(v, q))
        assert polynet_flow.time_lower_bound(v, q) <= t * (1 + 1e-9)
        lower, upper = polynet_flow.growth_bounds(v, t)
        assert lower <= q * (1 + 1e-9) and q <= upper * (1 + 1e-9)
        if k > 2:
            total = float(polynet_flow.blow_up_time(v))
            assert total <= polynet_flow.time_left_bound(v, 0.0) * (1 + 1e-9)
            assert total - t <= polynet_flow.time_left_bound(v, q) * (1 + 1e-9)


def test_lemma_b8_bounds_are_equalities_for_equal_starts():
    v, q = np.full(4, 0.7), 2.0
    t, total = float(polynet_flow.flow_time(v, q)), float(polynet_flow.blow_up_time(v))
    assert polynet_flow.time_lower_bound(v, q) == pytest.approx(t, rel=1e-12)
    assert polynet_flow.time_left_bound(v, q) == pytest.approx(total - t, rel=1e-12)
    assert polynet_flow.growth_bounds(v, t) == pytest.approx((q, q), rel=1e-9)


def test_printed_blow_up_bound_is_violated_by_small_starts():
    v = np.full(4, 0.5)
    assert polynet_flow.blow_up_bound_printed(v) < 0.2 * float(polynet_flow.blow_up_time(v))


@pytest.mark.parametrize(
    "call",
    [
        lambda: polynet_flow.blow_up_time(np.ones(2)),
        lambda: polynet_flow.flow_time(np.ones(2), inf),
        lambda: polynet_flow.flow_time(np.ones(3), -0.1),
        lambda: polynet_flow.equal_time(3, 0.5),
        lambda: polynet_flow.equal_weight(3, 0.1, a=-1.0),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], object]):
    with pytest.raises(ValueError):
        call()
