"""Probes of weights, training sets and losses, on states whose answer is known by hand or from the sample itself."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.activations import Sinusoid
from elegans.models.mlp import MLP
from elegans.models.neuron import Neuron
from elegans.models.parity_transformer import ParityTransformer
from elegans.models.polynet import DisjointPolyNet, PolyNet
from elegans.probes.base import Probe, View
from elegans.probes.train_accuracy import TrainAccuracy
from elegans.probes.validation_loss import ValidationLoss
from elegans.probes.weights import Weights
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.tasks.parity import SparseParity
from elegans.training.losses import square
from elegans.training.regimes import Online, Virtual

M = 700  # more than one block of evaluation, and no multiple of it


def parity_net(task: SparseParity) -> dict[str, Any]:
    """Parameters of a PolyNet that is the parity."""
    return {"W": jnp.eye(task.n, dtype=jnp.float32)[: task.k], "b": jnp.zeros(task.k, jnp.float32)}


def observe(probe: Probe, v: View) -> dict[str, np.ndarray]:
    program = jax.jit(lambda params: probe.observe(replace(v, params=params)))
    return {name: np.asarray(a) for name, a in program(v.params).items()}


def test_weights_are_rows_of_the_first_layer() -> None:
    W = jnp.arange(12, dtype=jnp.float32).reshape(3, 4) - 5
    parity, disjoint = SparseParity(4, 2), DisjointParity(4, 2)
    for view, expected in (
        (View.of(parity, MLP(3), {"W": W.T}), W),
        (View.of(parity, PolyNet(3), {"W": W}), W),
        (View.of(parity, Neuron(Sinusoid(2)), {"w": W[0]}), W[:1]),
        (View.of(disjoint, DisjointPolyNet(2), {"W": W[0].reshape(2, 2)}), W[:1]),
    ):
        np.testing.assert_array_equal(observe(Weights(), view)["weights"], expected)
    with pytest.raises(UsageError, match="no weights of single inputs"):
        Weights().observe(View.of(parity, ParityTransformer(d_embed=4, d_attn=2, heads=1, d_mlp=4), {}))


def test_the_parity_itself_is_right_on_its_training_set_and_its_negative_wrong() -> None:
    task = SparseParity(12, 3)
    right = parity_net(task)
    for params, expected in ((right, 1.0), ({**right, "W": -right["W"]}, 0.0), ({**right, "W": 0 * right["W"]}, 0.0)):
        seen = observe(TrainAccuracy(), View.of(task, PolyNet(3), params, regime=Virtual(M)))
        assert float(seen["accuracy"]) == expected


def test_the_training_set_is_what_the_run_draws_from() -> None:
    """A constant is right as often as its label is drawn, up to the noise of drawing; and exactly so on the listed set."""
    task, regime = SparseParity(9, 2), Virtual(5)
    one = {"W": jnp.zeros((2, 9), jnp.float32), "b": jnp.ones(2, jnp.float32)}
    v = View.of(task, PolyNet(2), one, seed=3, regime=regime)
    y = np.asarray(jax.jit(lambda: regime.examples(task, (), v.data, jnp.arange(5, dtype=jnp.int32)).y)())
    share = float(observe(TrainAccuracy(), v)["accuracy"])
    assert share == pytest.approx((y > 0).mean()) and 0 < share < 1
    drawn = np.asarray(jax.jit(lambda t: regime.draw(task, (), v.data, t, 4000).y)(jnp.int32(2)))
    assert (drawn > 0).mean() == pytest.approx(share, abs=0.04)


def test_fresh_data_have_no_training_set() -> None:
    with pytest.raises(UsageError, match=r"Virtual\(m\)"):
        TrainAccuracy().observe(View.of(SparseParity(5, 2), PolyNet(2), {}, regime=Online()))


@pytest.mark.parametrize("c", [0.0, 0.25, -3.0])
def test_the_loss_of_a_constant(c: float) -> None:
    task = SparseParity(9, 2)
    params = {"W": jnp.zeros((1, 9), jnp.float32), "b": jnp.full(1, c, jnp.float32)}
    v = View.of(task, PolyNet(1), params, seed=stream.Purpose.EVAL)
    y = np.asarray(jax.jit(lambda: task.sample(v.eval, M).y)(), np.float64)
    for probe, expected in (
        (ValidationLoss(on=M), np.maximum(1 - c * y, 0).mean()),
        (ValidationLoss(on=M, loss=square), ((c - y) ** 2).mean()),
    ):
        assert float(observe(probe, v)["loss"]) == pytest.approx(expected, rel=1e-5)
