"""The one random stream: Threefry counters, every dtype explicit, pinned by known values in the tests.

All randomness of a run is a pure function of four seeds (task, init, data, eval) and of the run's own step number, never
of a lane or a chunk. One 32-bit word gives 32 signs, which costs a quarter of drawing them one by one.
"""

from collections.abc import Sequence
from enum import IntEnum

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt32

from elegans.base.values import whole

jax.config.update("jax_threefry_partitionable", True)  # element i depends on (key, i) only: prefixes agree

Scalar = int | Int[Array, ""] | UInt32[Array, ""]


class Purpose(IntEnum):
    """What a key is for; the same seed gives unrelated streams for different purposes."""

    TASK = 0
    INIT = 1
    DATA = 2
    EVAL = 3
    NOISE = 4


def key(seed: Scalar, purpose: Purpose) -> Key[Array, ""]:
    """The key of `seed` (below 2^32) for one purpose."""
    if not isinstance(seed, jax.Array | np.ndarray):
        seed = whole("seed", seed, 0, 2**32 - 1)
    return jax.random.fold_in(jax.random.key(jnp.asarray(seed, jnp.uint32), impl="threefry2x32"), int(purpose))


def fold(base: Key[Array, ""], number: Scalar) -> Key[Array, ""]:
    """The `number`-th child of a key (a step, an example, a block)."""
    return jax.random.fold_in(base, number)


def split(base: Key[Array, ""], names: Sequence[str]) -> dict[str, Key[Array, ""]]:
    """Independent children by name."""
    return dict(zip(names, jax.random.split(base, len(names)), strict=True))


def words(base: Key[Array, ""], *shape: int) -> UInt32[Array, "..."]:
    """Uniform 32-bit words."""
    return jax.random.bits(base, shape, jnp.uint32)


def uniform(
    base: Key[Array, ""], shape: Sequence[int], low: float, high: float, dtype: jnp.dtype
) -> Float[Array, "..."]:
    """Uniform numbers on [low, high)."""
    return jax.random.uniform(base, tuple(shape), dtype, low, high)


def normal(base: Key[Array, ""], shape: Sequence[int], scale: float, dtype: jnp.dtype) -> Float[Array, "..."]:
    """Centred Gaussian numbers with standard deviation `scale`."""
    return scale * jax.random.normal(base, tuple(shape), dtype)


def signs_of(packed: UInt32[Array, "*b w"], n: int, dtype: jnp.dtype) -> Float[Array, "*b n"]:
    """Unpack words into n signs: bit 0 is +1, bit 1 is -1."""
    places = jnp.arange(32, dtype=jnp.uint32).reshape((1,) * packed.ndim + (32,))
    bits = (packed[..., None] >> places) & jnp.uint32(1)
    flat = bits.reshape(*packed.shape[:-1], packed.shape[-1] * 32)[..., :n]
    return jnp.asarray(1, dtype) - jnp.asarray(2, dtype) * flat.astype(dtype)
