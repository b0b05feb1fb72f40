"""Models on listed inputs in double precision, for calculations that hold a model against its formula."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from elegans.base import stream
from elegans.lab.program import precision
from elegans.models.base import Model
from elegans.tasks.base import Signature
from elegans.theory.boolean import cube

Floats = NDArray[np.float64]


def points(n: int) -> Floats:
    """The whole cube {±1}^n."""
    return cube(n).astype(np.float64)


def shapes(model: Model, n: int) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter of a model that reads n bits."""
    fresh = jax.eval_shape(lambda: model.init(stream.key(0, stream.Purpose.INIT), Signature((n,), ()), jnp.float32))
    return {name: a.shape for name, a in fresh.items()}


def parameter_count(model: Model, n: int) -> int:
    """How many numbers a model on n bits has."""
    return sum(int(np.prod(shape)) for shape in shapes(model, n).values())


def drawn(model: Model, n: int, rng: np.random.Generator, scale: float = 0.5) -> dict[str, Floats]:
    """Parameters of the right shapes from N(0, scale²): an identity must hold wherever they are."""
    return {name: scale * rng.standard_normal(shape) for name, shape in shapes(model, n).items()}


def outputs(model: Model, params: Mapping[str, Any], x: Floats) -> Floats:
    """f(x) on a batch."""
    with precision("float64"):
        return np.asarray(_outputs(model, _wide(params), x))


def gradient(model: Model, params: Mapping[str, Any], x: Floats, y: Floats) -> dict[str, Floats]:
    """Gradient of the correlation loss -y f, averaged over a batch, by automatic differentiation."""
    with precision("float64"):
        return {name: np.asarray(a) for name, a in _gradient(model, _wide(params), x, y).items()}


def _wide(params: Mapping[str, Any]) -> dict[str, Floats]:
    return {name: np.asarray(a, np.float64) for name, a in params.items()}


@partial(jax.jit, static_argnums=0)
def _outputs(model: Model, params: dict[str, Any], x: Any) -> Any:
    return jax.vmap(lambda one: model(params, one))(x)


@partial(jax.jit, static_argnums=0)
def _gradient(model: Model, params: dict[str, Any], x: Any, y: Any) -> dict[str, Any]:
    return jax.grad(lambda p: -(y * _outputs(model, p, x)).mean())(params)
