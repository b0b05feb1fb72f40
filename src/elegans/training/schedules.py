"""Learning-rate schedules: a factor on the learning rate as a function of the step."""

from abc import abstractmethod

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from elegans.base.config import Config, static


class Schedule(Config):
    """A factor on the learning rate. Subclasses are final."""

    @abstractmethod
    def factor(self, t: Int[Array, ""], dtype: jnp.dtype) -> Float[Array, ""]:
        """The factor at step t."""


class Constant(Schedule):
    """The same learning rate throughout."""

    def factor(self, t: Int[Array, ""], dtype: jnp.dtype) -> Float[Array, ""]:
        return jnp.ones((), dtype)


class Doubling(Schedule):
    """The learning rate doubles at each of the listed steps."""

    at: tuple[int, ...] = static()

    def factor(self, t: Int[Array, ""], dtype: jnp.dtype) -> Float[Array, ""]:
        passed = (t >= jnp.asarray(self.at, jnp.int32)).sum()
        return jnp.ldexp(jnp.ones((), dtype), passed)  # exact; exp2 is not
