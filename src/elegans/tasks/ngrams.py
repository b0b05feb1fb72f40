"""In-context n-grams: the law of a token depends on the n-1 tokens before it, and every sequence has its own laws.

    x_s ~ P(. | x_{s-n+1}, ..., x_{s-1}),   k^{n-1} rows P(. | ...) ~ Dir(1, ..., 1)                        (section 8.2.1)

Tuples of n-1 tokens form a Markov chain, the lifted one; the first n-1 tokens come from its stationary law. n is called
`order`: 2 gives the same sequences as the flat `MarkovChains`, 3 the trigrams of figure 8.5.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.tasks.base import Batch, Signature, Solvable
from elegans.tasks.markov import RAREST, inverse, stationary, walk

MOST_TUPLES = 32


class NGrams(Solvable):
    """Sequences of t + 1 tokens over k symbols, each from a fresh table of n-grams, n = order.

    Tuples are numbered in base k, the latest token last. Latents are "table", the rows (k^{n-1}, k), and "pi", the
    stationary law of tuples; a probe that wants a k x k chain finds none."""

    k: int = static(default=2, low=2, high=32)
    t: int = static(default=200, low=1)
    order: int = static(default=3, low=2, high=6)

    def check(self) -> None:
        if self.tuples > MOST_TUPLES or self.t < self.order - 1:
            raise UsageError(
                f"k={self.k}, order={self.order}, t={self.t}: {self.tuples} tuples of {self.order - 1} tokens; "
                f"take at most {MOST_TUPLES} tuples, and t of at least {self.order - 1}"
            )

    @property
    def tuples(self) -> int:
        """The number of tuples of n-1 tokens."""
        return self.k ** (self.order - 1)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.t,), out=(self.t, self.k), symbols=self.k)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        keys, S = stream.split(key, ("rows", "moves")), self.tuples
        table = simplex(keys["rows"], n, S, self.k)
        pi = stationary(lifted(table))
        u = stream.uniform(keys["moves"], (n, self.t + 3 - self.order), 0, 1, jnp.dtype(jnp.float32))
        shifted = (np.arange(S, dtype=np.int32) * self.k % S)[None, None, :]
        tuples = walk(inverse(pi, u[:, 0]), inverse(table[:, None], u[:, 1:, None]) + shifted)
        x = jnp.concatenate([_digits(tuples[:, 0], self.k, self.order - 1)[:, :-1], tuples % self.k], 1)
        return Batch(x[:, :-1], x[:, 1:], {"table": table, "pi": pi})

    def bayes(self, batch: Batch) -> Float[Array, "n t k"]:
        """The n-gram strategy at all positions: the posterior mean of the row of the last n-1 tokens.

        Like the bigram strategy it ignores what the start says about the table."""
        counts = followers(batch.x, self.k, self.order) + 1
        return counts / counts.sum(-1, keepdims=True)


def simplex(key: Key[Array, ""], *shape: int) -> Float[Array, "..."]:
    """Uniform points of the simplex along the last axis, as normalised exponentials."""
    p = -jnp.log1p(-stream.uniform(key, shape, 0, 1, jnp.dtype(jnp.float32)))
    p = jnp.maximum(p / p.sum(-1, keepdims=True), RAREST)
    return p / p.sum(-1, keepdims=True)


def lifted(table: Float[Array, "n s k"]) -> Float[Array, "n s s"]:
    """The chain of tuples: (x_1, ..., x_m) goes to (x_2, ..., x_m, y) with probability table[(x_1, ..., x_m), y]."""
    s, k = table.shape[1:]
    goes = np.eye(s, dtype=np.float32)[(np.arange(s)[:, None] * k + np.arange(k)) % s]  # (s, k, s)
    return jnp.einsum("nsk,skr->nsr", table, goes, precision="highest")


def followers(x: Int[Array, "n t"], k: int, order: int) -> Float[Array, "n t k"]:
    """How often each symbol followed an earlier occurrence of the last order-1 tokens, for every position.

    Positions before the first full tuple have no such occurrence."""
    m = order - 1
    number = sum(x[:, i : x.shape[1] - m + 1 + i] * k ** (m - 1 - i) for i in range(m))
    S = jnp.pad(jax.nn.one_hot(number, k**m, dtype=jnp.float32), ((0, 0), (m - 1, 0), (0, 0)))
    before = jnp.pad(S[:, :-1], ((0, 0), (1, 0), (0, 0)))
    seen = jnp.cumsum(before[..., :, None] * jax.nn.one_hot(x, k, dtype=jnp.float32)[..., None, :], 1)
    return (S[..., None] * seen).sum(-2)


def _digits(number: Int[Array, " n"], k: int, m: int) -> Int[Array, "n m"]:
    """The m tokens of a tuple, the earliest first."""
    places = np.array([k ** (m - 1 - i) for i in range(m)], np.int32)
    return number[:, None] // places[None, :] % k
