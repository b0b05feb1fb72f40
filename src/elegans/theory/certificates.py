"""Lemma 7.2 as a check: a network θ and a distribution q on the data, with weights τ on wrong answers, prove γ*.

    h(θ) ≤ E_q g(θ) ≤ E_q g'(θ) ≤ γ₁ ‖θ‖^ν,        g' = f[y] - Σ_{y'} τ[y'] f[y'],   γ₁ = max over unit neurons of E_q ψ'

holds for every network. If all four agree at ‖θ‖ = 1, then θ has the largest margin and q is the worst distribution: no
network does better than γ₁, and this one reaches it. The last gap bounds how far any network is from the best.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elegans.theory.margins import point_margins

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Certificate:
    """Logits of θ (points, classes), labels (points,), q (points,), τ (points, classes), size = ‖θ‖^ν and γ₁."""

    logits: Floats
    labels: Ints
    q: Floats
    tau: Floats
    size: float
    best_neuron: float

    def __post_init__(self) -> None:
        """Refuse what is no distribution."""
        points = np.arange(len(self.labels))
        if (
            self.logits.shape != self.tau.shape
            or len(self.labels) != len(self.logits)
            or len(self.q) != len(self.logits)
        ):
            raise ValueError(
                f"logits {self.logits.shape}, τ {self.tau.shape} and q {self.q.shape} are not of one dataset."
            )
        if self.q.min() < 0 or not np.isclose(self.q.sum(), 1):
            raise ValueError("q must be a distribution on the points: numbers ≥ 0 that sum to 1.")
        right = np.abs(self.tau[points, self.labels]).max()
        if self.tau.min() < 0 or not np.allclose(self.tau.sum(axis=1), 1) or right > 0:
            raise ValueError("τ must be a distribution on the wrong answers of each point, 0 on the right one.")
        if self.size <= 0:
            raise ValueError(f"the network needs a norm above 0, got ‖θ‖^ν = {self.size}.")

    def values(self) -> Floats:
        """h, E_q g, E_q g' and γ₁ for the network scaled to norm one, (4,); ascending up to rounding."""
        g = point_margins(self.logits, self.labels)
        right = self.logits[np.arange(len(self.labels)), self.labels]
        weighted = right - np.sum(self.tau * self.logits, axis=1)
        return np.array([*np.array([g.min(), self.q @ g, self.q @ weighted]) / self.size, self.best_neuron])

    def disagreement(self) -> float:
        """(largest - smallest of the four) / |γ₁|: 0 if θ has the largest margin and (q, τ) prove it."""
        four = self.values()
        return float(np.ptp(four) / abs(self.best_neuron))

    def gap(self) -> float:
        """1 - h/γ₁: how much larger the margin of another network can be at most, as a share of γ₁."""
        return float(1 - self.values()[0] / self.best_neuron)
