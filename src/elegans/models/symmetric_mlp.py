"""The two-layer ReLU network with the initialisation of the theory (Theorem 5.5), which computes zero at the start.

    f(x) = Σ_{i≤r} u_i ReLU(w_i·x + b_i)        w_i ~ Unif{±1}^n,  u_i ~ Unif{±1},
    b_i ~ Unif{-1 + 1/k, -1 + 2/k, ..., 1 - 1/k}        for i ≤ r/2;  neuron i + r/2 copies w_i, b_i and has -u_i

As f = 0, every loss that falls with y f has the same gradient up to a factor. For odd n nothing ties: w·x is odd, |b| < 1.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import Signs
from elegans.models.mlp import MLP, vector_length
from elegans.theory.symmetric_start import bias_grid


class SymmetricMLP(Model):
    """`width` neurons in pairs that cancel; `k` is the size of the parity, which sets the grid of biases."""

    width: int = static(low=2)
    k: int = static(low=1)

    def check(self) -> None:
        if self.width % 2:
            raise UsageError(f"width is {self.width}, but neurons come in pairs; take width={self.width + 1}")

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        n, half, keys = vector_length(self, signature), self.width // 2, stream.split(key, ("W", "b", "u"))
        signs, grid = Signs(), bias_grid(self.k)
        W = signs.draw(keys["W"], (n, half), n, self.width, dtype)
        u = signs.draw(keys["u"], (half,), self.width, 1, dtype)
        place = stream.words(keys["b"], half) % jnp.uint32(len(grid))
        b = jnp.asarray(grid, dtype)[place]
        return {"W": jnp.concatenate([W, W], 1), "b": jnp.concatenate([b, b]), "u": jnp.concatenate([u, -u])}

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        return MLP(self.width, output_bias=False).trace(params, x)
