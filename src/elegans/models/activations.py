"""Activations. The oscillating ones compute a parity: with w_S = Σ_{i∈S} e_i and m relevant -1s,

    w_S·x = k - 2m        χ_S(x) = (-1)^m        so  σ(k - 2m) = (-1)^m,  m = 0..k

Zigzag and polynomial interpolate these k+1 points; triangle wave and sinusoid go on for ever. All take q = (k - z)/2,
the number of -1s continued to real numbers. An activation is any elementwise function of an array.
"""

import math
from abc import abstractmethod

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from elegans.base.config import Config, static, traced

Reals = Float[Array, "..."]


def relu(z: Reals) -> Reals:
    """max(z, 0), with derivative 0 at 0."""
    return jax.nn.relu(z)


def gelu(z: Reals) -> Reals:
    """z Φ(z), with the exact normal distribution function."""
    return jax.nn.gelu(z, approximate=False)


class Activation(Config):
    """An elementwise function with parameters. Subclasses are final."""

    k: int = static(low=1)

    @abstractmethod
    def __call__(self, z: Reals) -> Reals:
        """σ(z), elementwise."""


class Power(Activation):
    """z^k."""

    def __call__(self, z: Reals) -> Reals:
        return z**self.k


class Zigzag(Activation):
    """k linear pieces, the outer ones extended: σ(z) = (-1)^j (1 - 2(q - j)) with j = ⌊q⌋ clipped to 0..k-1."""

    def __call__(self, z: Reals) -> Reals:
        q = 0.5 * (self.k - z)
        j = jnp.clip(jnp.floor(q), 0, self.k - 1)
        sign = 1 - 2 * jnp.mod(j, 2)
        return sign * (1 - 2 * (q - j))


class OscillatingPolynomial(Activation):
    """The interpolant of degree k in Newton's form, Σ_j (-2)^j binom(q, j)."""

    def __call__(self, z: Reals) -> Reals:
        q = 0.5 * (self.k - z)
        total = jnp.full_like(q, (-2) ** self.k)  # Horner's scheme times k!: integers, hence exact, at the points
        for j in reversed(range(self.k)):
            total = total * (q - j) + (-2) ** j * math.perm(self.k, self.k - j)
        return total / math.factorial(self.k)


class TriangleWave(Activation):
    """The zigzag of period 4: with t = (z - k) mod 4, σ = 1 - t below 2 and t - 3 above."""

    def __call__(self, z: Reals) -> Reals:
        return jnp.abs(jnp.mod(z - self.k, 4) - 2) - 1


class Sinusoid(Activation):
    """cos(π/2 (s z - k)) = sin(π/2 s z + β), β = π/2 (1 - k), with an input scale s."""

    scale: float = traced(default=1.0, low=0)

    def __call__(self, z: Reals) -> Reals:
        return jnp.cos(math.pi / 2 * (self.scale * z - self.k))
