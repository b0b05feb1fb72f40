"""Figure 5.1 (right): median convergence times grow like n^O(k).

median t_c ∝ n^α(k)        α(2) < α(3) < α(4)
"""

from collections.abc import Callable

from elegans.claims.claim import Claim, at_least, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress import scaling
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, difference

ROW = "fig-5.1-right"
RANGES = {2: (0.3, 0.9), 3: (0.9, 1.6), 4: (1.6, 2.4)}


def exponent(k: int) -> Callable[[Evidence], Estimate]:
    """The exponent of the medians at one k."""
    return lambda e: scaling.exponent(e, "ii", k)


def step(k: int) -> Callable[[Evidence], Estimate]:
    """How much the exponent grows from k - 1 to k."""
    return lambda e: difference(scaling.exponent(e, "ii", k), scaling.exponent(e, "ii", k - 1))


def straightness(e: Evidence) -> Estimate:
    """The smallest r² of the fitted laws."""
    return scaling.of_laws(e, "ii", 1, lambda laws: min(law.r2 for law in laws.values()), "smallest r²")


class MediansOverN(Experiment):
    """Median convergence times are power laws in n, steeper for larger k."""

    id = ROW
    place = Place(PAPER, "figure 5.1 (right)")
    claims = (
        *(
            Claim(
                ROW,
                f"k = {k}: the exponent lies between {low} and {high}",
                of="derived",
                expect=between(low, high),
                why="specification 5.2: a range around the slope of an independent implementation in this setting",
                value=exponent(k),
            )
            for k, (low, high) in RANGES.items()
        ),
        *(
            Claim(
                ROW,
                f"the exponent grows from k = {k - 1} to k = {k}",
                expect=at_least(0.0),
                why="the figure's statement: times n^O(k), so a steeper line for every larger k",
                value=step(k),
            )
            for k in (3, 4)
        ),
        Claim(
            ROW,
            "the medians lie on straight lines: r² is at least 0.95 for every k",
            expect=at_least(0.95),
            why="straight lines in the figure; specification 5.2 asks for r² > 0.95",
            value=straightness,
        ),
    )
    given = {"runs": "1000 trials for each point, medians with bootstrap intervals", "validation": "128 points"}
    chosen = {
        "architecture": "(ii), ReLU width 100, B = 32, η = 1: the paper does not name it; figure B.6 uses this one",
        "n, k": "10, 15, ..., 40 and 2, 3, 4: 21 programs; 1000 runs for each point",
        "checks": scaling.CHECKS,
    }
    shows = "Three straight lines on logarithmic axes: each further relevant bit makes the line steeper."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        ns = scale((10, 20, 30), tuple(range(10, 41, 5)), tuple(range(10, 41)))
        return scaling.sweeps("ii", ns, scale((3,), (2, 3, 4), (2, 3, 4)), scale(16, 1000, 1000))

    def condense(self, e: Evidence) -> Evidence:
        return scaling.merged(e)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import COLOURS, axes

        figure, ax = axes()
        for k, colour in zip(scaling.ks_of(e, "ii"), COLOURS, strict=False):
            scaling.draw(ax, e, "ii", k, colour)
        scaling.log_axes(ax, sorted(set(e.runs["n"].to_list())))
        lost = e.runs["solved"].null_count()
        ax.set_title(f"ReLU 100, η = 1: {len(e.runs):,} runs, {lost} never solved", fontsize=8)
        ax.set(xlabel="n", ylabel="median steps to success")
        ax.legend()
        return figure
