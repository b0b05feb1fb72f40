"""Section C.3.1, text: on a fixed sample, decay moves the transition to success, and without it there is none.

θ ← (1 - ηλ) θ - η ∇L        η = 0.1, λ = 0.01, so that a step shrinks by ηλ = 0.001
"""

import polars as pl

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.mlp import MLP
from elegans.papers.pareto_frontiers.checklist import PAPER
from elegans.stats import Estimate, difference, reached
from elegans.tasks.parity import SparseParity
from elegans.training.accurate import Accurate
from elegans.training.algorithms import SGD
from elegans.training.regimes import Virtual
from elegans.training.stops import Budget

ROW = "weight-decay-sensitivity"


def success(e: Evidence, decay: float) -> Estimate:
    """Share of the runs with this shrinkage a step that reached a test error of 10 %."""
    return reached(e.times("accurate", where=pl.col("decay") == decay))


class WeightDecay(Experiment):
    """Networks grok a fixed sample with weight decay, and not without."""

    id = ROW
    place = Place(PAPER, "section C.3.1, sensitivity to weight decay (text)")
    claims = (
        Claim(ROW, "m = 500: success with λ = 0.01 is above success with λ = 0 by a half", of="derived",
              expect=at_least(0.5), why="specification 5.6: at least 4 of 8 runs more",
              value=lambda e: difference(success(e, 1e-3), success(e, 0.0))),
        Claim(ROW, "m = 500: without decay most runs fail", of="derived", expect=at_most(0.5),
              why="most means more than half of the runs", value=lambda e: success(e, 0.0)),
    )  # fmt: skip
    given = {"batch, learning rate, λ": "32, 0.1 and 0.01", "success": "test error at most 10 %"}
    chosen = {"n, k, width, m": "30, 3, 100, 500 (scaled by specification 5.6)", "loss": "hinge: the paper names none"}
    shows = "More decay, more and earlier successes; without, all runs stand at the budget."

    def work(self, scale: Scale) -> Sweep:
        stop = Accurate() | Budget(scale(5000, 15_000, 100_000))
        learn = Stage(SparseParity(30, 3), SGD(0.1, regime=Virtual(500)), stop)
        decays, seeds = scale((0, 1e-3), (0, 1e-3, 3e-3), (0, 1e-4, 1e-3, 3e-3)), range(scale(4, 36, 50))
        return Sweep(Run(MLP(100), learn), decay=decays, seed=seeds)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        ax.plot(e.runs["decay"] * 10, e.times("accurate").time, ".")
        ax.set(xlabel="weight decay λ", ylabel="steps until test error 10 %, or end of budget", yscale="log")
        return figure
