"""The game of queries: nobody beats the bound, and good queries come near it."""

import numpy as np
import pytest

from elegans.learners.statistical_queries import clipped_sum, greedy, majority_vote, one_parity, play, strategies
from elegans.theory.statistical_queries import of_size, sq_lower_bound, survivors_bound


@pytest.mark.parametrize("tau", [0.1, 0.25, 0.5])
def test_no_strategy_beats_the_bound(tau: float):
    for strategy in strategies(8, tau).values():
        left = play(strategy, 8, 3, tau, 12)
        assert left[0] == 56 and (np.diff(left) <= 0).all()
        assert (left >= [survivors_bound(8, 3, tau, t) for t in range(13)]).all()


def test_asking_for_single_sets_rules_out_one_a_query():
    np.testing.assert_array_equal(play(one_parity(8), 8, 2, 0.9, 5), [28, 27, 26, 25, 24, 23])


def test_votes_rule_out_more_than_single_sets():
    assert play(greedy(10, 0.1, tuple(range(1, 101, 6))), 10, 3, 0.1, 4)[-1] < 30
    assert sq_lower_bound(10, 3, 0.1) < 4


@pytest.mark.parametrize("make", [lambda: majority_vote(9, 7), lambda: clipped_sum(9, 7, 1.0)])
def test_queries_stay_in_range(make):
    g = make()(of_size(9, 3), 0)
    assert np.abs(g).max() <= 1
