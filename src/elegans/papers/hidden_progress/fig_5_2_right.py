"""Figure 5.2 (right): at a constant learning rate the exponent of t_c ∝ n^α is larger for larger n."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress import scaling
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, bend, exponent_of, local_slopes, power_law

ROW = "fig-5.2-right"


def elbow(k: int) -> Callable[[Evidence], Estimate]:
    """Exponent over the upper half of the values of n minus that over the lower half."""

    def value(e: Evidence) -> Estimate:
        ns, middle = scaling.medians(e, "ii", k)
        return bend(ns, middle) if len(ns) > 2 else scaling.absent("bend")

    return value


class Elbow(Experiment):
    """The exponent of the convergence time is worse for large n."""

    id = ROW
    place = Place(PAPER, "figure 5.2 (right)")
    claims = (
        Claim(
            ROW,
            "k = 3: the exponent over the upper half of the values of n exceeds that over the lower half by 0.3",
            expect=at_least(0.3),
            why="the figure's elbow; specification 5.5 asks for a difference of 0.3",
            value=elbow(3),
        ),
        Claim(
            ROW,
            "k = 2: the exponent is larger over the upper half, too",
            expect=at_least(0.0),
            why="the text states the elbow for constant η whatever k, without a size",
            value=elbow(2),
        ),
    )
    given = {"learning rate": "constant over n"}
    chosen = {
        "architecture": "(ii), ReLU width 100, B = 32, η = 1: the configuration is not given; figure B.6 uses this one",
        "n, k": "10 to 200 in nine steps, k = 2 and 3: 18 programs, the smaller half shared with figure 5.1 (right)",
        "runs": "100 for each point at laptop scale",
        "checks": scaling.CHECKS,
    }
    shows = "The points bend upwards: the line through the larger n is steeper than the one through the smaller."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        ns = scale((10, 20, 30), NS, NS)
        return scaling.sweeps("ii", ns, scale((3,), (2, 3), (2, 3)), scale(16, 100, 1000))

    def condense(self, e: Evidence) -> Evidence:
        return scaling.merged(e)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import COLOURS, panels

        figure, grid = panels(1, 2, height=3.0)
        left, right = grid[0]
        for k, colour in zip(scaling.ks_of(e, "ii"), COLOURS, strict=False):
            ns, middle = scaling.medians(e, "ii", k)
            draw_halves(left, ns, middle, k, colour)
            slopes = local_slopes(ns, [m.value for m in middle], 3)
            right.plot([n for n, _ in slopes], [s.value for _, s in slopes], "o-", ms=3, color=colour, label=f"k = {k}")
        for ax in (left, right):
            scaling.log_axes(ax, (10, 20, 50, 100, 200))
            ax.set_xlabel("n")
            ax.legend()
        each = len(e.runs) // max(1, e.runs.select("k", "n").n_unique())
        left.set_title(f"ReLU 100, η = 1, {each} runs a point, 95 % intervals", fontsize=8)
        left.set_ylabel("median steps to success")
        right.set(yscale="linear", ylabel="local exponent (three points)")
        return figure


NS = (10, 15, 20, 30, 50, 70, 100, 140, 200)


def draw_halves(ax: Any, ns: Sequence[int], middle: Sequence[Estimate], k: int, colour: str) -> None:
    """Medians with intervals, and one power law through each half."""
    y, half = np.array([m.value for m in middle]), (len(ns) + 1) // 2
    bars = [y - [m.low for m in middle], np.minimum([m.high for m in middle], scaling.BUDGET) - y]
    ax.errorbar(ns, y, yerr=bars, fmt="o", ms=3.5, lw=1, capsize=2, color=colour)
    for part, style in ((slice(None, half), "--"), (slice(-half, None), "-")):
        x, fit = np.array(ns[part]), power_law(ns[part], y[part])
        slope = exponent_of(ns[part], middle[part]).value
        ax.plot(
            x,
            fit.factor.value * x**fit.exponent.value,
            style,
            lw=1,
            color=colour,
            label=f"k = {k}, n ≤ {x[-1]}: $n^{{{slope:.2f}}}$"
            if style == "--"
            else f"k = {k}, n ≥ {x[0]}: $n^{{{slope:.2f}}}$",
        )
