"""The deep network of squares against NumPy, its start, and what its degree forbids."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.deep_quadratic import DeepQuadratic
from elegans.tasks.parity import SparseParity
from elegans.theory import deep_quadratic

KEY = stream.key(0, stream.Purpose.INIT)


@pytest.mark.parametrize("widths", [(3,), (2, 1), (4, 3, 1)])
def test_formula_against_numpy(widths: tuple[int, ...]):
    model, task = DeepQuadratic(widths), SparseParity(6, 3)
    p = jax.jit(lambda: model.init(KEY, task.signature))()
    sizes = (6, *widths)
    count = sum((a + 1) * b for a, b in itertools.pairwise(sizes)) + widths[-1] + 1
    assert sum(a.size for a in p.values()) == count and model.degree == 2 ** len(widths)
    x, wide = task.enumerate().x, {n: np.asarray(a, np.float64) for n, a in p.items()}
    out = jax.jit(jax.vmap(model, (None, 0)))(p, x)
    np.testing.assert_allclose(out, deep_quadratic.output(wide, x.astype(np.float64)), rtol=2e-4, atol=2e-5)
    trace = model.trace(p, jnp.asarray(x[5]))
    np.testing.assert_allclose(trace["z1"], deep_quadratic.layers(wide, x[5:6].astype(float))[1][0], rtol=1e-4)


def test_the_explicit_weights_are_the_parity_of_four():
    x, y, *_ = SparseParity(5, 4).enumerate()
    params = {n: jnp.asarray(a, jnp.float32) for n, a in deep_quadratic.parity_of_parities(5).items()}
    np.testing.assert_array_equal(jax.vmap(DeepQuadratic(), (None, 0))(params, x), y)


def test_without_output_bias_a_last_width_of_one_has_one_sign():
    model, task = DeepQuadratic((2, 1), output_bias=False), SparseParity(5, 3)
    p = jax.jit(lambda: model.init(KEY, task.signature))()
    out = np.asarray(jax.vmap(model, (None, 0))(p, task.enumerate().x))
    assert "c" not in p and len(set(np.sign(out[out != 0]))) == 1


def test_layers_need_neurons():
    for widths in ((), (3, 0)):
        with pytest.raises(UsageError, match="widths"):
            DeepQuadratic(widths)
