"""Disjoint parity: one relevant bit in each of k equal blocks.

    x ~ Unif({±1}^n)        y = χ_S(x)        |S ∩ P_i| = 1,   P_i = {n'i, ..., n'i + n' - 1},   n' = n/k

There are (n')^k admissible supports; a product of k linear forms, one a block, represents each of them.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.tasks.parity import Parity


class DisjointParity(Parity):
    """χ_S with the first coordinate of each block, or with `hidden` a uniform one."""

    hidden: bool = static(default=False)

    def check(self) -> None:
        if self.n % self.k:
            fit = -(-self.n // self.k) * self.k
            raise UsageError(f"n is {self.n}, but k={self.k} equal blocks must fill it; take n={fit}")

    @property
    def block(self) -> int:
        """n' = n/k, the number of coordinates of a block."""
        return self.n // self.k

    @property
    def canonical(self) -> tuple[int, ...]:
        return tuple(range(0, self.n, self.block))

    @property
    def concealed(self) -> bool:
        return self.hidden

    def choose(self, key: Key[Array, ""]) -> Int[Array, " k"]:
        within = jnp.argmax(stream.words(key, self.k, self.block), axis=1).astype(jnp.int32)
        return within + np.arange(0, self.n, self.block, dtype=np.int32)
