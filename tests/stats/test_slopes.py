"""Power laws known exactly, Anscombe's published regression, and coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.stats import Estimate, bend, exact, exponent_of, local_slopes, mean, power_law, slope_difference

N = np.array([10.0, 20, 40, 80, 160])


def test_a_power_law_is_found_exactly():
    law = power_law(N, 2 * N**-3)
    assert (law.exponent.value, law.factor.value, law.r2, law.within) == pytest.approx((-3, 2, 1, 1))
    assert (law.exponent.low, law.exponent.high) == pytest.approx((-3, -3))


def test_anscombes_first_set():
    """Anscombe, American Statistician 27, 1973, p. 17: slope 0.5, s.e. 0.118, intercept 3, r^2 0.667."""
    x = np.array([10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5])
    y = np.array([8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68])
    law = power_law(np.exp(x), np.exp(y))
    slope, middle = law.exponent, law.factor.through(math.log)
    assert (slope.low, slope.value, slope.high) == pytest.approx((0.2334, 0.5001, 0.7668), abs=1e-4)
    assert (middle.low, middle.value, middle.high) == pytest.approx((0.4557, 3.0001, 5.5444), abs=2e-4)
    assert law.r2 == pytest.approx(0.6665, abs=1e-4)
    assert math.log(law.within) == pytest.approx(1.9213, abs=1e-4)


def test_a_constant_is_the_power_zero():
    law = power_law(N, np.full(5, 7.0))
    assert (law.exponent.value, law.factor.value, law.r2) == pytest.approx((0, 7, 1))


def test_two_points_have_a_slope_without_bounds():
    slope = power_law([2, 4], [3, 12]).exponent
    assert (slope.low, slope.value, slope.high) == (-np.inf, pytest.approx(2), np.inf)


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.permutations(range(5)))
def test_units_and_order_do_not_matter(a: float, b: float, order: list[int]):
    t = np.array([60.0, 130, 320, 855, 3770])
    plain, other = power_law(N, t), power_law(a * N[order], b * t[order])
    assert other.exponent.value == pytest.approx(plain.exponent.value)
    assert other.exponent.low == pytest.approx(plain.exponent.low)
    assert (other.r2, other.within) == pytest.approx((plain.r2, plain.within))


def test_exponents_cover_the_truth_as_often_as_they_say():
    rng, hits, trials = np.random.default_rng(11), 0, 1000
    for _ in range(trials):
        slope = power_law(N, N**1.5 * rng.lognormal(0, 0.2, 5)).exponent
        hits += slope.low <= 1.5 <= slope.high
    assert 0.935 <= hits / trials <= 0.965


def test_local_slopes_show_the_elbow():
    t = np.where(N <= 40, N, N**2 / 40)
    slopes = local_slopes(N[::-1], t[::-1], window=3)
    assert [centre for centre, _ in slopes] == pytest.approx([20, 40, 80])
    assert [slope.value for _, slope in slopes] == pytest.approx([1, 1.5, 2])
    assert slopes[1][1].low < 1 < 2 < slopes[1][1].high
    assert [slope.value for _, slope in local_slopes(N, t, window=2)] == pytest.approx([1, 1, 2, 2])
    assert [slope for _, slope in local_slopes(N, t, window=5)] == [power_law(N, t).exponent]


def test_the_difference_of_slopes_has_its_sign():
    gap = slope_difference(power_law(N, N**2), power_law(N, N**0.5))
    assert (gap.low, gap.value, gap.high) == pytest.approx((1.5, 1.5, 1.5))


def test_the_intervals_of_two_points_reach_the_exponent():
    points = [Estimate(8, 4, 16, n=9, censored=1), Estimate(32, 16, 64, n=9)]
    slope = exponent_of([2, 4], points)
    assert (slope.low, slope.value, slope.high) == pytest.approx((2 - math.sqrt(2), 2, 2 + math.sqrt(2)))
    assert (slope.n, slope.censored) == (18, 1)


def test_both_ways_to_an_exponent_go_through_the_same_points():
    t = np.array([60.0, 130, 320, 855, 3770])
    assert exponent_of(N, [exact(v) for v in t]).value == pytest.approx(power_law(N, t).exponent.value)


def test_an_elbow_bends_upwards():
    t = np.where(N <= 40, N, N**2 / 40)
    up = bend(N[::-1], [Estimate(v, 0.9 * v, 1.1 * v, n=5) for v in t[::-1]])
    assert up.value == pytest.approx(1)
    assert 0 < up.low < 1 < up.high
    assert bend(N[:4], [exact(v) for v in N[:4] ** 3]).value == pytest.approx(0, abs=1e-12)
    assert bend(N[:3], [exact(v) for v in (1, 2, 8)]).value == pytest.approx(1)


def test_the_bend_covers_the_truth_though_the_middle_point_counts_twice():
    rng, hits, trials = np.random.default_rng(12), 0, 400
    for _ in range(trials):
        found = bend(N, [mean(rng.normal(n, 0.2 * n, 30)) for n in N])
        hits += found.low <= 0 <= found.high
    assert 0.925 <= hits / trials <= 0.975


def test_what_has_no_slope_is_named():
    with pytest.raises(ValueError, match="vary x"):
        power_law([3, 3], [1, 2])
    with pytest.raises(ValueError, match="must be positive finite"):
        power_law([1, 2], [0, 2])
    with pytest.raises(ValueError, match="2 values of x and 3 of y"):
        power_law([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="window = 1 for 3 points"):
        local_slopes([1, 2, 3], [1, 2, 3], window=1)
    with pytest.raises(ValueError, match="2 points show no bend"):
        bend([1, 2], [exact(1), exact(2)])
