"""The sinusoidal neuron in closed form against the whole cube."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elegans.theory.boolean import cube, parity
from elegans.theory.sinusoid import correlation, correlation_gradient, mean_square, mean_square_gradient, wave

N = 6
X = cube(N).astype(np.float64)
weights = st.lists(st.floats(-3, 3), min_size=N, max_size=N).map(np.array)
subsets = st.sets(st.integers(0, N - 1))


@settings(max_examples=30)
@given(weights, st.floats(-3, 3), subsets)
def test_means_over_the_cube(w: np.ndarray, b: float, T: set[int]):
    pre, y = X @ w + b, parity(X, T)
    assert wave(w, b, T) == pytest.approx(np.mean(y * np.exp(1j * pre)), abs=1e-12)
    assert correlation(w, b, T) == pytest.approx(np.mean(y * np.sin(pre)), abs=1e-12)
    assert mean_square(w, b) == pytest.approx(np.mean(np.sin(pre) ** 2), abs=1e-12)
    np.testing.assert_allclose(correlation_gradient(w, b, T), (y * np.cos(pre)) @ X / len(X), atol=1e-12)
    np.testing.assert_allclose(mean_square_gradient(w, b), np.sin(2 * pre) @ X / len(X), atol=1e-12)


def test_many_neurons_at_once_and_foreign_coordinates():
    w, b = np.random.default_rng(0).normal(size=(4, 3, N)), np.linspace(0, 1, 3)
    assert wave(w, b, (0, 2)).shape == (4, 3) and correlation_gradient(w, b, (1,)).shape == w.shape
    assert mean_square_gradient(w, b)[2, 1] == pytest.approx(mean_square_gradient(w[2, 1], b[1]))
    with pytest.raises(ValueError, match="n = 6"):
        wave(w, 0.0, (6,))
