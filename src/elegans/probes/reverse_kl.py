"""Which strategy covers what the model answers: the divergences of `StrategyKL` the other way round.

    mean KL(S || model) at the last position,   S = uniform, unigram, bigram

The paper does not say in which direction it compares a model with a strategy; a claim about the nearest one should not
depend on it.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.base import Probe, View
from elegans.probes.strategies import bigram, kl, last_log_probabilities, uniform, unigram

STRATEGIES = {"uniform": uniform, "unigram": unigram, "bigram": bigram}


class StrategyReverseKL(Probe):
    """Mean KL("uniform", "unigram", "bigram" || model), in nats."""

    on: int = static(default=1024, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        signature = view.task.signature
        k = signature.symbols
        if k < 1 or len(signature.x) != 1 or signature.out != (*signature.x, k):
            raise UsageError(f"{type(view.task).__name__} does not ask for the next symbol; watch it on MarkovChains")
        batch = view.task.sample(view.eval, self.on, view.secret)
        model = last_log_probabilities(view, batch)
        return {
            name: jax.vmap(lambda m, x, f=f: kl(jnp.log(f(x, k).astype(m.dtype)), m))(model, batch.x).mean()
            for name, f in STRATEGIES.items()
        }
