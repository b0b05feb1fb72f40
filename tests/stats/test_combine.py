"""Differences and ratios against hand calculation, and against their promised coverage."""

import math
from math import hypot, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.stats import Estimate, combine, difference, exact, mean, ratio

positive = st.floats(0.1, 100)


def around(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half, n=10)


def test_symmetric_intervals_add_in_quadrature():
    assert difference(around(5, 3), around(1, 4)) == Estimate(4, -1, 9, n=20, what="difference")


def test_each_end_takes_the_sides_that_matter():
    gap = difference(Estimate(10, 9, 14, n=7, censored=1), Estimate(4, 1, 6, n=5, censored=2))
    assert (gap.low, gap.value, gap.high) == pytest.approx((6 - hypot(1, 2), 6, 6 + hypot(4, 3)))
    assert (gap.n, gap.censored) == (12, 3)


def test_a_weight_stretches_and_a_zero_weight_silences():
    total = combine((2.0, 0.0, -1.0), (around(3, 1), Estimate(math.inf, 0, math.inf, n=1), around(1, 1)))
    assert (total.low, total.value, total.high) == pytest.approx((5 - sqrt(5), 5, 5 + sqrt(5)))


def test_exact_parts_stay_exact():
    assert difference(exact(3), exact(1)) == Estimate(2, 2, 2, n=0, exact=True, what="difference")
    assert not difference(exact(3), around(1, 1)).exact


@given(positive, positive, positive)
def test_a_ratio_mirrors_and_knows_no_units(a: float, b: float, unit: float):
    x, y = Estimate(a, a / 2, 3 * a, n=4), Estimate(b, b / 4, 2 * b, n=4)
    there, back, scaled = ratio(x, y), ratio(y, x), ratio(x.through(lambda t: unit * t), y.through(lambda t: unit * t))
    assert (1 / back.high, 1 / back.value, 1 / back.low) == pytest.approx((there.low, there.value, there.high))
    assert (scaled.low, scaled.value, scaled.high) == pytest.approx((there.low, there.value, there.high))


def test_a_ratio_by_hand():
    share = ratio(Estimate(8, 4, 8, n=3), Estimate(2, 2, 4, n=3))
    assert share.value == pytest.approx(4)
    assert share.low == pytest.approx(4 * math.exp(-hypot(math.log(2), math.log(2))))
    assert share.high == pytest.approx(4)


def test_an_open_end_stays_open():
    late = Estimate(5, 2, math.inf, n=6, censored=3)
    assert ratio(late, around(2, 1)).high == math.inf
    assert ratio(around(2, 1), late).low == 0
    assert ratio(around(2, 3), around(2, 1)).low == 0
    assert ratio(around(2, 2), around(2, 1)).low == 0


def test_what_cannot_be_combined_is_named():
    with pytest.raises(ValueError, match=r"cannot combine inf .* raise the budget"):
        difference(Estimate(math.inf, 3, math.inf, n=4, censored=4), around(2, 1))
    with pytest.raises(ValueError, match=r"no logarithm of -1 \[-2, 0\]"):
        ratio(around(-1, 1), around(2, 1))
    with pytest.raises(ValueError, match=r"no logarithm of 0"):
        ratio(around(0, 1), around(2, 1))


def test_a_difference_of_means_covers_the_truth_as_often_as_it_says():
    rng, hits, trials = np.random.default_rng(1), 0, 800
    for _ in range(trials):
        gap = difference(mean(rng.normal(3, 1, 12)), mean(rng.normal(1, 4, 20)))
        hits += gap.low <= 2 <= gap.high
    assert 0.93 <= hits / trials <= 0.975
