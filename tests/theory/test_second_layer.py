"""Lemma B.4: constructions against parity on all patterns, and the tail against sampling."""

from math import sqrt

import numpy as np
import pytest

from elegans.theory import majority, second_layer
from elegans.theory.symmetric_start import bias_grid


@pytest.mark.parametrize("k", [2, 4, 6, 8, 10])
def test_corrected_construction_is_twice_the_parity(k: int):
    layer = second_layer.corrected(k)
    assert layer.error() < 1e-9
    assert np.abs(layer.u).max() <= 8 * k and np.linalg.norm(layer.u) <= 8 * k * sqrt(k)
    assert all(np.isclose(b, bias_grid(k)).any() for b in layer.b)
    if k >= 4:
        assert np.linalg.norm(layer.u) == pytest.approx(k * sqrt(64 * k - 84))


def test_corrected_construction_on_inputs():
    k, layer = 4, second_layer.corrected(4)
    x = np.array(np.meshgrid(*[[1, -1]] * k)).reshape(k, -1).T
    f = np.maximum(layer.s * (x.sum(1, keepdims=True) / (2 * k)) + layer.b, 0) @ layer.u
    np.testing.assert_allclose(f, 2 * x.prod(1), atol=1e-9)


@pytest.mark.parametrize("k", [4, 6, 8])
def test_the_other_construction(k: int):
    layer = second_layer.unmirrored(k)
    assert layer.error() < 1e-9 and np.linalg.norm(layer.u) == pytest.approx(k * sqrt(64 * k - 24))


@pytest.mark.parametrize("k", [2, 4, 6])
def test_printed_constructions_miss(k: int):
    first, second = second_layer.printed(k), second_layer.printed(k, shift=1)
    np.testing.assert_allclose(first.values()[:-1], second_layer.target(k)[:-1], atol=1e-9)
    assert first.values()[-1] == pytest.approx(0) and first.best_error() == pytest.approx(2.0)
    assert second.values()[0] == pytest.approx(6) and second.best_error() > 1


def test_relevant_weights_become_their_ideal():
    n, k = 51, 4
    assert second_layer.learning_rate(n, k) * abs(majority.xi(n, k - 1)) / 2 == pytest.approx(1 / (2 * k))
    assert second_layer.irrelevant_bound(n, k, 0.0) == pytest.approx((k - 1) / (2 * k * (n - k)))


def test_tail_against_sampling():
    sums = np.random.default_rng(0).choice((-1, 1), (200_000, 21)).sum(1)
    for t in (3.0, 7.0, 8.5):
        assert second_layer.worst_tail(21, t) == pytest.approx(np.mean(np.abs(sums) >= t), abs=0.005)


@pytest.mark.parametrize("n", [21, 51, 1001])
def test_hoeffding_bounds_the_tail(n: int):
    for k, eps in ((2, 0.1), (4, 0.01)):
        assert second_layer.worst_tail(n, second_layer.deviation(n, k, eps)) <= eps / k
    assert second_layer.worst_tail(n, second_layer.deviation_printed(n, 2, 0.1)) > 0.1 / 2


def test_wrong_input_is_refused():
    with pytest.raises(ValueError):
        second_layer.printed(3)
