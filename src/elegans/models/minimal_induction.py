"""The minimal model of an induction head: linear attention with k x k weights W and one number v_j per offset j.

    f(E) = mask(E W (M E)^T) E,   M_{t's} = v_{t'-s+1} 1[s <= t'],                                             (8.8)
    f_{p,i} = Σ_{t'<=p} 1{x_t' = i} Σ_{s<=t'} v_{t'-s+1} W_{x_p, x_s}.

The mask multiplies; there is no softmax inside. Both parameters start constant.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from elegans.base.config import traced
from elegans.base.errors import UsageError
from elegans.models.attention import extended, shifted
from elegans.models.base import Model, Params, Trace


class MinimalInduction(Model):
    """k^2 + t parameters: W compares the current symbol with those that v looks back at."""

    init_v: float = traced(default=0.01)
    init_w: float = traced(default=0.0)

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        k = signature.symbols
        if k < 1 or len(signature.x) != 1 or signature.out != (*signature.x, k):
            raise UsageError(
                f"MinimalInduction predicts its own symbols at each position, not {signature}; take MarkovChains"
            )
        return {"W": jnp.full((k, k), self.init_w, dtype), "v": jnp.full(signature.x, self.init_v, dtype)}

    def trace(self, params: Params, x: Int[Array, "t"], key: Key[Array, ""] | None = None, shared: Any = ()) -> Trace:
        W, v = params["W"], params["v"]
        if x.shape != v.shape:
            raise UsageError(
                f"the input has {x.shape[0]} tokens, but v has {len(v)} offsets; give as many tokens as offsets"
            )
        E = jax.nn.one_hot(x, len(W), dtype=W.dtype)
        M = offset_matrix(v)
        A = jnp.tril((E @ W) @ (M @ E).T)
        return {"M": M, "scores": A, "out": A @ E}


def offset_matrix(v: Float[Array, "t"]) -> Float[Array, "t t"]:
    """M with M_{t's} = v_{t'-s+1} for s <= t', else 0."""
    t = len(v)
    return jnp.tril(shifted(jnp.broadcast_to(extended(v)[None, :], (t, t + 1))))
