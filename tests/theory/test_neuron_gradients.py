"""Gradients of neurons on parity: enumeration against spectra, closed forms against slopes of the loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elegans.theory import boolean, majority, neuron_gradients, sinusoid
from elegans.theory.symmetric_start import bias_grid


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(deadline=None, max_examples=20)
def test_gradients_are_coefficients_of_the_derivative(seed: int, k: int):
    rng = np.random.default_rng(seed)
    W, b = rng.standard_normal((3, 7)), rng.standard_normal(3)
    g = neuron_gradients.gradients(np.tanh, W, k, b)
    for w, bias, row in zip(W, b, g, strict=True):
        h = np.tanh(boolean.cube(7) @ w + bias)
        expected = [boolean.coefficient(h, set(range(k)) ^ {i}) for i in range(7)]
        np.testing.assert_allclose(row, expected, atol=1e-12)


def test_gradients_in_blocks_and_at_once_agree(monkeypatch: pytest.MonkeyPatch):
    W = np.random.default_rng(0).standard_normal((9, 8))
    whole = neuron_gradients.gradients(neuron_gradients.step, W, 2)
    monkeypatch.setattr(neuron_gradients, "AT_ONCE", 2 * 2**8)
    np.testing.assert_allclose(neuron_gradients.gradients(neuron_gradients.step, W, 2), whole, atol=1e-15)


@pytest.mark.parametrize(("n", "k"), [(5, 2), (9, 2), (9, 4), (11, 6), (7, 6)])
def test_closed_form_at_signs(n: int, k: int):
    rng = np.random.default_rng(n + k)
    W, b = rng.choice((-1.0, 1.0), (8, n)), rng.choice(bias_grid(k), 8)
    closed = neuron_gradients.gradient_at_signs(W, k)
    np.testing.assert_allclose(closed, neuron_gradients.gradients(neuron_gradients.step, W, k, b), atol=1e-13)


@pytest.mark.parametrize(("n", "k"), [(9, 2), (9, 4)])
def test_slopes_of_the_hinge_loss(n: int, k: int):
    rng = np.random.default_rng(7)
    W, b, u = rng.choice((-1.0, 1.0), (6, n)), rng.choice(bias_grid(k), 6), rng.choice((-1.0, 1.0), 6)
    slopes, in_b = neuron_gradients.loss_slopes(W, b, u, k, h=1 / (4 * n))
    np.testing.assert_allclose(slopes, -u[:, None] * neuron_gradients.gradient_at_signs(W, k), atol=1e-13)
    np.testing.assert_allclose(in_b, 0, atol=1e-13)


def test_warm_up_has_the_gap_of_the_threshold():
    g = neuron_gradients.gradient_at_ones(11, 4)
    assert neuron_gradients.strict_gap(g, 4) == pytest.approx(majority.threshold_gap(11, 4))
    assert neuron_gradients.relaxed_gap(g, 4) == pytest.approx(neuron_gradients.strict_gap(g, 4))
    assert g[0] == pytest.approx(majority.xi(11, 3) / 2) and g[-1] == pytest.approx(majority.xi(11, 5) / 2)


def test_gaps_of_a_hand_made_gradient():
    g = np.array([0.5, -0.9, 0.1, -0.7])
    assert neuron_gradients.relaxed_gap(g, 2) == pytest.approx(0.2)
    assert neuron_gradients.strict_gap(g, 2) == pytest.approx(-0.2)


def test_sinusoids_agree_with_their_closed_form():
    W = np.random.default_rng(3).uniform(-0.4, 0.4, (5, 9))
    enumerated = neuron_gradients.gradients(np.sin, W, 4)
    np.testing.assert_allclose(sinusoid.correlation_gradient(W, -np.pi / 2, range(4)), enumerated, atol=1e-13)


@pytest.mark.parametrize("k", [3, 4])
def test_wrong_input_is_refused(k: int):
    with pytest.raises(ValueError):
        neuron_gradients.gradient_at_signs(np.full((1, 8 + (k == 3)), 1.0), k)
