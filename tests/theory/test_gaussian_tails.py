"""Bounds on normal weights against sampling and against their exact failure."""

from math import exp

import numpy as np
import pytest

from elegans.theory import gaussian_tails as tails


def test_exact_failures_agree_with_sampling():
    rng = np.random.default_rng(0)
    largest = np.abs(rng.standard_normal((20_000, 30))).max(axis=1)
    assert tails.largest_exceeds(30, 2.5) == pytest.approx(np.mean(largest > 2.5), abs=0.015)
    square = rng.chisquare(8, 20_000)
    assert tails.square_outside(8, 4.0, 14.0) == pytest.approx(np.mean((square < 4) | (square > 14)), abs=0.015)


def test_bounds_fail_no_more_often_than_allowed():
    for count in (1, 40, 10**6):
        for failure in (0.5, 0.01):
            assert tails.largest_exceeds(count, tails.largest_bound(count, failure)) <= failure
    assert tails.largest_exceeds(10_000, tails.largest_bound_once(10_000, 0.01)) > 0.01
    for m in (1, 9, 1000):
        for tau in (0.5, 2.0, 10.0):
            assert tails.square_outside(m, *tails.square_band(m, tau)) <= 2 * exp(-tau)


def test_wrong_input_is_refused():
    with pytest.raises(ValueError):
        tails.largest_bound(0, 0.1)
    with pytest.raises(ValueError):
        tails.largest_bound(3, 2.0)
