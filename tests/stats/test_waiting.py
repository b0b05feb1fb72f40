"""Luck or work: exact enumeration, the law itself as null, and times shaped like those of gradient descent."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from elegans.stats import (
    Times,
    early_mass,
    first_times,
    geometric_distance,
    geometric_early_mass,
    too_few_early,
    too_late_first,
)
from elegans.stats.laws import log_choose


def seen(values: ArrayLike) -> Times:
    return Times(np.asarray(values, dtype=np.float64), np.ones(np.size(values), dtype=bool))


def lucky(rng: np.random.Generator, n: int, rate: float = 0.01, every: int = 10) -> Times:
    return seen(every * rng.geometric(rate, n))


def trained(rng: np.random.Generator, n: int) -> Times:
    """Median 730, first per cent near 490: the wide ReLU network on (20, 3)."""
    return seen(10 * np.ceil(73 * rng.lognormal(0, 0.17, n)))


@pytest.mark.parametrize("values", [(2, 3, 4), (1, 1, 7), (3, 3, 3), (2, 2, 2, 5)])
def test_a_late_first_run_has_the_probability_that_counting_gives(values: tuple[int, ...]):
    total, n = sum(values), len(values)
    ways = [way for way in product(range(1, total), repeat=n) if sum(way) == total]
    share = sum(min(way) >= min(values) for way in ways) / len(ways)
    assert too_late_first(seen([5 * v for v in values]), every=5).value == pytest.approx(share)


def test_the_early_mass_of_the_geometric_law():
    assert geometric_early_mass(0.4) == pytest.approx(0.2421, abs=1e-4)
    assert geometric_early_mass(1) == 0.5
    share = early_mass(lucky(np.random.default_rng(7), 4000, rate=0.001))
    assert share.low < 0.2421 < share.high
    assert early_mass(seen([10, 40, 41, 100, 100, 100, 100])).value == 2 / 7


def test_binomial_coefficients():
    assert np.exp([log_choose(10, 3), log_choose(5, 0), log_choose(4, 4)]) == pytest.approx([120, 1, 1])


def test_few_early_runs_have_the_probability_of_the_binomial_law():
    chance = 1 - 2**-0.4
    two_of_five = stats.binom.cdf(2, 5, chance)
    assert too_few_early(seen([10, 20, 50, 50, 50]), every=10, fraction=0.4).value == pytest.approx(two_of_five)
    assert too_few_early(seen([10, 20, 50, 50, 50]), every=10, fraction=0.59).value == pytest.approx(two_of_five)


def test_the_distance_is_taken_on_both_sides_of_a_step():
    together = geometric_distance(seen([100] * 9), every=10)
    assert together.value == pytest.approx(stats.kstwo.sf(1 - 0.9**9, 9))


def test_times_of_a_search_by_luck_are_rarely_rejected():
    rng, trials = np.random.default_rng(8), 600
    samples = [lucky(rng, 30) for _ in range(trials)]
    assert 0.07 <= np.mean([too_late_first(times, 10).value <= 0.1 for times in samples]) <= 0.12
    assert np.mean([too_few_early(times, 10).value <= 0.1 for times in samples]) <= 0.1
    assert np.mean([geometric_distance(times, 10).value <= 0.1 for times in samples]) <= 0.1


def test_a_grid_as_coarse_as_the_median_does_not_make_luck_look_like_work():
    rng = np.random.default_rng(9)
    samples = [lucky(rng, 200, rate=0.2) for _ in range(200)]
    assert np.mean([too_few_early(times, 10).value <= 0.05 for times in samples]) <= 0.05
    assert np.mean([geometric_distance(times, 10).value <= 0.05 for times in samples]) <= 0.05


def test_times_of_training_are_rejected_by_every_test():
    times = trained(np.random.default_rng(10), 200)
    for p in (too_late_first(times, 10), too_few_early(times, 10), geometric_distance(times, 10)):
        assert p.value < 1e-6
        assert p.n == 200
    assert early_mass(times).high < geometric_early_mass(0.4)


def test_a_heavier_start_than_geometric_is_no_late_start():
    early = seen(np.concatenate([np.full(50, 10), np.full(50, 5000)]))
    assert too_late_first(early, 10).value == 1
    assert too_few_early(early, 10).value > 0.99
    assert geometric_distance(early, 10).value < 1e-6


@given(st.lists(st.integers(1, 30), min_size=2, max_size=20), st.sampled_from([2, 10, 1000]))
def test_only_the_number_of_looks_matters(looks: list[int], every: int):
    for test in (too_late_first, too_few_early, geometric_distance):
        assert test(seen(np.array(looks) * every), every).value == pytest.approx(test(seen(looks), 1).value)


def test_censored_runs_are_used_where_they_can_be_and_refused_where_not():
    times = first_times([500, 600, 700, 800, 900, np.nan], budget=1000)
    assert too_few_early(times, 10).censored == 1
    with pytest.raises(ValueError, match="1 of 6 times are censored"):
        too_late_first(times, 10)
    with pytest.raises(ValueError, match="too many for a median"):
        early_mass(first_times([500, np.nan, np.nan], budget=1000))
    with pytest.raises(ValueError, match="multiples of every = 7"):
        geometric_distance(seen([10, 20]), 7)
