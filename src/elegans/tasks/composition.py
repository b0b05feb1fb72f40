"""Composition in a finite group: from a pair of elements, say their product.

    x = (a, b) ∈ G × G uniform,        y = ab,        |D| = |G|²,        |G| classes

All pairs can be listed, so training usually sees the whole table at every step. The task looks the same after
a ↦ g₁ a g₂, b ↦ g₂⁻¹ b g₃, y ↦ g₁ y g₃. On Z_n it is addition modulo n. A new group is a new `Alphabet`.
"""

from abc import abstractmethod
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import Config, static
from elegans.tasks.base import Batch, Finite, Signature, Solvable
from elegans.theory.groups import LARGEST_DEGREE, Group, cyclic, symmetric

_cyclic, _symmetric = cache(cyclic), cache(symmetric)


class Alphabet(Config):
    """The description of a finite group. Subclasses are final."""

    @abstractmethod
    def group(self) -> Group:
        """The group with its Cayley table, the same object at every call."""


class Cyclic(Alphabet):
    """Z_n."""

    n: int = static(low=2)

    def group(self) -> Group:
        return _cyclic(self.n)


class Symmetric(Alphabet):
    """S_k, its k! elements in lexicographic order."""

    k: int = static(low=2, high=LARGEST_DEGREE)

    def group(self) -> Group:
        return _symmetric(self.k)


class GroupComposition(Finite, Solvable):
    """(a, b) ↦ ab. As a symbol is a 32-bit word mod |G|, none is likelier than another by more than |G|/2³²."""

    group: Alphabet = static()

    @property
    def signature(self) -> Signature:
        d = self.group.group().order
        return Signature(x=(2,), out=(d,), symbols=d)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        d = self.group.group().order
        x = (stream.words(key, n, 2) % jnp.uint32(d)).astype(jnp.int32)
        return Batch(x, jnp.asarray(self._table)[x[:, 0], x[:, 1]])

    def enumerate(self, secret: Any = ()) -> Batch:
        """All pairs, those with the same a together."""
        x = np.indices(self._table.shape, dtype=np.int32).reshape(2, -1).T
        return Batch(np.ascontiguousarray(x), self._table.ravel())

    def bayes(self, batch: Batch) -> Float[Array, "n d"]:
        """The one-hot vector of the product: the right decision; no finite logits minimise the cross-entropy."""
        y = jnp.asarray(self._table)[batch.x[:, 0], batch.x[:, 1]]
        return jax.nn.one_hot(y, len(self._table), dtype=jnp.float32)

    @property
    def _table(self) -> np.ndarray:
        return self.group.group().table.astype(np.int32)
