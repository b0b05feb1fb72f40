"""A causal transformer with one head that may have MLPs, and either kind of positions, one example at a time.

    z^(0) = E W_E (+ s),   y^(l) = z^(l-1) + softmax(mask(A)) h W_V W_O,   z^(l) = y^(l) (+ gelu(g U) D),   logits = z^(L) P
    A_ij = (h_i W_Q) (h_j W_K (+ v_{i-j+1}))^T / sqrt(d),   j <= i,        U (d, 4d),  D (4d, d)

where h and g are layer norms of z^(l-1) and y^(l), and z^(L) passes one before P. With "relative" positions every layer
has a table v (t, d) and there is no s; with "absolute" ones s (t, d) is added to the embeddings and there is no v. With
relative positions and without MLP this is AttentionOnly, bit for bit at the start. Nothing has a bias.
"""

import math
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.activations import gelu
from elegans.models.attention import STD, AttentionOnly, normed, scores
from elegans.models.base import Model, Params, Trace

WIDER = 4  # hidden units of the MLP per dimension
OTHERS = 2**32 - 1  # child of a key that draws what AttentionOnly does not have


class Transformer(Model):
    """Its trace has z0..zL and, per layer, scores and attention (1, t, t) and, with MLPs, hidden (t, 4d)."""

    d: int = static(default=16, low=1)
    layers: int = static(default=1, low=1)
    positions: Literal["relative", "absolute"] = static(default="relative")
    mlp: bool = static(default=True)

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        params = AttentionOnly(self.d, self.layers).init(key, signature, dtype)
        shapes = self._others(signature.x[0])
        keys = stream.split(stream.fold(key, OTHERS), tuple(shapes)) if shapes else {}
        new = {name: stream.normal(keys[name], shape, STD, dtype) for name, shape in shapes.items()}
        if self.positions == "absolute":
            params = {name: p for name, p in params.items() if not name.startswith("pos")}
        return params | new | self._norms(dtype)

    def _others(self, t: int) -> dict[str, tuple[int, int]]:
        """Shapes of the tables and matrices that AttentionOnly does not have."""
        shapes = {"pos": (t, self.d)} if self.positions == "absolute" else {}
        for l in range(self.layers if self.mlp else 0):
            shapes |= {f"up{l}": (self.d, WIDER * self.d), f"down{l}": (WIDER * self.d, self.d)}
        return shapes

    def _norms(self, dtype: jnp.dtype) -> Params:
        places = [f"mlp{l}" for l in range(self.layers)] if self.mlp else []
        ones = {f"{place}_g": jnp.ones(self.d, dtype) for place in places}
        return ones | {f"{place}_b": jnp.zeros(self.d, dtype) for place in places}

    def trace(self, params: Params, x: Int[Array, "t"], key: Key[Array, ""] | None = None, shared: Any = ()) -> Trace:
        embed, limit = params["embed"], len(params["pos0" if self.positions == "relative" else "pos"])
        if len(x) > limit:
            raise UsageError(
                f"the input has {len(x)} tokens, but positions were made for t={limit}; give at most {limit}"
            )
        z = jax.nn.one_hot(x, len(embed), dtype=embed.dtype) @ embed
        if self.positions == "absolute":
            z = z + params["pos"][: len(x)]
        seen: Trace = {"z0": z}
        for l in range(self.layers):
            z = z + self._attend(params, l, z, seen)
            z = z + self._think(params, l, z, seen) if self.mlp else z
            seen[f"z{l + 1}"] = z
        return seen | {"out": normed(params, "ln", z) @ params["read"]}

    def _attend(self, params: Params, l: int, z: Float[Array, "t d"], seen: Trace) -> Float[Array, "t d"]:
        """What attention adds to z; its scores and weights are entered into `seen`."""
        h = normed(params, f"ln{l}", z)
        q, k, v = (h @ params[f"{name}{l}"] for name in "qkv")
        q = q / math.sqrt(self.d)
        A = scores(q, k, params[f"pos{l}"][: len(z)]) if self.positions == "relative" else content(q, k)
        weights = jnp.exp(A - jax.lax.stop_gradient(A).max(-1, keepdims=True))
        total = weights.sum(-1, keepdims=True)
        seen |= {f"scores{l}": A[None], f"attention{l}": (weights / total)[None]}
        return weights @ v / total @ params[f"o{l}"]

    def _think(self, params: Params, l: int, z: Float[Array, "t d"], seen: Trace) -> Float[Array, "t d"]:
        """What the MLP adds to z, position by position."""
        hidden = gelu(normed(params, f"mlp{l}", z) @ params[f"up{l}"])
        seen[f"hidden{l}"] = hidden
        return hidden @ params[f"down{l}"]


def content(q: Float[Array, "t d"], k: Float[Array, "t d"]) -> Float[Array, "t t"]:
    """mask(q k^T): q_i k_j^T for j <= i and -inf elsewhere."""
    return jnp.where(np.tri(len(q), dtype=np.bool_), q @ k.T, -jnp.inf)
