"""How well a run does on its finite training set, which `Virtual(m)` never stores.

    share of i < m with y_i f(x_i) > 0

Memorising is when this is 1 and the accuracy on fresh examples is not.
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int

from elegans.base.errors import UsageError
from elegans.probes.accuracy import BLOCK, in_precision
from elegans.probes.base import Probe, View
from elegans.training.regimes import Virtual
from elegans.training.stops import correct


class TrainAccuracy(Probe):
    """`accuracy` on all m examples of the virtual training set (with true labels, if the task is noisy)."""

    def observe(self, view: View) -> dict[str, Array]:
        regime = view.regime
        if not isinstance(regime, Virtual):
            raise UsageError(
                f"{type(regime).__name__} has no training set of its own; watch TrainAccuracy of a run on Virtual(m)"
            )

        def right(i: Int[Array, ""]) -> Bool[Array, ""]:
            batch = in_precision(view, regime.examples(view.task, view.secret, view.data, i[None]))
            return correct(view.model(view.params, batch.x[0], None, batch.shared), batch.y[0])

        found = lax.map(right, jnp.arange(regime.m, dtype=jnp.int32), batch_size=min(BLOCK, regime.m))
        return {"accuracy": found.mean(dtype=jnp.float32)}
