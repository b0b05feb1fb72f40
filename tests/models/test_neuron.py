"""A single neuron: its formula, its parameters, and the parity it can be."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.models.activations import OscillatingPolynomial, Sinusoid, TriangleWave, Zigzag
from elegans.models.neuron import Neuron
from elegans.tasks.parity import SparseParity

KEY = stream.key(3, stream.Purpose.INIT)


@pytest.mark.parametrize("kind", [Zigzag, OscillatingPolynomial, TriangleWave, Sinusoid])
@pytest.mark.parametrize("k", [1, 4])
def test_the_indicator_of_the_support_is_the_parity(kind, k: int):
    task = SparseParity(k + 2, k, support=tuple(range(1, k + 1)))
    x, y, *_ = task.enumerate()
    w = jnp.zeros(k + 2, jnp.float32).at[jnp.asarray(task.canonical)].set(1.0)
    p = {"w": w, "b": jnp.float32(0)}
    model = Neuron(kind(k), second_layer=False)
    np.testing.assert_array_equal(jax.jit(jax.vmap(lambda one: model(p, one)))(x), y)


@pytest.mark.parametrize("second", [True, False])
def test_formula_and_parameter_count(second: bool):
    model, task = Neuron(Sinusoid(3), second_layer=second), SparseParity(10, 3)
    p = model.init(KEY, task.signature)
    assert sum(a.size for a in p.values()) == 11 + second
    x = np.asarray(task.sample(KEY, 1).x[0])
    z = x @ np.asarray(p["w"]) + float(p["b"])
    expected = (float(p["u"]) if second else 1.0) * np.cos(np.pi / 2 * (z - 3))
    trace = model.trace(p, jnp.asarray(x))
    assert float(trace["pre"]) == pytest.approx(z, abs=1e-6) and float(trace["out"]) == pytest.approx(
        expected, abs=1e-6
    )


def test_permutation_symmetry():
    model, task = Neuron(Zigzag(3)), SparseParity(9, 3)
    p, order = model.init(KEY, task.signature), np.arange(9)[::-1].copy()
    x = task.sample(KEY, 1).x[0]
    assert float(model({**p, "w": p["w"][order]}, x[order])) == pytest.approx(float(model(p, x)), abs=1e-6)


def test_weights_fit_the_fan_in_interval_and_do_not_depend_on_the_second_layer():
    task = SparseParity(100, 3)
    p = Neuron(Sinusoid(3)).init(KEY, task.signature)
    q = Neuron(Sinusoid(3), second_layer=False).init(KEY, task.signature)
    assert 0.09 < float(jnp.abs(p["w"]).max()) <= 0.1 and abs(float(p["b"])) <= 0.1 and abs(float(p["u"])) <= 1
    assert float(jnp.abs(p["w"] - q["w"]).max()) == 0
