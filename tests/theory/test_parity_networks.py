"""Networks that compute a parity, and the linear programmes that say when none can."""

import numpy as np
import pytest

from elegans.theory.boolean import cube, parity
from elegans.theory.parity_networks import (
    alternating,
    as_mlp,
    counts,
    evaluate,
    largest_margin,
    power_network,
    relu_network,
    relu_network_without_bias,
    separable_patterns,
)


@pytest.mark.parametrize("k", range(1, 9))
def test_relu_networks_are_the_parity(k: int):
    for net, width in ((relu_network(k), k), (relu_network_without_bias(k), k + 1)):
        assert len(net["u"]) == width
        np.testing.assert_allclose(evaluate(net, counts(k)), alternating(k), atol=1e-12)
    assert relu_network_without_bias(k)["c"] == 0


@pytest.mark.parametrize("k", range(1, 7))
def test_k_powers_are_the_parity(k: int):
    net = power_network(k)
    assert net["u"].shape == (k,)
    np.testing.assert_allclose(evaluate(net, counts(k), k), alternating(k), atol=1e-8)


def test_two_squares_by_hand():
    net = power_network(2, roots=(1.0,))  # (s + 1)² - ½ (s + 2)² = ½ s² - 1
    np.testing.assert_allclose([*net["b"], *net["u"]], [1, 2, 1, -0.5], atol=1e-12)


def test_on_n_inputs():
    net, x = as_mlp(relu_network(3), 5, 3), cube(5).astype(np.float64)
    f = np.maximum(x @ net["W"] + net["b"], 0) @ net["u"] + net["c"]
    np.testing.assert_allclose(f, parity(x, range(3)), atol=1e-12)


def test_threshold_functions_are_counted():
    assert [len(separable_patterns(cube(k).astype(np.float64))) for k in (1, 2, 3)] == [4, 14, 104]


def test_margins():
    assert largest_margin(1, 1, True) == pytest.approx(1) and largest_margin(1, 1, False) == 0
    assert largest_margin(1, 2, False) == pytest.approx(1)
    assert largest_margin(2, 1, True) == 0 and largest_margin(2, 2, True) == pytest.approx(1)
