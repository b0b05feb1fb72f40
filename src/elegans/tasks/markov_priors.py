"""In-context Markov chains under other priors: with skewed rows, without a unigram signal, without a bigram signal.

    DirichletChains              P_i ~ Dir(α_1, ..., α_k)                                                (section 8.2)
    DoublyStochasticChains       P uniform on the doubly stochastic matrices, π = (1/k, ..., 1/k)       (figure 8.4a)
    IndependentTokens            P_i = r for all i,   r ~ Dir(1, ..., 1),   π = r                        (figure 8.4a)
    MixedChains                  doubly stochastic with probability q, else independent tokens          (figure 8.4a)
    TwoStateChains               P = [[a, 1-a], [1-b, b]],   λ = a + b - 1,  for three laws of (a, b)        (E.14)

Sequences, targets and latents are those of `MarkovChains`. Doubly stochastic matrices are drawn without error: the first
k-1 rows are flat, the last completes the columns, and the draw is repeated until no entry of that row is negative. This
accepts 1/2 for k = 3 and 11/11340 · 3!³ = 0.2095 for k = 4. Every example repeats on a stream of its own, so that
neither its neighbours nor their number decide on it.
"""

import math
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Key

from elegans.base import stream
from elegans.base.config import static, traced
from elegans.base.errors import UsageError
from elegans.tasks.base import Batch, Signature, Solvable, Task
from elegans.tasks.markov import RAREST, inverse, stationary, walk
from elegans.tasks.ngrams import followers, simplex

LARGEST = 4  # symbols of doubly stochastic chains: their acceptance was checked exactly up to here
WHICH = 2**32 - 1  # child of a key that decides which part of a mixture an example comes from


class DirichletChains(Solvable):
    """Chains with rows from Dir(α): `MarkovChains` with a concentration for every symbol. k is the number of them."""

    alpha: tuple[float, ...] = static(default=(1.0, 2.0, 4.0))
    t: int = static(default=100, low=1)

    def check(self) -> None:
        if not 2 <= self.k <= 32 or not all(0.05 <= a < math.inf for a in self.alpha):
            raise UsageError(f"alpha is {self.alpha}, but it must be 2 to 32 finite numbers of at least 0.05")

    @property
    def k(self) -> int:
        """The number of symbols."""
        return len(self.alpha)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.t,), out=(self.t, self.k), symbols=self.k)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        keys = stream.split(key, ("rows", "moves"))
        dtype = jnp.dtype(jnp.float32)
        P = jax.nn.softmax(jax.random.loggamma(keys["rows"], self._alpha, (n, self.k, self.k), dtype))
        P = jnp.maximum(P, RAREST)
        P = P / P.sum(-1, keepdims=True)
        return sequences(keys["moves"], P, stationary(P), self.t)

    def bayes(self, batch: Batch) -> Float[Array, "n t k"]:
        """The bigram strategy with pseudo-counts α, which ignores what x_1 ~ π says about P (Remark 8.1)."""
        counts = followers(batch.x, self.k, 2) + self._alpha
        return counts / counts.sum(-1, keepdims=True)

    @property
    def _alpha(self) -> Float[Array, "1 1 k"]:
        return jnp.asarray(self.alpha, jnp.float32)[None, None, :]


class DoublyStochasticChains(Task):
    """Chains whose matrix is uniform on the Birkhoff polytope: counts of symbols say nothing about them."""

    k: int = static(default=3, low=2)
    t: int = static(default=100, low=1)

    def check(self) -> None:
        _check_doubly(self.k)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.t,), out=(self.t, self.k), symbols=self.k)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        keys = stream.split(key, ("rows", "moves"))
        P = birkhoff(keys["rows"], n, self.k)
        return sequences(keys["moves"], P, jnp.full((n, self.k), 1 / self.k, jnp.float32), self.t)


class IndependentTokens(Solvable):
    """Tokens drawn independently from a law of their sequence: nothing but counts of symbols matters."""

    k: int = static(default=3, low=2, high=32)
    t: int = static(default=100, low=1)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.t,), out=(self.t, self.k), symbols=self.k)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        keys = stream.split(key, ("rows", "moves"))
        r = simplex(keys["rows"], n, self.k)
        return sequences(keys["moves"], repeated(r), r, self.t)

    def bayes(self, batch: Batch) -> Float[Array, "n t k"]:
        """(n_y + 1) / (p + k) for every position p: the exact posterior mean of r."""
        counts = jnp.cumsum(jax.nn.one_hot(batch.x, self.k, dtype=jnp.float32), 1) + 1
        return counts / counts.sum(-1, keepdims=True)


