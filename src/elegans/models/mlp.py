"""The two-layer network.

    f(x) = u·σ(Wᵀx + b) + c        W (n, r),  b (r,),  u (r,),  c ()

The printed formula has no c, but thin networks cannot represent a parity without it; `output_bias=False` leaves it out.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.activations import relu
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import FanIn, Initialiser


class MLP(Model):
    """`width` hidden neurons, one real output; r(n + 2) parameters, and one more with an output bias."""

    width: int = static(low=1)
    activation: Callable[..., Any] = static(default=relu)
    initial: Initialiser = static(default=FanIn())
    output_bias: bool = static(default=True)

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        n, r, keys = vector_length(self, signature), self.width, stream.split(key, ("W", "b", "u", "c"))
        params = {
            "W": self.initial.draw(keys["W"], (n, r), n, r, dtype),
            "b": self.initial.draw(keys["b"], (r,), n, r, dtype),
            "u": self.initial.draw(keys["u"], (r,), r, 1, dtype),
        }
        return params | ({"c": self.initial.draw(keys["c"], (), r, 1, dtype)} if self.output_bias else {})

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        pre = x @ params["W"] + params["b"]
        hidden = self.activation(pre)
        out = hidden @ params["u"]
        return {"pre": pre, "hidden": hidden, "out": out + params["c"] if self.output_bias else out}


def vector_length(model: Model, signature: Any) -> int:
    """n of a task with real vectors in and one number out, or an error that says what does not fit."""
    if len(signature.x) != 1 or signature.out != () or signature.symbols:
        raise UsageError(
            f"{type(model).__name__} maps one real vector to one number, but the task has inputs of shape "
            f"{signature.x} and outputs of shape {signature.out}; use a parity task, or a model that fits"
        )
    if signature.sizes is not None:
        raise UsageError(
            f"{type(model).__name__} would count the padding of this task as inputs; use its padded form from "
            "elegans.models.padded, or SparseParity"
        )
    return signature.x[0]
