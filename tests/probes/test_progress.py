"""Probes of parity runs on states whose accuracy, movement, margin and gap are known by hand or by enumeration."""

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
from elegans.probes.base import View
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

    seen = fresh() if params is None else params
    return View(task, model, seen, secret, stream.key(1, stream.Purpose.EVAL), stream.key(1, stream.Purpose.DATA),
                jnp.int32(7), jnp.float32(loss), Online(), fresh)  # fmt: skip


def unit_forms(task) -> dict[str, Any]:
    return {"W": jnp.eye(task.n, dtype=jnp.float32)[: task.k], "b": jnp.zeros(task.k, jnp.float32)}


@pytest.mark.parametrize("on", [1, 300, 1024, 1100])
def test_accuracy_counts_correct_signs(on: int):
    task, model = SparseParity(12, 3), PolyNet(3)
    right = unit_forms(task)
    assert float(Accuracy(on=on).observe(view(task, model, right))["accuracy"]) == 1
    wrong = {**right, "W": -right["W"]}
    assert float(Accuracy(on=on).observe(view(task, model, wrong))["accuracy"]) == 0
    zero = {**right, "W": 0 * right["W"]}
    assert float(Accuracy(on=on).observe(view(task, model, zero))["accuracy"]) == 0


def test_accuracy_is_that_of_the_validation_sample():
    task, model = SparseParity(20, 2), MLP(6)
    v = view(task, model)
    x, y, *_ = task.sample(v.eval, 700)
    out = jax.vmap(lambda one: model(v.params, one))(x)
    assert float(Accuracy(on=700).observe(v)["accuracy"]) == pytest.approx(float((np.asarray(y * out) > 0).mean()))


def test_the_training_loss_is_passed_on():
    assert float(TrainLoss().observe(view(SparseParity(5, 2), MLP(3), loss=0.75))["loss"]) == 0.75


def test_movement_is_the_largest_change_of_each_array():
    task, model = SparseParity(5, 2), MLP(3)
    p = model.init(KEY, task.signature)
    moved = {**p, "W": p["W"].at[2, 1].add(-0.5).at[0, 0].add(0.25), "c": p["c"] + 2}
    ρ = Movement().observe(view(task, model, moved))
    assert {name: pytest.approx(float(a), abs=1e-6) for name, a in ρ.items()} == {"W": 0.5, "b": 0, "u": 0, "c": 2}


def test_margin_by_hand():
    task, w = SparseParity(4, 2, support=(1, 3)), jnp.asarray([0.5, -3.0, -1.0, 2.0], jnp.float32)
    margin = WeightMargin().observe(view(task, Neuron(Sinusoid(2)), {"w": w}))["margin"]
    np.testing.assert_array_equal(margin, [1])
    W = jnp.stack([w, -w[::-1], jnp.ones(4, jnp.float32)])
    np.testing.assert_array_equal(WeightMargin().observe(view(task, MLP(3), {"W": W.T}))["margin"], [1, -2.5, 0])
    np.testing.assert_array_equal(WeightMargin().observe(view(task, PolyNet(3), {"W": W}))["margin"], [1, -2.5, 0])
    disjoint = DisjointParity(4, 2)
    two = {"W": jnp.asarray([[3, 1], [-2, 0.5]], jnp.float32)}
    np.testing.assert_array_equal(WeightMargin().observe(view(disjoint, DisjointPolyNet(2), two))["margin"], [1])


def test_the_drawn_support_decides_what_is_relevant():
    task = SparseParity(6, 2, hidden=True)
    secret = task.secret(stream.key(4, stream.Purpose.TASK))
    w = jnp.full(6, 0.25, jnp.float32).at[task.support_of(secret)].set(1.0)
    margin = WeightMargin().observe(view(task, Neuron(Sinusoid(2)), {"w": w}, secret))["margin"]
    np.testing.assert_array_equal(margin, [0.75])


def test_the_gap_of_all_ones_is_half_of_majority():
    n, k = 9, 4
    p = {"w": jnp.ones(n, jnp.float32), "b": jnp.float32(0)}
    gap = FourierGap().observe(view(SparseParity(n, k), Neuron(relu, second_layer=False), p))
    f = np.sign(boolean.cube(n).sum(1, dtype=np.int64))
    expected = majority.threshold_gap(n, k)
    assert float(gap["strict"][0]) == pytest.approx(expected, abs=1e-6) and expected > 0.01
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
    for j in range(5):
        h = boolean.spectrum(on[:, j].astype(np.int64))
        expected = [-p["u"][j] * h[S ^ (1 << i)] for i in range(7)]
        np.testing.assert_allclose(population_gradient(v, 512)[j], expected, atol=1e-6)


def test_the_closed_form_is_the_enumerated_gradient():
    task, model = SparseParity(8, 2), Neuron(Sinusoid(2))
    v = view(task, model)
    S, gap = list(task.canonical), FourierGap().observe(v)
    x, y, *_ = task.enumerate()
    g = np.abs(jax.grad(lambda w: (y * jax.vmap(lambda a: model({**v.params, "w": w}, a))(x)).mean())(v.params["w"]))
    rest = np.delete(g, S).max()
    assert float(gap["relaxed"][0]) == pytest.approx(g[S].max() - rest, abs=1e-6)
    assert float(gap["strict"][0]) == pytest.approx(g[S].min() - rest, abs=1e-6)


def test_a_sampled_gradient_is_near_the_exact_one_and_the_same_every_time():
    task, σ = SparseParity(24, 2), Sinusoid(2)
    v = view(task, Neuron(σ))
    sampled = view(task, Neuron(lambda z: σ(z)), v.params)
    estimate = population_gradient(sampled, 8192)
    np.testing.assert_allclose(estimate, population_gradient(v, 8192), atol=6 * 1.6 / np.sqrt(8192))
    np.testing.assert_array_equal(estimate, population_gradient(sampled, 8192))


def test_no_irrelevant_coordinate_counts_as_zero():
    task, model = SparseParity(3, 3), Neuron(Sinusoid(3))
    gap, g = FourierGap().observe(view(task, model)), np.abs(population_gradient(view(task, model), 512))
    assert float(gap["strict"][0]) == pytest.approx(g.min()) and float(gap["relaxed"][0]) == pytest.approx(g.max())


def test_double_precision_is_kept_and_shapes_are_fixed():
    task, model = SparseParity(18, 2, hidden=True), MLP(4)
    with jax.enable_x64(True):
        v = view(task, model, model.init(KEY, task.signature, jnp.dtype(jnp.float64)), task.secret(KEY))
        gap = jax.jit(lambda p: FourierGap(on=512).observe(view(task, model, p, v.secret)))(v.params)
        accuracy = Accuracy().observe(v)["accuracy"]
    assert gap["relaxed"].shape == gap["strict"].shape == (4,) and gap["relaxed"].dtype == jnp.float64
    assert accuracy.dtype == jnp.float32


def test_what_cannot_be_watched_is_refused():
    transformer = ParityTransformer(d_embed=4, d_attn=2, heads=1, d_mlp=4)
    for probe in (WeightMargin(), FourierGap()):
        with pytest.raises(UsageError):
            probe.observe(view(SparseParity(5, 2), transformer))
    with pytest.raises(UsageError):
        FourierGap().observe(view(SparseParity(5, 2), PolyNet(2)))
    with pytest.raises(UsageError):
        FourierGap(on=1000)
