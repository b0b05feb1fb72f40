"""Censored times: the leukaemia remissions that every textbook computes, coverage, and limits known by hand.

Weeks of remission under 6-mercaptopurine and under placebo (Freireich et al., Blood 21, 1963, p. 699). Survival table,
medians 23 and 8 with intervals (13, -) and (4, 11), and log-rank chi-square 16.79 are those of the SAS and R manuals.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from elegans.stats import (
    Times,
    first_times,
    kaplan_meier,
    logrank,
    mean,
    median_time,
    quantile_time,
    reached,
    restricted_mean,
    wilson,
)

WEEKS = [6, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
DRUG = Times(np.array(WEEKS), np.arange(21) < 9)
PLACEBO = first_times([1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23], budget=35)

samples = st.lists(st.integers(1, 40), min_size=1, max_size=30)


def test_survival_table_of_the_leukaemia_trial():
    curve = kaplan_meier(DRUG)
    assert curve.time.tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert curve.at_risk.tolist() == [21, 17, 15, 12, 11, 7, 6]
    assert curve.events.tolist() == [3, 1, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(curve.share, [0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482], atol=5e-5)
    np.testing.assert_allclose(curve.low, [0.6197, 0.5631, 0.5032, 0.4316, 0.3675, 0.2678, 0.1881], atol=5e-5)
    np.testing.assert_allclose(curve.high, [0.9516, 0.9228, 0.8894, 0.8491, 0.8049, 0.7468, 0.6801], atol=5e-5)


def test_medians_of_the_leukaemia_trial():
    assert str(median_time(DRUG)) == "median time: 23 [13, inf], n = 21, 12 censored"
    assert str(median_time(PLACEBO)) == "median time: 8 [4, 11], n = 21"
    assert quantile_time(DRUG, 0.25).value == 13
    assert quantile_time(PLACEBO, 0.25).value == 4


def test_log_rank_of_the_leukaemia_trial():
    p = logrank(DRUG, PLACEBO)
    assert p.value == pytest.approx(special.chdtrc(1, 16.79), rel=0.01)
    assert (p.n, p.censored) == (42, 12)
    assert logrank(DRUG, DRUG).value == pytest.approx(1)


def test_mean_remission_within_23_weeks_is_the_area_under_the_curve():
    area = 6 + 0.85714 + 0.80672 * 3 + 0.75294 * 3 + 0.69020 * 3 + 0.62745 * 6 + 0.53782
    within = restricted_mean(DRUG, until=23)
    assert within.value == pytest.approx(area, abs=1e-4)
    assert area == pytest.approx(17.909, abs=1e-3)
    assert within.high - within.value == pytest.approx(special.stdtrit(20, 0.975) * 1.553 * np.sqrt(21 / 20), rel=1e-3)


def test_without_censoring_the_restricted_mean_is_the_mean():
    plain, area = mean(PLACEBO.time), restricted_mean(PLACEBO, until=23)
    assert (area.low, area.value, area.high) == pytest.approx((plain.low, plain.value, plain.high))
    assert restricted_mean(PLACEBO, until=100).value == pytest.approx(plain.value)


def test_past_the_last_run_the_horizon_is_free_only_if_that_run_arrived():
    early_loss = Times(np.array([1.0, 2, 3]), np.array([True, False, True]))
    assert (
        restricted_mean(early_loss, until=9).value == restricted_mean(early_loss, until=3).value == pytest.approx(7 / 3)
    )
    with pytest.raises(ValueError, match=r"past 3 no run was watched"):
        restricted_mean(Times(np.array([1.0, 2, 3]), np.array([True, True, False])), until=9)


def test_cut_at_the_budget_the_restricted_mean_is_the_mean_of_cut_times():
    cut = first_times(PLACEBO.time, budget=10)
    plain, area = mean(np.minimum(PLACEBO.time, 10)), restricted_mean(cut, until=10)
    assert (area.low, area.value, area.high) == pytest.approx((plain.low, plain.value, min(plain.high, 10)))


@given(samples, st.integers(1, 9))
def test_without_censoring_quantiles_are_those_of_the_sorted_sample(values: list[int], tenths: int):
    times = first_times(values, budget=40)
    assert quantile_time(times, tenths / 10).value == np.quantile(values, tenths / 10, method="averaged_inverted_cdf")


@given(samples, st.integers(1, 40), st.sampled_from([0.001, 10.0]))
def test_another_unit_of_time_changes_nothing_else(values: list[int], budget: int, unit: float):
    times = first_times(values, budget)
    scaled = first_times(unit * np.array(values), unit * budget)
    a, b = median_time(times), median_time(scaled)
    assert (b.value, b.low, b.high) == pytest.approx((unit * a.value, unit * a.low, unit * a.high))
    c, d = restricted_mean(times, times.time.max()), restricted_mean(scaled, scaled.time.max())
    assert (d.value, d.low, d.high) == pytest.approx((unit * c.value, unit * c.low, unit * c.high))


@given(samples, st.integers(1, 40))
def test_later_quantiles_come_later_and_the_curve_falls(values: list[int], budget: int):
    times = first_times(values, budget)
    marks = [quantile_time(times, q) for q in (0.1, 0.3, 0.5, 0.7, 0.9)]
    for get in ("value", "low", "high"):
        assert [getattr(mark, get) for mark in marks] == sorted(getattr(mark, get) for mark in marks)
    curve = kaplan_meier(times)
    assert np.all(np.diff(curve.share) < 0)
    assert np.all((curve.low <= curve.share + 1e-12) & (curve.share <= curve.high + 1e-12))


@given(samples, st.integers(1, 40), st.integers(0, 20))
def test_a_longer_budget_never_changes_a_median_already_passed(values: list[int], budget: int, more: int):
    short, long = (first_times(values, b) for b in (budget, budget + more))
    if reached(short).value > 0.5:
        assert median_time(long).value == median_time(short).value
    assert median_time(long).high <= median_time(short).high


def test_a_median_that_half_did_not_reach_is_infinite_but_bounded_below():
    late = median_time(first_times([100, 200, *[np.nan] * 8], budget=1000))
    assert (late.low, late.value, late.high, late.censored) == (100, np.inf, np.inf, 8)
    assert median_time(first_times([100, 200, *[np.nan] * 28], budget=1000)).low == 1000


def test_few_runs_bound_no_quantile_from_below():
    assert median_time(first_times([7, 8, 9, 10, 11], budget=20)).low == 0
    assert median_time(first_times([7, 8, 9, 10, 11, 12], budget=20)).low == 7
    assert quantile_time(first_times(range(1, 36), budget=40), 0.1).low == 0
    assert quantile_time(first_times(range(1, 37), budget=40), 0.1).low == 1


def test_ties_on_the_grid_bound_the_median_as_order_statistics_do():
    assert median_time(first_times([70] * 6, 100)).high == 70
    assert median_time(first_times([70] * 5, 100)).high == np.inf


def test_the_middle_of_a_flat_stretch_is_taken_only_if_it_ends():
    assert median_time(first_times([1, 2, 4, 9], 10)).value == 3
    assert median_time(first_times([1, 2, 40, 90], 10)).value == 2


def test_share_reached():
    share = reached(DRUG)
    assert (share.value, share.low, share.n, share.censored) == (9 / 21, wilson(9, 21).low, 21, 12)
    assert reached(PLACEBO, by=8).value == 13 / 21
    assert reached(first_times([0, 3, np.nan], budget=5), by=5).value == 2 / 3
    with pytest.raises(ValueError, match="watched only until 6, before by = 23"):
        reached(DRUG, by=23)


def test_nobody_arrived():
    nobody = first_times([np.nan] * 20, budget=50)
    assert reached(nobody).high == pytest.approx(0.1611, abs=1e-4)
    assert (median_time(nobody).low, median_time(nobody).value) == (50, np.inf)
    assert median_time(first_times([np.nan] * 5, budget=50)).low == 0
    left_early = Times(np.array([1.0, 2, 3, 4, 5, 6, 50]), np.zeros(7, dtype=bool))
    assert median_time(left_early).low == 2
    area = restricted_mean(nobody, until=50)
    assert (area.value, area.high) == (50, 50)
    assert area.low == pytest.approx(50 * (1 - 0.1611), abs=1e-2)
    assert restricted_mean(left_early, until=6).low == 6 * wilson(2, 2).low


def test_a_single_run_bounds_its_restricted_mean_by_the_horizon_only():
    one = restricted_mean(first_times([5], budget=20), until=10)
    assert (one.low, one.value, one.high) == (0, 5, 10)


@pytest.mark.parametrize(("n", "budget", "most"), [(8, 0.9, 1.0), (40, 1.2, 0.98), (40, 9.0, 0.98)])
def test_the_median_covers_the_truth_as_often_as_it_says(n: int, budget: float, most: float):
    rng, hits, trials = np.random.default_rng(2), 0, 400
    for _ in range(trials):
        median = median_time(first_times(rng.exponential(1, n), budget))
        hits += median.low <= np.log(2) < median.high
    assert 0.93 <= hits / trials <= most


def test_the_restricted_mean_covers_the_truth_under_random_censoring():
    rng, hits, trials = np.random.default_rng(3), 0, 500
    for _ in range(trials):
        life, watched = rng.exponential(1, 60), rng.uniform(0.5, 4, 60)
        mean_time = restricted_mean(Times(np.minimum(life, watched), life <= watched), until=1.5)
        hits += mean_time.low <= 1 - np.exp(-1.5) <= mean_time.high
    assert 0.925 <= hits / trials <= 0.975


def test_log_rank_rejects_equals_as_rarely_as_it_should_and_finds_a_factor_of_three():
    rng = np.random.default_rng(4)

    def rejected(factor: float, level: float, trials: int) -> float:
        pairs = [(rng.exponential(1, 30), rng.exponential(factor, 30)) for _ in range(trials)]
        return float(np.mean([logrank(*(first_times(t, 1.5) for t in pair)).value < level for pair in pairs]))

    assert 0.05 <= rejected(1, level=0.1, trials=200) <= 0.15
    assert rejected(3, level=0.1, trials=100) >= 0.85


def test_what_is_no_time_is_named():
    with pytest.raises(ValueError, match="nan is no time"):
        Times(np.array([1.0, np.nan]), np.array([True, False]))
    with pytest.raises(ValueError, match=r"-1\.0 is no time"):
        Times(np.array([1.0, -1.0]), np.array([True, False]))
    with pytest.raises(ValueError, match="one entry a run"):
        Times(np.array([1.0, 2.0]), np.array([True]))
    for q in (0, 1, 50):
        with pytest.raises(ValueError, match=f"q = {q} is no quantile"):
            quantile_time(DRUG, q)
    for until in (-1, 0, 40):
        with pytest.raises(ValueError, match=rf"until = {until} must lie in \(0, 35\]"):
            restricted_mean(DRUG, until)
    for level in (0, 1, 95):
        with pytest.raises(ValueError, match=f"level = {level} is no confidence level"):
            median_time(DRUG, level=level)
