"""Lemma D.11: the class-weighted margin of one neuron, as a sum over irreducible representations."""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.theory.groups import Group, symmetric
from elegans.theory.neuron_margins import (
    expected_margin,
    expected_margin_by_irreps,
    expected_margin_without_the_two,
)
from elegans.theory.representations import irreps


def lemma_table(k: tuple[int, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Both sides of the lemma for random neurons and class weights on S_k."""
    rng = np.random.default_rng(seed)
    rows = [_row(symmetric(n), rng) for n in k for _ in range(draws)]
    direct, by_irreps, half = np.array(rows).T
    return {
        "direct": direct, "by_irreps": by_irreps,
        "error": np.abs(direct - by_irreps), "error_without_the_two": np.abs(direct - half),
    }  # fmt: skip


def _row(group: Group, rng: np.random.Generator) -> tuple[float, float, float]:
    u, v, w = rng.standard_normal((3, group.order))
    sizes = np.array([len(c) for c in group.classes], float)
    tau = rng.random(len(sizes))
    tau[0] = 0
    tau = tau / (tau @ sizes)
    reps = irreps(group)
    sides = (expected_margin(group, u, v, w, tau), expected_margin_by_irreps(reps, u, v, w, tau))
    return (*sides, expected_margin_without_the_two(reps, u, v, w, tau))


class WeightedMargin(Experiment):
    """The expected margin of a neuron is a weighted sum over representations."""

    id = "lem-d.11"
    place = Place(PAPER, "lemma D.11")
    claims = (
        Claim(
            "lem-d.11",
            "direct sum over all inputs and the sum over representations agree for random neurons and weights",
            of="corrected",
            expect=at_most(1e-11),
            why="an identity in double precision on S3 and S4; without the factor 2 of erratum E8 it is off by half",
            value=lambda e: e.max("error"),
            wrong=lambda e: e.max("error_without_the_two"),
        ),
    )
    chosen = {"groups": "S3 and S4", "draws": "Gaussian u, v, w and uniform class weights; 20 of each"}
    shows = "All points lie on the diagonal."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(lemma_table, k=(3, 4), draws=20, seed=0)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(3.4, 3.2)
        both = np.concatenate([e.array("direct"), e.array("by_irreps")])
        ends = [both.min(), both.max()]
        ax.plot(ends, ends, color="0.7", lw=1)
        ax.plot(e.array("by_irreps"), e.array("direct"), ".")
        ax.set(xlabel="sum over representations", ylabel="sum over all inputs", title="expected margin of a neuron")
        return figure
