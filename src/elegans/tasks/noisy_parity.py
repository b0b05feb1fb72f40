"""Parity with label noise: training sees flipped labels, accuracy is measured without noise.

    x ~ Unif({±1}^n)        ỹ = χ_S(x) with probability 1 - p,  -χ_S(x) with probability p        0 <= p <= 1/2

    E[ỹ f(x)] = (1 - 2p) E[χ_S(x) f(x)]   for every f                                                  (B.3.6)

The sources call both 1/2 - p and 1 - 2p "ε"; here they are `bias` and `attenuation`. Inputs are those of the noiseless
task with the same key, so p = 0 is that task, and runs that differ in p alone see the same inputs.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Key, UInt32

from elegans.base import stream
from elegans.base.config import static, traced
from elegans.tasks.base import Batch, Hidden, Noisy, Signature, Solvable
from elegans.tasks.parity import SparseParity

FLIPS = 2**32 - 1  # child of a key that decides on flips: no word of the inputs has this number


class NoisyParity(Hidden, Noisy, Solvable):
    """χ_S as in `SparseParity`, with labels flipped independently with probability p. `latent` is the true label."""

    n: int = static(low=1)
    k: int = static(low=1)
    p: float = traced(low=0, high=0.5)
    support: tuple[int, ...] | None = static(default=None)
    hidden: bool = static(default=False)

    def check(self) -> None:
        self.noiseless.check()

    @property
    def noiseless(self) -> SparseParity:
        return SparseParity(self.n, self.k, support=self.support, hidden=self.hidden)

    @property
    def bias(self) -> float:
        """1/2 - p, the advantage of the right parity over a coin."""
        return 0.5 - self.p

    @property
    def attenuation(self) -> float:
        """1 - 2p, the factor on every correlation with the label."""
        return 1 - 2 * self.p

    @property
    def signature(self) -> Signature:
        return self.noiseless.signature

    def secret(self, key: Key[Array, ""]) -> UInt32[Array, " w"]:
        return self.noiseless.secret(key)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        batch = self.noiseless.sample(key, n, secret)
        u = stream.uniform(stream.fold(key, FLIPS), (n,), 0, 1, jnp.dtype(jnp.float32))
        flipped = u < jnp.asarray(self.p, jnp.float32)
        return Batch(batch.x, jnp.where(flipped, -batch.y, batch.y), batch.y)

    def bayes(self, batch: Batch) -> Float[Array, " b"]:
        return self.noiseless.bayes(batch)
