"""SGD on the disjoint PolyNet against its gradient by hand, its bound on a step, and the mean drift."""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from elegans.learners import polynet_sgd as sgd
from elegans.learners.polynet_runs import adaptive_runs, constant_runs
from elegans.theory.polynet_error import errors_listed


def floats(found: Mapping[str, NDArray[np.generic]]) -> dict[str, NDArray[np.float64]]:
    return {name: a.astype(np.float64) for name, a in found.items()}


def test_product_of_the_others_never_divides():
    for k in (1, 2, 3, 5):
        factors = np.random.default_rng(k).integers(-2, 3, (7, k)).astype(np.float64)
        expected = [[np.prod(np.delete(row, i)) for i in range(k)] for row in factors]
        np.testing.assert_array_equal(sgd.others(factors), expected)


def test_step_is_the_mean_gradient_of_minus_y_f():
    rng = np.random.default_rng(0)
    w = rng.standard_normal((2, 3, 4))
    x = rng.choice(np.array([-1.0, 1.0]), (2, 5, 3, 4))
    y = x[..., 0].prod(axis=-1)
    step, h = sgd.ascent(w, x, y, np.ones((2, 3))), 1e-6

    def objective(weights: np.ndarray) -> np.ndarray:
        return (y * (weights[:, None] * x).sum(axis=-1).prod(axis=-1)).mean(axis=1)

    for i, j in ((0, 0), (1, 2), (2, 3)):
        e = np.zeros((3, 4))
        e[i, j] = h
        np.testing.assert_allclose(step[:, i, j], (objective(w + e) - objective(w - e)) / (2 * h), rtol=1e-6)


def test_adaptive_steps_move_no_weight_by_more_than_rho():
    start = sgd.sign_starts(np.random.default_rng(0), 4, 3, 2, 1)
    path = sgd.adaptive_sgd(start, sgd.BLOCK, 1e-3, 1, 0)
    assert np.all(np.abs(path.weights[-1] - start) <= path.slack * (1 + 1e-12))
    assert path.slack == pytest.approx(0.05) and path.t.tolist() == [0, sgd.BLOCK]


def test_mean_adaptive_step_is_the_drift_of_the_relevant_weight_alone():
    start = np.tile(sgd.sign_starts(np.random.default_rng(1), 1, 2, 3, 1), (200, 1, 1))
    path = sgd.adaptive_sgd(start, sgd.BLOCK, 1e-4, 8, 2)
    moved = (path.weights[-1] - start).mean(axis=0) / path.slack
    sign = start[0, :, 0]
    np.testing.assert_allclose(moved[:, 0], sign[::-1] / 3, atol=0.02)  # Π_{l≠i} w_l1/‖w_l‖₁ = ±1/3
    np.testing.assert_allclose(moved[:, 1:], 0, atol=0.02)


def test_starts_have_the_product_that_is_asked_for():
    rng = np.random.default_rng(0)
    for draw in (sgd.sign_starts, sgd.normal_starts):
        for product in (1, -1):
            assert np.all(np.sign(draw(rng, 20, 3, 4, product)[:, :, 0]).prod(axis=1) == product)


def test_constant_rate_learns_from_positive_starts_and_rests():
    start = sgd.sign_starts(np.random.default_rng(0), 6, 2, 4, 1)
    t, error = sgd.constant_sgd(start, 1e-3, 20_000, 1e-3, 0)
    assert error.shape == (len(t), 6) and np.all(error[-1] <= 1e-3) and t[-1] < 20_000
    first = np.argmax(error <= 1e-3, axis=0)
    assert all(np.all(error[f:, i] == error[f, i]) for i, f in enumerate(first))


def test_overflow_is_no_success():
    start = 10 * sgd.normal_starts(np.random.default_rng(0), 3, 3, 6, 1)
    _, error = sgd.constant_sgd(start, 1e3, 200, 1e-9, 0)
    assert np.isnan(error[-1]).all()


def test_listed_errors_turn_round_with_the_product():
    w = np.random.default_rng(0).standard_normal((4, 3, 5))
    turned = w.copy()
    turned[:, 0, 0] *= -1
    np.testing.assert_allclose(errors_listed(w) + errors_listed(turned), 1)


def test_runs_of_the_theorem_keep_their_promises_on_the_smallest_blocks():
    found = floats(adaptive_runs(1, 2, "printed", 30))
    assert np.all(found["final"] <= 0.1) and np.all(found["drift"] <= 0.5)
    assert np.all(found["grown_proved"]) and found["t"][-1] >= found["steps"]
    assert found["weights"][1, -1] >= found["needed"]


def test_runs_at_a_constant_rate_know_when_they_left_the_plateau():
    found = floats(constant_runs(2, 4, 1e-3, 20_000, 5, flat=0.49, target=1e-3, seed=0))
    assert np.all(found["left"] <= found["first"]) and np.all(np.isfinite(found["first"]))
    assert found["error"].shape == (5, len(found["t"]))
