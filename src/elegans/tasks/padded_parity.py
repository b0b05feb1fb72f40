"""Parities of every size in one program: n and k are numbers, and the input is padded with zeros.

    x = (s_1, ..., s_n, 0, ..., 0) in 32 columns,  s ~ Unif({±1}^n)        y = s_1 ⋯ s_k

The first n columns are bit for bit those of `SparseParity(n, k)`. A weight of a padded column is multiplied by 0, and so
is its gradient: it never matters and never moves. What models must know of the true sizes stands in the signature (n and
k, for laws that depend on the fan-in) and in the batch (`shared` is k, for architectures that follow the degree).
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key, UInt32

from elegans.base import stream
from elegans.base.config import traced
from elegans.base.errors import UsageError
from elegans.base.padding import COLUMNS, LARGEST_DEGREE, first, whole
from elegans.tasks.base import Batch, Signature, Sizes, Solvable
from elegans.tasks.parity import parity_of


class PaddedParity(Solvable):
    """χ_S of n fair signs with S = {0..k-1}, in 32 columns; n and k are rounded."""

    n: float = traced(low=1, high=COLUMNS)
    k: float = traced(low=1, high=LARGEST_DEGREE)

    def check(self) -> None:
        if round(self.k) > round(self.n):
            raise UsageError(f"k is {self.k:g}, but only n={self.n:g} coordinates exist; take k at most {self.n:g}")

    @property
    def signature(self) -> Signature:
        return Signature(x=(COLUMNS,), out=(), sizes=Sizes(whole(self.n), whole(self.k)))

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        words = stream.words(key, n, 1)
        signs = stream.signs_of(words, COLUMNS, jnp.dtype(jnp.float32))
        x = jnp.where(first(self.n)[None], signs, jnp.zeros_like(signs))
        return Batch(x, parity_of(words, self.mask()), shared=whole(self.k))

    def bayes(self, batch: Batch) -> Float[Array, " b"]:
        x = jnp.asarray(batch.x)
        return jnp.where(first(self.k)[None], x, jnp.ones_like(x)).prod(1)

    def mask(self) -> UInt32[Array, "1"]:
        """The support as one packed word."""
        bits = first(self.k).astype(jnp.uint32) << np.arange(COLUMNS, dtype=np.uint32)
        return bits.sum(dtype=jnp.uint32)[None]
