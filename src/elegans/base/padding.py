"""How inputs of every size fit one program: 32 columns, of which the first n are real. Padded tasks and models agree on it."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

COLUMNS = 32  # one random word an example
LARGEST_DEGREE = 4  # to which models that follow k are padded


def whole(number: Any) -> Int[Array, ""]:
    """The integer that a traced field stands for."""
    return jnp.round(jnp.asarray(number, jnp.float32)).astype(jnp.int32)


def first(count: Any, of: int = COLUMNS) -> Array:
    """Which of the `of` places come before the `count`-th."""
    return whole(count) > np.arange(of, dtype=np.int32)
