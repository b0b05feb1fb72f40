"""The Parity Transformer for `PaddedParity`: a padded position is a 0 among the signs, and no head looks at it.

attention = softmax(mask(X_CLS W_Q (X W_K)ᵀ / √d_attn)),   -∞ where x_i = 0;   all else as in `ParityTransformer`
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from elegans.base.config import static
from elegans.models.activations import gelu
from elegans.models.base import Model, Params, Trace
from elegans.models.padded import sizes_of
from elegans.models.parity_transformer import ParityTransformer, queries, rows


class PaddedTransformer(Model):
    """Parameters, their names and their laws are those of `ParityTransformer` on 32 bits."""

    d_embed: int = static(low=1)
    d_attn: int = static(low=1)
    heads: int = static(low=1)
    d_mlp: int = static(low=1)

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        sizes_of(self, signature)
        plain = ParityTransformer(self.d_embed, self.d_attn, self.heads, self.d_mlp)
        return plain.init(key, signature._replace(sizes=None), dtype)

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        cls, X = params["embed"][2], rows(params, x)
        seen = jnp.concatenate([x != 0, np.ones(1, np.bool_)])
        scores = queries(params, cls) @ X.T / math.sqrt(self.d_attn)
        attention = jax.nn.softmax(jnp.where(seen[None], scores, -jnp.inf), axis=1)
        values = jnp.einsum("hd,hda->ha", attention @ X, params["WV"])
        z = cls + jnp.einsum("ha,had->d", values, params["WO"])
        hidden = gelu(z @ params["W1"] + params["b1"])
        final = z + hidden @ params["W2"] + params["b2"]
        return {"attention": attention, "residual": z, "hidden": hidden, "final": final, "out": final @ params["u"]}
