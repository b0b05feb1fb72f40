"""Attention before the softmax at a fixed input: the matrices A of (8.5).

    A_ij = (z_i W_Q) (z_j W_K + v_{i-j+1})^T / sqrt(d),   j <= i

A constant added to a row changes nothing, so only differences within rows have a meaning.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.attention import TOKENS
from elegans.probes.base import Probe, View


class FixedInputScores(Probe):
    """The scores of every layer at one fixed input, as "scores0", "scores1", ... (heads, t, t), with 0 where j > i."""

    tokens: tuple[int, ...] = static(default=TOKENS)

    def observe(self, view: View) -> dict[str, Array]:
        k, given = view.task.signature.symbols, self.tokens
        if not given or not all(0 <= token < k for token in given):
            raise UsageError(f"tokens={given} must be one or more symbols of 0..{k - 1}; pass tokens=(0, 1, ...)")
        trace = view.model.trace(view.params, jnp.asarray(given, jnp.int32))
        layers = sum(name.startswith("scores") and name != "scores" for name in trace)
        if not layers:
            raise UsageError(f"this model's trace has no scores by layer, only {', '.join(trace)}; watch AttentionOnly")
        past = np.tri(len(given), dtype=np.bool_)
        return {f"scores{l}": jnp.where(past, trace[f"scores{l}"], 0) for l in range(layers)}
