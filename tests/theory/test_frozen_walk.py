"""Walks with frozen gradients: bounds, limits and moments against the cube."""

from math import erf, inf, log, pi, sqrt

import numpy as np
import pytest

from elegans.theory.boolean import cube, parity
from elegans.theory.frozen_walk import (
    crossover,
    expected_rho,
    first_above,
    lasting,
    local_exponents,
    noise_level,
    normal_walk,
    second_moment,
)
from elegans.theory.sinusoid import correlation_gradient

T = np.geomspace(1, 1024, 11)


def test_the_bounds_meet_at_the_crossover():
    t = crossover(0.7, -0.02, 50)
    assert noise_level(t, 0.7, 50) == pytest.approx(t * 0.02)
    assert t == pytest.approx(2 * log(100) * (0.7 / 0.02) ** 2)


def test_one_coordinate_is_a_folded_normal():
    β, σ, t = -0.3, 1.7, 5.0
    m, s = t * β, σ * sqrt(t)
    folded = s * sqrt(2 / pi) * np.exp(-(m**2) / 2 / s**2) + m * erf(m / s / sqrt(2))
    assert expected_rho(np.array([t]), np.array([β]), np.array([σ]))[0] == pytest.approx(folded, rel=1e-5)


def test_two_coordinates_without_drift():
    assert expected_rho(np.ones(1), np.zeros(2), np.ones(2))[0] == pytest.approx(2 / sqrt(pi), rel=1e-5)


def test_bounds_of_jensen_and_of_the_union():
    β, σ = np.r_[0.1, -0.1, np.zeros(48)], np.full(50, 0.5)
    with_drift, without = expected_rho(T, β, σ), expected_rho(T, 0 * β, σ)
    assert np.all(with_drift >= T * 0.1) and np.all(with_drift >= without)
    assert np.all(without <= noise_level(T, 0.5, 50)) and np.all(without >= 0.8 * noise_level(T, 0.5, 50))


def test_exponents_go_from_one_half_to_one():
    β, σ = np.r_[0.1, np.zeros(9)], np.ones(10)
    t = np.geomspace(1e-2, 1e8, 60)
    middle, slope = local_exponents(t, expected_rho(t, β, σ), 1)
    assert slope[0] == pytest.approx(0.5, abs=1e-3) and slope[-1] == pytest.approx(1, abs=1e-3)
    assert len(middle) == len(slope) == 58 and middle[0] == t[1]


def test_a_level_is_passed_once():
    t = np.array([1.0, 4.0, 16.0])
    assert first_above(t, np.array([0.0, 1.0, 3.0]), 2.0) == pytest.approx(8)
    assert first_above(t, np.array([0.0, 1.0, 1.5]), 2.0) == 16 and first_above(t, np.array([3.0, 4.0, 5.0]), 2.0) == 1


def test_second_moment_over_the_cube_and_covariance():
    rng = np.random.default_rng(0)
    w, b, S = rng.normal(size=7), 0.4, (0, 2, 3)
    x = cube(7).astype(np.float64)
    g = (parity(x, S) * np.cos(x @ w + b))[:, None] * x
    np.testing.assert_allclose(second_moment(w, b), g.T @ g / len(x), atol=1e-12)
    β = correlation_gradient(w, b, S)
    np.testing.assert_allclose(second_moment(w, b) - np.outer(β, β), np.cov(g.T, bias=True), atol=1e-12)


def test_what_lasts():
    t = np.array([1, 2, 4, 8])
    assert lasting(t, np.array([True, False, True, True])) == 4 and lasting(t, np.ones(4, np.bool_)) == 1
    assert lasting(t, np.array([True, True, True, False])) == inf


def test_mean_and_covariance_of_a_normal_walk():
    t, β, C = np.array([4, 9]), np.array([1.0, -2.0]), np.array([[2.0, -0.6], [-0.6, 1.0]])
    rng = np.random.default_rng(1)
    at = np.array([normal_walk(rng, t, β, C) for _ in range(4000)])
    np.testing.assert_allclose(at.mean(0), t[:, None] * β, atol=0.3)
    np.testing.assert_allclose(np.cov(at[:, 1].T), 9 * C, atol=1.2)
    np.testing.assert_allclose(np.cov((at[:, 1] - at[:, 0]).T), 5 * C, atol=0.7)
