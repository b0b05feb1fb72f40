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
    *(
        (SparseParity(n, k, hidden=True), Neuron(Sinusoid(k_σ, s), second_layer=second), loss)
        for n, k, k_σ, s, second in [
            (7, 3, 3, 1.0, True),
            (6, 2, 2, 0.5, False),
            (6, 4, 4, 2.0, True),
            (5, 3, 2, 1.0, True),
        ]
        for loss in (correlation, square)
    ),
]


@pytest.mark.parametrize("task, model, loss", TRIPLES)
def test_value_and_gradient_are_those_of_the_enumerated_loss(task, model, loss):
    with jax.enable_x64(True):
        secret = task.secret(stream.key(7, stream.Purpose.TASK))
        x, y = (jnp.asarray(a, F64) for a in task.enumerate(secret)[:2])
        p = model.init(KEY, task.signature, F64)

        def enumerated(p):
            return jax.vmap(loss)(jax.vmap(lambda one: model(p, one))(x), y).mean()

        with jax.numpy_dtype_promotion("strict"):
            value, g = jax.value_and_grad(lambda p: objective(task, model, loss)(task, model, p, secret))(p)
        expected, h = jax.value_and_grad(enumerated)(p)
        assert float(value) == pytest.approx(float(expected), abs=1e-12)
        assert abs(float(value)) > 1e-6 and all(a.dtype == F64 for a in g.values())
        for name in p:
            np.testing.assert_allclose(g[name], h[name], atol=1e-12)


@pytest.mark.parametrize("k", range(1, 6))
def test_permanent_is_the_sum_over_permutations(k: int):
    A = np.random.default_rng(k).normal(size=(k, k))
    expected = sum(np.prod([A[i, π[i]] for i in range(k)]) for π in permutations(range(k)))
    with jax.enable_x64(True):
        assert float(permanent(jnp.asarray(A))) == pytest.approx(expected, rel=1e-10)
        ones = np.ones((k, k))
        assert float(permanent(jnp.asarray(ones))) == pytest.approx(np.prod(np.arange(1, k + 1)), rel=1e-12)


def test_the_gradient_of_a_disjoint_net_moves_relevant_weights_only():
    task, model = DisjointParity(9, 3), DisjointPolyNet(3)
    W = jnp.asarray(np.random.default_rng(0).normal(size=(3, 3)), jnp.float32)
    g = jax.grad(lambda p: objective(task, model, correlation)(task, model, p, ()))({"W": W})["W"]
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
    p = model.init(KEY, task.signature)
    exact = float(objective(task, model, square)(task, model, p, task.secret(KEY)))
    x, y, *_ = task.sample(KEY, 4000)
    losses = (y - jax.vmap(lambda one: model(p, one))(x)) ** 2
    assert exact == pytest.approx(float(losses.mean()), abs=5 * float(losses.std()) / np.sqrt(4000))


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
        objective(task, model, loss)(task, model, model.init(KEY, task.signature), ())
