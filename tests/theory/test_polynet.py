"""The disjoint PolyNet against enumeration of its inputs, integration of its flow, and the pilots of the spec."""

from collections.abc import Callable, Iterator
from math import inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from elegans.theory import boolean, polynet

Floats = NDArray[np.float64]
SIZES = (101, 301, 1001, 3001, 10_001, 30_001)
SMALL = st.tuples(st.integers(1, 3), st.integers(1, 4))
SEEDS = st.integers(0, 2**32 - 1)


def enumerated_error(v: Floats, u: Floats) -> float:
    """Share of all inputs on which sign f(x) is not the parity of the first coordinate of each block."""
    k, m = u.shape
    x = boolean.cube(k * (m + 1)).reshape(-1, k, m + 1).astype(np.float64)
    f = np.prod(np.einsum("bkj,kj->bk", x, np.column_stack((v, u))), axis=1)
    return np.count_nonzero(np.sign(f) != np.prod(x[:, :, 0], axis=1)) / f.size


def velocity(_: float, v: Floats) -> Floats:
    return np.prod(v) / v


def positive(v: Floats) -> Floats:
    return v * np.where(np.arange(v.size) == 0, np.prod(np.sign(v)), 1)


@given(SMALL, SEEDS)
@settings(max_examples=60, deadline=None)
def test_error_of_integer_weights_equals_enumeration_with_ties(shape: tuple[int, int], seed: int):
    rng = np.random.default_rng(seed)
    v, u = positive(rng.choice([-3.0, -2, -1, 1, 2, 3], shape[0])), rng.integers(-2, 3, shape).astype(np.float64)
    assert polynet.error(v, u) == pytest.approx(enumerated_error(v, u), abs=1e-12)


@given(SMALL, SEEDS)
@settings(max_examples=60, deadline=None)
def test_error_of_general_weights_equals_enumeration(shape: tuple[int, int], seed: int):
    rng = np.random.default_rng(seed)
    v, u = positive(2 * rng.standard_normal(shape[0])), rng.standard_normal(shape)
    assert polynet.error(v, u) == pytest.approx(enumerated_error(v, u), abs=1e-12)
    assert polynet.error_tie_free(v, u) == pytest.approx(polynet.error(v, u), abs=1e-12)


@pytest.mark.parametrize(("k", "m"), [(1, 5), (2, 4), (3, 4), (4, 3)])
def test_error_of_sign_weights_equals_enumeration_at_and_between_lattice_values(k: int, m: int):
    rng = np.random.default_rng(0)
    for c in np.arange(0.5, m + 2, 0.5):
        v, u = np.full(k, c), rng.choice([-1.0, 1.0], (k, m))
        assert polynet.error(v, u) == pytest.approx(enumerated_error(v, u), abs=1e-12)
        assert polynet.error_tie_free(v, u) == pytest.approx(enumerated_error(v - 1e-6, u), abs=1e-12)


def test_balls_agree_with_the_listed_law():
    for m in (0, 1, 2, 7, 40):
        values, mass = polynet.sign_sum(np.ones(m))
        assert values.size == m + 1 and mass.sum() == pytest.approx(1, abs=1e-14)
        for c in (0.5, 1.0, 2.0, 3.5, 7.0, 50.0):
            assert polynet.open_ball(c, m) == pytest.approx(mass[np.abs(values) < c].sum(), abs=1e-14)
            assert polynet.closed_ball(c, m) == pytest.approx(mass[np.abs(values) <= c].sum(), abs=1e-14)


def test_error_is_zero_exactly_when_every_relevant_weight_dominates():
    u = np.array([[1.0, 2.0, 0.5], [3.0, 1.0, 1.0]])
    assert polynet.error(np.array([3.6, 5.1]), u) == 0
    assert polynet.error(np.array([3.6, 5.0]), u) > 0


def test_normal_approximation_is_within_berry_esseen():
    rng = np.random.default_rng(0)
    u = rng.standard_normal((1, 18))
    norm, top = float(np.linalg.norm(u)), float(np.abs(u).max())
    for v in (0.3, 2.0, 5.0, 9.0):
        difference = polynet.error_normal(np.array([v]), np.array([norm])) - polynet.error_tie_free(np.array([v]), u)
        assert abs(float(difference)) <= polynet.BERRY_ESSEEN * top / norm


def random_nets(count: int) -> Iterator[tuple[Floats, Floats]]:
    rng = np.random.default_rng(1)
    for _ in range(count):
        k, m = int(rng.integers(2, 5)), int(rng.integers(2, 11))
        u = rng.standard_normal((k, m)) if rng.random() < 0.5 else np.ones((k, m))
        yield 3 * sqrt(m) * rng.random() * np.abs(rng.standard_normal(k)), u


