"""Regularisers that are added to the mean loss."""

from abc import abstractmethod

import jax.numpy as jnp
from jaxtyping import Array, Float

from elegans.base.config import Config, static, traced
from elegans.models.base import Params


class Penalty(Config):
    """A function of the parameters. Subclasses are final."""

    @abstractmethod
    def value(self, params: Params) -> Float[Array, ""]:
        """What is added to the mean loss."""


class NoPenalty(Penalty):
    """Nothing is added."""

    def value(self, params: Params) -> Float[Array, ""]:
        return jnp.zeros((), next(iter(params.values())).dtype)


class NeuronNorm(Penalty):
    """strength * sum_i ||omega_i||_2^power, where neuron i owns row i of every parameter array."""

    strength: float = traced(low=0)
    power: int = static(default=3, low=2)  # power 1 has no gradient at a zero neuron

    def value(self, params: Params) -> Float[Array, ""]:
        return self.strength * (_squared(params) ** (self.power / 2)).sum()


class MixedNorm(Penalty):
    """strength * ||theta||_{2,b}^power with ||theta||_{2,b}^b = sum_i ||omega_i||_2^b; NeuronNorm(power=b) is power = b.

    At the zero network the gradient is taken to be 0, whatever the power."""

    strength: float = traced(low=0)
    b: int = static(default=3, low=2)
    power: int = static(default=3, low=1)

    def value(self, params: Params) -> Float[Array, ""]:
        total = (_squared(params) ** (self.b / 2)).sum()
        known = jnp.where(total > 0, total, 1)
        return self.strength * jnp.where(total > 0, known ** (self.power / self.b), 0)


def _squared(params: Params) -> Float[Array, " m"]:
    """||omega_i||_2^2 of each neuron."""
    rows = [jnp.square(p).reshape(p.shape[0], -1).sum(1) for p in params.values()]
    return jnp.stack(rows).sum(0)
