"""Laws of fresh weights and activations that are chosen by a number: one program serves them all.

    drawn          U(±1/√fan_in), N(0, 2/fan_in), ±1/√fan_in; see `elegans.models.initialisers`
    rectified      max(z, 0), or z^k
    oscillating    k-zigzag, polynomial of degree k, triangle wave, sinusoid; see `elegans.models.activations`

Each formula is handed a harmless 0 where another one is chosen: a power that overflows there would put nan into the
gradient, although nobody looks at its value.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from elegans.base import stream
from elegans.base.padding import LARGEST_DEGREE
from elegans.models.initialisers import signs

Reals = Float[Array, "..."]
Number = Float[Array, ""] | float
Degree = Int[Array, ""]


def drawn(law: Number, key: Key[Array, ""], shape: Sequence[int], fan_in: Any, dtype: jnp.dtype) -> Reals:
    """Fresh weights by `FanIn` for law 0, `Kaiming` for 1, `Bernoulli` for 2; the fan-in may be a tracer."""
    number, c = jnp.asarray(law), 1 / jnp.sqrt(jnp.asarray(fan_in, dtype))
    unit = stream.uniform(key, shape, -1.0, 1.0, dtype)
    normal = stream.normal(key, shape, math.sqrt(2), dtype)
    return c * jnp.where(number < 0.5, unit, jnp.where(number < 1.5, normal, signs(key, shape, dtype)))


def rectified(choice: Number, k: Degree, z: Reals) -> Reals:
    """max(z, 0) for choice 0, z^k for 1."""
    is_power = jnp.asarray(choice) > 0.5
    return jnp.where(is_power, power(k, _where(is_power, z)), jax.nn.relu(z))


def power(k: Degree, z: Reals) -> Reals:
    """z^k for k of 1 to 4."""
    out = z
    for j in range(1, LARGEST_DEGREE):
        out = out * jnp.where(k > j, z, jnp.ones_like(z))
    return out


def oscillating(choice: Number, k: Degree, z: Reals) -> Reals:
    """`Zigzag(k)` for choice 0, `OscillatingPolynomial(k)` for 1, `TriangleWave(k)` for 2, `Sinusoid(k)` for 3."""
    degree, number = k.astype(z.dtype), jnp.asarray(choice)
    is_polynomial = (number > 0.5) & (number < 1.5)
    periodic = jnp.where(number < 2.5, triangle_wave(degree, z), jnp.cos(math.pi / 2 * (z - degree)))
    smooth = jnp.where(is_polynomial, polynomial(degree, _where(is_polynomial, z)), periodic)
    return jnp.where(number < 0.5, zigzag(degree, z), smooth)


def zigzag(k: Number, z: Reals) -> Reals:
    """k linear pieces through (k - 2m, (-1)^m), the outer ones extended."""
    q = 0.5 * (k - z)
    j = jnp.clip(jnp.floor(q), 0, k - 1)
    return (1 - 2 * jnp.mod(j, 2)) * (1 - 2 * (q - j))


def polynomial(k: Number, z: Reals) -> Reals:
    """Σ_{j≤k} (-2)^j binom(q, j) with q = (k - z)/2, by Horner's scheme in Newton's form."""
    q = 0.5 * (k - z)
    total = jnp.zeros_like(q)
    for j in reversed(range(LARGEST_DEGREE + 1)):
        total = total * (q - j) + jnp.where(j <= k, (-2.0) ** j / math.factorial(j), 0.0)
    return total


def triangle_wave(k: Number, z: Reals) -> Reals:
    """The zigzag of period 4."""
    return jnp.abs(jnp.mod(z - k, 4) - 2) - 1


def _where(chosen: Array, z: Reals) -> Reals:
    return jnp.where(chosen, z, jnp.zeros_like(z))
