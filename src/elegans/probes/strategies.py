"""Which strategy a sequence model has adopted: divergences from reference predictors at the last position.

For a context x_1..x_t over k symbols the strategies answer

    uniform 1/k,   unigram (n_y + 1) / (t + k),   bigram (c_{x_t y} + 1) / (N_{x_t} + k),                       (8.3)

n_y counting symbols and c_iy transitions i -> y. A strategy S is near when KL(model || S) is small; the task's own loss
is KL(P_{x_t} || model) with the true chain P from the latent. Models are evaluated in blocks that fit into cache.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.base import Probe, View
from elegans.tasks.base import Batch

BLOCK = 256


class StrategyKL(Probe):
    """Mean KL(model || uniform, unigram, bigram) and, as "truth", mean KL(truth || model), in nats."""

    on: int = static(default=1024, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        k, batch = view.task.signature.symbols, view.task.sample(view.eval, self.on, view.secret)
        if not isinstance(batch.latent, dict) or "P" not in batch.latent:
            raise UsageError(
                f"StrategyKL needs the chain behind a sequence, which {type(view.task).__name__} does not give"
            )
        model = last_log_probabilities(view, batch)
        P = batch.latent["P"].astype(model.dtype)
        divergences = jax.vmap(lambda m, x, chain: _divergences(m, x, chain, k))(model, batch.x, P)
        return {name: values.mean() for name, values in divergences.items()}


class LastLoss(Probe):
    """Mean cross-entropy of the last position's prediction, in nats."""

    on: int = static(default=1024, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        batch = view.task.sample(view.eval, self.on, view.secret)
        log_p = last_log_probabilities(view, batch)
        return {"loss": -jnp.take_along_axis(log_p, batch.y[:, -1:], -1).mean()}


def _divergences(model: Float[Array, "k"], x: Int[Array, "t"], P: Float[Array, "k k"], k: int) -> dict[str, Array]:
    strategies = {"uniform": uniform, "unigram": unigram, "bigram": bigram}
    near = {name: kl(model, jnp.log(f(x, k).astype(model.dtype))) for name, f in strategies.items()}
    truth = jax.nn.one_hot(x[-1], k, dtype=P.dtype) @ P
    return near | {"truth": kl(jnp.log(truth), model)}


def last_log_probabilities(view: View, batch: Batch) -> Float[Array, "n k"]:
    """log softmax of the model's logits at the last position of each example."""
    logits = in_blocks(lambda x: view.model(view.params, x, shared=batch.shared)[-1], batch.x)
    return jax.nn.log_softmax(logits)


def in_blocks(f: Callable[[Array], Any], x: Array) -> Any:
    """f of each example, `BLOCK` examples at a time."""
    return jax.lax.map(f, x, batch_size=min(BLOCK, len(x)))


def kl(log_p: Float[Array, "k"], log_q: Float[Array, "k"]) -> Float[Array, ""]:
    """Σ_i p_i (log p_i - log q_i), with 0 log 0 = 0."""
    p = jnp.exp(log_p)
    return jnp.where(p > 0, p * (log_p - log_q), 0).sum()


def uniform(x: Int[Array, "t"], k: int) -> Float[Array, "k"]:
    """1/k for every symbol."""
    return jnp.full(k, 1 / k, jnp.float32)


def unigram(x: Int[Array, "t"], k: int) -> Float[Array, "k"]:
    """Add-one frequencies of the symbols in the context."""
    return _add_one(jax.nn.one_hot(x, k, dtype=jnp.float32).sum(0))


def bigram(x: Int[Array, "t"], k: int) -> Float[Array, "k"]:
    """Add-one frequencies of the symbols that followed earlier occurrences of the last one."""
    E = jax.nn.one_hot(x, k, dtype=jnp.float32)
    return _add_one((E[:-1] @ E[-1]) @ E[1:])


def _add_one(counts: Float[Array, "k"]) -> Float[Array, "k"]:
    return (counts + 1) / (counts + 1).sum()
