"""One neuron.

    f(x) = u σ(w·x + b)        w (n,),  b (),  u ();  u = 1 without a second layer

With an oscillating activation and w = Σ_{i∈S} e_i, b = 0, u = 1 it is the parity χ_S.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import FanIn, Initialiser
from elegans.models.mlp import vector_length


class Neuron(Model):
    """n + 1 parameters, and one more with a second layer."""

    activation: Callable[..., Any] = static()
    initial: Initialiser = static(default=FanIn())
    second_layer: bool = static(default=True)

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        n, keys = vector_length(self, signature), stream.split(key, ("w", "b", "u"))
        params = {
            "w": self.initial.draw(keys["w"], (n,), n, 1, dtype),
            "b": self.initial.draw(keys["b"], (), n, 1, dtype),
        }
        return params | ({"u": self.initial.draw(keys["u"], (), 1, 1, dtype)} if self.second_layer else {})

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        pre = x @ params["w"] + params["b"]
        hidden = self.activation(pre)
        return {"pre": pre, "hidden": hidden, "out": params["u"] * hidden if self.second_layer else hidden}