def test_corrected_error_bounds_hold_and_both_printed_ones_fail():
    below = above = 0
    for v, u in random_nets(500):
        exact, (lower, upper) = polynet.error(v, u), polynet.error_bounds(v, u)
        assert lower - 1e-12 <= exact <= upper + 1e-12
        printed_lower, printed_upper = polynet.error_bounds_printed(v, u)
        below += exact < printed_lower - 1e-12
        above += exact > printed_upper + 1e-12
    assert below > 20 and above > 0


def test_counterexample_to_the_printed_upper_bound():
    v, u = np.full(2, 3 * sqrt(1000)), np.ones((2, 1000))
    assert polynet.error(v, u) == pytest.approx(0.0026, abs=1e-4)
    assert polynet.error_bounds_printed(v, u)[1] == pytest.approx(0.0005, abs=1e-4)


def test_corrected_bounds_are_the_stated_functions_of_one_block():
    lower, upper = polynet.error_bounds(np.array([4.0]), np.ones((1, 4)))
    assert upper == pytest.approx(np.exp(-2))
    assert lower == pytest.approx(0.5 - (0.9544997361 + 1.12 / 2) / 2)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_flow_from_equal_starts_has_the_closed_form(k: int):
    for a, b in ((1.0, 1.5), (0.3, 20.0)):
        t = polynet.equal_time(k, b, a)
        assert float(polynet.flow_time(np.full(k, a), b**2 - a**2)) == pytest.approx(t, rel=1e-12)
        assert polynet.equal_weight(k, t, a) == pytest.approx(b, rel=1e-9)
    assert polynet.equal_time(k, 1.0) == 0 and float(polynet.flow_time(np.ones(k), 0.0)) == 0


