"""The network of the theory: zero at the start, one gradient for all losses, the same function as an MLP."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.mlp import MLP
from elegans.models.symmetric_mlp import SymmetricMLP
from elegans.tasks.parity import SparseParity
from elegans.theory.symmetric_start import bias_grid
from elegans.training.losses import hinge, logistic

TASK, MODEL = SparseParity(7, 4), SymmetricMLP(30, 4)
P = jax.jit(lambda: MODEL.init(stream.key(3, stream.Purpose.INIT), TASK.signature))()
X, Y, *_ = TASK.enumerate()


def test_the_start_computes_zero_from_signs_and_grid_biases():
    out = jax.vmap(MODEL, (None, 0))(P, X)
    assert np.abs(out).max() < 1e-5
    assert set(np.unique(P["W"])) == {-1.0, 1.0}
    assert np.isclose(np.asarray(P["b"])[:, None], bias_grid(4)).any(1).all()
    np.testing.assert_array_equal(P["u"][:15], -P["u"][15:])
    pre = jax.vmap(lambda x: MODEL.trace(P, x)["pre"])(X)
    assert np.abs(pre).min() > 0.24  # 1/k


def test_it_is_an_mlp_without_output_bias():
    p = {**P, "u": P["u"] + 0.5}
    plain = jax.vmap(MLP(30, output_bias=False), (None, 0))(p, X)
    np.testing.assert_array_equal(jax.vmap(MODEL, (None, 0))(p, X), plain)


def test_hinge_and_logistic_gradients_agree_up_to_a_factor():
    def grad(loss):
        return jax.jit(jax.grad(lambda p: jax.vmap(loss)(jax.vmap(MODEL, (None, 0))(p, X), Y).mean()))(P)

    np.testing.assert_allclose(grad(hinge)["W"], 2 * grad(logistic)["W"], atol=1e-6)


def test_odd_widths_are_refused():
    with pytest.raises(UsageError, match="width=32"):
        SymmetricMLP(31, 2)
    assert jnp.dtype(P["W"].dtype) == jnp.float32
