"""The panels of figure B.2: what each of them trains, and how their curves are kept and drawn.

A panel is called row/setting/n/k/batch/rate. Row 4 at its large batch shares the runs of figure B.13.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.hidden_progress import fig_5_1_left, fig_b_13
from elegans.papers.hidden_progress.presets import FIG_B_2, NAMES, SMALL_TRANSFORMER, setting
from elegans.papers.hidden_progress.watching import Trace, even
from elegans.probes.accuracy import Accuracy
from elegans.probes.validation_loss import ValidationLoss
from elegans.stats import Times
from elegans.training.stops import Budget, Solved

STEPS, SMALL_STEPS = 100_000, 3000  # the latter for the small Transformer
TASKS = ((30, 3), (60, 3), (90, 3), (30, 4), (30, 5), (30, 6))
MINIMAL = ("*i", "*ii", "vii", "viii", "xi", "xii")
OTHERS = ("ix", "x", "xiii", "xiv")  # the other non-standard activations (erratum E27)
POLYNOMIALS, SLOW = ("viii", "xii"), 0.01  # the rate of this activation in figure B.6
WIDE, TRANSFORMER = ("iii", "vi"), "*iii"
SHOWN, POINTS, COLUMNS = 3, 40, 6  # curves of a panel, points of a curve, axes of a line
ALIKE = {
    "1/i/50/3/32/0.5": "ReLU 10",
    "2/xv/50/3/32/0.07": "PolyNet",
    "3/vii/50/3/32/0.2": "3-zigzag",
}  # in figure 5.1 (left)


class Panel(NamedTuple):
    """One set of runs."""

    row: int
    id: str
    n: int
    k: int
    batch: int
    lr: float

    @property
    def name(self) -> str:
        return "/".join(map(str, self))


def printed(row: int, id: str, n: int, k: int, batch: int) -> Panel:
    """A panel with the printed rate, of the nearest batch that has one; figure B.2 has 0.1 for all neurons."""
    rates = FIG_B_2.get(id, FIG_B_2["vii"])
    return Panel(row, id, n, k, batch, min(rates, key=lambda pair: abs(np.log(pair[0] / batch)))[1])


def named(name: str) -> Panel:
    """The panel of this name."""
    row, id, n, k, batch, lr = name.split("/")
    return Panel(int(row), id, int(n), int(k), int(batch), float(lr))


def sweeps(scale: Scale) -> dict[str, Sweep]:
    """All panels; for smoke one of each row, with programs that other figures have as well."""
    if scale is Scale.SMOKE:
        narrow = {name: fig_5_1_left.panel(*fig_5_1_left.PANELS[of], seeds=2) for name, of in ALIKE.items()}
        return narrow | {
            printed(4, id, 50, 3, 32).name: fig_b_13.panel(of, 32, 2, 100)
            for id, of in zip(WIDE, ("ii", "v"), strict=True)
        }
    large, n = scale(32, 256, 1024), scale(10, 10, 50)
    found = [
        *(printed(1, "ii", n, k, 32) for n, k in TASKS),
        *(printed(2, "xv", 50, 3, batch) for batch, _ in FIG_B_2["xv"]),
        *(printed(3, id, 50, 3, batch) for id in (*MINIMAL, *OTHERS) for batch in (1, 16)),
        *(Panel(3, id, 50, 3, 1, SLOW) for id in POLYNOMIALS),
        *(printed(4, id, 50, 3, batch) for id in WIDE for batch in (1, large)),
        *(printed(4, TRANSFORMER, n, 3, batch) for batch in (32, large)),
    ]
    return {p.name: _sweep(p, scale) for p in found}


def _sweep(p: Panel, scale: Scale) -> Sweep:
    wide, small = p.id in WIDE, p.id == TRANSFORMER and scale is not Scale.PAPER
    if wide and p.batch > 1:
        return fig_b_13.panel(p.id, p.batch, scale(2, 6, 10), scale(100, 10_000, STEPS))
    preset = setting(p.id, p.n, p.k, p.lr, p.batch)
    checks, cadence = (50, 100) if p.batch == 1 else (10, 10 if p.row in (2, 4) else 50)
    stop = Solved(every=checks, on=1024 if p.row == 4 else 8192) | Budget(SMALL_STEPS if small else STEPS)
    watch = (ValidationLoss(every=200, on=2048), Accuracy(every=200)) if wide else (Accuracy(every=cadence),)
    seeds = {1: scale(2, 10, 25), 2: scale(2, 20, 25), 3: scale(2, 20, 100), 4: scale(2, 6 if wide else 3, 10)}
    run = Run(SMALL_TRANSFORMER if small else preset.model, Stage(preset.task, preset.algorithm, stop), watch=watch)
    return Sweep(run, seed=range(seeds[p.row]))


def condensed(e: Evidence) -> Evidence:
    """One table of all panels, and a few curves of each."""
    runs = pl.concat([_table(name, part) for name, part in e.parts.items()])
    curves = [_curve(i, trace) for i, part in enumerate(e.parts.values()) for trace in part.traces[:SHOWN]]
    return Evidence(runs, tuple(curves), meta=e.meta)


def _table(name: str, part: Evidence) -> pl.DataFrame:
    """How the runs of a panel ended, with the loss at a quarter of the way where it was watched."""
    quarter = [_quarter(trace, end) for trace, end in zip(part.traces, part.runs["solved"], strict=True)]
    whole = [pl.col(c).cast(pl.Int64) for c in ("seed", "t", "solved")]
    return part.runs.select(pl.lit(name).alias("panel"), "outcome", *whole, pl.Series("quarter", quarter, pl.Float64))


def _quarter(trace: Trace, end: int | None) -> float | None:
    if end is None or "ValidationLoss.t" not in trace:
        return None
    return float(np.interp(0.25 * end, trace["ValidationLoss.t"], trace["ValidationLoss.loss"]))


def _curve(panel: int, trace: Trace) -> dict[str, np.ndarray]:
    at = even(len(trace["Accuracy.t"]), POINTS)
    return {
        "panel": np.array([panel], np.int16),
        "t": trace["Accuracy.t"][at].astype(np.int32),
        "accuracy": trace["Accuracy.accuracy"][at].astype(np.float16),
    }


def listed(e: Evidence) -> list[Panel]:
    """The panels that were run, in the order of the figure."""
    return [named(name) for name in e.runs["panel"].unique(maintain_order=True)]


def times(e: Evidence, p: Panel) -> Times:
    """Times of success in a panel."""
    return e.times("solved", pl.col("panel") == p.name)


def lines(found: list[Panel]) -> list[list[list[Panel]]]:
    """Lines of at most six axes, and the panels on each axis: those of one minimal network share one."""
    shared: dict[tuple[Any, ...], list[Panel]] = {}
    for p in found:
        shared.setdefault((p.row, p.id) if p.row == 3 else tuple(p), []).append(p)
    rows = [[some for key, some in shared.items() if key[0] == row] for row in range(1, 5)]
    return [row[i : i + COLUMNS] for row in rows for i in range(0, len(row), COLUMNS)]


def draw(ax: Any, e: Evidence, some: list[Panel]) -> None:
    """Up to three curves of each panel, and how many of its runs are solved."""
    order, counts = listed(e), []
    for i, p in enumerate(some):
        curves = [c for c in e.traces if order[int(c["panel"][0])] == p]
        for j, curve in enumerate(curves):
            label = None if j else f"B = {p.batch}" + ", slow" * (p.row == 3 and p.lr == SLOW)
            ax.plot(curve["t"][1:], curve["accuracy"][1:], lw=1, color=f"C{i}", alpha=0.8, label=label)
        found = times(e, p)
        counts.append((found.n - found.censored, found.n))
    p = some[0]
    name = f"({p.id}) {NAMES[p.id].replace('^k', '³') if p.row > 3 else NAMES[p.id]}"
    ns = {n for _, n in counts}
    said = (
        f"{', '.join(str(c) for c, _ in counts)} of {ns.pop()}"
        if len(ns) == 1
        else ", ".join(f"{c}/{n}" for c, n in counts)
    )
    label = {1: f", ({p.n}, {p.k})", 3: ""}.get(p.row, f", B = {p.batch}")
    ax.set_title(f"{name}{label}\n{said} solved", fontsize=7)
    ax.axhline(0.5, lw=0.5, color="0.7")
    ax.set(ylim=(0.4, 1.03), xscale="log" if p.row == 3 else "linear")
    ax.tick_params(labelsize=6)
