"""The event that a small error is reached, for papers that call a run successful before every example is right."""

import math

import jax.numpy as jnp
from jaxtyping import Array, Bool

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.tasks.base import Batch
from elegans.training.stops import Event, correct


class Accurate(Event):
    """At most the share `error` of the validation sample is classified wrongly (a zero output counts as an error)."""

    every: int = static(default=100, low=1)
    screen: int = static(default=2048, low=1)
    on: int = static(default=2048, low=1)
    error: float = static(default=0.1, low=0, high=1)

    def check(self) -> None:
        if self.on != self.screen:
            raise UsageError(
                f"on={self.on} and screen={self.screen} must be equal, because a share of errors cannot be confirmed "
                f"part by part; take screen={self.on}"
            )

    @property
    def name(self) -> str:
        return "accurate"

    def passed(self, out: Array, batch: Batch) -> Bool[Array, ""]:
        return (~correct(out, batch.y)).sum(dtype=jnp.int32) <= math.floor(self.error * self.on)
