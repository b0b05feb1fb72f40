"""Sparse first layers: every neuron starts at the sum of a few inputs, and adds up no others.

    W_ij = 1 for s inputs i of neuron j, drawn without replacement; 0 elsewhere

Biases and output weights, which are no matrices, follow `FanIn`. Training may make the zeros non-zero.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.models.initialisers import FanIn, Initialiser, Weights


class Sparse(Initialiser):
    """`s` ones a column of a matrix (all of it, if there are fewer), where columns are neurons; all else like `FanIn`."""

    s: int = static(default=2, low=1)

    def draw(self, key: Key[Array, ""], shape: Sequence[int], fan_in: int, fan_out: int, dtype: jnp.dtype) -> Weights:
        if len(shape) != 2:
            return FanIn().draw(key, shape, fan_in, fan_out, dtype)
        n, r = shape
        order = jnp.argsort(stream.words(key, n, r), axis=0)[: self.s]
        return jax.nn.one_hot(order, n, axis=0, dtype=dtype).sum(1, dtype=dtype)
