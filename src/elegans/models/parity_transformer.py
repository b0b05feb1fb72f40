"""The Parity Transformer: one attention head after another looks at all bits from a single CLS position.

    X_i = E_{x_i} + P_i  (i ≤ n),   X_CLS = E_CLS
    z   = X_CLS + Σ_h softmax(X_CLS W_Q^h (X W_K^h)ᵀ / √d_attn) X W_V^h W_out^h
    f   = u·(z + W_2 GELU(W_1 z + b_1) + b_2)

CLS attends to itself too. The factor X before W_V and the shapes of W_2 and b_2 are misprinted in the source. There is
no dropout and no layer norm. Products are associated so that no (n+1) × d_attn matrix of keys or values is ever formed.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.models.activations import gelu
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import Gaussian, Initialiser, Xavier
from elegans.models.mlp import vector_length

PARTS = ("embed", "pos", "WQ", "WK", "WV", "WO", "W1", "W2", "u")


class ParityTransformer(Model):
    """Embeddings from N(0, 1), matrices from Xavier's law, biases 0: tables from Xavier's law do not train."""

    d_embed: int = static(low=1)
    d_attn: int = static(low=1)
    heads: int = static(low=1)
    d_mlp: int = static(low=1)
    initial: Initialiser = static(default=Xavier())
    embedding: Initialiser = static(default=Gaussian(1.0))

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        n, keys = vector_length(self, signature), stream.split(key, PARTS)
        d, a, h, m = self.d_embed, self.d_attn, self.heads, self.d_mlp
        tables = {"embed": (3, d), "pos": (n, d)}
        maps = {"WQ": (h, d, a), "WK": (h, d, a), "WV": (h, d, a), "WO": (h, a, d), "W1": (d, m), "W2": (m, d)}
        return {
            **{name: self.embedding.draw(keys[name], s, 1, d, dtype) for name, s in tables.items()},
            **{name: self.initial.draw(keys[name], s, s[-2], s[-1], dtype) for name, s in maps.items()},
            "b1": jnp.zeros(m, dtype),
            "b2": jnp.zeros(d, dtype),
            "u": self.initial.draw(keys["u"], (d,), d, 1, dtype),
        }

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        cls = params["embed"][2]
        X = rows(params, x)
        attention = jax.nn.softmax(queries(params, cls) @ X.T / math.sqrt(self.d_attn), axis=1)
        values = jnp.einsum("hd,hda->ha", attention @ X, params["WV"])
        z = cls + jnp.einsum("ha,had->d", values, params["WO"])
        hidden = gelu(z @ params["W1"] + params["b1"])
        final = z + hidden @ params["W2"] + params["b2"]
        return {"attention": attention, "residual": z, "hidden": hidden, "final": final, "out": final @ params["u"]}


def rows(params: Params, x: Float[Array, " n"]) -> Float[Array, "n+1 d"]:
    """The input matrix X: the bits in order, then CLS."""
    minus, plus, cls = params["embed"]
    bits = jnp.where((x > 0)[:, None], plus[None], minus[None]) + params["pos"]
    return jnp.concatenate([bits, cls[None]])


def queries(params: Params, cls: Float[Array, " d"]) -> Float[Array, "h d"]:
    """W_K^h (X_CLS W_Q^h)ᵀ: what each head compares a row with; the same for every input."""
    return jnp.einsum("ha,hda->hd", jnp.einsum("d,hda->ha", cls, params["WQ"]), params["WK"])
