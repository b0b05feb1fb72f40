"""Exact population losses against enumeration of the whole cube, in value and in gradient."""

from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.activations import Sinusoid, Zigzag
from elegans.models.neuron import Neuron
from elegans.models.polynet import DisjointPolyNet, PolyNet
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.tasks.parity import SparseParity
from elegans.training.losses import correlation, hinge, square
from elegans.training.objectives.parity import permanent
from elegans.training.population import objective

KEY = stream.key(0, stream.Purpose.INIT)
F64 = jnp.dtype(jnp.float64)

TRIPLES = [
    (SparseParity(6, 2, hidden=True), PolyNet(2), correlation),
    (SparseParity(7, 3, support=(0, 4, 6)), PolyNet(3), correlation),
    (SparseParity(6, 4, hidden=True), PolyNet(4), correlation),
    (DisjointParity(6, 3, hidden=True), DisjointPolyNet(3, PolyNet(1).initial), correlation),
    (DisjointParity(8, 2), DisjointPolyNet(2, PolyNet(1).initial), correlation),
    (SparseParity(7, 3, hidden=True), Neuron(Sinusoid(3)), correlation),
    (SparseParity(6, 2, hidden=True), Neuron(Sinusoid(2, 0.5), second_layer=False), correlation),
    (SparseParity(6, 2, hidden=True), Neuron(Sinusoid(2, 0.5), second_layer=False), square),
    (SparseParity(5, 4), Neuron(Sinusoid(4, 2.0)), square),
    (SparseParity(5, 3), Neuron(Sinusoid(2)), square),
]


@pytest.mark.parametrize("task, model, loss", TRIPLES)
def test_value_and_gradient_are_those_of_the_enumerated_loss(task, model, loss):
    def both():
        secret = task.secret(stream.key(7, stream.Purpose.TASK))
        x, y = (jnp.asarray(a, F64) for a in task.enumerate(secret)[:2])
        p = model.init(KEY, task.signature, F64)

        def enumerated(p):
            return jax.vmap(loss)(jax.vmap(lambda one: model(p, one))(x), y).mean()

        exact = objective(task, model, loss)
        return jax.value_and_grad(lambda p: exact(task, model, p, secret))(p), jax.value_and_grad(enumerated)(p)

    with jax.enable_x64(True), jax.numpy_dtype_promotion("strict"):
        (value, g), (expected, h) = jax.jit(both)()
    assert float(value) == pytest.approx(float(expected), abs=1e-12) and abs(float(value)) > 1e-6
    for name, a in g.items():
        assert a.dtype == F64
        np.testing.assert_allclose(a, h[name], atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_permanent_is_the_sum_over_permutations(k: int):
    A = np.random.default_rng(k).normal(size=(k, k))
    expected = sum(np.prod([A[i, π[i]] for i in range(k)]) for π in permutations(range(k)))
    with jax.enable_x64(True):
        per = jax.jit(permanent)
        assert float(per(A)) == pytest.approx(expected, rel=1e-10)
        assert float(per(np.ones((k, k)))) == pytest.approx(np.prod(np.arange(1, k + 1)), rel=1e-12)


def test_the_gradient_of_a_disjoint_net_moves_relevant_weights_only():
    task, model = DisjointParity(9, 3), DisjointPolyNet(3)
    W = jnp.asarray(np.random.default_rng(0).normal(size=(3, 3)), jnp.float32)
    g = jax.jit(jax.grad(lambda p: objective(task, model, correlation)(task, model, p, ())))({"W": W})["W"]
    v = np.asarray(W)[:, 0]
    np.testing.assert_allclose(g[:, 0], [-np.delete(v, i).prod() for i in range(3)], rtol=1e-6)
    assert not g[:, 1:].any()


def test_the_flow_of_equal_weights_is_known():
    """v(t) = (1 - (k-2) t)^{-1/(k-2)}; Euler's method errs by O(h)."""
    task, model, h = DisjointParity(6, 3), DisjointPolyNet(3), 1e-3
    gradient = jax.grad(lambda p: objective(task, model, correlation)(task, model, p, ()))

    def step(p, _):
        return jax.tree.map(lambda a, g: a - h * g, p, gradient(p)), None

    end, _ = jax.lax.scan(step, {"W": jnp.ones((3, 2), jnp.float32)}, length=500)
    np.testing.assert_allclose(end["W"][:, 0], 2, rtol=0.01)
    np.testing.assert_array_equal(end["W"][:, 1], 1)


def test_closed_forms_serve_many_coordinates():
    task, model = SparseParity(1000, 2), Neuron(Sinusoid(2))

    def both():
        p = model.init(KEY, task.signature)
        x, y, *_ = task.sample(KEY, 4000)
        losses = (y - jax.vmap(lambda one: model(p, one))(x)) ** 2
        return objective(task, model, square)(task, model, p, task.secret(KEY)), losses

    exact, losses = jax.jit(both)()
    assert float(exact) == pytest.approx(float(losses.mean()), abs=5 * float(losses.std()) / np.sqrt(4000))


@pytest.mark.parametrize(
    "task, model, loss",
    [
        (SparseParity(6, 3), Neuron(Zigzag(3)), correlation),
        (SparseParity(6, 3), PolyNet(2), correlation),
        (DisjointParity(6, 2), DisjointPolyNet(3), correlation),
        (SparseParity(6, 3), PolyNet(3), hinge),
    ],
)
def test_what_has_no_closed_form_is_refused(task, model, loss):
    with pytest.raises(UsageError):
        jax.eval_shape(lambda: objective(task, model, loss)(task, model, model.init(KEY, task.signature), ()))
