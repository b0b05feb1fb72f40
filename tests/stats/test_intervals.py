"""Plain samples against published tables, exact coverage and properties."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.stats import bootstrap, bootstrap_counts, mean, median, quantile, wilson

samples = st.lists(st.integers(-50, 50), min_size=2, max_size=40)

SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_against_newcombe(successes: int, n: int, low: float, high: float):
    """Newcombe, Statistics in Medicine 17, 1998, p. 857, table I, method 3."""
    share = wilson(successes, n)
    assert (share.value, share.low, share.high) == pytest.approx((successes / n, low, high), abs=5e-5)


@given(st.integers(1, 200), st.data())
def test_wilson_mirrors_and_rises(n: int, data: st.DataObject):
    k = data.draw(st.integers(0, n))
    here, mirror = wilson(k, n), wilson(n - k, n)
    assert (here.low, here.high) == pytest.approx((1 - mirror.high, 1 - mirror.low))
    assert k == n or wilson(k + 1, n).low > here.low


def test_mean_of_students_sleep_data():
    """Student, Biometrika 6, 1908: additional sleep, 1.58 hours; interval as R prints it."""
    hours = mean(SLEEP)
    assert (hours.value, hours.low, hours.high) == pytest.approx((1.58, 0.7001142, 2.4598858), abs=1e-6)
    assert hours.n == 10


def test_one_value_bounds_nothing():
    assert (mean([3.0]).low, mean([3.0]).high) == (-np.inf, np.inf)
    assert (median([3.0]).low, median([3.0]).value, median([3.0]).high) == (-np.inf, 3, np.inf)


@pytest.mark.parametrize(
    ("n", "low", "high"), [(5, -np.inf, np.inf), (6, 1, 6), (8, 1, 8), (9, 2, 8), (10, 2, 9), (20, 6, 15), (30, 10, 21)]
)
def test_ranks_that_bound_a_median(n: int, low: float, high: float):
    """Sign-test ranks, as tabled for instance in Conover, Practical Nonparametric Statistics, table A3."""
    ranks = median(np.arange(1, n + 1)[::-1])
    assert (ranks.low, ranks.value, ranks.high) == (low, (n + 1) / 2, high)


def test_a_low_quantile_is_open_below_until_there_are_enough_runs():
    assert quantile(np.arange(35), 0.1).low == -np.inf
    assert quantile(np.arange(36), 0.1).low == 0
    assert quantile(np.arange(100), 0.1).value == 9.5
    assert (quantile(np.arange(100), 0.1).what, median(np.arange(9)).what) == ("0.1 quantile", "median")


@given(samples, st.sampled_from([0.1, 0.5, 0.8]), st.floats(0.5, 8), st.integers(-9, 9))
def test_scale_and_shift_go_straight_through(values: list[int], q: float, scale: float, shift: int):
    x = np.array(values, dtype=float)
    for a, b in ((mean(x), mean(scale * x + shift)), (quantile(x, q), quantile(scale * x + shift, q))):
        assert (b.low, b.value, b.high) == pytest.approx(
            [scale * e + shift for e in (a.low, a.value, a.high)], abs=1e-9
        )


@given(samples)
def test_reflection_swaps_ends_and_quantiles(values: list[int]):
    x = np.array(values, dtype=float)
    a, b = quantile(x, 0.25), quantile(-x, 0.75)
    assert (a.low, a.value, a.high) == (-b.high, -b.value, -b.low)


@given(samples)
def test_more_confidence_is_wider(values: list[int]):
    for narrow, wide in pairwise(median(values, level) for level in (0.5, 0.9, 0.99)):
        assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_the_median_interval_covers_a_skewed_law():
    rng, trials = np.random.default_rng(5), 1000
    found = [median(rng.lognormal(0, 2, 17)) for _ in range(trials)]
    hits = np.mean([m.low <= 1 <= m.high for m in found])
    assert 0.935 <= hits <= 0.97  # exactly 0.951 for 17 runs
    assert abs(np.mean([m.high < 1 for m in found]) - np.mean([m.low > 1 for m in found])) < 0.025


def test_bootstrap_of_a_mean_agrees_with_student():
    x = np.random.default_rng(6).normal(2, 1, 200)
    plain, again = mean(x), bootstrap(x, lambda v: float(v.mean()), seed=1)
    assert again.value == plain.value
    assert (again.low, again.high) == pytest.approx((plain.low, plain.high), abs=0.02)


def test_bootstrap_is_a_function_of_its_seed():
    def run(seed: int):
        return bootstrap(SLEEP, lambda v: float(np.median(v)), seed=seed, draws=50, level=0.8)

    assert run(1) == run(1)
    assert len({(run(seed).low, run(seed).high) for seed in range(8)}) > 1


def test_bootstrap_resamples_whole_rows():
    pairs = np.column_stack([np.arange(30.0), 2 * np.arange(30.0)])
    slope = bootstrap(pairs, lambda v: float(np.polyfit(v[:, 0], v[:, 1], 1)[0]), seed=2, draws=100)
    assert (slope.low, slope.high) == pytest.approx((2, 2))


def test_bootstrap_holds_its_own_value_and_refuses_nan():
    assert bootstrap(SLEEP, lambda v: float(len(np.unique(v))), seed=3, draws=100).high == 9
    with pytest.raises(ValueError, match="statistic is nan on 20 of 20 resamples"):
        bootstrap(SLEEP, lambda v: float("nan"), seed=3, draws=20)


def test_what_is_no_sample_is_named():
    with pytest.raises(ValueError, match="no runs in a sample"):
        mean([])
    with pytest.raises(ValueError, match="1 of 3 values are not finite: times that were not reached belong in Times"):
        median([1.0, np.nan, 2.0])
    with pytest.raises(ValueError, match="one number a run"):
        mean([[1.0, 2.0]])
    with pytest.raises(ValueError, match="4 successes in 3 trials"):
        wilson(4, 3)
    for q in (0, 1):
        with pytest.raises(ValueError, match=f"q = {q} is no quantile"):
            quantile(SLEEP, q)


def test_resampled_counts_are_resampled_runs() -> None:
    rng = np.random.default_rng(0)
    x = rng.geometric(0.3, 400).astype(float)
    kinds, count = np.unique(x, return_counts=True)
    one = bootstrap(x, lambda s: float(s.mean()), seed=1)
    other = bootstrap_counts(count, lambda c: float(c @ kinds / c.sum()), seed=1)
    assert one.value == pytest.approx(other.value) and other.n == 400
    assert other.low == pytest.approx(one.low, abs=0.05) and other.high == pytest.approx(one.high, abs=0.05)
