"""The geometric law against simulation and sums, the thresholds against enumeration over GF(2)."""

from collections.abc import Callable
from itertools import combinations, product
from math import comb, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elegans.theory import boolean, random_search

PROBABILITIES = st.floats(0.01, 1.0)


def test_counts():
    assert random_search.subsets(6, 3) == len(list(combinations(range(6), 3)))
    assert random_search.disjoint_subsets(6, 3) == 2**3


def test_mean_times_of_the_paper_s_instance():
    means = [random_search.mean_time(random_search.success_probability(40, 3, r)) for r in (1, 10, 100, 1000)]
    np.testing.assert_allclose(means, [9880, 988.45, 99.3, 10.39], rtol=1e-3)


@given(PROBABILITIES)
@settings(deadline=None)
def test_mean_median_and_cdf_agree_with_the_mass_of_each_step(p: float):
    t = np.arange(1, 4001)
    mass = p * (1 - p) ** (t - 1)
    assert random_search.mean_time(p) == pytest.approx(float(np.sum(t * mass)), rel=1e-9)
    for end in (0, 1, 2, 7, 100):
        assert random_search.cdf(end, p) == pytest.approx(float(mass[:end].sum()), abs=1e-12)
        assert random_search.mass_below(end, p) == pytest.approx(float(mass[: max(end - 1, 0)].sum()), abs=1e-12)
    median = random_search.median_time(p)
    assert random_search.cdf(median, p) >= 0.5 - 1e-12 and random_search.cdf(median - 1, p) < 0.5 + 1e-12


@given(st.integers(1, 8), st.integers(0, 8), st.integers(1, 6))
@settings(deadline=None)
def test_parallel_copies_are_independent(n: int, k: int, r: int):
    k = min(k, n)
    assert random_search.success_probability(n, k, r) == pytest.approx(1 - (1 - 1 / comb(n, k)) ** r, abs=1e-12)


def test_a_rare_success_is_not_rounded_away():
    p = random_search.success_probability(200, 20)
    assert p == pytest.approx(1 / comb(200, 20), rel=1e-12)
    assert random_search.cdf(10**6, p) == pytest.approx(1e6 * p, rel=1e-6)


def test_simulated_search_follows_the_law():
    rng = np.random.default_rng(0)
    p = random_search.success_probability(6, 2, r=3)
    guesses = rng.integers(0, 15, size=(4000, 80, 3))
    hit = (guesses == 0).any(axis=2)
    times = np.where(hit.any(axis=1), hit.argmax(axis=1) + 1, 81)
    for t in (1, 3, 10):
        expected = random_search.cdf(t, p)
        assert np.mean(times <= t) == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 4000) ** 0.5)


def test_the_law_puts_a_quarter_of_its_mass_below_two_fifths_of_the_median():
    p = random_search.probability_with_median(730)
    assert random_search.mass_below(0.4 * 730, p) == pytest.approx(1 - 2**-0.4, abs=2e-3)
    assert random_search.cdf(730, p) == pytest.approx(0.5, abs=1e-12)
    assert random_search.mass_below(2.5, 0.5) == 0.75


def test_samples_needed():
    assert random_search.samples_needed(20, 3) == pytest.approx(np.log2(1140))
    assert random_search.samples_needed(20, 3, flips=0.11) == pytest.approx(2 * np.log2(1140), rel=1e-3)
    assert random_search.samples_needed(20, 3, flips=0.5) == inf
    near = [random_search.samples_needed(50, 3, flips=0.5 - e) * e**2 for e in (0.01, 0.001)]
    assert near[0] == pytest.approx(near[1], rel=1e-3)


def test_impostors_are_counted_right_on_average():
    rng, (n, k, m) = np.random.default_rng(1), (12, 3, 6)
    sets = [S for S in combinations(range(n), k) if S != (0, 1, 2)]
    counts: list[int] = []
    for _ in range(200):
        x = rng.choice(np.array([-1, 1]), size=(m, n))
        y = boolean.parity(x, (0, 1, 2))
        counts.append(sum(np.array_equal(boolean.parity(x, S), y) for S in sets))
    expected = random_search.expected_impostors(n, k, m)
    assert expected == 219 / 64
    assert np.mean(counts) == pytest.approx(expected, abs=3 * np.std(counts) / 200**0.5)


def test_full_rank_probability_equals_enumeration():
    for n, m in ((1, 1), (2, 2), (2, 3), (3, 3), (3, 2)):
        spans = [_span(rows) == 2**n for rows in product(range(2**n), repeat=m)]
        assert random_search.full_rank_probability(n, m) == pytest.approx(np.mean(spans), abs=1e-15)
    assert random_search.full_rank_probability(50, 70) > 1 - 1e-5


def _span(rows: tuple[int, ...]) -> int:
    reached = {0}
    for row in rows:
        reached |= {a ^ row for a in reached}
    return len(reached)


@pytest.mark.parametrize(
    "call",
    [
        lambda: random_search.subsets(3, 4),
        lambda: random_search.disjoint_subsets(7, 3),
        lambda: random_search.success_probability(5, 2, r=0),
        lambda: random_search.mean_time(0.0),
        lambda: random_search.median_time(1.5),
        lambda: random_search.cdf(3, -0.1),
        lambda: random_search.probability_with_median(0),
        lambda: random_search.samples_needed(5, 2, flips=0.6),
        lambda: random_search.expected_impostors(5, 2, -1),
        lambda: random_search.full_rank_probability(-1, 2),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], object]):
    with pytest.raises(ValueError):
        call()


def test_lexicographic_rank_counts_the_sets_before():
    for n, k in ((6, 2), (7, 4), (5, 5)):
        assert [random_search.lexicographic_rank(S, n) for S in combinations(range(n), k)] == list(
            range(1, comb(n, k) + 1)
        )
    with pytest.raises(ValueError):
        random_search.lexicographic_rank((1, 1), 4)
