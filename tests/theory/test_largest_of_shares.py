"""The largest of n shares: its mean in two ways, small n by hand, and a simulation."""

from fractions import Fraction

import numpy as np
import pytest

from elegans.theory.largest_of_shares import density, distribution, mean, mean_by_integration, quantile


@pytest.mark.parametrize("n", [1, 2, 3, 11, 35])
def test_mean_two_ways(n: int) -> None:
    assert mean(n) == mean_by_integration(n)


def test_two_shares_by_hand() -> None:
    """The larger of (U, 1-U) is uniform on [1/2, 1]."""
    assert mean(2) == Fraction(3, 4)
    assert distribution(2, Fraction(3, 4)) == Fraction(1, 2)
    assert distribution(2, Fraction(1, 2)) == 0 and distribution(2, Fraction(1)) == 1
    assert quantile(2, 0.3) == pytest.approx(0.65, abs=1e-8)


def test_stated_numbers_for_71_and_23() -> None:
    assert float(mean(35)) == pytest.approx(0.1185, abs=5e-5) and float(mean(11)) == pytest.approx(0.2745, abs=5e-5)
    assert [quantile(35, q) for q in (0.05, 0.95)] == pytest.approx([0.080, 0.175], abs=2e-3)


def test_simulated_shares() -> None:
    power = np.random.default_rng(0).exponential(size=(40_000, 11))
    largest = (power / power.sum(1, keepdims=True)).max(1)
    assert largest.mean() == pytest.approx(float(mean(11)), abs=5 * largest.std() / 200)
    assert np.mean(largest <= 0.25) == pytest.approx(float(distribution(11, Fraction(1, 4))), abs=0.01)


def test_density_is_the_slope() -> None:
    slope = (distribution(11, Fraction("0.2500001")) - distribution(11, Fraction("0.25"))) / Fraction("0.0000001")
    assert density(11, 0.25) == pytest.approx(float(slope), rel=1e-5)


def test_no_shares_are_refused() -> None:
    with pytest.raises(ValueError, match="n=0"):
        mean(0)
