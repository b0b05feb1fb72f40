"""The ReLU network on groups: its formula, its degree, its symmetry and its start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.quadratic import QuadraticGroupNet
from elegans.models.relu_group import ReLUGroupNet
from elegans.tasks.base import Signature
from elegans.tasks.composition import GroupComposition, Symmetric
from elegans.theory.relu_nets import logits

KEY, TASK = stream.key(1, stream.Purpose.INIT), GroupComposition(Symmetric(3))


def outputs(params: dict[str, jax.Array]) -> np.ndarray:
    """F_c(a, b), indexed [a, b, c]."""
    model = ReLUGroupNet(5)
    return np.asarray(jax.vmap(lambda pair: model(params, pair))(jnp.asarray(TASK.enumerate().x))).reshape(6, 6, 6)


def test_logits_are_those_of_the_formula() -> None:
    params = ReLUGroupNet(5).init(KEY, TASK.signature)
    expected = logits({name: np.asarray(p, np.float64) for name, p in params.items()})
    assert np.allclose(outputs(params), expected, rtol=1e-5, atol=1e-6)


def test_one_neuron_by_hand() -> None:
    """u = (1, -2, 0), v = (0, 3, 1), w = (1, -1, 2): at (0, 1) the neuron is 4w, at (1, 0) it is off."""
    params = {"U": jnp.asarray([[1.0, -2, 0]]), "V": jnp.asarray([[0.0, 3, 1]]), "W": jnp.asarray([[1.0, -1, 2]])}
    assert ReLUGroupNet(1)(params, jnp.asarray([0, 1], jnp.int32)).tolist() == [4, -4, 8]
    assert ReLUGroupNet(1)(params, jnp.asarray([1, 0], jnp.int32)).tolist() == [0, 0, 0]


def test_degree_two_for_positive_factors() -> None:
    params = ReLUGroupNet(5).init(KEY, TASK.signature)
    assert np.array_equal(outputs({n: 4 * p for n, p in params.items()}), 16 * outputs(params))
    assert not np.allclose(outputs({n: -p for n, p in params.items()}), outputs(params), atol=1e-3)


def test_same_start_as_the_quadratic_network() -> None:
    """Both read the same symbols, so a comparison may start both from the same weights."""
    ours, theirs = (m.init(KEY, TASK.signature) for m in (ReLUGroupNet(7), QuadraticGroupNet(7)))
    assert all(np.array_equal(ours[name], theirs[name]) for name in "UVW")


@pytest.mark.parametrize("signature", [Signature((3,), (7,), 7), Signature((2,), (8,), 7), Signature((2,), (), 0)])
def test_other_tasks_are_refused(signature: Signature) -> None:
    with pytest.raises(UsageError, match="two of d symbols"):
        ReLUGroupNet(5).init(KEY, signature)
