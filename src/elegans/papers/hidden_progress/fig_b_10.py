"""Figure B.10: convergence times against width for n = 30, 40 and 50."""

from collections.abc import Callable

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress import fig_5_4_left, widths
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate

ROW = "fig-B.10"
NS = (30, 40, 50)
OTHER = {1: 30, 2: 30, 3: 30, 5: 30, 10: 50, 30: 50, 100: 50, 300: 20, 1000: 10}
LAPTOP = {30: OTHER, 40: fig_5_4_left.LAPTOP, 50: OTHER}


def plateau(n: int) -> Callable[[Evidence], Estimate]:
    """Median time at width 1000 over that at width 30."""
    return lambda e: widths.speed_up(e, n, 1000, 30)


class TimeAgainstWidthAndN(Experiment):
    """Times level off with width at every n."""

    id = ROW
    place = Place(PAPER, "figure B.10")
    claims = (
        *(
            Claim(
                ROW,
                f"n = {n}: the median time at width 1000 is at least half of that at width 30",
                expect=at_least(0.5),
                why="times level off; random search with 1000 copies would need 0.03 of the time (specification 5.7)",
                value=plateau(n),
            )
            for n in NS
        ),
        Claim(
            ROW,
            "most networks of width 1 and 2 reach 55 % accuracy",
            expect=at_least(0.5),
            why="the figure shows boxes for r < k with this criterion, and most means over half",
            value=lambda e: widths.weak_share(e, NS),
        ),
    )
    given = {**widths.GIVEN, "n": "30, 40, 50"}
    chosen = {
        "widths": "1 to 1000 (n = 40: to 3000, shared with figure 5.4 (left)): 30 programs; 10 to 300 runs each, "
        "fewer for wide networks",
        "55 % accuracy": widths.WEAK,
    }
    shows = (
        "Three times the same picture: boxes that shrink and level off, far above the falling line of random search."
    )

    def work(self, scale: Scale) -> dict[str, Sweep]:
        smoke, paper = {widths.SMOKE_N: widths.SMOKE_WIDTHS}, dict.fromkeys(NS, widths.PAPER_WIDTHS)
        parts = [widths.sweeps(n, seeds) for n, seeds in scale(smoke, LAPTOP, paper).items()]
        return {name: sweep for part in parts for name, sweep in part.items()}

    def condense(self, e: Evidence) -> Evidence:
        return widths.merged(e)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        ns = sorted(set(e.runs["n"].to_list()))
        figure, grid = panels(1, len(ns), height=3.2, sharey=True)
        for ax, n in zip(grid[0], ns, strict=True):
            widths.draw(ax, e, n)
        grid[0, 0].set_ylabel("steps to success")
        grid[0, 0].legend(loc="lower left", fontsize=7)
        return figure
