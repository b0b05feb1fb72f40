"""Exact risks against all contexts listed one by one, against each other, and against what was sampled before."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import two_state_risks as exact
from elegans.theory.markov import stationary_risk, uniform_risk
from elegans.theory.strategies import bayes_two_states, bigram, unigram


def listed(t: int) -> np.ndarray:
    return np.array([(0, *x) for x in product((0, 1), repeat=t - 1)])


def kind(row: list[int]) -> tuple[float, ...]:
    """How often each transition occurs, and the last symbol."""
    steps = list(pairwise(row))
    return (*(float(steps.count(s)) for s in ((0, 0), (0, 1), (1, 0), (1, 1))), float(row[-1]))


@given(st.integers(1, 9))
def test_classes_hold_every_context_once_with_the_predictions_of_its_members(t: int):
    x, classes = listed(t), exact.contexts(t)
    columns = (classes.stay_first, classes.leave_first, classes.leave_second, classes.stay_second, classes.last)
    number_of = {tuple(c): i for i, c in enumerate(np.stack(columns, 1).tolist())}
    member = np.array([number_of[kind(row)] for row in x.tolist()])
    assert set(member.tolist()) == set(range(len(number_of)))
    np.testing.assert_allclose(classes.posterior[member], bayes_two_states(x), atol=1e-9)
    np.testing.assert_allclose(exact.unigram_prediction(classes)[member], unigram(x, 2))
    np.testing.assert_allclose(exact.bigram_prediction(classes)[member], bigram(x, 2))
    np.testing.assert_allclose(exact.bigram_prediction(exact.equal_contexts(t))[member], bigram(x, 2))
    size = np.bincount(member)
    number = np.exp(
        exact._log_number(classes.stay_first, classes.leave_first, classes.leave_second, classes.stay_second)
    )  # type: ignore[reportPrivateUsage]
    np.testing.assert_allclose(number, size)


@pytest.mark.parametrize("t", [1, 2, 3, 20, 100])
def test_probabilities_sum_to_one(t: int):
    assert exact.contexts(t).probability.sum() == pytest.approx(1, abs=1e-9)
    assert exact.equal_contexts(t).probability.sum() == pytest.approx(1, abs=1e-9)


@given(st.integers(2, 60))
def test_no_predictor_beats_bayes_and_the_gap_is_the_difference(t: int):
    bayes, bigrams = exact.bayes_risk(t), exact.risk(t, exact.bigram_prediction)
    assert bayes < min(bigrams, exact.risk(t, exact.unigram_prediction))
    assert bigrams - bayes == pytest.approx(exact.bigram_gap(t), abs=1e-10)


def test_limits_and_sampled_values():
    assert exact.risk(7, exact.uniform_prediction) == pytest.approx(uniform_risk(), abs=1e-7)
    assert exact.equal_risk(7, exact.uniform_prediction) == pytest.approx(math.log(2) - 0.5, abs=1e-12)
    assert stationary_risk() < exact.risk(200, exact.unigram_prediction) < stationary_risk() + 0.003
    assert exact.risk(100, exact.bigram_prediction) == pytest.approx(0.0092, abs=3e-4)
    for t, gap in ((3, 0.0114), (10, 0.0031), (50, 0.00026)):
        assert exact.bigram_gap(t) == pytest.approx(gap, rel=0.05)


def test_counting_symbols_helps_a_little_where_symbols_are_equally_frequent():
    for t in (10, 100):
        assert exact.equal_risk(t, exact.unigram_prediction) < exact.equal_risk(t, exact.uniform_prediction)
    assert exact.equal_risk(3, exact.unigram_prediction) > exact.equal_risk(3, exact.uniform_prediction)


def test_no_context_is_refused():
    with pytest.raises(ValueError, match="t = 0"):
        exact.contexts(0)
