"""Laws of fresh weights, for an affine map with `fan_in` inputs and `fan_out` outputs.

    FanIn      U[-c, c], c = 1/√fan_in               the default of PyTorch's linear layers
    Xavier     U[-c, c], c = √(6/(fan_in + fan_out))
    Kaiming    N(0, 2/fan_in)
    Bernoulli  ±1/√fan_in          Signs  ±1          Gaussian  N(0, std²)

The sources call both uniform laws "Xavier"; they are different, so both are here. Biases follow the law of their layer.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import Config, traced

Weights = Float[Array, "..."]


class Initialiser(Config):
    """A law of independent entries. Subclasses are final."""

    @abstractmethod
    def draw(self, key: Key[Array, ""], shape: Sequence[int], fan_in: int, fan_out: int, dtype: jnp.dtype) -> Weights:
        """Fresh weights of one layer."""


class FanIn(Initialiser):
    """Uniform on [-c, c] with c = 1/√fan_in."""

    def draw(self, key: Key[Array, ""], shape: Sequence[int], fan_in: int, fan_out: int, dtype: jnp.dtype) -> Weights:
        c = 1 / math.sqrt(fan_in)
        return stream.uniform(key, shape, -c, c, dtype)


class Xavier(Initialiser):
    """Uniform on [-c, c] with c = √(6/(fan_in + fan_out))."""

    def draw(self, key: Key[Array, ""], shape: Sequence[int], fan_in: int, fan_out: int, dtype: jnp.dtype) -> Weights:
        c = math.sqrt(6 / (fan_in + fan_out))
        return stream.uniform(key, shape, -c, c, dtype)


class Kaiming(Initialiser):
    """Gaussian with variance 2/fan_in."""

    def draw(self, key: Key[Array, ""], shape: Sequence[int], fan_in: int, fan_out: int, dtype: jnp.dtype) -> Weights:
        return stream.normal(key, shape, math.sqrt(2 / fan_in), dtype)


class Bernoulli(Initialiser):
    """±c with c = 1/√fan_in, the ends of the `FanIn` interval."""

    def draw(self, key: Key[Array, ""], shape: Sequence[int], fan_in: int, fan_out: int, dtype: jnp.dtype) -> Weights:
        return signs(key, shape, dtype) / math.sqrt(fan_in)


class Signs(Initialiser):
    """±1."""

    def draw(self, key: Key[Array, ""], shape: Sequence[int], fan_in: int, fan_out: int, dtype: jnp.dtype) -> Weights:
        return signs(key, shape, dtype)


class Gaussian(Initialiser):
    """Gaussian with standard deviation `std`, whatever the layer."""

    std: float = traced(default=1.0, low=0)

    def draw(self, key: Key[Array, ""], shape: Sequence[int], fan_in: int, fan_out: int, dtype: jnp.dtype) -> Weights:
        return stream.normal(key, shape, self.std, dtype)


def signs(key: Key[Array, ""], shape: Sequence[int], dtype: jnp.dtype) -> Weights:
    """Fair signs."""
    size = math.prod(shape)
    return stream.signs_of(stream.words(key, -(-size // 32)), size, dtype).reshape(tuple(shape))