class MixedChains(Task):
    """Doubly stochastic with probability q, else independent tokens; the latent "doubly" says which.

    With the same key q = 1 and q = 0 are `DoublyStochasticChains` and `IndependentTokens`."""

    k: int = static(default=3, low=2)
    t: int = static(default=100, low=1)
    q: float = traced(default=0.5, low=0, high=1)

    def check(self) -> None:
        _check_doubly(self.k)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.t,), out=(self.t, self.k), symbols=self.k)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        keys, dtype = stream.split(key, ("rows", "moves")), jnp.dtype(jnp.float32)
        doubly = stream.uniform(stream.fold(key, WHICH), (n,), 0, 1, dtype) < jnp.asarray(self.q, dtype)
        r = simplex(keys["rows"], n, self.k)
        P = jnp.where(doubly[:, None, None], birkhoff(keys["rows"], n, self.k), repeated(r))
        pi = jnp.where(doubly[:, None], jnp.asarray(1 / self.k, dtype), r)
        batch = sequences(keys["moves"], P, pi, self.t)
        return batch._replace(latent=batch.latent | {"doubly": doubly})


class TwoStateChains(Task):
    """Two symbols that stay with probabilities a and b: "flat" a, b ~ U(0, 1), "equal" a = b ~ U(0, 1), or "near half"
    a = b ~ U(1/2 - eps, 1/2 + eps)."""

    law: Literal["flat", "equal", "near half"] = static(default="flat")
    t: int = static(default=100, low=1)
    eps: float = traced(default=0.25, low=0, high=0.5)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.t,), out=(self.t, 2), symbols=2)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        keys = stream.split(key, ("rows", "moves"))
        u = stream.uniform(keys["rows"], (n, 2), 0, 1, jnp.dtype(jnp.float32))
        if self.law == "near half":
            u = 0.5 + jnp.asarray(self.eps, u.dtype) * (2 * u - 1)
        a, b = u[:, 0], u[:, 1] if self.law == "flat" else u[:, 0]
        P = jnp.stack([jnp.stack([a, 1 - a], -1), jnp.stack([1 - b, b], -1)], -2)
        return sequences(keys["moves"], P, stationary(P), self.t)


def sequences(key: Key[Array, ""], P: Float[Array, "n k k"], pi: Float[Array, "n k"], t: int) -> Batch:
    """x_1 ~ π and t steps of each chain, with P and π as latents."""
    u = stream.uniform(key, (len(P), t + 1), 0, 1, jnp.dtype(jnp.float32))
    x = walk(inverse(pi, u[:, 0]), inverse(P[:, None], u[:, 1:, None]))
    return Batch(x[:, :-1], x[:, 1:], {"P": P, "pi": pi})


def birkhoff(key: Key[Array, ""], n: int, k: int) -> Float[Array, "n k k"]:
    """Uniform doubly stochastic matrices: all examples draw until the last of them has been accepted."""

    def missing(state: tuple[Array, Array, Array]) -> Bool[Array, ""]:
        return ~state[2].all()

    def attempt(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        number, P, done = state
        rows = simplex(stream.fold(key, number), n, k - 1, k)
        last = 1 - rows.sum(1, keepdims=True)
        fresh = jnp.concatenate([rows, last], 1)
        P = jnp.where(done[:, None, None], P, fresh)
        return number + jnp.uint32(1), P, done | (last > 0).all((1, 2))

    empty = jnp.zeros((n, k, k), jnp.float32)
    return jax.lax.while_loop(missing, attempt, (jnp.uint32(0), empty, jnp.zeros(n, jnp.bool_)))[1]


def repeated(r: Float[Array, "n k"]) -> Float[Array, "n k k"]:
    """The matrix of independent tokens: every row is r."""
    return jnp.broadcast_to(r[:, None, :], (*r.shape, r.shape[-1]))


def _check_doubly(k: int) -> None:
    if k > LARGEST:
        raise UsageError(
            f"k is {k}, but doubly stochastic matrices are drawn by rejection, which is exact and checked up to "
            f"k = {LARGEST}; take k = 2, 3 or 4"
        )
