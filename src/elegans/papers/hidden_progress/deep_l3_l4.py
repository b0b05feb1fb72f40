"""Appendix B.3.7: end-to-end SGD trains deep networks of squares on parities of up to 2^{L-1} bits.

    f = u·z_{L-1} + c,  z_i = (W_iᵀ z_{i-1} + b_i)²        widths (2, 1) for L = 3, (10, 10, 1) for L = 4

Beyond degree 2^{L-1} no such network correlates with the parity at all.
"""

from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.deep_quadratic import DeepQuadratic
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.probes.accuracy import Accuracy
from elegans.stats import Estimate, Times, mean, reached
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD
from elegans.training.stops import Budget, Solved

WIDTHS = {2: (10,), 3: (2, 1), 4: (10, 10, 1)}
BUDGET = {2: 20_000, 3: 20_000, 4: 50_000}
LONG = 500_000  # steps for k = 7 and 8
ALGORITHM = SGD(0.01, batch=32)


def cell(depth: int, n: int, k: int, budget: int, seeds: int, bias: bool = True) -> Sweep:
    """Runs of depth L on (n, k)-parity."""
    stage = Stage(SparseParity(n, k), ALGORITHM, Solved(every=10) | Budget(budget))
    watch = (Accuracy(every=budget),) if k > 2 ** (depth - 1) else ()
    return Sweep(Run(DeepQuadratic(WIDTHS[depth], output_bias=bias), stage, watch=watch), seed=range(seeds))


def name(depth: int, n: int, k: int) -> str:
    return f"L = {depth}, ({n}, {k})"


def solved(e: Evidence, depth: int, cells: tuple[tuple[int, int], ...]) -> Estimate:
    """Share of solved runs over some cells; those that diverged count as unsolved."""
    found = [e[name(depth, n, k)].times() for n, k in cells if name(depth, n, k) in e.parts]
    return reached(Times(np.concatenate([t.time for t in found]), np.concatenate([t.seen for t in found])))


def final_accuracy(e: Evidence) -> Estimate:
    """Mean final accuracy of the runs on impossible parities that did not diverge."""
    parts = [e[name(depth, n, k)].runs for depth, n, k in IMPOSSIBLE if name(depth, n, k) in e.parts]
    return mean(pl.concat(parts)["accuracy"].drop_nans().to_numpy())


L3 = tuple((n, k) for n in (10, 20, 30) for k in (1, 2, 3, 4))
L4 = tuple((10, k) for k in (1, 2, 3, 4, 5, 6))
IMPOSSIBLE = ((2, 10, 3), (3, 10, 5))
NO_BIAS = "L = 3, (10, 3), no output bias"


