"""Products of linear forms: formula, gradient at vanishing factors, and the parities they represent."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.polynet import DisjointPolyNet, PolyNet
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.tasks.parity import SparseParity

KEY = stream.key(0, stream.Purpose.INIT)
FACTORS = hnp.arrays(np.float32, st.sampled_from([1, 4]), elements=st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0]))


def product(a):
    """A PolyNet whose factors are a."""
    return PolyNet(a.size)({"W": jnp.zeros((a.size, 1), a.dtype), "b": a}, jnp.ones(1, a.dtype))


gradient = jax.jit(jax.value_and_grad(product))


@settings(deadline=None, max_examples=50)
@given(FACTORS)
def test_the_gradient_of_a_product_is_the_product_of_the_others(a: np.ndarray):
    value, g = gradient(jnp.asarray(a))
    np.testing.assert_array_equal(g, [np.delete(a, i).prod() for i in range(a.size)])
    assert float(value) == a.prod()


def test_the_second_derivative_leaves_two_factors_out():
    a = jnp.asarray([2.0, 0.0, 3.0, 5.0], jnp.float32)
    expected = [[0 if i == j else np.delete(np.asarray(a), [i, j]).prod() for j in range(4)] for i in range(4)]
    np.testing.assert_array_equal(jax.jit(jax.hessian(product))(a), expected)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_unit_vectors_in_any_order_are_the_parity(k: int):
    task = SparseParity(6, k, support=tuple(range(6 - k, 6)))
    x, y, *_ = task.enumerate()
    W = np.eye(6, dtype=np.float32)[list(reversed(task.canonical))]
    p = {"W": jnp.asarray(W), "b": jnp.zeros(k, jnp.float32)}
    np.testing.assert_array_equal(jax.jit(jax.vmap(lambda one: PolyNet(k)(p, one)))(x), y)


def test_formula_gradient_and_parameter_count():
    model, task = PolyNet(3), SparseParity(10, 3)
    p = model.init(KEY, task.signature)
    assert sum(a.size for a in p.values()) == 3 * (10 + 1)
    x = np.asarray(task.sample(KEY, 1).x[0])
    z = np.asarray(p["W"]) @ x + np.asarray(p["b"])
    assert float(model(p, jnp.asarray(x))) == pytest.approx(z.prod(), rel=1e-5)
    g = jax.jit(jax.grad(lambda p: model(p, jnp.asarray(x))))(p)
    for i in range(3):
        np.testing.assert_allclose(g["W"][i], x * np.delete(z, i).prod(), rtol=1e-5)
        assert float(g["b"][i]) == pytest.approx(np.delete(z, i).prod(), rel=1e-5)


def test_disjoint_formula_and_parameter_count():
    model, task = DisjointPolyNet(3), DisjointParity(12, 3)
    p = model.init(KEY, task.signature)
    assert p["W"].shape == (3, 4) and set(np.unique(p["W"])) == {-1.0, 1.0}
    x = np.asarray(task.sample(KEY, 1).x[0])
    expected = np.prod([np.asarray(p["W"])[i] @ x[4 * i : 4 * i + 4] for i in range(3)])
    assert float(model(p, jnp.asarray(x))) == expected


def test_disjoint_relevant_weights_are_the_parity():
    task = DisjointParity(9, 3)
    W = jnp.zeros((3, 3), jnp.float32).at[:, 0].set(1.0)
    x, y, *_ = task.enumerate()
    np.testing.assert_array_equal(jax.jit(jax.vmap(lambda one: DisjointPolyNet(3)({"W": W}, one)))(x), y)


def test_permuting_inputs_and_forms_together_changes_nothing():
    model, task = PolyNet(3), SparseParity(8, 3)
    p, order = model.init(KEY, task.signature), np.random.default_rng(1).permutation(8)
    x = task.sample(KEY, 1).x[0]
    assert float(model({**p, "W": p["W"][:, order]}, x[order])) == pytest.approx(float(model(p, x)), rel=1e-5)


def test_blocks_that_do_not_fit_are_refused():
    with pytest.raises(UsageError):
        DisjointPolyNet(3).init(KEY, SparseParity(10, 3).signature)


@pytest.mark.parametrize("model", [PolyNet(3), DisjointPolyNet(3)])
def test_strict_types_in_double_precision(model):
    def gradient():
        p = model.init(KEY, DisjointParity(6, 3).signature, jnp.dtype(jnp.float64))
        return jax.grad(lambda p: model(p, jnp.ones(6, jnp.float64)))(p)

    with jax.enable_x64(True), jax.numpy_dtype_promotion("strict"):
        assert all(a.dtype == jnp.float64 for a in jax.eval_shape(gradient).values())
