"""Figure 5.3 (right): how far weights move on a parity, and how far they drift on labels of pure noise.

ρ(w_{0:t}) = ‖w_t - w_0‖_∞
"""

from dataclasses import replace

import numpy as np

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.watching import Trace, even, last_flat, median_of_reached, moved, neuron
from elegans.tasks.random_label import RandomLabel
from elegans.training.stops import Steps

SHOWN = 8  # runs in the figure


class MovementAgainstNoise(Experiment):
    """Weights move further on a parity than on noise before the accuracy shows it."""

    id = "fig-5.3-right"
    place = Place(PAPER, "figure 5.3 (right)")
    claims = (
        Claim(
            "fig-5.3-right",
            "at the last check with at most 60 % accuracy, ρ is 1.3 times that of the same neuron on random labels",
            of="derived",
            expect=at_least(1.3),
            why="specification 5.6 (b), in the median over pairs of runs with the same start and inputs",
            value=lambda e: median_of_reached(e.array("real") / e.array("noise")),
        ),
    )
    given = {"model": "one sinusoid neuron with bias and without second layer", "control": "random labels"}
    chosen = {
        "task": "(50, 3)-parity, B = 32, η = 0.01 (specification 5.6)",
        "pairs": "a run on the parity and one on noise have the same seeds, hence start and inputs",
    }
    shows = (
        "On the parity ρ takes off (colour) where the accuracy is still flat; on noise it creeps up like a random walk."
    )

    def work(self, scale: Scale) -> dict[str, Sweep]:
        seeds = range(scale(4, 40, 200))
        return {
            "real": neuron(seeds),
            "noise": neuron(seeds, task=RandomLabel(50), stop=Steps(scale(1000, 8000, 40_000))),
        }

    def condense(self, e: Evidence) -> Evidence:
        pairs = list(zip(e["real"].traces, e["noise"].traces, strict=True))
        found = []
        for real, noise in pairs:
            i = last_flat(real)
            there = i < len(noise["Weights.t"])
            ρ = [moved(run["Weights.weights"])[i] if there else np.nan for run in (real, noise)]
            found.append((real["Weights.t"][i], *ρ))
        t, real, noise = np.array(found, np.float64).T
        return replace(
            e,
            parts={},
            arrays={"t": t, "real": real, "noise": noise},
            traces=tuple(_curves(*pair) for pair in pairs[:SHOWN]),
        )

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(3, 1, width=5.2, height=5.4, sharex=True)
        for trace in e.traces:
            line = grid[0, 0].plot(trace["t"], trace["accuracy"], lw=1)[0]
            grid[1, 0].plot(trace["t"], trace["real"], lw=1, color=line.get_color())
            grid[2, 0].plot(trace["t"], trace["noise"], lw=1, color="0.5")
        grid[1, 0].plot(e.array("t"), e.array("real"), "k.", ms=4, label="last check below 60 %, all runs")
        grid[2, 0].plot(e.array("t"), e.array("noise"), "k.", ms=4, label="the same steps")
        for ax, name in zip(grid[:, 0], ("accuracy", "ρ on parity", "ρ on noise"), strict=True):
            ax.set_ylabel(name)
        for ax in grid[1:, 0]:
            ax.set(ylim=(0, 1.3), xlim=(0, max(float(trace["t"][-1]) for trace in e.traces)))
            ax.legend(loc="upper right")
        grid[2, 0].set_xlabel("step")
        return figure


def _curves(real: Trace, noise: Trace) -> dict[str, np.ndarray]:
    """Accuracy and ρ of one pair at evenly spread checks, as long as both last."""
    n = min(len(real["Weights.t"]), len(noise["Weights.t"]))
    at = even(n, 100)
    return {
        "t": real["Weights.t"][at].astype(np.int32),
        "accuracy": real["Accuracy.accuracy"][at].astype(np.float16),
        "real": moved(real["Weights.weights"])[at].astype(np.float16),
        "noise": moved(noise["Weights.weights"])[at].astype(np.float16),
    }
