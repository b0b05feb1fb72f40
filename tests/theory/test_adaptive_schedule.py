"""The constants of Theorem 5.8 against the anchors of the spec, and the accounts of its proof."""

from collections.abc import Callable
from math import log

import numpy as np
import pytest

from elegans.theory import adaptive_schedule as schedule

PRINTED, CORRECTED, SHARP = (schedule.CONSTANTS[name] for name in ("printed", "corrected", "sharp"))


@pytest.mark.parametrize(
    ("k", "n_prime", "printed", "corrected"),
    [(2, 4, 3.98e5, 3.57e6), (2, 8, 5.0e6, 4.4e7), (3, 2, 4.5e5, 4.0e6), (3, 3, 8.7e6, 7.7e7), (3, 4, 5.7e7, 5e8)],
)
def test_steps_have_the_anchors_of_the_spec(k: int, n_prime: int, printed: float, corrected: float):
    assert schedule.steps_needed(k, n_prime, 0.1, 0.1, PRINTED) == pytest.approx(printed, rel=0.02)
    assert schedule.steps_needed(k, n_prime, 0.1, 0.1, CORRECTED) == pytest.approx(corrected, rel=0.02)


def test_steps_solve_their_own_equation_and_no_fewer_do():
    for k, m in ((1, 2), (2, 3), (4, 10)):
        steps = schedule.steps_needed(k, m, 0.01, 0.05, PRINTED)

        def needed(t: float, k: int = k, m: int = m) -> float:
            return 6 * log(2 * k * m * t / 0.05) * log(2 * k / 0.01) * (3 * m - 2) ** (2 * k - 1)

        assert needed(steps) <= steps * (1 + 1e-12)
        assert needed(0.999 * steps) > 0.999 * steps


@pytest.mark.parametrize(("k", "n_prime"), [(2, 2), (2, 8), (3, 3), (5, 20)])
def test_only_the_corrected_proofs_balance(k: int, n_prime: int):
    for constants, by_range in ((CORRECTED, False), (SHARP, True), (PRINTED, True)):
        steps = schedule.steps_needed(k, n_prime, 0.1, 0.1, constants)
        assert schedule.noise_failure(k * n_prime, steps, 0.1, constants, by_range) <= 0.1 * (1 + 1e-9)
    steps = schedule.steps_needed(k, n_prime, 0.1, 0.1, PRINTED)
    azuma = schedule.noise_failure(k * n_prime, steps, 0.1, PRINTED, by_range=False)
    assert azuma == pytest.approx(2 * k * n_prime * steps * (0.1 / (2 * k * n_prime * steps)) ** 0.25)
    assert azuma > 1
    for constants in (PRINTED, CORRECTED, SHARP):
        final = schedule.final_weight(k, n_prime, 0.1, constants)
        assert schedule.final_weight_granted(k, n_prime, 0.1, 0.1, constants) >= final
    assert schedule.final_error_bound(k, n_prime, 0.1, CORRECTED) == pytest.approx(0.05)
    assert schedule.final_error_bound(k, n_prime, 0.1, PRINTED) == pytest.approx(k * (0.1 / (2 * k)) ** 0.5)


def test_growth_bounds_start_at_one_half_and_printed_form_is_a_root():
    t = np.array([0.0, 100.0, 400.0])
    steps = schedule.steps_needed(2, 4, 0.1, 0.1, PRINTED)
    proved = schedule.growth_bound(t, 2, 4, schedule.largest_move(8, steps, 0.1, PRINTED)) - 0.5
    printed = schedule.growth_bound_printed(t, 2, 4, steps, 0.1) - 0.5
    np.testing.assert_allclose(proved / proved[1], [0, 1, 4])
    np.testing.assert_allclose(printed / printed[1], [0, 1, 2])


@pytest.mark.parametrize(
    "call",
    [
        lambda: schedule.steps_needed(2, 1, 0.1, 0.1, PRINTED),
        lambda: schedule.steps_needed(2, 3, 1.0, 0.1, PRINTED),
        lambda: schedule.final_weight(0, 3, 0.1, PRINTED),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], object]):
    with pytest.raises(ValueError):
        call()
