"""Progress hidden behind a flat loss: how far weights have moved, and how far the relevant ones stand out.

ρ = ‖W_t - W_0‖_∞          margin = min_{i∈S} |w_i| - max_{i∉S} |w_i|
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from elegans.base.errors import UsageError
from elegans.models.mlp import MLP
from elegans.models.neuron import Neuron
from elegans.models.polynet import DisjointPolyNet, PolyNet
from elegans.probes.base import Probe, View
from elegans.tasks.parity import Parity


class Movement(Probe):
    """ρ of every parameter array, under the array's name."""

    def observe(self, view: View) -> dict[str, Array]:
        start = view.start()
        return {name: jnp.abs(p - start[name]).max() for name, p in view.params.items()}


class WeightMargin(Probe):
    """The margin of each row of the first layer (a single row for a disjoint PolyNet: its factors share the inputs)."""

    def observe(self, view: View) -> dict[str, Array]:
        return {"margin": margins(jnp.abs(first_layer(view)), relevant(view))[1]}


def first_layer(view: View) -> Float[Array, "rows n"]:
    """The weights of the inputs, one row per neuron or factor."""
    match view.model:
        case MLP():
            return view.params["W"].T
        case PolyNet():
            return view.params["W"]
        case Neuron():
            return view.params["w"][None]
        case DisjointPolyNet():
            return view.params["W"].reshape(1, -1)
        case _:
            raise UsageError(
                f"{type(view.model).__name__} has no weights of single inputs; watch an MLP, Neuron or PolyNet"
            )


def relevant(view: View) -> Bool[Array, " n"]:
    """Which inputs are in the support of the run's parity."""
    if not isinstance(view.task, Parity):
        raise UsageError(f"{type(view.task).__name__} has no relevant coordinates; watch a run on a parity task")
    return view.task.relevant(view.secret)


def margins(size: Float[Array, "rows n"], inside: Bool[Array, " n"]) -> tuple[Float[Array, " rows"], ...]:
    """max_S - max_rest and min_S - max_rest of each row of sizes; the maximum over nothing is 0."""
    S = jnp.broadcast_to(inside[None], size.shape)
    zero, infinite = jnp.zeros((), size.dtype), jnp.full((), jnp.inf, size.dtype)
    rest = jnp.where(S, zero, size).max(1)
    return jnp.where(S, size, zero).max(1) - rest, jnp.where(S, size, infinite).min(1) - rest
