"""Products of linear forms.

    PolyNet          f(x) = Π_{i≤k} (w_i·x + b_i)        W (k, n),  b (k,)
    DisjointPolyNet  f(x) = Π_{i≤k} w_i·x_{P_i}          W (k, n'),  n' = n/k

With {w_i} = {e_j : j ∈ S} and b = 0 a PolyNet is the parity χ_S. The derivative of JAX's product
multiplies the other factors and never divides, so it is right where factors vanish.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import FanIn, Initialiser, Signs
from elegans.models.mlp import vector_length


class PolyNet(Model):
    """A product of `degree` affine forms; degree (n + 1) parameters."""

    degree: int = static(low=1)
    initial: Initialiser = static(default=FanIn())

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        n, k, keys = vector_length(self, signature), self.degree, stream.split(key, ("W", "b"))
        return {
            "W": self.initial.draw(keys["W"], (k, n), n, k, dtype),
            "b": self.initial.draw(keys["b"], (k,), n, k, dtype),
        }

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        pre = params["W"] @ x + params["b"]
        return {"pre": pre, "out": pre.prod()}


class DisjointPolyNet(Model):
    """A product of `degree` linear forms, each of its own block of inputs; n parameters."""

    degree: int = static(low=1)
    initial: Initialiser = static(default=Signs())

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        n, k = vector_length(self, signature), self.degree
        if n % k:
            raise UsageError(f"degree is {k}, but the n={n} inputs must fall into that many equal blocks")
        return {"W": self.initial.draw(stream.split(key, ("W",))["W"], (k, n // k), n // k, 1, dtype)}

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        pre = (params["W"] * x.reshape(self.degree, -1)).sum(1)
        return {"pre": pre, "out": pre.prod()}
