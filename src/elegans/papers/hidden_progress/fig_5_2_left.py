"""Figure 5.2 (left): how long SGD takes, over very many runs, and why this is not random search."""

from dataclasses import replace

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.mlp import MLP
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, Times, bootstrap_counts, early_mass, geometric_distance, too_few_early
from elegans.tasks.parity import SparseParity
from elegans.theory.random_search import probability_with_median
from elegans.training.algorithms import SGD
from elegans.training.stops import Budget, Solved

EVERY = 10


def times(e: Evidence) -> Times:
    """First times, rebuilt from their counts."""
    time = np.repeat(e.array("time"), e.array("count"))
    return Times(time, np.repeat(e.array("seen"), e.array("count")).astype(bool))


def skewness(e: Evidence) -> Estimate:
    """Third standardised moment, with an interval over resampled runs."""
    time = e.array("time").astype(np.float64)

    def of(count: np.ndarray) -> float:
        p = count / count.sum()
        z = time - p @ time
        return float(p @ z**3 / (p @ z**2) ** 1.5)

    return bootstrap_counts(e.array("count"), of, seed=0, what="skewness")


class NoEarlySuccess(Experiment):
    """Nobody is early: convergence times have a heavy upper tail and no mass near zero."""

    id = "fig-5.2-left"
    place = Place(PAPER, "figure 5.2 (left)")
    claims = (
        Claim(
            "fig-5.2-left",
            "early successes are too rare for random search with the same median",
            expect=at_most(1e-6),
            why="the paper's statement as a test: under the geometric law 24 % succeed before 0.4 medians (spec 5.3)",
            value=lambda e: too_few_early(times(e), EVERY),
        ),
        Claim(
            "fig-5.2-left",
            "less than a tenth of random search's share succeeds before 0.4 medians",
            of="derived",
            expect=at_most(0.024),
            why="the geometric law of the same median has 24 % of its mass there; a tenth of it would be 2.4 %",
            value=lambda e: early_mass(times(e), 0.4),
        ),
        Claim(
            "fig-5.2-left",
            "the times are not geometric (Kolmogorov-Smirnov)",
            expect=at_most(1e-6),
            why="specification 5.3",
            value=lambda e: geometric_distance(times(e), EVERY),
        ),
        Claim(
            "fig-5.2-left",
            "the upper tail is the heavier one (positive skewness)",
            expect=at_least(0.0),
            why="the figure's heavy upper tail",
            value=skewness,
        ),
    )
    given = {"runs": "10^6 random trials"}
    chosen = {
        "architecture and task": "ReLU width 100, (20, 3)-parity, B = 32, η = 0.1: the paper does not name its setting",
        "check": "100 % of 8192 points, every 10 steps",
    }
    shows = "A hump well away from zero with a long right tail; the law of random search (grey) peaks at zero."

    def work(self, scale: Scale) -> Sweep:
        stage = Stage(SparseParity(20, 3), SGD(0.1), Solved(every=EVERY) | Budget(20_000))
        return Sweep(Run(MLP(100), stage), seed=range(scale(400, 100_000, 1_000_000)))

    def condense(self, e: Evidence) -> Evidence:
        found = e.times("solved")
        pairs, count = np.unique(np.stack([found.time, found.seen.astype(float)]), axis=1, return_counts=True)
        return replace(
            e, runs=type(e)().runs, arrays={"time": pairs[0], "seen": pairs[1].astype(np.int8), "count": count}
        )

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        found = times(e)
        edges = np.arange(EVERY / 2, found.time.max() + 2 * EVERY, 2 * EVERY)  # two checks a bar, for even bars
        said = f"SGD, {len(found.time):,} runs, {found.censored} censored"
        ax.hist(found.time, bins=edges, density=True, label=said)
        median = float(np.median(found.time))
        said = f"before 0.4 medians: 24 % of a random search, {early_mass(found, 0.4).value:.2%} of SGD"
        ax.axvspan(0, 0.4 * median, color="0.88", zorder=0, label=said)
        t = np.linspace(0, found.time.max(), 400)
        p = probability_with_median(median / EVERY)
        ax.plot(t, p / EVERY * (1 - p) ** (t / EVERY), color="0.5", label="random search, same median")
        ax.axvline(median, ymax=0.68, lw=0.8, ls=":", color="0.3", label=f"median {median:.0f}")
        ax.set(xlabel="steps to 100 % accuracy", ylabel="density", xlim=(0, None), ylim=(0, 0.0072))
        ax.legend(loc="upper left")
        return figure
