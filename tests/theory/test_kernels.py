"""Theorem 5.6: Parseval, the dual bound, and exact minima where the loss is linear."""

import numpy as np
import pytest

from elegans.theory import boolean, kernels

N, K = 6, 2
RNG = np.random.default_rng(5)
FEATURES = kernels.normalised(kernels.relu_features(RNG.standard_normal((10, N)), RNG.standard_normal(10)))


def test_alignments_are_means_over_the_cube():
    chi = kernels.parities(N, K)
    np.testing.assert_allclose(kernels.alignments(FEATURES, K), np.linalg.norm(chi @ FEATURES / 64, axis=1), atol=1e-14)
    assert np.array_equal(chi[0], boolean.character(N, (0, 1)))


def test_parseval():
    assert np.linalg.norm(FEATURES, axis=1).max() == pytest.approx(1)
    whole = sum(np.sum(kernels.alignments(FEATURES, k) ** 2) for k in range(N + 1))
    assert whole == pytest.approx(np.mean(np.sum(FEATURES**2, axis=1)))


def test_hinge_is_linear_in_the_unit_ball():
    least = kernels.least_hinge(FEATURES, kernels.parities(N, K), 1.0, steps=3)
    np.testing.assert_allclose(least, 1 - kernels.alignments(FEATURES, K), atol=1e-12)


@pytest.mark.parametrize("R", [3.0, 30.0])
def test_no_predictor_beats_the_bound(R: float):
    bound = 1 - R * kernels.alignments(FEATURES, K)
    least = kernels.least_hinge(FEATURES, kernels.parities(N, K), R, steps=100)
    assert np.all(least >= bound - 1e-12) and np.all(least <= 1)


def test_tangent_features_are_derivatives():
    W, b, u = RNG.standard_normal((2, N)), RNG.standard_normal(2), RNG.standard_normal(2)
    x = boolean.cube(N).astype(np.float64)

    def f(theta: np.ndarray) -> np.ndarray:
        u_, b_, W_ = theta[:2], theta[2:4], theta[4:].reshape(2, N)
        return np.maximum(x @ W_.T + b_, 0) @ u_

    theta, h = np.concatenate([u, b, W.ravel()]), 1e-7
    numeric = np.stack([(f(theta + h * e) - f(theta - h * e)) / (2 * h) for e in np.eye(len(theta))], axis=1)
    np.testing.assert_allclose(kernels.tangent_features(W, b, u), numeric, atol=1e-6)
