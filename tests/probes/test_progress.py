"""Probes of parity runs on states whose accuracy, movement, margin and gap are known by hand or by enumeration."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.activations import Sinusoid, relu
from elegans.models.mlp import MLP
from elegans.models.neuron import Neuron
from elegans.models.parity_transformer import ParityTransformer
from elegans.models.polynet import DisjointPolyNet, PolyNet
from elegans.probes.accuracy import Accuracy, TrainLoss
from elegans.probes.base import Probe, View
from elegans.probes.fourier_gap import FourierGap, population_gradient
from elegans.probes.progress import Movement, WeightMargin
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.tasks.parity import SparseParity
from elegans.theory import boolean, majority
from elegans.training.regimes import Online

KEY = stream.key(0, stream.Purpose.INIT)


def view(task, model, params=None, secret=(), loss: float = 0.25) -> View:
    def fresh():
        return model.init(KEY, task.signature)

    seen = jax.jit(fresh)() if params is None else params
    return View(task, model, seen, secret, stream.key(1, stream.Purpose.EVAL), stream.key(1, stream.Purpose.DATA),
                jnp.int32(7), jnp.float32(loss), Online(), fresh)  # fmt: skip


def observe(probe: Probe, v: View) -> dict[str, np.ndarray]:
    program = jax.jit(lambda params, secret: probe.observe(replace(v, params=params, secret=secret)))
    return {name: np.asarray(a) for name, a in program(v.params, v.secret).items()}


def gradient(v: View, on: int) -> np.ndarray:
    return np.asarray(jax.jit(lambda p: population_gradient(replace(v, params=p), on))(v.params))


def unit_forms(task) -> dict[str, Any]:
    return {"W": jnp.eye(task.n, dtype=jnp.float32)[: task.k], "b": jnp.zeros(task.k, jnp.float32)}


@pytest.mark.parametrize("on", [1, 1100])
def test_accuracy_counts_correct_signs(on: int):
    task, model = SparseParity(12, 3), PolyNet(3)
    right = unit_forms(task)
    v = view(task, model, right)
    accuracy = jax.jit(lambda p: Accuracy(on=on).observe(replace(v, params=p))["accuracy"])
    assert float(accuracy(right)) == 1
    assert float(accuracy({**right, "W": -right["W"]})) == 0
    assert float(accuracy({**right, "W": 0 * right["W"]})) == 0


def test_accuracy_is_that_of_the_validation_sample():
    task, model = SparseParity(20, 2), MLP(6)
    v = view(task, model)
    x, y, *_ = task.sample(v.eval, 700)
    out = jax.jit(jax.vmap(lambda one: model(v.params, one)))(x)
    assert float(observe(Accuracy(on=700), v)["accuracy"]) == pytest.approx(float((np.asarray(y * out) > 0).mean()))


def test_the_training_loss_is_passed_on():
    assert float(observe(TrainLoss(), view(SparseParity(5, 2), MLP(3), loss=0.75))["loss"]) == 0.75


def test_movement_is_the_largest_change_of_each_array():
    task, model = SparseParity(5, 2), MLP(3)
    p = model.init(KEY, task.signature)
    moved = {**p, "W": p["W"].at[2, 1].add(-0.5).at[0, 0].add(0.25), "c": p["c"] + 2}
    ρ = observe(Movement(), view(task, model, moved))
    assert {name: pytest.approx(float(a), abs=1e-6) for name, a in ρ.items()} == {"W": 0.5, "b": 0, "u": 0, "c": 2}


def test_margin_by_hand():
    task, w = SparseParity(4, 2, support=(1, 3)), jnp.asarray([0.5, -3.0, -1.0, 2.0], jnp.float32)
    margin = observe(WeightMargin(), view(task, Neuron(Sinusoid(2)), {"w": w}))["margin"]
    np.testing.assert_array_equal(margin, [1])
    W = jnp.stack([w, -w[::-1], jnp.ones(4, jnp.float32)])
    np.testing.assert_array_equal(observe(WeightMargin(), view(task, MLP(3), {"W": W.T}))["margin"], [1, -2.5, 0])
    np.testing.assert_array_equal(observe(WeightMargin(), view(task, PolyNet(3), {"W": W}))["margin"], [1, -2.5, 0])
    disjoint = DisjointParity(4, 2)
    two = {"W": jnp.asarray([[3, 1], [-2, 0.5]], jnp.float32)}
    np.testing.assert_array_equal(observe(WeightMargin(), view(disjoint, DisjointPolyNet(2), two))["margin"], [1])


def test_the_drawn_support_decides_what_is_relevant():
    task = SparseParity(6, 2, hidden=True)
    secret = task.secret(stream.key(4, stream.Purpose.TASK))
    w = jnp.full(6, 0.25, jnp.float32).at[task.support_of(secret)].set(1.0)
    margin = observe(WeightMargin(), view(task, Neuron(Sinusoid(2)), {"w": w}, secret))["margin"]
    np.testing.assert_array_equal(margin, [0.75])


def test_the_gap_of_all_ones_is_half_of_majority():
    n, k = 9, 4
    p = {"w": jnp.ones(n, jnp.float32), "b": jnp.float32(0)}
    gap = observe(FourierGap(), view(SparseParity(n, k), Neuron(relu, second_layer=False), p))
    f = np.sign(boolean.cube(n).sum(1, dtype=np.int64))
    expected = majority.threshold_gap(n, k)
    assert float(gap["strict"][0]) == pytest.approx(expected, abs=1e-6) and expected > 0.005
    assert float(gap["relaxed"][0]) == pytest.approx(expected, abs=1e-6)
    assert boolean.gap(f, range(k)) / 2 == pytest.approx(expected)


@pytest.mark.parametrize("hidden", [True, False])
def test_the_gradient_is_the_spectrum_of_the_derivative(hidden: bool):
    task, model = SparseParity(7, 3, hidden=hidden), MLP(5)
    secret = task.secret(stream.key(2, stream.Purpose.TASK))
    v = view(task, model, secret=secret)
    p = {name: np.asarray(a, np.float64) for name, a in v.params.items()}
    on = boolean.cube(7) @ p["W"] + p["b"] > 0
    S = boolean.index(np.asarray(task.support_of(secret)).tolist())
    g = gradient(v, 512)
    for j in range(5):
        h = boolean.spectrum(on[:, j].astype(np.int64))
        expected = [-p["u"][j] * h[S ^ (1 << i)] for i in range(7)]
        np.testing.assert_allclose(g[j], expected, atol=1e-6)


def test_the_closed_form_is_the_enumerated_gradient():
    task, model = SparseParity(8, 2), Neuron(Sinusoid(2))
    v = view(task, model)
    S, gap = list(task.canonical), observe(FourierGap(), v)
    x, y, *_ = task.enumerate()

    def correlation(w):
        return (y * jax.vmap(lambda a: model({**v.params, "w": w}, a))(x)).mean()

    g = np.abs(jax.jit(jax.grad(correlation))(v.params["w"]))
    rest = np.delete(g, S).max()
    assert float(gap["relaxed"][0]) == pytest.approx(g[S].max() - rest, abs=1e-6)
    assert float(gap["strict"][0]) == pytest.approx(g[S].min() - rest, abs=1e-6)


def test_a_sampled_gradient_is_near_the_exact_one_and_the_same_every_time():
    task, σ = SparseParity(24, 2), Sinusoid(2)
    v = view(task, Neuron(σ))
    sampled = view(task, Neuron(lambda z: σ(z)), v.params)
    estimate = gradient(sampled, 8192)
    np.testing.assert_allclose(estimate, gradient(v, 8192), atol=6 * 1.6 / np.sqrt(8192))
    np.testing.assert_array_equal(estimate, gradient(replace(sampled, t=jnp.int32(900)), 8192))


def test_no_irrelevant_coordinate_counts_as_zero():
    task, model = SparseParity(3, 3), Neuron(Sinusoid(3))
    gap, g = observe(FourierGap(), view(task, model)), np.abs(gradient(view(task, model), 512))
    assert float(gap["strict"][0]) == pytest.approx(g.min()) and float(gap["relaxed"][0]) == pytest.approx(g.max())


def test_double_precision_is_kept_and_shapes_are_fixed():
    task, model = SparseParity(18, 2, hidden=True), MLP(4)

    def watched(key):
        p = model.init(key, task.signature, jnp.dtype(jnp.float64))
        v = replace(view(task, model, p), secret=task.secret(key))
        return FourierGap(on=512).observe(v), Accuracy().observe(v)["accuracy"]

    with jax.enable_x64(True):
        gap, accuracy = jax.eval_shape(watched, KEY)
    assert gap["relaxed"].shape == gap["strict"].shape == (4,) and gap["relaxed"].dtype == jnp.float64
    assert accuracy.dtype == jnp.float32 and accuracy.shape == ()


def test_what_cannot_be_watched_is_refused():
    transformer = ParityTransformer(d_embed=4, d_attn=2, heads=1, d_mlp=4)
    for probe in (WeightMargin(), FourierGap()):
        with pytest.raises(UsageError):
            probe.observe(view(SparseParity(5, 2), transformer, {}))
    with pytest.raises(UsageError):
        FourierGap().observe(view(SparseParity(5, 2), PolyNet(2), {}))
    with pytest.raises(UsageError):
        FourierGap(on=1000)
