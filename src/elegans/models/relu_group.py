"""A one-hidden-layer ReLU network that reads two symbols a, b < d and names a third.

    F_c(a, b) = Σ_i (u_ia + v_ib)_+ w_ic        U, V, W of shape (m, d)

As `QuadraticGroupNet` with another activation: no biases, so F(λθ) = λ² F(θ) for λ > 0. Neuron i owns row i.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.activations import relu
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import FanIn, Initialiser


class ReLUGroupNet(Model):
    """`width` = m neurons, 3md parameters. The default start is Unif(±1/√(2d)) for U and V, and Unif(±1/√m) for W."""

    width: int = static(low=1)
    initial: Initialiser = static(default=FanIn())

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        m, d, keys = self.width, _symbols(signature), stream.split(key, ("U", "V", "W"))
        return {
            "U": self.initial.draw(keys["U"], (m, d), 2 * d, m, dtype),
            "V": self.initial.draw(keys["V"], (m, d), 2 * d, m, dtype),
            "W": self.initial.draw(keys["W"], (m, d), m, d, dtype),
        }

    def trace(self, params: Params, x: Int[Array, "2"], key: Key[Array, ""] | None = None, shared: Any = ()) -> Trace:
        pre = params["U"][:, x[0]] + params["V"][:, x[1]]
        return {"pre": pre, "out": relu(pre) @ params["W"]}


def _symbols(signature: Any) -> int:
    """d of a task with two of d symbols in and d classes out, or an error that says what does not fit."""
    if signature.x != (2,) or not signature.symbols or signature.out != (signature.symbols,):
        raise UsageError(
            "ReLUGroupNet reads two of d symbols and gives d logits, but the task has inputs of shape "
            f"{signature.x}, outputs of shape {signature.out} and {signature.symbols} symbols; "
            "use a task like GroupComposition(Cyclic(7))"
        )
    return signature.symbols
