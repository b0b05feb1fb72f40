"""The weights of the inputs themselves, for pictures of how they move.

w_{t,i},  i = 1..n        one row a neuron or factor; relevant coordinates are the task's support
"""

from jaxtyping import Array

from elegans.probes.base import Probe, View
from elegans.probes.progress import first_layer


class Weights(Probe):
    """`weights` (rows, n): the signed first layer of an MLP, Neuron or PolyNet (one row for a disjoint PolyNet)."""

    def observe(self, view: View) -> dict[str, Array]:
        return {"weights": first_layer(view)}
