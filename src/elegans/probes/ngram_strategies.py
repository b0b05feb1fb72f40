"""Which m-gram a model of n-grams has adopted: divergences from counting strategies at the last position.

For a context x_1..x_t over k symbols the m-gram strategy counts what followed earlier occurrences of the last m-1 tokens:

    S_m(y) = (#{s: x_s..x_{s+m-2} = x_{t-m+2}..x_t, x_{s+m-1} = y} + 1) / (#{s: ...} + k)

m = 1, 2, 3 are unigram, bigram and trigram; uniform is 1/k. The truth is the row of the task's own table that belongs to
the last n-1 tokens, numbered in base k, the latest token last.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.base import Probe, View
from elegans.probes.strategies import kl, last_log_probabilities, uniform
from elegans.tasks.ngrams import NGrams

MGRAMS = {"unigram": 1, "bigram": 2, "trigram": 3}


class NGramKL(Probe):
    """Mean KL(model || S) for "uniform", "unigram", "bigram" and "trigram", KL(S || model) as "from_uniform" and so on,
    and "truth", the mean KL(truth || model), all in nats."""

    on: int = static(default=1024, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        task = view.task
        if not isinstance(task, NGrams):
            raise UsageError(f"NGramKL needs the table behind a sequence, which {type(task).__name__} does not give")
        batch = task.sample(view.eval, self.on, view.secret)
        model = last_log_probabilities(view, batch)
        table = batch.latent["table"].astype(model.dtype)

        def one(m: Array, x: Array, rows: Array) -> dict[str, Array]:
            logs = {name: jnp.log(p.astype(m.dtype)) for name, p in strategies(x, task.k).items()}
            truth = jnp.log(row_of_last(x, rows, task.order))
            near = {name: kl(m, log) for name, log in logs.items()}
            return near | {f"from_{name}": kl(log, m) for name, log in logs.items()} | {"truth": kl(truth, m)}

        return {name: values.mean() for name, values in jax.vmap(one)(model, batch.x, table).items()}


def strategies(x: Int[Array, "t"], k: int) -> dict[str, Float[Array, "k"]]:
    """What each strategy answers."""
    return {"uniform": uniform(x, k)} | {name: mgram(x, k, m) for name, m in MGRAMS.items()}


def mgram(x: Int[Array, "t"], k: int, m: int) -> Float[Array, "k"]:
    """Add-one frequencies of what followed earlier occurrences of the last m-1 tokens; uniform if t < m."""
    t = len(x)
    match = jnp.ones(max(0, t - m + 1), jnp.float32)
    for i in range(m - 1 if t >= m else 0):
        match = match * (x[i : t - m + 1 + i] == x[t - m + 1 + i]).astype(match.dtype)
    counts = 1 + match @ jax.nn.one_hot(x[m - 1 :], k, dtype=jnp.float32)
    return counts / counts.sum()


def row_of_last(x: Int[Array, "t"], table: Float[Array, "s k"], order: int) -> Float[Array, "k"]:
    """The table's row for the last order-1 tokens."""
    k = table.shape[-1]
    number = sum((x[-1 - i] * k**i for i in range(order - 1)), jnp.zeros((), x.dtype))
    return jax.nn.one_hot(number, len(table), dtype=table.dtype) @ table
