"""How well a run does: accuracy on its validation sample, and the training loss of its last step."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array

from elegans.base.config import static
from elegans.probes.base import Probe, View
from elegans.tasks.base import Batch
from elegans.training.stops import correct

BLOCK = 512  # examples evaluated at once, so that wide models need little memory


class Accuracy(Probe):
    """Share of the first `on` validation examples that are classified correctly; a zero output is an error."""

    on: int = static(default=1024, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        batch = validation(view, self.on)
        out = lax.map(lambda x: view.model(view.params, x, None, batch.shared), batch.x, batch_size=min(BLOCK, self.on))
        return {"accuracy": correct(out, batch.y).mean(dtype=jnp.float32)}


class TrainLoss(Probe):
    """The training loss of the last step."""

    def observe(self, view: View) -> dict[str, Array]:
        return {"loss": view.loss}


def validation(view: View, n: int) -> Batch:
    """The first n validation examples of the run."""
    return in_precision(view, view.task.sample(view.eval, n, view.secret))


def in_precision(view: View, batch: Batch) -> Batch:
    """Real inputs and targets in the precision of the parameters; integers as they are."""
    dtype = jax.tree.leaves(view.params)[0].dtype

    def cast(a: Any) -> Array:
        return jnp.asarray(a, dtype if jnp.issubdtype(a.dtype, jnp.floating) else a.dtype)

    return jax.tree.map(cast, batch)
