"""Gaps of sines: closed form against the whole cube, special points, and the limit."""

from math import cos, exp, sin, sqrt

import numpy as np
import pytest

from elegans.theory import neuron_gradients, sine_gaps


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6, 7])
def test_gaps_against_the_whole_cube(k: int):
    v = np.random.default_rng(k).normal(size=(20, 8))  # far beyond π/4, where gaps of either sign occur
    g = neuron_gradients.gradients(np.sin, v, k)
    np.testing.assert_allclose(sine_gaps.relaxed_gap(v, k), neuron_gradients.relaxed_gap(g, k), atol=1e-14)
    np.testing.assert_allclose(sine_gaps.strict_gap(v, k), neuron_gradients.strict_gap(g, k), atol=1e-14)
    if k % 2:
        np.testing.assert_allclose(g, 0, atol=1e-15)


def test_signs_of_the_gaps():
    v = np.random.default_rng(0).normal(size=(200, 8))
    assert 0 < (sine_gaps.relaxed_gap(v, 2) < 0).mean() < 1
    assert (sine_gaps.relaxed_gap(v, 2) >= sine_gaps.strict_gap(v, 2)).all()
    inside = np.random.default_rng(1).uniform(-np.pi / 4, np.pi / 4, (200, 8))
    assert (sine_gaps.strict_gap(inside, 4) > 0).all()
    assert sine_gaps.strict_gap(np.array([0.8, 0.1, 0.8]), 2) < 0


def test_two_relevant_inputs_by_hand():
    v = np.array(
        [0.3, -0.7, 1.1]
    )  # g = (cos .3 sin(-.7) cos 1.1, sin .3 cos(-.7) cos 1.1, sin .3 sin(-.7) sin 1.1), up to sign
    largest = max(cos(0.3) * sin(0.7), sin(0.3) * cos(0.7)) * cos(1.1)
    assert sine_gaps.relaxed_gap(v, 2) == pytest.approx(largest - sin(0.3) * sin(0.7) * sin(1.1))


@pytest.mark.parametrize(("n", "k"), [(9, 2), (15, 4), (15, 6), (9, 3)])
def test_sign_vectors(n: int, k: int):
    v = np.random.default_rng(n).choice((-1.0, 1.0), (5, n)) / sqrt(n)
    closed = np.full(5, sine_gaps.gap_at_signs(n, k))
    np.testing.assert_allclose(sine_gaps.relaxed_gap(v, k), closed, rtol=1e-12)
    np.testing.assert_allclose(sine_gaps.strict_gap(v, k), closed, rtol=1e-12)


@pytest.mark.parametrize("k", [2, 4, 8])
def test_limit_at_signs(k: int):
    errors = [sine_gaps.gap_at_signs(n, k) * n ** ((k - 1) / 2) / sine_gaps.LIMIT_AT_SIGNS - 1 for n in (10**4, 10**6)]
    assert abs(errors[1]) < 1e-4 and errors[0] / errors[1] == pytest.approx(100, rel=0.05)
    assert exp(-0.5) == sine_gaps.LIMIT_AT_SIGNS


@pytest.mark.parametrize("k", [0, 5])
def test_sets_without_an_inside_or_an_outside(k: int):
    with pytest.raises(ValueError, match="n = 5"):
        sine_gaps.relaxed_gap(np.ones(5), k)
