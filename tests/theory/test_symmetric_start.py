"""The initialisation of the theory: its law, and that it computes zero."""

import numpy as np
import pytest

from elegans.theory.boolean import cube
from elegans.theory.symmetric_start import bias_grid, symmetric_start


def test_it_computes_zero_and_never_ties():
    net, x = symmetric_start(np.random.default_rng(0), 7, 4, 20), cube(7).astype(np.float64)
    pre = x @ net["W"] + net["b"]
    assert np.abs(np.maximum(pre, 0) @ net["u"]).max() < 1e-12 and np.abs(pre).min() > 0.2
    assert set(np.unique(net["W"])) == set(np.unique(net["u"])) == {-1.0, 1.0}


def test_biases_are_uniform_on_the_grid():
    np.testing.assert_allclose(bias_grid(2), [-0.5, 0, 0.5])
    b = symmetric_start(np.random.default_rng(1), 1, 3, 20_000)["b"][:10_000]
    share = [np.isclose(b, g).mean() for g in bias_grid(3)]
    assert len(share) == 5 and np.abs(np.array(share) - 0.2).max() < 0.02


def test_what_cannot_be():
    with pytest.raises(ValueError, match="pairs"):
        symmetric_start(np.random.default_rng(0), 3, 2, 5)
    with pytest.raises(ValueError, match="k >= 1"):
        bias_grid(0)
