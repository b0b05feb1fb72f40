"""What a model is: a frozen configuration, `init`, and `trace`, which computes every named intermediate for one example.

Parameters are a flat dictionary of named arrays. Batches are made by `jax.vmap`, so a model's code reads like its formula.
"""

from abc import abstractmethod
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Key

from elegans.base.config import Config

Params = dict[str, Array]
Trace = dict[str, Array]


class Model(Config):
    """An architecture. Subclasses are final."""

    @abstractmethod
    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        """Fresh parameters for examples of this `signature` (see `elegans.tasks.base.Signature`)."""

    @abstractmethod
    def trace(self, params: Params, x: Array, key: Key[Array, ""] | None = None, shared: Any = ()) -> Trace:
        """All named intermediates for one example; "out" is the model's output."""

    def __call__(self, params: Params, x: Array, key: Key[Array, ""] | None = None, shared: Any = ()) -> Array:
        """The output for one example."""
        return self.trace(params, x, key, shared)["out"]
