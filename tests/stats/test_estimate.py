"""An estimate says what it is, and refuses what is none."""

import math

import numpy as np
import pytest

from elegans.stats import Estimate, exact, p_value


def test_it_reads_as_one_would_write_it():
    assert str(Estimate(0.52, 0.47, 0.57, n=30, censored=2)) == "0.52 [0.47, 0.57], n = 30, 2 censored"
    assert str(Estimate(12345.6, 9999.9, math.inf, n=8, what="median time")) == "median time: 12346 [1e+04, inf], n = 8"
    assert str(Estimate(0.9995, 0.999, 0.9999, n=8)) == "0.9995 [0.999, 0.9999], n = 8"
    assert str(exact(1 / 3, "gap")) == "gap: 0.3333 (exact)"


def test_an_exact_value_has_no_width_and_no_sample():
    third = exact(1 / 3)
    assert (third.low, third.value, third.high) == (1 / 3, 1 / 3, 1 / 3)
    assert third.exact
    assert third.n == 0


def test_ends_may_be_infinite():
    assert Estimate(math.inf, 3.0, math.inf, n=4, censored=3).value == math.inf


@pytest.mark.parametrize("ends", [(2.0, 3.0, 4.0), (2.0, 0.0, 1.0), (2.0, 3.0, 1.0)])
def test_a_value_outside_its_interval_is_refused(ends: tuple[float, float, float]):
    with pytest.raises(ValueError, match=r"value 2\.0 lies outside its interval"):
        Estimate(*ends, n=5)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_nan_is_refused_wherever_it_stands(place: int):
    numbers = [1.0, 1.0, 1.0]
    numbers[place] = math.nan
    with pytest.raises(ValueError, match="of accuracy is nan: a run diverged"):
        Estimate(*numbers, n=5, what="accuracy")


def test_counts_must_make_sense():
    with pytest.raises(ValueError, match="6 censored of n = 5"):
        Estimate(1, 1, 1, n=5, censored=6)
    with pytest.raises(ValueError, match="-1 censored"):
        Estimate(1, 1, 1, n=5, censored=-1)
    with pytest.raises(ValueError, match="an exact value has no interval"):
        Estimate(1, 0, 1, n=5, exact=True)


def test_a_p_value_is_a_probability():
    assert p_value(0.03, n=12, censored=1) == Estimate(0.03, 0.03, 0.03, 12, 1, what="p")
    assert (p_value(0, n=1).value, p_value(1, n=1).value) == (0, 1)
    for p in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="is no probability"):
            p_value(p, n=12)


def test_numbers_of_numpy_become_plain():
    estimate = Estimate(np.float32(0.5), np.float64(0.25), np.int64(1), n=3)  # pyright: ignore[reportArgumentType]
    assert [type(x) for x in (estimate.value, estimate.low, estimate.high)] == [float, float, float]


def test_a_decreasing_function_turns_the_interval_round():
    assert Estimate(2, 1, 4, n=5, censored=1).through(lambda x: 1 / x) == Estimate(0.5, 0.25, 1, n=5, censored=1)
    assert Estimate(2, 1, 4, n=5).through(lambda x: x**2) == Estimate(4, 1, 16, n=5)
