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
        rows = [jnp.square(p).reshape(p.shape[0], -1).sum(1) for p in params.values()]
        squared = jnp.stack(rows).sum(0)
        return self.strength * (squared ** (self.power / 2)).sum()
