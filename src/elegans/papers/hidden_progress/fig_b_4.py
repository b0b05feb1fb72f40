"""Figure B.4: which share of the runs converges, for every architecture, batch size and k."""

from collections.abc import Callable

import numpy as np

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.robust import IDS, slices
from elegans.papers.hidden_progress.robust_times import heat_map, timed, words
from elegans.stats import Estimate, absent, difference, wilson

ROW = "fig-B.4"
WIDE = ("ii", "iii", "v", "vi", "xv")  # networks of width 100 or more, and PolyNet
THIN = ("vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "*i", "*ii")


def at_best(e: Evidence) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Runs, solved runs, and solved or cut runs, each at the rate at which they are most: over (setting, k, batch)."""
    solved, cut = e.array("solved")[..., 0, :], e.array("cut")[..., 0, :]
    return e.array("runs")[..., 0, :].max(-1), solved.max(-1), (solved + cut).max(-1)


def pooled(e: Evidence, ids: tuple[str, ...], batches: Callable[[float], bool], what: str = "share") -> Estimate:
    """Share of runs that converge in several cells; runs that were cut before 10^5 steps count both ways."""
    rows = np.isin(e.array("values/setting"), [IDS.index(i) for i in ids])
    columns = np.array([batches(b) for b in e.array("values/batch")])
    n, solved, possible = (int(a[rows][:, :, columns].sum()) for a in at_best(e))
    if n == 0:
        return absent(what)
    return Estimate(solved / n, wilson(solved, n).low, wilson(possible, n).high, n, possible - solved, what=what)


def least(e: Evidence, ids: tuple[str, ...], batches: tuple[tuple[float, ...], ...]) -> Estimate:
    """The smallest share over architectures and groups of batch sizes."""
    found = [
        pooled(e, (i,), lambda b, some=some: b in some, f"share of ({i}) at B = {', '.join(f'{b:.0f}' for b in some)}")
        for i in ids
        for some in batches
    ]
    there = [f for f in found if f.n]
    return min(there, key=lambda f: f.value) if there else found[0]


def every_batch(e: Evidence) -> Estimate:
    """The smallest share of (i) to (xv) at one batch size."""
    return least(e, IDS[: IDS.index("*i")], tuple((b,) for b in e.array("values/batch")))


def from_32(e: Evidence) -> Estimate:
    """The smallest share of the wide networks at B ≥ 32."""
    return least(e, WIDE, (tuple(b for b in e.array("values/batch") if b >= 32),))


def wide_minus_thin(e: Evidence) -> Estimate:
    """How much larger the share of the wide networks is."""
    parts = [pooled(e, ids, lambda b: b >= 32) for ids in (WIDE, THIN)]
    return difference(*parts) if all(p.n for p in parts) else min(parts, key=lambda p: p.n)


class ConvergedShares(Experiment):
    """Nearly all runs converge, except those of the smallest networks."""

    id = "fig-B.4"
    place = Place(PAPER, "figure B.4")
    claims = (
        Claim(
            ROW,
            "(i) to (xv): at every batch size at least 20 % of the runs converge (the architecture and B with fewest)",
            expect=at_least(0.2),
            why="finding 5.1 asks for 20 % of the runs at the best rate",
            value=every_batch,
        ),
        Claim(
            ROW,
            "networks of width 100 and 1000 and PolyNet: at least 80 % at B ≥ 32 (the architecture with fewest)",
            expect=at_least(0.8),
            why="specification 5.12; the text calls the share near 100 % at large batches",
            value=from_32,
        ),
        Claim(
            ROW,
            "single neurons and minimal networks converge less often than wide networks, at B ≥ 32",
            expect=at_least(0.0),
            why="the text: single neurons and minimal networks are less robust",
            value=wide_minus_thin,
        ),
    )
    given = {
        "setting": "n = 30, hinge loss, uniform initialisation, best of η = 0.001, 0.01, 0.1, 1; t_c < 10^5; 25 seeds"
    }
    chosen = {"on a laptop": "B = 1, 32, 256; 5 seeds; steps of finding 5.1. Runs that were cut count both ways"}
    shows = "Per cent of runs that converge at the best rate: full for wide networks, thinner for single neurons."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        return slices(scale, n=(30,))

    def condense(self, e: Evidence) -> Evidence:
        return timed(e)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(width=8.0, height=4.6)
        runs, solved, possible = at_best(e)
        share = 100 * solved / np.maximum(runs, 1)
        none = np.where(runs > 0, words(e)[..., 0], "")
        only = np.where((solved == 0) & ((possible > 0) | (runs == 0)), np.nan, share)
        more = np.where(possible > solved, "+", "")
        image = heat_map(ax, e, only, lambda v: f"{v:.0f}", none, more, cmap="Blues", vmin=0, vmax=100)
        figure.colorbar(image, ax=ax, label="runs that converge, %")
        most = int(runs.max(initial=0))
        said = "“cut”, “+”: runs were cut early, so the share may be larger"
        ax.set_title(f"n = 30, best of four rates, {most} runs each; {said}", fontsize=8, pad=18)
        return figure
