"""The attention-only transformer with relative positions, one example at a time, in row vectors.

    z^(0) = E W_E,   z^(l) = z^(l-1) + softmax(mask(A)) z^(l-1) W_V,   logits = z^(L) P,                        (8.4)
    A_ij = (z_i W_Q) (z_j W_K + v_{i-j+1})^T / sqrt(d),   j <= i.                                               (8.5)

The variant "plain" is exactly this. "mingpt" reads z through a layer norm before W_Q, W_K, W_V and before P, and mixes
each layer's output by W_O. All matrices and tables start as N(0, 0.02^2); linear maps have no biases, and nothing is
dropped out. With h heads the columns of W_Q, W_K, W_V and v are split into h slices, and the scale is 1 / sqrt(d/h).

Four forms are chosen for speed and change nothing else. Positions need no gather: z W_Q v^T is computed with one more
column, so that reading its rows one element shorter shifts row i by i. The barrier there makes the compiler store that
array's gradient once instead of rebuilding it, element by element, for each of its uses. A row is divided by its sum
after the product with the values; the normalised attention is computed only where a probe asks for it. And the means of
layer norms are matrix products, which are faster than sums over short rows, forwards and above all backwards.
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
from elegans.models.base import Model, Params, Trace

STD = 0.02
EPSILON = 1e-5


class AttentionOnly(Model):
    """Layers of causal attention without MLPs. Its trace has z0..zL and, per layer, scores and attention (h, t, t)."""

    d: int = static(default=16, low=1)
    layers: int = static(default=2, low=1)
    heads: int = static(default=1, low=1)
    variant: Literal["mingpt", "plain"] = static(default="mingpt")

    def check(self) -> None:
        if self.d % self.heads:
            fit = -(-self.d // self.heads) * self.heads
            raise UsageError(f"d={self.d} cannot be split into heads={self.heads} equal slices; take d={fit}")

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        if signature.symbols < 1 or len(signature.x) != 1 or signature.out[:-1] != signature.x:
            raise UsageError(
                f"AttentionOnly reads t symbols and answers at each of them, not {signature}; take a sequence task"
            )
        t, d, names = signature.x[0], self.d, ("q", "k", "v", "o") if self.variant == "mingpt" else ("q", "k", "v")
        shapes = {"embed": (signature.symbols, d), "read": (d, signature.out[-1])}
        for l in range(self.layers):
            shapes |= {f"{name}{l}": (d, d) for name in names} | {f"pos{l}": (t, d)}
        keys = stream.split(key, tuple(shapes))
        params = {name: stream.normal(keys[name], shape, STD, dtype) for name, shape in shapes.items()}
        return params | self._norms(dtype)

    def _norms(self, dtype: jnp.dtype) -> Params:
        places = ["ln", *(f"ln{l}" for l in range(self.layers))] if self.variant == "mingpt" else []
        ones = {f"{place}_g": jnp.ones(self.d, dtype) for place in places}
        return ones | {f"{place}_b": jnp.zeros(self.d, dtype) for place in places}

    def trace(self, params: Params, x: Int[Array, "t"], key: Key[Array, ""] | None = None, shared: Any = ()) -> Trace:
        embed, limit = params["embed"], params["pos0"].shape[0]
        if x.shape[0] > limit:
            raise UsageError(
                f"the input has {x.shape[0]} tokens, but positions were made for t={limit}; give at most {limit}"
            )
        z = jax.nn.one_hot(x, embed.shape[0], dtype=embed.dtype) @ embed
        seen: Trace = {"z0": z}
        for l in range(self.layers):
            z = z + self._layer(params, l, z, seen)
            seen[f"z{l + 1}"] = z
        return seen | {"out": normed(params, "ln", z) @ params["read"]}

    def _layer(self, params: Params, l: int, z: Float[Array, "t d"], seen: Trace) -> Float[Array, "t d"]:
        """What layer l adds to z; its scores and attention are entered into `seen`."""
        h = normed(params, f"ln{l}", z)
        q, k, v = (self._split(h @ params[f"{name}{l}"]) for name in "qkv")
        pos = self._split(params[f"pos{l}"][: len(z)])
        A = jax.vmap(scores)(q / math.sqrt(self.d // self.heads), k, pos)
        weights = jnp.exp(A - jax.lax.stop_gradient(A).max(-1, keepdims=True))
        total = weights.sum(-1, keepdims=True)
        seen |= {f"scores{l}": A, f"attention{l}": weights / total}
        out = jnp.swapaxes(weights @ v / total, 0, 1).reshape(z.shape)
        return out @ params[f"o{l}"] if f"o{l}" in params else out

    def _split(self, a: Float[Array, "t d"]) -> Float[Array, "h t d/h"]:
        return jnp.swapaxes(a.reshape(len(a), self.heads, -1), 0, 1)


def scores(q: Float[Array, "t d"], k: Float[Array, "t d"], pos: Float[Array, "t d"]) -> Float[Array, "t t"]:
    """mask(A): q_i (k_j + v_{i-j+1})^T for j <= i and -inf elsewhere."""
    A = q @ k.T + shifted(jax.lax.optimization_barrier(q @ extended(pos).T))
    return jnp.where(np.tri(len(q), dtype=np.bool_), A, -jnp.inf)


def extended(by_offset: Float[Array, "t *d"]) -> Float[Array, "t+1 *d"]:
    """Rows for offsets t, t-1, ..., 1 after a row of zeros: the columns that `shifted` expects."""
    return jnp.concatenate([jnp.zeros_like(by_offset[:1]), by_offset[::-1]])


def shifted(R: Float[Array, "t t+1"]) -> Float[Array, "t t"]:
    """S_ij = R_{i, t-i+j}, which is row i at the column of offset i - j + 1; only j <= i has a meaning."""
    t = len(R)
    return R.reshape(t + 1, t)[1:]


def normed(params: Params, name: str, z: Float[Array, "t d"]) -> Float[Array, "t d"]:
    """The layer norm called `name`, or z itself where the model has none."""
    if f"{name}_g" not in params:
        return z
    d = z.shape[-1]
    mean = jnp.full((d, d), 1 / d, z.dtype)
    centred = z - z @ mean
    scale = jax.lax.rsqrt(jnp.square(centred) @ mean + EPSILON)
    return centred * scale * params[f"{name}_g"][None, :] + params[f"{name}_b"][None, :]
