"""Weight decay by name: what shrinks, what does not, and that the default is what it was."""

import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base.config import digest
from elegans.base.errors import UsageError
from elegans.models.base import Params
from elegans.training.algorithms import SGD


def params() -> Params:
    return {"W": jnp.asarray([[2.0, -4.0]], jnp.float32), "b": jnp.asarray([8.0], jnp.float32)}


def step(algorithm: SGD, gradient: float) -> dict[str, np.ndarray]:
    p = params()
    grads = {n: jnp.full_like(a, gradient) for n, a in p.items()}
    moved, _ = algorithm.update(p, algorithm.start(p), grads, jnp.int32(0))
    return {n: np.asarray(a) for n, a in moved.items()}


def test_only_named_parameters_shrink() -> None:
    moved = step(SGD(0.5, decay=0.25, decays=("W",)), 1.0)
    np.testing.assert_array_equal(moved["W"], [[1.0, -3.5]])  # 0.75 p - 0.5
    np.testing.assert_array_equal(moved["b"], [7.5])


def test_naming_all_is_the_default() -> None:
    every, default = step(SGD(0.5, decay=0.25, decays=("W", "b")), 1.0), step(SGD(0.5, decay=0.25), 1.0)
    for name in every:
        np.testing.assert_array_equal(every[name], default[name])
    assert default["b"] == 5.5


def test_the_default_leaves_identities_alone() -> None:
    assert digest(SGD(0.5)) == digest(SGD(0.5, decays=())) != digest(SGD(0.5, decays=("W",)))


def test_a_name_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="no parameter that trains named 'w'"):
        SGD(0.1, decays=("w",)).start(params())
