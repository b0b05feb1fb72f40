"""Section B.3.2, symmetry breaking: the neurons of a network find the relevant inputs one after another.

τ_j = first t with min_{i∈S} |w_{ji}| > max_{i∉S} |w_{ji}|        for each neuron j
"""

from dataclasses import replace

import numpy as np

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.presets import setting
from elegans.papers.hidden_progress.watching import Floats, Trace, even, first, left, median_of_reached
from elegans.probes.accuracy import Accuracy
from elegans.probes.progress import WeightMargin
from elegans.stats import Estimate, spearman
from elegans.training.stops import Budget, Solved

ENOUGH = 3  # neurons that have to overtake before their times have a spread


def overtaking(trace: Trace) -> Floats:
    """τ of every neuron; nan where it never comes."""
    t, ahead = trace["WeightMargin.t"], trace["WeightMargin.margin"] > 0
    return np.array([first(t, ahead[:, j]) for j in range(ahead.shape[1])])


def spread(τ: np.ndarray) -> float:
    """Interquartile range over the neurons that overtake; nan if there are too few."""
    found = τ[np.isfinite(τ)]
    return float(np.subtract(*np.quantile(found, (0.75, 0.25)))) if len(found) >= ENOUGH else float("nan")


def relative_spread(e: Evidence) -> Estimate:
    """Median over runs of the interquartile range of τ over the time to success."""
    return median_of_reached(np.array([spread(τ) for τ in e.array("overtaking")]) / e.array("end"))


def slower_where_spread(e: Evidence) -> Estimate:
    """Spearman over runs: spread of τ against the time from 60 % accuracy to success, both as shares of the whole."""
    end = e.array("end").astype(np.float64)
    x = np.array([spread(τ) for τ in e.array("overtaking")]) / end
    y = (end - e.array("leaves")) / end
    known = np.isfinite(x) & np.isfinite(y)
    return spearman(x[known], y[known], seed=0)


class NeuronsOneByOne(Experiment):
    """Neurons learn at different times."""

    id = "symmetry-breaking"
    place = Place(PAPER, "section B.3.2")
    claims = (
        Claim(
            "symmetry-breaking",
            "the times at which neurons find the relevant inputs spread over at least 10 % of the time to success",
            of="derived",
            expect=at_least(0.1),
            why="specification 5.23: interquartile range at least a tenth of t_c, width 10, in the median over runs",
            value=relative_spread,
        ),
        Claim(
            "symmetry-breaking",
            "the more they spread, the longer the rise of the accuracy (Spearman above zero)",
            of="derived",
            expect=at_least(0.0),
            why="the paper reads the steps of the accuracy as single neurons: late neurons then make a long rise",
            value=slower_where_spread,
        ),
    )
    given = {"statement": "different initial weights make neurons learn at different times"}
    chosen = {
        "setting": "ReLU, width 10, (50, 3)-parity, B = 32, η = 0.5, the first panel of figure 5.1 (specification 5.23)",
        "spread": f"interquartile range over the neurons that overtake before success, at least {ENOUGH} of them",
    }
    remarks = (
        "With 80 runs the interval of the spread held its bound, so 400 were made; 0.104 [0.097, 0.113] still does, because "
        "the bound is the number itself: a tenth is the specification's, the paper gives none. Not decidable with a "
        "reasonable number of runs, and nothing hangs on it: that neurons come one after another, the paper's statement, is "
        "seen in the second claim."
    )
    shows = "Each mark is a neuron that has found the relevant inputs; the accuracy climbs in steps as they arrive."

    def work(self, scale: Scale) -> Sweep:
        preset = setting("i", 50, 3, 0.5)
        stage = Stage(preset.task, preset.algorithm, Solved(every=20) | Budget(20_000))
        watch = (WeightMargin(every=20), Accuracy(every=20, on=2048))
        return Sweep(Run(preset.model, stage, watch=watch), seed=range(scale(6, 400, 1000)))

    def condense(self, e: Evidence) -> Evidence:
        ended = [(t, end) for t, end in zip(e.traces, e.runs["solved"], strict=True) if end is not None]
        arrays = {
            "overtaking": np.stack([overtaking(t) for t, _ in ended]).astype(np.float32),
            "leaves": np.array([left(t) for t, _ in ended], np.float32),
            "end": np.array([end for _, end in ended], np.float32),
        }
        curves = tuple(_curve(t) for t, _ in ended[:6])
        return replace(e, runs=e.runs.select("seed", "outcome", "t", "solved"), traces=curves, arrays=arrays)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(2, 3, height=4.2)
        for i, (ax, trace) in enumerate(zip(grid.flat, e.traces, strict=False)):
            τ = e.array("overtaking")[i]
            ax.plot(trace["t"], trace["accuracy"], color="C1")
            height = np.interp(τ, trace["t"], trace["accuracy"].astype(np.float32))
            ax.plot(τ, height, "|", ms=14, mew=1.8, color="C2")
            ax.set_title(f"spread {spread(τ) / e.array('end')[i]:.2f} of the run", fontsize=8)
            ax.set(ylim=(0.4, 1.05))
        for ax in grid[:, 0]:
            ax.set_ylabel("accuracy")
        for ax in grid[-1]:
            ax.set_xlabel("step")
        found = relative_spread(e)
        said = f"median spread {found.value:.3f} [{found.low:.3f}, {found.high:.3f}] over {found.n} runs, bound 0.1; six of them"
        figure.suptitle(said, fontsize=8)
        grid[0, 0].plot([], [], "|", ms=10, mew=1.8, color="C2", label="a neuron overtakes")
        grid[0, 0].legend(loc="upper left", fontsize=7)
        return figure


def _curve(trace: Trace) -> dict[str, np.ndarray]:
    at = even(len(trace["Accuracy.t"]), 150)
    return {
        "t": trace["Accuracy.t"][at].astype(np.int32),
        "accuracy": trace["Accuracy.accuracy"][at].astype(np.float16),
    }