def test_blow_up_anchors():
    for k in (3, 4, 7):
        assert float(polynet.blow_up_time(np.ones(k))) == pytest.approx(1 / (k - 2), rel=1e-12)
        assert polynet.equal_time(k, inf) == pytest.approx(1 / (k - 2))
        assert polynet.equal_weight(k, 1.0 / (k - 2)) == inf
    assert polynet.equal_time(2, 3.0) == pytest.approx(log(3))
    assert polynet.equal_time(4, 2.0) == pytest.approx(3 / 8)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_flow_time_agrees_with_an_integrator(k: int):
    v = positive(np.random.default_rng(k).standard_normal(k))
    q = 3.0
    t = float(polynet.flow_time(v, q))
    path = solve_ivp(velocity, (0, t), v, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(path.y[:, -1] ** 2, v**2 + q, rtol=1e-7)


def test_flow_time_adds_up_and_broadcasts():
    v = np.abs(np.random.default_rng(0).standard_normal((5, 4))) * np.logspace(-4, 1, 5)[:, None]
    q = np.array([0.0, 1e-9, 0.1, 2.0, 1e5])
    left = polynet.blow_up_time(np.sqrt(v**2 + q[:, None]))
    np.testing.assert_allclose(polynet.flow_time(v, q) + left, polynet.blow_up_time(v), rtol=1e-12)
    one_by_one = [float(polynet.flow_time(a, b)) for a, b in zip(v, q, strict=True)]
    np.testing.assert_allclose(polynet.flow_time(v, q), one_by_one, rtol=1e-13)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_lemma_b8_bounds_hold_on_random_starts(k: int):
    rng = np.random.default_rng(k)
    for v, q in zip(np.abs(rng.standard_normal((75, k))), rng.exponential(3, 75), strict=True):
        t = float(polynet.flow_time(v, q))
        assert polynet.time_lower_bound(v, q) <= t * (1 + 1e-9)
        lower, upper = polynet.growth_bounds(v, t)
        assert lower <= q * (1 + 1e-9) and q <= upper * (1 + 1e-9)
        if k > 2:
            total = float(polynet.blow_up_time(v))
            assert total <= polynet.time_left_bound(v, 0.0) * (1 + 1e-9)
            assert total - t <= polynet.time_left_bound(v, q) * (1 + 1e-9)


def test_lemma_b8_bounds_are_equalities_for_equal_starts():
    v, q = np.full(4, 0.7), 2.0
    t, total = float(polynet.flow_time(v, q)), float(polynet.blow_up_time(v))
    assert polynet.time_lower_bound(v, q) == pytest.approx(t, rel=1e-12)
    assert polynet.time_left_bound(v, q) == pytest.approx(total - t, rel=1e-12)
    assert polynet.growth_bounds(v, t) == pytest.approx((q, q), rel=1e-9)


def test_printed_blow_up_bound_is_violated_by_small_starts():
    v = np.full(4, 0.5)
    assert polynet.blow_up_bound_printed(v) < 0.2 * float(polynet.blow_up_time(v))


def test_escape_weight_is_where_the_error_leaves_the_plateau():
    for k, gamma, n_prime in ((3, 0.01, 11), (3, 0.1, 12), (4, 0.3, 51), (5, 0.2, 40)):
        b, u = polynet.escape_weight(k, gamma, n_prime), np.ones((k, n_prime - 1))
        assert polynet.error_tie_free(np.full(k, b + 1e-9), u) <= 0.5 - gamma
        assert b == 1 or polynet.error_tie_free(np.full(k, b), u) > 0.5 - gamma


def test_ties_postpone_the_escape():
    k, gamma, n_prime = 4, 0.01, 101
    b, u = polynet.escape_weight_with_ties(k, gamma, n_prime), np.ones((k, n_prime - 1))
    assert b > polynet.escape_weight(k, gamma, n_prime)
    assert polynet.error(np.full(k, b), u) >= 0.5 - gamma > polynet.error(np.full(k, b + 2), u)


def test_escape_bound_holds_and_the_printed_one_fails():
    cells = [(k, g, m) for k in (3, 4, 5, 6) for g in (0.001, 0.01, 0.1, 0.3, 0.49) for m in (3, 10, 51, 101, 30_001)]
    assert all(polynet.escape_weight_bound(*cell) <= polynet.escape_weight(*cell) + 1e-9 for cell in cells)
    assert any(polynet.escape_weight_bound_printed(*cell) > polynet.escape_weight(*cell) + 1e-9 for cell in cells)


def test_plateau_slopes_follow_theory_and_pilot():
    table = polynet.plateau_slopes((3, 4, 5, 6), (0.01, 0.1), SIZES)
    assert np.all(table["error"] <= 0.1)
    assert table["error_with_ties"].max() > 0.1
    np.testing.assert_array_equal(table["predicted"], [-0.5, -0.5, -1, -1, -1.5, -1.5, -2, -2])
    pilot = [-0.485, -0.504, -1.06, -1.005, -1.52, -1.55, -1.94, -2.005]
    np.testing.assert_allclose(table["slope"], pilot, atol=0.006)


@pytest.mark.parametrize("k", [3, 4])
def test_share_falls_with_gamma_like_the_power_of_corollary_b10(k: int):
    gammas = (0.0005, 0.002, 0.01, 0.05)
    shares = [polynet.share_after_plateau(k, g, 30_001) for g in gammas]
    assert np.polyfit(np.log(gammas), np.log(shares), 1)[0] == pytest.approx(2 / k - 1, abs=0.1)


@pytest.mark.parametrize(
    ("k", "pilot", "tolerance"), [(3, (0.223, 0.072, 0.022), 0.1), (4, (0.029, 0.0026, 0.0002), 0.15)]
)
def test_gaussian_starts_spend_their_time_on_the_plateau(k: int, pilot: tuple[float, ...], tolerance: float):
    rng, sizes = np.random.default_rng(0), (101, 1001, 10_001)
    means = [
        float(np.mean(polynet.share_after_plateau_normal(*polynet.gaussian_starts(rng, 300, k, m), 0.01)))
        for m in sizes
    ]
    np.testing.assert_allclose(means, pilot, rtol=0.25, atol=5e-5)  # the pilot prints one digit of 0.0002
    assert np.polyfit(np.log(sizes), np.log(means), 1)[0] == pytest.approx(1 - k / 2, abs=tolerance)


def test_normal_share_agrees_with_the_exact_one_for_ones():
    share = polynet.share_after_plateau_normal(np.ones(3), np.full(3, sqrt(10_000)), 0.01)
    assert float(share) == pytest.approx(polynet.share_after_plateau(3, 0.01, 10_001), rel=0.05)


@pytest.mark.parametrize(
    "call",
    [
        lambda: polynet.error(np.array([1.0, -1.0]), np.ones((2, 3))),
        lambda: polynet.error(np.array([1.0, 0.0]), np.ones((2, 3))),
        lambda: polynet.error(np.ones(2), np.ones((3, 3))),
        lambda: polynet.error_bounds(np.ones(2), np.zeros((2, 3))),
        lambda: polynet.sign_sum(np.random.default_rng(0).standard_normal(25)),
        lambda: polynet.blow_up_time(np.ones(2)),
        lambda: polynet.flow_time(np.ones(2), inf),
        lambda: polynet.flow_time(np.ones(3), -0.1),
        lambda: polynet.equal_time(3, 0.5),
        lambda: polynet.equal_weight(3, 0.1, a=-1.0),
        lambda: polynet.share_after_plateau(2, 0.01, 101),
        lambda: polynet.escape_weight(3, 0.6, 101),
        lambda: polynet.escape_weight(3, 0.1, 0),
        lambda: polynet.plateau_slopes((3,), (0.1,), (101,)),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], object]):
    with pytest.raises(ValueError):
        call()
