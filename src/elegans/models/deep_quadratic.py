"""The deep network of squares.

    z_0 = x        z_i = (W_iᵀ z_{i-1} + b_i)²  for i < L        f(x) = u·z_{L-1} + c

Its degree in x is 2^{L-1}, so it can correlate with a parity of k bits only if k <= 2^{L-1}. A last width of one leaves
u z², which has one sign: without the output bias c it is no classifier. The printed formula has no c.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import FanIn, Initialiser
from elegans.models.mlp import vector_length


class DeepQuadratic(Model):
    """L - 1 = len(widths) layers of squares and a linear read-out; parameters W1, b1, W2, b2, ..., u, c."""

    widths: tuple[int, ...] = static(default=(2, 1))
    initial: Initialiser = static(default=FanIn())
    output_bias: bool = static(default=True)

    def check(self) -> None:
        if not self.widths or min(self.widths) < 1:
            raise UsageError(f"widths is {self.widths}, but it must list at least one layer, each of width 1 or more")

    @property
    def degree(self) -> int:
        """2^{L-1}, the degree of the output in x."""
        return 2 ** len(self.widths)

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        sizes = (vector_length(self, signature), *self.widths)
        depth, last = len(self.widths), sizes[-1]
        keys = stream.split(key, [f"{name}{i}" for i in range(1, depth + 1) for name in "Wb"] + ["u", "c"])
        params: Params = {}
        for i in range(1, depth + 1):
            fan_in, fan_out = sizes[i - 1], sizes[i]
            params[f"W{i}"] = self.initial.draw(keys[f"W{i}"], (fan_in, fan_out), fan_in, fan_out, dtype)
            params[f"b{i}"] = self.initial.draw(keys[f"b{i}"], (fan_out,), fan_in, fan_out, dtype)
        params["u"] = self.initial.draw(keys["u"], (last,), last, 1, dtype)
        return params | ({"c": self.initial.draw(keys["c"], (), last, 1, dtype)} if self.output_bias else {})

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        z, seen = x, {}
        for i in range(1, len(self.widths) + 1):
            z = jnp.square(z @ params[f"W{i}"] + params[f"b{i}"])
            seen[f"z{i}"] = z
        out = z @ params["u"]
        return {**seen, "out": out + params["c"] if self.output_bias else out}
