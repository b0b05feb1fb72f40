"""Section B.4: hinge, square and cross-entropy loss "appeared to be interchangeable upon running small experiments".

    (1 - yf)_+        (y - f)²        log(1 + e^(-yf))        with slopes -1, -2, -½ in yf at f = 0

Networks begin near f = 0, where all three are the correlation loss times their slope. A rate η stands for η/|slope|.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from elegans.claims.claim import Claim, at_least, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.mlp import MLP
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, Times, kaplan_meier, median_time, ratio, reached
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD
from elegans.training.losses import hinge, logistic, square
from elegans.training.stops import Budget, Solved

LOSSES = {"hinge": (hinge, 1.0), "square": (square, 2.0), "cross entropy": (logistic, 0.5)}
OTHERS = tuple(LOSSES)[1:]
BASE, FACTOR = 0.1, 10**0.5
ROW = "loss-swap"


def times(part: Evidence, eta: float) -> Times:
    """First times of the runs at this rate, in units of the hinge loss."""
    here = part.array("eta") == eta
    return Times(part.array("time")[here], part.array("seen")[here].astype(bool))


def best(part: Evidence) -> Times:
    """The times at the rate with the smallest median."""
    return min((times(part, eta) for eta in np.unique(part.array("eta"))), key=lambda t: median_time(t).value)


def at_base(part: Evidence) -> Times:
    """The times at η = 0.1."""
    return times(part, BASE)


def against_hinge(name: str, which: Callable[[Evidence], Times]) -> Callable[[Evidence], Estimate]:
    """Median time under this loss over the median time under the hinge loss."""
    return lambda e: ratio(median_time(which(e[name])), median_time(which(e["hinge"])))


def solved(name: str) -> Callable[[Evidence], Estimate]:
    """Share of solved runs at the best rate."""
    return lambda e: reached(best(e[name]))


class LossSwap(Experiment):
    """Hinge, square and cross-entropy loss learn the parity equally well."""

    id = ROW
    place = Place(PAPER, "appendix B.4, loss functions")
    claims = (
        *(Claim(ROW, f"{name}: at its best rate at least 80 % of the runs solve the task", expect=at_least(0.8),
                why="interchangeable: the specification asks 80 % of seeds of the figures, which use hinge", value=solved(name))
          for name in LOSSES),
        *(Claim(ROW, f"{name}: the median time at its best rate is within half a power of ten of that of hinge",
                expect=between(1 / FACTOR, FACTOR), why="interchangeable: the same order of magnitude",
                value=against_hinge(name, best))
          for name in OTHERS),
        *(Claim(ROW, f"{name}: the same at equal initial slope, η = 0.1", of="derived", expect=between(1 / FACTOR, FACTOR),
                why="at f = 0 the three losses have the same gradient up to a factor, which the rate takes up",
                value=against_hinge(name, at_base))
          for name in OTHERS),
    )  # fmt: skip
    chosen = {
        "network and task": "ReLU, width 100, (20, 3)-parity, B = 32: the paper does not say on what it ran",
        "η": "0.03, 0.1, 0.3, 1 for hinge, halved for square and doubled for cross entropy: equal slope at f = 0",
    }
    shows = "The three losses solve the task after about the same number of steps."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        etas, seeds = scale((0.1, 1.0), (0.03, 0.1, 0.3, 1.0), (0.01, 0.03, 0.1, 0.3, 1.0)), range(scale(3, 30, 100))
        stop = Solved(every=10) | Budget(scale(1500, 20_000, 100_000))
        return {
            name: Sweep(
                Run(MLP(100), Stage(SparseParity(20, 3), SGD(BASE, loss=loss), stop)),
                lr=[eta / slope for eta in etas],
                seed=seeds,
            )
            for name, (loss, slope) in LOSSES.items()
        }

    def condense(self, e: Evidence) -> Evidence:
        return replace(e, parts={name: reduced(part, LOSSES[name][1]) for name, part in e.parts.items()})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (row,) = panels(1, 2, height=2.7)
        for name in LOSSES:
            etas = np.unique(e[name].array("eta"))
            points = [median_time(times(e[name], eta)) for eta in etas]
            value = np.array([p.value for p in points])
            with np.errstate(invalid="ignore"):  # inf - inf where fewer than half of the runs get there
                ends = abs(np.array([[p.low, p.high] for p in points]).T - value)
            lost = [
                f"{eta:g}: {p.n - p.censored}/{p.n} solved" for eta, p in zip(etas, points, strict=True) if p.censored
            ]
            row[0].errorbar(
                etas, value, np.where(np.isfinite(ends), ends, np.nan), fmt="o-", ms=3, capsize=2,
                label=", ".join([name, *lost]),
            )  # fmt: skip
            found = best(e[name])
            curve = kaplan_meier(found)
            row[1].step(
                curve.time, 1 - curve.share, where="post", label=f"{name}: {found.n - found.censored}/{found.n} solved"
            )
        row[0].set(
            xlabel="η times the slope at f = 0", ylabel="median steps to 100 % accuracy", xscale="log", yscale="log"
        )
        row[1].set(
            xlabel="steps",
            ylabel="share of runs that solved it",
            ylim=(-0.02, 1.5),
            yticks=np.linspace(0, 1, 6),
            title="best rate of each loss",
        )
        row[0].legend(fontsize=7)
        row[1].legend(loc="upper right", fontsize=7)
        return figure


def reduced(part: Evidence, slope: float) -> Evidence:
    """Times by rate."""
    found = part.times("solved")
    eta = np.round(part.runs["lr"].to_numpy() * slope, 6)
    return Evidence(arrays={"eta": eta, "time": found.time, "seen": found.seen.astype(np.int8)})
