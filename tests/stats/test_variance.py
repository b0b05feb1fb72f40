"""Shares of variance and rank correlations against published examples and simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.stats import Times, first_times, icc, icc_of_times, partial_spearman, spearman
from elegans.stats.laws import Floats

RATINGS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
IQ = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
HOURS = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]


def grid(rng: np.random.Generator, share: float, g: int = 8, k: int = 8) -> Floats:
    """Normal values of which `share` of the variance lies between groups."""
    return np.sqrt(share) * rng.normal(size=(g, 1)) + np.sqrt(1 - share) * rng.normal(size=(g, k))


def test_the_ratings_of_shrout_and_fleiss():
    """Their tables 2 to 4: mean squares 11.24 and 6.26, ICC(1,1) = .17; the interval is that of the R package psych."""
    rating = icc(RATINGS)
    assert rating.value == pytest.approx((11.24 - 6.26) / (11.24 + 3 * 6.26), abs=5e-4)
    assert (rating.low, rating.high) == pytest.approx((-0.13, 0.72), abs=5e-3)
    assert rating.n == 24


def test_judges_explain_what_persons_do_not():
    assert icc(RATINGS.T).value > icc(RATINGS).value


def test_the_interval_covers_the_truth_as_often_as_it_says():
    rng, trials = np.random.default_rng(13), 800
    found = [icc(grid(rng, 0.5)) for _ in range(trials)]
    assert 0.935 <= np.mean([e.low <= 0.5 <= e.high for e in found]) <= 0.965
    assert np.mean([e.value for e in found]) == pytest.approx(0.47, abs=0.03)


def test_no_group_effect_and_nothing_but_group_effect():
    nothing = icc(grid(np.random.default_rng(14), 0.0, g=50))
    assert nothing.low < 0 < nothing.high < 0.2
    everything = icc(np.repeat([[1.0], [2.0], [4.0]], 5, axis=1))
    assert (everything.low, everything.value, everything.high) == (1, 1, 1)
    assert icc([[-1, 1], [-1, 1]]).value == -1
    assert icc([[-1, 1], [0, 2], [1, 3]]).value == 0


@given(st.permutations(range(6)), st.permutations(range(4)), st.floats(0.1, 9), st.floats(-9, 9))
def test_names_of_groups_and_units_do_not_matter(rows: list[int], columns: list[int], scale: float, shift: float):
    a, b = icc(RATINGS), icc(shift - scale * RATINGS[rows][:, columns])
    assert (b.low, b.value, b.high) == pytest.approx((a.low, a.value, a.high), abs=1e-9)


def test_times_enter_by_their_logarithm():
    logs = grid(np.random.default_rng(15), 0.6, g=5)
    times = Times(np.exp(logs).ravel(), np.ones(40, dtype=bool))
    assert icc_of_times(times, groups=5).value == pytest.approx(icc(logs).value)
    assert icc_of_times(Times(1000 * times.time, times.seen), 5).value == pytest.approx(icc(logs).value)


def test_censored_times_are_cut_where_all_runs_are_known():
    logs = grid(np.random.default_rng(16), 0.6, g=5)
    cut = icc_of_times(first_times(np.exp(logs).ravel(), budget=2.0), groups=5)
    assert cut.value == pytest.approx(icc(np.minimum(logs, np.log(2))).value)
    assert cut.censored == int((logs > np.log(2)).sum()) > 0
    assert cut.what.endswith("times up to 2")


def test_spearman_of_a_textbook():
    """Intelligence and hours of television, the worked example of the encyclopaedias: -29/165."""
    rho = spearman(IQ, HOURS, seed=1)
    assert rho.value == pytest.approx(-29 / 165)
    assert rho.low < -0.5 < 0.4 < rho.high


def test_only_order_matters_and_the_seed_decides():
    a, b = spearman(IQ, HOURS, seed=1, draws=200), spearman(np.log(IQ), np.square(HOURS), seed=1, draws=200)
    assert a == b
    assert spearman(IQ, HOURS, seed=2, draws=200) != a
    mirror = spearman(IQ, np.negative(HOURS), seed=1, draws=200)
    assert (mirror.low, mirror.value, mirror.high) == pytest.approx((-a.high, -a.value, -a.low))


def test_the_bootstrap_of_a_correlation_covers_the_truth():
    rng, hits, trials = np.random.default_rng(17), 0, 60
    truth = 6 / np.pi * np.arcsin(0.7 / 2)
    for trial in range(trials):
        x = rng.normal(size=60)
        y = 0.7 * x + np.sqrt(1 - 0.49) * rng.normal(size=60)
        rho = spearman(x, y, seed=trial, draws=100)
        hits += rho.low <= truth <= rho.high
    assert 0.85 <= hits / trials < 1


def test_a_common_cause_is_taken_out():
    rng = np.random.default_rng(18)
    cause = rng.normal(size=200)
    x, y = cause + 0.5 * rng.normal(size=200), cause + 0.5 * rng.normal(size=200)
    xy, xc, yc = (spearman(a, b, seed=0, draws=10).value for a, b in ((x, y), (x, cause), (y, cause)))
    partial = partial_spearman(x, y, cause, seed=0, draws=300)
    assert partial.value == pytest.approx((xy - xc * yc) / np.sqrt((1 - xc**2) * (1 - yc**2)))
    assert xy > 0.7
    assert partial.low < 0 < partial.high < 0.3


def test_what_has_no_variance_to_share_is_named():
    with pytest.raises(ValueError, match="all 4 values equal 3"):
        icc([[3, 3], [3, 3]])
    with pytest.raises(ValueError, match=r"got shape \(1, 3\)"):
        icc([[1, 2, 3]])
    with pytest.raises(ValueError, match="7 positive times do not fill 2 equal groups"):
        icc_of_times(first_times(np.arange(1, 8), budget=9), groups=2)
    with pytest.raises(ValueError, match="none at step 0"):
        icc_of_times(first_times([0, 1, 2, 3], budget=9), groups=2)
    for x, y in (([1, 1, 1], [1, 2, 3]), ([1, 2], [1, 2]), ([1, 2, 3], [1, 2, 3, 4])):
        with pytest.raises(ValueError, match="at least 3 and not all alike"):
            spearman(x, y, seed=0)


def test_small_samples_survive_resamples_without_variation():
    assert spearman([1, 2, 3], [2, 4, 9], seed=0).value == pytest.approx(1)
    assert partial_spearman([1, 2, 3, 4], [1, 3, 2, 4], [0, 0, 0, 1], seed=0).value == pytest.approx(0.5)
