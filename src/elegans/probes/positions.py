"""Where the first layer looks by position alone: the effective positional encoding, and how much it alternates.

    v̂_xj = softmax_j(e_x W_Q v_j^T / sqrt(d)),   v̂_j = mean_x v̂_xj,      j = 1 the token itself, j = 2 the one before it

for AttentionOnly's first layer, where e_x passes the layer norm if there is one; the paper prints W_K for W_Q, but by (8.5)
positions meet W_Q. For MinimalInduction v̂ = v. Even offsets stand above odd ones by

    C = 1/m Σ_{i=1..m} (v̂_{2i} - (v̂_{2i-1} + v̂_{2i+1}) / 2) / mean_j |v̂_j|,

and the mean over i = 2..m alone leaves out offset 2, which the solution needs: it is the spurious part.
"""

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.attention import AttentionOnly, normed
from elegans.models.minimal_induction import MinimalInduction
from elegans.probes.base import Probe, View


class EffectivePositions(Probe):
    """ "v" (heads, t), offset j in entry j - 1; "by_symbol" (heads, k, t); "contrast" C and "spurious" (heads,)."""

    pairs: int = static(default=3, low=2)

    def observe(self, view: View) -> dict[str, Array]:
        by_symbol = _positions(view)
        v = by_symbol.mean(1)
        if v.shape[-1] <= 2 * self.pairs:
            raise UsageError(
                f"the contrast of {self.pairs} even offsets needs t >= {2 * self.pairs + 1}, not {v.shape[-1]}; "
                "lower EffectivePositions.pairs or lengthen the context"
            )
        each = steps_up(v, self.pairs) / jnp.abs(v).mean(-1, keepdims=True)
        return {"v": v, "by_symbol": by_symbol, "contrast": each.mean(-1), "spurious": each[:, 1:].mean(-1)}


def steps_up(v: Float[Array, "h t"], pairs: int) -> Float[Array, "h pairs"]:
    """v_{2i} - (v_{2i-1} + v_{2i+1}) / 2 for i = 1..pairs."""
    even, odd = v[:, 1 : 2 * pairs : 2], v[:, 0 : 2 * pairs + 1 : 2]
    return even - (odd[:, :-1] + odd[:, 1:]) / 2


def _positions(view: View) -> Float[Array, "h k t"]:
    """v̂ for every symbol; the minimal model's v is the same for all."""
    params, model = view.params, view.model
    if isinstance(model, MinimalInduction):
        return jnp.broadcast_to(params["v"], (1, len(params["W"]), len(params["v"])))
    if isinstance(model, AttentionOnly):
        return effective(params["embed"], params, model.heads)
    raise UsageError(
        f"{type(model).__name__} has no table of relative positions; watch AttentionOnly or MinimalInduction"
    )


def effective(embed: Float[Array, "k d"], params: dict[str, Array], heads: int) -> Float[Array, "h k t"]:
    """softmax over offsets of e_x W_Q v_j^T / sqrt(d / heads), head by head."""
    split = lambda a: jnp.swapaxes(a.reshape(len(a), heads, -1), 0, 1)  # noqa: E731
    q, pos = split(normed(params, "ln0", embed) @ params["q0"]), split(params["pos0"])
    return jax.nn.softmax(q @ jnp.swapaxes(pos, 1, 2) / math.sqrt(q.shape[-1]))
