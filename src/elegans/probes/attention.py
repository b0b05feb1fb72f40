"""Where attention goes: maps at a fixed input, and the two scores that make an induction head.

A model qualifies if its trace has "attention0", "attention1", ... of shape (heads, t, t), row i attending to columns j.

    previous-token score   mean over i >= 2 of the weight of position i on i - 1
    induction score        mass of the last position p on {2 <= j <= p: x_{j-1} = x_p}, minus that set's share of 1..p
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.base import Trace
from elegans.probes.base import Probe, View
from elegans.probes.strategies import in_blocks

TOKENS = (0, 2, 1, 2, 0, 0, 1, 2, 2, 0, 1, 1, 2, 1, 0, 2)


class FixedInputAttention(Probe):
    """The softmax attention of every layer at one fixed input, as "attention0", "attention1", ... (heads, t, t)."""

    tokens: tuple[int, ...] = static(default=TOKENS)

    def observe(self, view: View) -> dict[str, Array]:
        k, given = view.task.signature.symbols, self.tokens
        if not given or not all(0 <= token < k for token in given):
            raise UsageError(f"tokens={given} must be one or more symbols of 0..{k - 1}; pass tokens=(0, 1, ...)")
        trace = view.model.trace(view.params, jnp.asarray(given, jnp.int32))
        return {f"attention{l}": a for l, a in enumerate(attention_of(trace))}


class PreviousTokenScore(Probe):
    """Mean weight on the previous token: "score" (layers, heads), and "by_symbol" (layers, heads, k)."""

    on: int = static(default=512, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        k, x = view.task.signature.symbols, view.task.sample(view.eval, self.on, view.secret).x

        def one(x: Int[Array, "t"]) -> tuple[Array, Array]:
            weights = stacked(view, x).diagonal(-1, axis1=-2, axis2=-1)
            E = jax.nn.one_hot(x[1:], k, dtype=weights.dtype)
            return weights @ E, E.sum(0)

        mass, visits = (part.sum(0) for part in in_blocks(one, x))
        return {"score": mass.sum(-1) / visits.sum(), "by_symbol": mass / jnp.maximum(visits, 1)[None, None, :]}


class InductionScore(Probe):
    """The last position's "mass" (layers, heads) behind earlier copies of its symbol, its "base" rate, and "score"."""

    on: int = static(default=512, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        x = view.task.sample(view.eval, self.on, view.secret).x

        def one(x: Int[Array, "t"]) -> tuple[Array, Array]:
            last = stacked(view, x)[..., -1, :]
            match = jnp.concatenate([jnp.zeros(1, np.bool_), x[:-1] == x[-1]]).astype(last.dtype)
            return last @ match, match.mean()

        mass, base = (part.mean(0) for part in in_blocks(one, x))
        return {"score": mass - base, "mass": mass, "base": base}


def attention_of(trace: Trace) -> list[Float[Array, "h t t"]]:
    """The attention of all layers, first layer first."""
    layers = sum(name.startswith("attention") for name in trace)
    if not layers:
        raise UsageError(f"this model's trace has no attention, only {', '.join(trace)}; watch a model with attention")
    return [trace[f"attention{l}"] for l in range(layers)]


def stacked(view: View, x: Int[Array, "t"]) -> Float[Array, "l h t t"]:
    """The attention of all layers at one input."""
    return jnp.stack(attention_of(view.model.trace(view.params, x)))
