"""The Fourier gap: how much larger the population gradient is on relevant coordinates than on the others.

    g_i = E[y u σ'(w·x + b) x_i] = u ĥ(S △ i),   h = σ'(w·x + b)
    Γ = max_{i∈S} |g_i| - max_{i∉S} |g_i|          strict: min_{i∈S} |g_i| - max_{i∉S} |g_i|

g is minus the gradient of the correlation loss -y f in the first layer. It is exact for a sinusoid neuron (closed form)
and for n ≤ 16 (enumeration). Otherwise it is the mean over the first `on` validation examples, the same at every step;
its entries then err by about E[(u σ')²]^{1/2} / √on, so that gaps below a few times that number are noise.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.activations import Sinusoid
from elegans.models.base import Params
from elegans.models.mlp import MLP
from elegans.models.neuron import Neuron
from elegans.probes.accuracy import BLOCK, in_precision, validation
from elegans.probes.base import Probe, View
from elegans.probes.progress import margins, relevant
from elegans.tasks.base import Batch
from elegans.tasks.parity import Parity, SparseParity
from elegans.training.losses import correlation
from elegans.training.population import objective

LARGEST_ENUMERATED = 16


class FourierGap(Probe):
    """`relaxed` (Γ) and `strict` gap of every neuron, for an MLP or a Neuron on a parity."""

    on: int = static(default=8192, low=BLOCK)

    def check(self) -> None:
        if self.on % BLOCK:
            raise UsageError(
                f"on is {self.on}, but it must be a multiple of {BLOCK}; take on={-(-self.on // BLOCK) * BLOCK}"
            )

    def observe(self, view: View) -> dict[str, Array]:
        relaxed, strict = margins(jnp.abs(population_gradient(view, self.on)), relevant(view))
        return {"relaxed": relaxed, "strict": strict}


def population_gradient(view: View, on: int) -> Float[Array, "rows n"]:
    """The gradient of E[-y f] in the first layer, one row per neuron."""
    name = _first(view)
    if isinstance(view.model, Neuron) and isinstance(view.model.activation, Sinusoid) and _is_sparse(view):
        exact = objective(view.task, view.model, correlation)
        gradient = jax.grad(lambda w: exact(view.task, view.model, {**view.params, name: w}, view.secret))
        return gradient(view.params[name])[None]
    return jnp.atleast_2d(_mean_gradient(view, name, _examples(view, on)).T)


def _first(view: View) -> str:
    if isinstance(view.model, MLP | Neuron):
        return "W" if isinstance(view.model, MLP) else "w"
    raise UsageError(f"{type(view.model).__name__} has no neurons on the inputs; watch the gap of an MLP or a Neuron")


def _is_sparse(view: View) -> bool:
    return isinstance(view.task, SparseParity)


def _examples(view: View, on: int) -> Batch:
    if isinstance(view.task, Parity) and view.task.n <= LARGEST_ENUMERATED:
        return in_precision(view, view.task.enumerate(view.secret))
    return validation(view, on)


def _mean_gradient(view: View, name: str, batch: Batch) -> Array:
    """The mean over blocks, accumulated one block at a time."""
    blocks = jax.tree.map(lambda a: a.reshape(-1, min(BLOCK, a.shape[0]), *a.shape[1:]), (batch.x, batch.y))
    w = view.params[name]

    def loss(w: Array, x: Array, y: Array) -> Array:
        params: Params = {**view.params, name: w}
        return jax.vmap(correlation)(jax.vmap(lambda one: view.model(params, one))(x), y).mean()

    total, _ = lax.scan(lambda g, b: (g + jax.grad(loss)(w, *b), None), jnp.zeros_like(w), blocks)
    return total / blocks[1].shape[0]
