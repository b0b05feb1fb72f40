"""Figure 5.4 (left): wider networks are steadier but hardly faster, n = 40.

Random search with r copies is r times as fast as with one. A network of width r is not: its time levels off.
"""

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress import widths
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, Times, logrank, median_time, ratio, reached

ROW, TAIL = "fig-5.4-left", "width-variance"
N = 40
LAPTOP = {1: 40, 2: 40, 3: 40, 4: 40, 5: 40, 7: 60, 10: 300, 30: 100, 100: 100, 300: 200, 1000: 20, 3000: 5}


def against_search(e: Evidence) -> Estimate:
    """p-value of "width 1000 takes the times of width 30, divided by 1000/30"."""
    wide, narrow = widths.times(e, N, 1000), widths.times(e, N, 30)
    if wide is None or narrow is None:
        return widths.absent("log-rank p")
    return logrank(Times(narrow.time * 30 / 1000, narrow.seen), wide)


def weak_success(e: Evidence) -> Estimate:
    """Share of the networks of width 1 and 2 that reach 55 % accuracy."""
    return widths.weak_share(e, (N,))


def spread_ratio(e: Evidence) -> Estimate:
    """Relative interquartile range at width 300 over that at width 10."""
    wide, narrow = widths.times(e, N, 300), widths.times(e, N, 10)
    if wide is None or narrow is None:
        return widths.absent("ratio of relative spreads")
    return ratio(widths.spread(wide), widths.spread(narrow))


def late(e: Evidence) -> Estimate:
    """Share of the runs of width 300 that take more than one and a half medians."""
    found = widths.times(e, N, 300)
    if found is None:
        return widths.absent("share of late runs")
    return reached(found, 1.5 * median_time(found).value).through(lambda share: 1 - share)


class TimeAgainstWidth(Experiment):
    """Width makes training steadier, and hardly faster."""

    id = ROW
    place = Place(PAPER, "figure 5.4 (left)")
    claims = (
        Claim(
            ROW,
            "the median time at width 1000 is at least half of that at width 30",
            expect=at_least(0.5),
            why="times level off in the figure; random search with 1000 copies would need 0.03 of the time (spec 5.7)",
            value=lambda e: widths.speed_up(e, N, 1000, 30),
        ),
        Claim(
            ROW,
            "width 1000 does not take the times of width 30 divided by 1000/30 (log-rank)",
            of="derived",
            expect=at_most(1e-6),
            why="'no 1/r speed-up' as a test: parallel random search would divide every time by the ratio of widths",
            value=against_search,
        ),
        Claim(
            ROW,
            "most networks of width 1 and 2 reach 55 % accuracy",
            expect=at_least(0.5),
            why="the figure shows boxes for r < k with this criterion, and most means over half",
            value=weak_success,
        ),
        Claim(
            TAIL,
            "the interquartile range over the median at width 300 is at most a third of that at width 10",
            expect=at_most(1 / 3),
            why="'width reduces variance'; specification 5.7 puts this factor to it",
            value=spread_ratio,
        ),
        Claim(
            TAIL,
            "at width 300 at most 5 % of the runs take more than one and a half medians",
            of="derived",
            expect=at_most(0.05),
            why="'the upper tail disappears', at the usual level; of a memoryless search 35 % are that late",
            value=late,
        ),
    )
    given = {**widths.GIVEN, "n": "40"}
    chosen = {
        "widths": "1 to 3000, 12 programs; 40 to 300 runs up to width 300, 20 and 5 beyond, for they cost most",
        "55 % accuracy": widths.WEAK,
        "initialisation": "U(±1/√fan_in) with an output bias, which networks narrower than 10 need (erratum E5)",
    }
    remarks = (
        "With 100 runs each at widths 10 and 300 both intervals of the row on variance, 0.22 [0.16, 0.35] and "
        "0.01 [0.00, 0.05], still touched their bounds; 300 and 200 runs were then made. The late runs are decided now. The "
        "ratio of the spreads, 0.31 [0.25, 0.40], is not: it is close to a third, a factor that is the specification's and "
        "not the paper's, and some thousand runs would be needed. That width reduces the variance, which is what the paper "
        "says, is beyond doubt: the whole interval is far below 1."
    )
    shows = (
        "Boxes shrink and level off as networks widen, while the line of random search falls like 1/r to a single step."
    )

    def work(self, scale: Scale) -> dict[str, Sweep]:
        return widths.sweeps(scale(widths.SMOKE_N, N, N), scale(widths.SMOKE_WIDTHS, LAPTOP, widths.PAPER_WIDTHS))

    def condense(self, e: Evidence) -> Evidence:
        return widths.merged(e)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=3.6)
        widths.draw(ax, e, int(e.runs["n"][0]))
        ax.set_ylabel("steps to success")
        ax.legend(loc="lower left")
        return figure
