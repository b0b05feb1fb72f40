"""Labels of pure noise: the control for whatever is measured on a parity.

    x ~ Unif({±1}^n)        y ~ Unif({±1}), independent of x

The law of `NoisyParity` at p = 1/2. Nothing can be learned: no classifier is right more often than half of the time.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.tasks.base import Batch, Signature, Solvable
from elegans.tasks.noisy_parity import FLIPS
from elegans.tasks.parity import word_count


class RandomLabel(Solvable):
    """n fair signs and a fair coin as label. The inputs are those of a parity with the same key."""

    n: int = static(low=1)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.n,), out=())

    def sample(self, key: Key[Array, ""], n: int, secret: tuple[()] = ()) -> Batch:
        float32 = jnp.dtype(jnp.float32)
        x = stream.signs_of(stream.words(key, n, word_count(self.n)), self.n, float32)
        coins = stream.signs_of(stream.words(stream.fold(key, FLIPS), n, 1), 1, float32)
        return Batch(x, coins[:, 0])

    def bayes(self, batch: Batch) -> Float[Array, " b"]:
        """E[y | x] = 0."""
        return jnp.zeros(len(batch.x), jnp.float32)
