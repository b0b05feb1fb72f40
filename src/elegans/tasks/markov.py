"""In-context Markov chains: every sequence comes from its own random chain, so only its context can predict it.

    P_i ~ Dir(α),   π P = π,   x_1 ~ π,   x_{s+1} ~ P_{x_s},   s = 1..t                                   (section 8.2)

The input is x_1..x_t and the target at position p is x_{p+1}. For the flat prior (α = 1) rows are normalised
exponentials. The chain starts in its exact stationary distribution, found by eliminating one state at a time without
subtractions. One uniform number per position decides where each of the k symbols would go; the walk follows these maps.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.tasks.base import Batch, Signature, Solvable

RAREST = 1e-9  # smallest transition probability: below the resolution of the uniform numbers, above underflow


class MarkovChains(Solvable):
    """Sequences of t + 1 tokens over k symbols, each from a fresh chain with rows from Dir(α, ..., α)."""

    k: int = static(default=3, low=2, high=32)
    t: int = static(default=100, low=1)
    alpha: float = static(default=1.0, low=0.05)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.t,), out=(self.t, self.k), symbols=self.k)

    def sample(self, key: Key[Array, ""], n: int, secret: tuple[()] = ()) -> Batch:
        keys = stream.split(key, ("rows", "moves"))
        P = dirichlet(keys["rows"], n, self.k, self.alpha)
        pi = stationary(P)
        u = stream.uniform(keys["moves"], (n, self.t + 1), 0, 1, jnp.dtype(jnp.float32))
        x = walk(inverse(pi, u[:, 0]), inverse(P[:, None], u[:, 1:, None]))
        return Batch(x[:, :-1], x[:, 1:], {"P": P, "pi": pi})

    def bayes(self, batch: Batch) -> Float[Array, "n t k"]:
        """The bigram strategy at all positions: the posterior mean of the current symbol's row.

        It ignores that x_1 ~ π carries information about P (Remark 8.1), a loss that vanishes as the context grows."""
        return bigram(batch.x, self.k, self.alpha)


def dirichlet(key: Key[Array, ""], n: int, k: int, alpha: float) -> Float[Array, "n k k"]:
    """Transition matrices with independent rows from Dir(α, ..., α)."""
    dtype = jnp.dtype(jnp.float32)
    if alpha == 1:
        P = -jnp.log1p(-stream.uniform(key, (n, k, k), 0, 1, dtype))
        P = P / P.sum(-1, keepdims=True)
    else:
        P = jax.nn.softmax(jax.random.loggamma(key, jnp.asarray(alpha, dtype), (n, k, k), dtype))
    P = jnp.maximum(P, RAREST)
    return P / P.sum(-1, keepdims=True)


def stationary(P: Float[Array, "*b k k"]) -> Float[Array, "*b k"]:
    """π with π P = π and Σ π = 1, by Grassmann-Taksar-Heyman elimination: every entry to full relative precision.

    Leaving out the last state m, visits to it per visit to i < m number P_im / Σ_{j<m} P_mj, and the chain that is
    watched on the states below m has the transitions P_ij plus these visits times P_mj."""
    visits: list[Float[Array, "*b m"]] = []
    for m in range(P.shape[-1] - 1, 0, -1):
        visits.append(P[..., :m, m] / P[..., m, :m].sum(-1, keepdims=True))
        P = P[..., :m, :m] + visits[-1][..., :, None] * P[..., m, :m][..., None, :]
    pi = jnp.ones_like(P[..., 0])
    for per_visit in reversed(visits):
        pi = jnp.concatenate([pi, (pi * per_visit).sum(-1, keepdims=True)], -1)
        pi = pi / pi.sum(-1, keepdims=True)
    return pi


def inverse(p: Float[Array, "*b k"], u: Float[Array, "*b"]) -> Int[Array, "*b"]:
    """The symbol i with p_0 + ... + p_{i-1} <= u < p_0 + ... + p_i."""
    return (u[..., None] >= jnp.cumsum(p, -1)[..., :-1]).sum(-1, dtype=jnp.int32)


def walk(first: Int[Array, "n"], follow: Int[Array, "n t k"]) -> Int[Array, "n t+1"]:
    """The sequences x with x_0 = first and x_{s+1} = follow[s, x_s]."""
    symbols = np.arange(follow.shape[-1], dtype=np.int32)[None, :]

    def move(x: Array, here: Array) -> tuple[Array, Array]:
        x = jnp.where(x[:, None] == symbols, here, 0).sum(-1, dtype=jnp.int32)
        return x, x

    _, later = jax.lax.scan(move, first, jnp.moveaxis(follow, 1, 0))
    return jnp.concatenate([first[:, None], later.T], 1)


def bigram(x: Int[Array, "n t"], k: int, alpha: float = 1.0) -> Float[Array, "n t k"]:
    """(c_{x_p y} + α) / (N_{x_p} + k α) for every position p, from the transitions inside x_1..x_p.      (8.3)"""
    E = jax.nn.one_hot(x, k, dtype=jnp.float32)
    before = jnp.pad(E[:, :-1], ((0, 0), (1, 0), (0, 0)))
    seen = jnp.cumsum(before[..., :, None] * E[..., None, :], 1)
    counts = (E[..., None] * seen).sum(-2) + alpha
    return counts / counts.sum(-1, keepdims=True)