class DeepNetworksOfSquares(Experiment):
    """Networks of three and four layers of squares learn parities that layer-wise training cannot."""

    id = "deep-L3-L4"
    place = Place(PAPER, "appendix B.3.7")
    claims = (
        Claim(
            "deep-L3-L4",
            "L = 3, n = 10, 20, 30, k = 1 to 4: all runs solve the task within 20 000 steps",
            expect=at_least(0.9),
            why="the paper reports 10 of 10 seeds in every cell; nine tenths of all runs is the least that can mean",
            value=lambda e: solved(e, 3, L3),
        ),
        Claim(
            "deep-L3-L4",
            "L = 3, n = 10, k = 3 and 4: at least 80 % do",
            of="derived",
            expect=at_least(0.8),
            why="specification 5.19: 8 of 10 runs; these are the parities that layer-wise training cannot learn",
            value=lambda e: solved(e, 3, ((10, 3), (10, 4))),
        ),
        Claim(
            "deep-L3-L4",
            "L = 4, n = 10, k = 5: at least 80 % within 50 000 steps",
            of="derived",
            expect=at_least(0.8),
            why="specification 5.19: 8 of 10 runs",
            value=lambda e: solved(e, 4, ((10, 5),)),
        ),
        Claim(
            "deep-L3-L4",
            "L = 4, n = 10, k = 1 to 6: all runs solve the task within 50 000 steps",
            expect=at_least(0.9),
            why="the paper reports 10 of 10 seeds in every cell; nine tenths of all runs is the least that can mean",
            value=lambda e: solved(e, 4, L4),
        ),
        Claim(
            "deep-L3-L4",
            "L = 2, k = 3 and L = 3, k = 5: no run solves the task",
            expect=at_most(0.1),
            why="impossible by degree; a tenth is what 0 of 36 runs or more can exclude",
            value=lambda e: reached(_together(e)),
        ),
        Claim(
            "deep-L3-L4",
            "and their accuracy ends at one half",
            expect=between(0.44, 0.56),
            why="specification 5.19: 0.5 ± 0.06, as the correlation with the label is exactly zero",
            value=final_accuracy,
        ),
        Claim(
            "deep-L3-L4",
            "without output bias L = 3 never solves (10, 3)",
            of="corrected",
            expect=at_most(0.1),
            why="u z² has one sign (erratum E5): the printed formula cannot have been what was trained",
            value=lambda e: reached(e[NO_BIAS].times()),
        ),
    )
    given = {
        "training": "SGD, η = 0.01, B = 32, uniform initialisation",
        "L = 3": "widths (2, 1), n = 10, 20, 30, k = 1 to 4, 20 000 steps, 10 of 10 seeds",
        "L = 4": "widths (10, 10, 1), k = 1 to 6, 50 000 steps; k = 7, 8 within 500 000, at paper scale only",
    }
    chosen = {
        "initialisation": "U(±1/√fan_in) for weights and biases: 'uniform' is not specified further",
        "output bias": "yes: a last width of one cannot classify without it",
        "loss, success": "hinge; 100 % of 8192 points, checked every 10 steps",
        "n for L = 4": "10 (30 at paper scale, where k = 7 and 8 are tried too)",
    }
    remarks = (
        "L = 3: 432 of 480 runs are solved, which does not decide against nine tenths; but the paper's 10 of 10 in every cell "
        "is not what this network does. All 48 others have k = 3 or 4: 6 at n = 10, 16 at n = 20, 26 at n = 30. At (30, 4), "
        "where 26 of 40 are solved, ten of ten would come with probability 0.013, and in all six cells of k = 3 and 4 with "
        "10⁻⁶. They are late and not lost: within 60 000 steps 35 of the same 40 runs at (30, 4) are solved. The "
        "specification's pilot had 5 to 7 of 10 there, with either reading of the uniform law. So the number of steps that "
        "the paper states for L = 3 is too small, or a setting that it does not state (loss, scale, biases) differs from "
        "ours."
    )
    shows = "Share of solved runs, cell by cell: all is learned up to k = 2^{L-1} (dashed) and nothing beyond."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        if scale is Scale.SMOKE:
            cells = [(3, 10, 4, 4000, 4), (4, 10, 5, 400, 1), (2, 10, 3, 400, 2)]
            return {name(*c[:3]): cell(*c) for c in cells} | {NO_BIAS: cell(3, 10, 3, 400, 2, bias=False)}
        seeds = scale(1, 40, 100)
        cells = [(3, n, k, BUDGET[3], seeds) for n, k in L3] + [(4, n, k, BUDGET[4], seeds) for n, k in L4]
        cells += [(depth, n, k, BUDGET[depth], seeds) for depth, n, k in IMPOSSIBLE]
        if scale is Scale.PAPER:
            cells += [(4, n, k, BUDGET[4], seeds) for n in (20, 30) for k in range(1, 7)]
            cells += [(4, n, k, LONG, seeds) for n, k in ((10, 7), (20, 7), (30, 7), (10, 8))]
        return {name(*c[:3]): cell(*c) for c in cells} | {NO_BIAS: cell(3, 10, 3, BUDGET[3], seeds, bias=False)}

    def condense(self, e: Evidence) -> Evidence:
        parts = {}
        for key, part in e.parts.items():
            last = [
                float(t["Accuracy.accuracy"][-1]) if "Accuracy.accuracy" in t else float("nan") for t in part.traces
            ]
            runs = part.runs.select("outcome", "t", "solved")
            parts[key] = Evidence(runs.with_columns(pl.Series("accuracy", last or [float("nan")] * len(runs))))
        return replace(e, parts=parts)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        rows = sorted({key.rsplit(",", 1)[0] for key in e.parts if key != NO_BIAS})
        figure, ax = axes(height=0.45 * len(rows) + 1.3)
        for key, part in e.parts.items():
            if key == NO_BIAS:
                continue
            head, tail = key.rsplit(",", 1)
            row, k, times = rows.index(head), int(tail.strip(" )")), part.times()
            share, middle = times.seen.mean(), np.median(times.time[times.seen]) if times.seen.any() else np.nan
            ax.add_patch(_square(k, row, share))
            text = f"{times.seen.sum()}/{times.n}" + (f"\n{middle:.0f}" if times.seen.any() else "")
            ax.text(k, row, text, ha="center", va="center", fontsize=7, color="w" if share > 0.5 else "k")
        for row, head in enumerate(rows):
            ax.plot([2 ** (int(head[4]) - 1) + 0.5] * 2, [row - 0.5, row + 0.5], "--k", lw=2)
        labels = [f"{head.replace('(', 'n = ')}" for head in rows]
        ax.set_title("solved runs, and below their median step; dashed: k = 2^{L-1}", fontsize=8)
        ax.set(xlabel="k", yticks=range(len(rows)), yticklabels=labels)
        ax.set(xlim=(0.5, 8.7), ylim=(len(rows) - 0.5, -0.5), xticks=range(1, 9))
        ax.grid(visible=False)
        return figure


def _together(e: Evidence) -> Times:
    found = [e[name(*c)].times() for c in IMPOSSIBLE if name(*c) in e.parts]
    return Times(np.concatenate([t.time for t in found]), np.concatenate([t.seen for t in found]))


def _square(k: int, row: int, share: float) -> object:
    from matplotlib.patches import Rectangle

    return Rectangle((k - 0.48, row - 0.46), 0.96, 0.92, color="#0072B2", alpha=0.05 + 0.9 * share, lw=0)
