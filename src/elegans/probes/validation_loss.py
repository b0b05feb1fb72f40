"""The loss on fresh examples: the same ones at every step, so that small slopes are not lost in noise.

mean_i ℓ(f(x_i), y_i)  over the first `on` validation examples
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array

from elegans.base.config import static
from elegans.probes.accuracy import BLOCK, validation
from elegans.probes.base import Probe, View
from elegans.training.losses import hinge


class ValidationLoss(Probe):
    """Mean `loss` over the first `on` validation examples."""

    loss: Callable[..., Any] = static(default=hinge)
    on: int = static(default=1024, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        batch = validation(view, self.on)

        def one(example: tuple[Array, Array]) -> Array:
            x, y = example
            return self.loss(view.model(view.params, x, None, batch.shared), y)

        losses = lax.map(one, (batch.x, batch.y), batch_size=min(BLOCK, self.on))
        return {"loss": losses.mean(dtype=jnp.float32)}
