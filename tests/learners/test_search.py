"""Searches against their laws, and correlations against plain products."""

from itertools import combinations

import numpy as np
import pytest

from elegans.learners.search import agreeing, exhaustive, max_correlation, random_search
from elegans.theory.random_search import lexicographic_rank, mean_time, subsets, success_probability


@pytest.mark.parametrize("r", [1, 4, 30])
def test_random_search_has_the_geometric_mean_and_spread(r: int):
    times, p = random_search(6, 2, r, 4000, seed=r), success_probability(6, 2, r)
    assert times.min() == 1
    spread = np.sqrt(1 - p) / p
    assert abs(times.mean() - mean_time(p)) < 4 * spread / np.sqrt(4000)
    assert abs((times == 1).mean() - p) < 4 * np.sqrt(p * (1 - p) / 4000)


def test_exhaustive_search_counts_in_lexicographic_order():
    sets = list(combinations(range(7), 3))
    assert [exhaustive(S, 7) for S in sets] == list(range(1, subsets(7, 3) + 1))
    assert exhaustive((5, 1, 3), 7) == lexicographic_rank((1, 3, 5), 7)
    with pytest.raises(ValueError):
        exhaustive((1, 9), 7)


def sample(m: int, n: int, S: tuple[int, ...], flips: float = 0.0):
    rng = np.random.default_rng(1)
    x = rng.choice((-1, 1), (m, n))
    return x, x[:, S].prod(1) * np.where(rng.random(m) < flips, -1, 1)


@pytest.mark.parametrize("flips", [0.0, 0.25, 1.0])
def test_the_best_correlation_is_at_the_support(flips: float):
    assert max_correlation(*sample(400, 12, (1, 5, 9), flips), 3) == (1, 5, 9)


def test_agreement_is_counted_example_by_example():
    x, y = sample(15, 9, (0, 4))
    expected = [sum(np.array_equal(x[:m, S].prod(1), y[:m]) for S in combinations(range(9), 2)) for m in range(1, 16)]
    np.testing.assert_array_equal(agreeing(x, y, 2), expected)
    assert expected[-1] >= 1
