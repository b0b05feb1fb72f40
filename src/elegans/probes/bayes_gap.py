"""How much worse a sequence model is than the best prediction, on the same sequences.

    gap_p = KL(P_{x_p} || model) - KL(P_{x_p} || Bayes) = mean Σ_y P_{x_p y} (log Bayes_p(y) - log model_p(y))

with the true chain P from the latent and the task's own `bayes`, which for Markov chains is the bigram strategy (8.3).
What both owe to the chains that were drawn cancels, so the gap is far less noisy than either divergence.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.base import Probe, View
from elegans.probes.strategies import BLOCK
from elegans.tasks.base import Solvable


class BayesGap(Probe):
    """ "by_position" (t,), its last entry "gap", and "bayes", the last position's KL(P || Bayes), all in nats."""

    on: int = static(default=1024, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        batch = view.task.sample(view.eval, self.on, view.secret)
        if not isinstance(view.task, Solvable) or not isinstance(batch.latent, dict) or "P" not in batch.latent:
            raise UsageError(
                f"BayesGap needs the chain behind a sequence and the best prediction from it, which "
                f"{type(view.task).__name__} does not give; watch it on MarkovChains"
            )

        def one(example: tuple[Array, Array, Array]) -> tuple[Array, Array]:
            x, P, best = example
            model = jax.nn.log_softmax(view.model(view.params, x, shared=batch.shared))
            truth = (jax.nn.one_hot(x, len(P), dtype=P.dtype) @ P).astype(model.dtype)
            log_best = jnp.log(best.astype(model.dtype))
            return excess(truth, log_best, model), excess(truth, jnp.log(truth), log_best)[-1]

        examples = (batch.x, batch.latent["P"], view.task.bayes(batch))
        gap, bayes = (part.mean(0) for part in jax.lax.map(one, examples, batch_size=min(BLOCK, self.on)))
        return {"gap": gap[-1], "by_position": gap, "bayes": bayes}


def excess(p: Float[Array, "t k"], log_q: Float[Array, "t k"], log_r: Float[Array, "t k"]) -> Float[Array, "t"]:
    """KL(p || r) - KL(p || q), with 0 log 0 = 0."""
    return jnp.where(p > 0, p * (log_q - log_r), 0).sum(-1)
