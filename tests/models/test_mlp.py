"""The two-layer network against its formula, its parameter count, its symmetry and its exact correlation."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.activations import Power, relu
from elegans.models.initialisers import Bernoulli, FanIn, Gaussian, Kaiming, Signs, Xavier
from elegans.models.mlp import MLP
from elegans.tasks.base import Signature
from elegans.tasks.parity import SparseParity

F64 = jnp.dtype(jnp.float64)
KEY = stream.key(0, stream.Purpose.INIT)


@partial(jax.jit, static_argnums=0)
def outputs(model, params, x):
    return jax.vmap(lambda one: model(params, one))(x)


@partial(jax.jit, static_argnums=(0, 1, 2))
def fresh(model, task, dtype=jnp.float32):
    return model.init(KEY, task.signature, jnp.dtype(dtype))


@pytest.mark.parametrize("bias", [True, False])
def test_formula_and_parameter_count(bias: bool):
    model, task = MLP(7, output_bias=bias), SparseParity(5, 2)
    p = fresh(model, task)
    assert sum(a.size for a in p.values()) == 7 * (5 + 2) + bias and set(p) == {"W", "b", "u", *(["c"] if bias else [])}
    x = task.enumerate().x
    hidden = np.maximum(x @ np.asarray(p["W"]) + np.asarray(p["b"]), 0)
    expected = hidden @ np.asarray(p["u"]) + (float(p["c"]) if bias else 0)
    np.testing.assert_allclose(outputs(model, p, x), expected, atol=1e-5)
    trace = model.trace(p, x[3])
    np.testing.assert_allclose(trace["hidden"], hidden[3], atol=1e-6)
    np.testing.assert_array_equal(trace["hidden"], relu(trace["pre"]))


def test_an_output_bias_changes_nothing_else():
    task = SparseParity(6, 2)
    with_c, without = fresh(MLP(4), task), fresh(MLP(4, output_bias=False), task)
    for name, a in without.items():
        np.testing.assert_array_equal(a, with_c[name])


def test_permuting_inputs_and_first_layer_together_changes_nothing():
    model, task = MLP(8), SparseParity(9, 3)
    p, order = fresh(model, task), np.random.default_rng(0).permutation(9)
    x, y, *_ = task.sample(KEY, 16)
    moved = {**p, "W": p["W"][order]}

    def loss(p, x):
        return (outputs(model, p, x) * y).mean()

    np.testing.assert_allclose(outputs(model, moved, x[:, order]), outputs(model, p, x), atol=1e-6)
    gradient = jax.jit(jax.grad(loss))
    g, h = gradient(p, x), gradient(moved, x[:, order])
    np.testing.assert_allclose(h["W"], g["W"][order], atol=1e-6)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_correlation_of_a_power_network_is_a_product_of_relevant_weights(k: int):
    task, model = SparseParity(8, k, support=tuple(range(1, k + 1))), MLP(6, Power(k))
    p = fresh(model, task)
    x, y, *_ = task.enumerate()
    W, u = np.asarray(p["W"], np.float64), np.asarray(p["u"], np.float64)
    expected = math.factorial(k) * (u * W[1 : k + 1].prod(0)).sum()
    assert float((y * outputs(model, p, x)).mean()) == pytest.approx(expected, abs=2e-6)
    lower = MLP(6, Power(k - 1))
    assert float((y * outputs(lower, p, x)).mean()) == pytest.approx(0, abs=2e-6)


@pytest.mark.parametrize("k", [1, 3, 4])
def test_width_k_with_an_output_bias_represents_the_parity(k: int):
    task, model = SparseParity(k + 1, k), MLP(k)
    count = np.zeros((k + 1, k), np.float32)
    count[:k] = -0.5  # m - k/2
    W, b, u = count.copy(), np.empty(k, np.float32), np.empty(k, np.float32)
    W[:, 0], b[0], u[0] = -count[:, 0], k / 2, 2
    for j in range(1, k):
        b[j], u[j] = k / 2 - j, 4 * (-1) ** (j + 1)
    p = {"W": jnp.asarray(W), "b": jnp.asarray(b), "u": jnp.asarray(u), "c": jnp.float32(1 - 2 * k)}
    x, y, *_ = task.enumerate()
    np.testing.assert_allclose(outputs(model, p, x), y, atol=1e-5)


def test_without_biases_an_odd_parity_has_no_correlation():
    task, model = SparseParity(7, 3), MLP(20, output_bias=False)
    p = fresh(model, task)
    x, y, *_ = task.enumerate()
    bare = {**p, "b": jnp.zeros_like(p["b"])}
    assert abs(float((y * outputs(model, bare, x)).mean())) < 1e-6 < abs(float((y * outputs(model, p, x)).mean()))


LAWS = {FanIn(): 1 / 30, Xavier(): 2 / 80, Kaiming(): 2 / 10, Bernoulli(): 1 / 10, Signs(): 1.0, Gaussian(0.3): 0.09}


@pytest.mark.parametrize("law", LAWS)
def test_initialisers_have_their_variance_and_support(law):
    w = np.asarray(jax.jit(lambda: law.draw(KEY, (200, 200), 10, 70, jnp.dtype(jnp.float32)))())
    spread = 6 * np.sqrt(2 / w.size)
    assert abs(w.mean()) < 6 * np.sqrt(LAWS[law] / w.size) and np.mean(w**2) == pytest.approx(LAWS[law], rel=spread)
    tops = {FanIn: 1 / np.sqrt(10), Xavier: np.sqrt(6 / 80), Bernoulli: 1 / np.sqrt(10), Signs: 1.0}
    if type(law) in tops:
        assert np.abs(w).max() == pytest.approx(tops[type(law)], rel=1e-3)
    if isinstance(law, Bernoulli | Signs):
        assert len(np.unique(w)) == 2


@pytest.mark.parametrize("law", LAWS)
def test_double_precision_and_strict_types(law):
    model, task = MLP(5, initial=law), SparseParity(6, 2)
    with jax.enable_x64(True), jax.numpy_dtype_promotion("strict"):
        p, out = jax.eval_shape(lambda: (p := model.init(KEY, task.signature, F64), model(p, jnp.ones(6, F64))))
    assert all(a.dtype == F64 for a in p.values()) and out.dtype == F64


def test_a_task_that_does_not_fit_is_refused():
    for signature in (Signature((3, 4), ()), Signature((3,), (2,)), Signature((3,), (), symbols=5)):
        with pytest.raises(UsageError):
            MLP(3).init(KEY, signature)
