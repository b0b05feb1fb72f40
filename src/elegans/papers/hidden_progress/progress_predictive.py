"""Section 6.4 of the specification: does a look at the weights tell how much longer a run will take?

A function of the state at step t is a progress measure if it depends on t_c - t, the time left. Dependence is measured
by Spearman's correlation over runs at fixed t: Γ (relaxed Fourier gap), margin min_S |w| - max_rest |w|, ρ = ‖w_t - w_0‖_∞,
and for comparison the accuracy itself.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.stats import spearmanr

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.watching import Floats, Trace, measured
from elegans.stats import Estimate, bootstrap

FIXED = (200, 300, 500)
SHOWN = tuple(range(0, 820, 20))
MEASURES = {  # name in the figure: trace
    "Γ": "FourierGap.relaxed",
    "margin": "WeightMargin.margin",
    "ρ": "Movement.w",
    "accuracy": "Accuracy.accuracy",
}
FLAT = 0.55  # accuracy that still counts as the plateau; at 2048 examples chance stays below 0.54


def correlation(x: Floats, left: Floats) -> float:
    """Spearman's correlation over the runs that have not ended; 0 where it is not defined."""
    alive = np.isfinite(x) & (left > 0)
    if alive.sum() < 3 or np.ptp(x[alive]) == 0 or np.ptp(left[alive]) == 0:
        return 0.0
    return float(spearmanr(x[alive], left[alive]).statistic)


def over_fixed_times(columns: Floats) -> float:
    """Median over the fixed times; columns are the measure at each of them, then t_c."""
    *values, end = columns.T
    return float(np.median([correlation(x, end - t) for x, t in zip(values, FIXED, strict=True)]))


def predicts(measure: str, only_flat: bool = False) -> Callable[[Evidence], Estimate]:
    """Spearman of a measure with the time left, median over the fixed times, runs resampled together."""

    def value(e: Evidence) -> Estimate:
        at = [SHOWN.index(t) for t in FIXED]
        x = e.array(measure)[:, at].astype(np.float64)
        if only_flat:
            x = np.where(e.array("accuracy")[:, at] <= FLAT, x, np.nan)
        found = np.column_stack([x, e.array("end")])
        said = f"median Spearman of {measure} with the time left at t = {', '.join(map(str, FIXED))}"
        return _finite_bootstrap(found, said)

    return value


class ProgressPredicts(Experiment):
    """Hidden progress measures tell how much longer a run will take."""

    id = "progress-predictive"
    place = Place(PAPER, "section 5.3.3, definition of a progress measure")
    claims = (
        Claim(
            "progress-predictive",
            "the Fourier gap Γ predicts the time left: Spearman at most -0.7",
            of="derived",
            expect=at_most(-0.7),
            why="specification 6.4, over runs at fixed t before the end, in median over t = 200, 300, 500",
            value=predicts("Γ"),
        ),
        Claim(
            "progress-predictive",
            "the movement ρ predicts the time left: Spearman at most -0.5",
            of="derived",
            expect=at_most(-0.5),
            why="specification 6.4, as above",
            value=predicts("ρ"),
        ),
        Claim(
            "progress-predictive",
            "Γ predicts the time left also among runs whose accuracy is still at most 55 %",
            of="derived",
            expect=at_most(0.0),
            why="the paper's definition asks for dependence, and 'hidden' for dependence while nothing shows",
            value=predicts("Γ", only_flat=True),
        ),
    )
    given = {"definition": "a function of the state at t that is not independent of t_c - t"}
    chosen = {
        "setting": "sinusoid neuron (xiv) on (20, 3)-parity, B = 32, η = 0.01, where Γ is exact (specification 6.4)",
        "fixed times": "200, 300 and 500; runs that have ended by then are left out",
    }
    shows = (
        "Far below zero from early on: runs with a larger gap have less time left. The accuracy on 2048 examples tells less, and "
        "later; that it tells anything is why the third claim looks at runs whose accuracy is still flat."
    )

    def work(self, scale: Scale) -> Sweep:
        return measured(scale)

    def condense(self, e: Evidence) -> Evidence:
        found = {name: np.stack([_at(t, trace) for t in e.traces]) for name, trace in MEASURES.items()}
        end = e.times("solved").time
        small = {name: a.astype(np.float16 if name == "accuracy" else np.float32) for name, a in found.items()}
        runs = e.runs.select("seed", "outcome", "t", "solved")
        return replace(e, runs=runs, traces=(), arrays={**small, "end": end.astype(np.float32)})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, 2, height=3.1)
        curve, cloud = grid[0]
        end, t = e.array("end").astype(np.float64), np.array(SHOWN)
        alive = (end[:, None] > t).sum(0)
        shown = alive >= max(3, len(end) // 4)
        for name in MEASURES:
            values = [correlation(e.array(name)[:, i].astype(np.float64), end - s) for i, s in enumerate(SHOWN)]
            curve.plot(t[shown], np.array(values)[shown], label=name)
        curve.axhline(-0.7, color="0.4", ls=":", lw=1)
        curve.text(810, -0.69, "bound for Γ", fontsize=7, va="bottom", ha="right", color="0.4")
        curve.set(xlabel="step t", ylabel="Spearman with the time left", ylim=(-1.02, 0.35))
        curve.legend(ncols=4, loc="upper center", columnspacing=0.9, handlelength=1.2)
        at = SHOWN.index(FIXED[1])
        left = end - FIXED[1]
        cloud.plot(e.array("Γ")[left > 0, at], left[left > 0], ".", color="C0")
        value = predicts("Γ")(e)
        cloud.set(xlabel=f"Γ at step {FIXED[1]}", ylabel="steps left until solved", yscale="log")
        said = f"{value.value:.2f} [{value.low:.2f}, {value.high:.2f}]"
        cloud.set_title(f"Spearman, median of three t: {said}, {value.n} runs", fontsize=8)
        return figure


def _at(trace: Trace, name: str) -> Floats:
    """A measure at the shown times; nan after the end."""
    steps = trace[f"{name.partition('.')[0]}.t"]
    values = np.asarray(trace[name], np.float64).reshape(len(steps), -1)[:, 0]
    known = dict(zip(steps.tolist(), values, strict=True))
    return np.array([known.get(t, np.nan) for t in SHOWN])


def _finite_bootstrap(columns: Floats, what: str) -> Estimate:
    """Bootstrap over rows that may hold nan, which the statistic leaves out."""
    rows = np.arange(len(columns), dtype=np.float64)
    return bootstrap(
        rows, lambda picked: over_fixed_times(columns[picked.astype(np.int64)]), seed=0, draws=1000, what=what
    )
