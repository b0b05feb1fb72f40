"""Losses with parameters, as configurations: they are called like the functions of `elegans.training.losses`."""

from abc import abstractmethod

import jax.numpy as jnp
from jaxtyping import Array, Float

from elegans.base.config import Config, traced
from elegans.training.losses import hinge, logistic, square


class Loss(Config):
    """A loss of one example. Subclasses are final."""

    @abstractmethod
    def __call__(self, out: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
        """The loss of an output for a target."""


class MarginLoss(Loss):
    """`hinge` for objective 0, `square` for 1, `logistic` for 2. One program serves all three."""

    objective: float = traced(default=0.0, low=0, high=2)

    def __call__(self, out: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
        others = jnp.where(self.objective < 1.5, square(out, y), logistic(out, y))
        return jnp.where(self.objective < 0.5, hinge(out, y), others)
