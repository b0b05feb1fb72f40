"""A one-hidden-layer network with activation z^k that reads n signs and names their parity.

    f(x) = Σ_i (u_i·x)^k w_i ∈ R²,    out = f_0 - f_1        U (m, n),  W (m, 2)

f_0 is the logit of y = +1, so that the logistic loss of `out` is the cross-entropy of f. Neuron i owns row i of both
arrays. There are no biases, so f(λθ) = λ^{k+1} f(θ) for λ > 0.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import FanIn, Initialiser
from elegans.models.mlp import vector_length


class PowerParityNet(Model):
    """`width` = m neurons z^k, m(n + 2) parameters. The default start is Unif(±1/√n) for U and Unif(±1/√m) for W."""

    width: int = static(low=1)
    k: int = static(low=1)
    initial: Initialiser = static(default=FanIn())

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        n, m, keys = vector_length(self, signature), self.width, stream.split(key, ("U", "W"))
        return {
            "U": self.initial.draw(keys["U"], (m, n), n, m, dtype),
            "W": self.initial.draw(keys["W"], (m, 2), m, 2, dtype),
        }

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        pre = params["U"] @ x
        logits = pre**self.k @ params["W"]
        return {"pre": pre, "logits": logits, "out": logits[0] - logits[1]}
