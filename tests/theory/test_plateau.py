"""The plateau of the disjoint PolyNet against its exact error and the pilots of the spec."""

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest

from elegans.theory import plateau, polynet_error

SIZES = (101, 301, 1001, 3001, 10_001, 30_001)


def test_escape_weight_is_where_the_error_leaves_the_plateau():
    for k, gamma, n_prime in ((3, 0.01, 11), (3, 0.1, 12), (4, 0.3, 51), (5, 0.2, 40)):
        b, u = plateau.escape_weight(k, gamma, n_prime), np.ones((k, n_prime - 1))
        assert polynet_error.error_tie_free(np.full(k, b + 1e-9), u) <= 0.5 - gamma
        assert b == 1 or polynet_error.error_tie_free(np.full(k, b), u) > 0.5 - gamma


def test_ties_postpone_the_escape():
    k, gamma, n_prime = 4, 0.01, 101
    b, u = plateau.escape_weight_with_ties(k, gamma, n_prime), np.ones((k, n_prime - 1))
    assert b > plateau.escape_weight(k, gamma, n_prime)
    assert polynet_error.error(np.full(k, b), u) >= 0.5 - gamma > polynet_error.error(np.full(k, b + 2), u)


def test_escape_bound_holds_and_the_printed_one_fails():
    cells = [(k, g, m) for k in (3, 4, 5, 6) for g in (0.001, 0.01, 0.1, 0.3, 0.49) for m in (3, 10, 51, 101, 30_001)]
    assert all(plateau.escape_weight_bound(*cell) <= plateau.escape_weight(*cell) + 1e-9 for cell in cells)
    assert any(plateau.escape_weight_bound_printed(*cell) > plateau.escape_weight(*cell) + 1e-9 for cell in cells)


def test_plateau_slopes_follow_theory_and_pilot():
    table = plateau.plateau_slopes((3, 4, 5, 6), (0.01, 0.1), SIZES)
    assert np.all(table["error"] <= 0.1)
    assert table["error_with_ties"].max() > 0.1
    np.testing.assert_array_equal(table["predicted"], [-0.5, -0.5, -1, -1, -1.5, -1.5, -2, -2])
    pilot = [-0.485, -0.504, -1.06, -1.005, -1.52, -1.55, -1.94, -2.005]
    np.testing.assert_allclose(table["slope"], pilot, atol=0.006)


@pytest.mark.parametrize("k", [3, 4])
def test_share_falls_with_gamma_like_the_power_of_corollary_b10(k: int):
    gammas = (0.0005, 0.002, 0.01, 0.05)
    shares = [plateau.share_after_plateau(k, g, 30_001) for g in gammas]
    assert np.polyfit(np.log(gammas), np.log(shares), 1)[0] == pytest.approx(2 / k - 1, abs=0.1)


@pytest.mark.parametrize(
    ("k", "pilot", "tolerance"), [(3, (0.223, 0.072, 0.022), 0.1), (4, (0.029, 0.0026, 0.0002), 0.15)]
)
def test_gaussian_starts_spend_their_time_on_the_plateau(k: int, pilot: tuple[float, ...], tolerance: float):
    rng, sizes = np.random.default_rng(0), (101, 1001, 10_001)
    means = [
        float(np.mean(plateau.share_after_plateau_normal(*plateau.gaussian_starts(rng, 300, k, m), 0.01)))
        for m in sizes
    ]
    np.testing.assert_allclose(means, pilot, rtol=0.25, atol=5e-5)  # the pilot prints one digit of 0.0002
    assert np.polyfit(np.log(sizes), np.log(means), 1)[0] == pytest.approx(1 - k / 2, abs=tolerance)


def test_normal_share_agrees_with_the_exact_one_for_ones():
    share = plateau.share_after_plateau_normal(np.ones(3), np.full(3, sqrt(10_000)), 0.01)
    assert float(share) == pytest.approx(plateau.share_after_plateau(3, 0.01, 10_001), rel=0.05)


@pytest.mark.parametrize(
    "call",
    [
        lambda: plateau.share_after_plateau(2, 0.01, 101),
        lambda: plateau.escape_weight(3, 0.6, 101),
        lambda: plateau.escape_weight(3, 0.1, 0),
        lambda: plateau.plateau_slopes((3,), (0.1,), (101,)),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], object]):
    with pytest.raises(ValueError):
        call()
