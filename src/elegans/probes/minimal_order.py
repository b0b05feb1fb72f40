"""How far the minimal model is on its way: few numbers that tell its two layers apart.

    diagonal, off   the means of W_ii and of W_ij, i != j
    second          v_2 / max_{j != 2} |v_j|,     share = v_2 / Σ_j |v_j|
    bigram          cos(W, I) cos(v, e_2),        unigram = cos(W, 1 1^T) cos(v, e_1)

The model is linear in the tensor product of W and v, so the last two are cosines with the weights of Fact 8.3.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from elegans.base.errors import UsageError
from elegans.models.minimal_induction import MinimalInduction
from elegans.probes.base import Probe, View


class MinimalOrder(Probe):
    """The six numbers, each 0 where it would be 0/0, and "W" (k, k) itself."""

    def observe(self, view: View) -> dict[str, Array]:
        if not isinstance(view.model, MinimalInduction) or min(map(len, view.params.values())) < 2:
            raise UsageError(
                f"MinimalOrder compares W's diagonal with the rest and offset 2 with others, not {type(view.model).__name__} "
                "on this task; watch MinimalInduction with k >= 2 symbols and t >= 2 tokens"
            )
        W, v = view.params["W"], view.params["v"]
        return {"W": W, **of_second_layer(W), **of_offsets(v), **cosines(W, v)}


def of_second_layer(W: Float[Array, "k k"]) -> dict[str, Array]:
    """The mean on the diagonal, and beside it."""
    k, trace = len(W), jnp.trace(W)
    return {"diagonal": trace / k, "off": (W.sum() - trace) / (k * (k - 1))}


def of_offsets(v: Float[Array, "t"]) -> dict[str, Array]:
    """How far v_2 stands out."""
    others = jnp.abs(v).at[1].set(0)
    return {"second": over(v[1], others.max()), "share": over(v[1], jnp.abs(v).sum())}


def cosines(W: Float[Array, "k k"], v: Float[Array, "t"]) -> dict[str, Array]:
    """Cosines with the constructions for bigrams and for unigrams."""
    k, size = len(W), jnp.sqrt(jnp.square(W).sum() * jnp.square(v).sum())
    return {"bigram": over(jnp.trace(W) * v[1], size) / k**0.5, "unigram": over(W.sum() * v[0], size) / k}


def over(a: Array, b: Array) -> Array:
    """a/b, and 0/0 = 0."""
    return jnp.where(a == 0, 0, a / jnp.where(a == 0, 1, b))
