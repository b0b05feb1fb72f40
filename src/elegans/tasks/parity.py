"""Parities: the product of a few hidden signs among many.

    x ~ Unif({±1}^n)        y = χ_S(x) = Π_{i∈S} x_i        |S| = k

The secret is S as a bit mask in 32-bit words. Examples are drawn packed, 32 signs a word with bit 1 for -1, so that the
label is +1 exactly where x & mask has an even number of bits.
"""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.tasks.base import Batch, Finite, Hidden, Signature, Solvable
from elegans.theory import boolean

LARGEST_LISTED = 20  # 2^20 examples of 20 numbers are 80 MB


class Parity(Hidden, Finite, Solvable):
    """χ_S of n fair signs; subclasses say which S is canonical and how a hidden one is drawn."""

    n: int = static(low=1)
    k: int = static(low=1)

    @property
    @abstractmethod
    def canonical(self) -> tuple[int, ...]:
        """The support of a task that hides nothing."""

    @property
    @abstractmethod
    def concealed(self) -> bool:
        """Whether the support is drawn from the task seed."""

    @abstractmethod
    def choose(self, key: Key[Array, ""]) -> Int[Array, " k"]:
        """A random admissible support."""

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.n,), out=())

    def secret(self, key: Key[Array, ""]) -> UInt32[Array, " w"]:
        if not self.concealed:
            return jnp.asarray(mask_of(self.canonical, self.n))
        return packed(jnp.zeros(self.n, jnp.uint32).at[self.choose(key)].set(jnp.uint32(1)))

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        words = stream.words(key, n, word_count(self.n))
        x = stream.signs_of(words, self.n, jnp.dtype(jnp.float32))
        return Batch(x, parity_of(words, self.mask(secret)))

    def enumerate(self, secret: Any = ()) -> Batch:
        if self.n > LARGEST_LISTED:
            raise UsageError(f"n is {self.n}: 2^n examples are listed only up to n={LARGEST_LISTED}; train Online()")
        x = boolean.cube(self.n).astype(np.float32)
        if _canonical(secret):
            return Batch(x, boolean.parity(x, self.canonical))
        return Batch(x, parity_of(jnp.arange(2**self.n, dtype=jnp.uint32)[:, None], self.mask(secret)))

    def bayes(self, batch: Batch) -> Float[Array, " b"]:
        if self.concealed:
            raise UsageError("hidden=True: nobody knows the support from one example; ask with hidden=False")
        return jnp.prod(jnp.asarray(batch.x)[:, np.asarray(self.canonical, np.int32)], axis=1)

    def mask(self, secret: Any = ()) -> UInt32[Array, " w"]:
        """The support as packed words; `()` is the canonical one."""
        return jnp.asarray(mask_of(self.canonical, self.n)) if _canonical(secret) else secret

    def relevant(self, secret: Any = ()) -> Bool[Array, " n"]:
        """Which coordinates are in the support."""
        return stream.signs_of(self.mask(secret), self.n, jnp.dtype(jnp.float32)) < 0

    def support_of(self, secret: Any = ()) -> Int[Array, " k"]:
        """The support in increasing order."""
        return jnp.nonzero(self.relevant(secret), size=self.k)[0].astype(jnp.int32)


class SparseParity(Parity):
    """χ_S for any k of n coordinates: S = {0..k-1}, the given `support`, or with `hidden` a uniform k-subset."""

    support: tuple[int, ...] | None = static(default=None)
    hidden: bool = static(default=False)

    def check(self) -> None:
        if self.k > self.n:
            raise UsageError(f"k is {self.k}, but only n={self.n} coordinates exist; take k at most {self.n}")
        if self.support is not None:
            self._check_support(self.support)

    def _check_support(self, support: tuple[int, ...]) -> None:
        inside = all(isinstance(i, int) and 0 <= i < self.n for i in support)
        if len(set(support)) != self.k or len(support) != self.k or not inside:
            raise UsageError(f"support is {support}, but it must list k={self.k} different coordinates below {self.n}")
        if self.hidden:
            raise UsageError(f"support is {support} and hidden is True; drop one: a given support hides nothing")

    @property
    def canonical(self) -> tuple[int, ...]:
        return tuple(range(self.k)) if self.support is None else self.support

    @property
    def concealed(self) -> bool:
        return self.hidden

    def choose(self, key: Key[Array, ""]) -> Int[Array, " k"]:
        return jnp.argsort(stream.words(key, self.n))[: self.k].astype(jnp.int32)


def word_count(n: int) -> int:
    """32-bit words that hold n signs."""
    return -(-n // 32)


def mask_of(support: Iterable[int], n: int) -> np.ndarray:
    """The support as packed words, a NumPy constant of shape (ceil(n/32),)."""
    bits = np.zeros(32 * word_count(n), np.uint32)
    bits[list(support)] = 1
    return (bits.reshape(-1, 32) << np.arange(32, dtype=np.uint32)).sum(1, dtype=np.uint32)


def packed(bits: UInt32[Array, " n"]) -> UInt32[Array, " w"]:
    """n bits as packed words."""
    rows = jnp.pad(bits, (0, -bits.size % 32)).reshape(-1, 32)
    return (rows << np.arange(32, dtype=np.uint32)[None]).sum(1, dtype=jnp.uint32)


def parity_of(words: UInt32[Array, "b w"], mask: UInt32[Array, " w"]) -> Float[Array, " b"]:
    """χ_S of packed examples: +1 where words & mask has an even number of bits."""
    odd = lax.population_count(words & mask[None]).sum(1, dtype=jnp.uint32) & jnp.uint32(1)
    return jnp.float32(1) - jnp.float32(2) * odd.astype(jnp.float32)


def _canonical(secret: Any) -> bool:
    return isinstance(secret, tuple) and not jax.tree.leaves(secret)
