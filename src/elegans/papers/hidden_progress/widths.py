"""Convergence times against the width r of a ReLU network, and what r copies of random search would need.

    E t_c = 1/p,   p = 1 - (1 - 1/C(n,k))^r        random search: r times the width, a time r times shorter

Networks with r < k cannot represent the parity well; as in the paper they count as converged at 55 % accuracy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.mlp import MLP
from elegans.stats import Estimate, Times, absent, bootstrap, first_times, median_time, ratio, reached
from elegans.tasks.parity import SparseParity
from elegans.theory.random_search import mean_time, success_probability
from elegans.training.accurate import Accurate
from elegans.training.algorithms import SGD
from elegans.training.stops import Budget, Solved

K = 3
BUDGET = 100_000
GIVEN = {
    "network and training": "ReLU, B = 128, η = 0.1, k = 3, hinge loss",
    "widths": "1, 2, ..., 10, 30, 100, ..., 3·10⁶; 1000 runs each",
    "r < k": "converged at 55 % accuracy",
}
WEAK = (
    "one check of 2048 points with at least 55 % right, where the paper asks for ten checks in a row: at accuracy "
    "one half a check passes by chance with probability 4·10⁻⁶"
)
WIDE = (30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
PAPER_WIDTHS = dict.fromkeys((*range(1, 11), *WIDE), 1000)
SMOKE_N, SMOKE_WIDTHS = 10, {10: 8, 30: 8}


def sweeps(n: int, seeds: Mapping[int, int]) -> dict[str, Sweep]:
    """One sweep a width on (n, 3)-parity, with `seeds[r]` runs at width r; one program each."""
    return {f"{n}/{r}": _sweep(n, r, count) for r, count in seeds.items()}


def _sweep(n: int, r: int, seeds: int) -> Sweep:
    event = Accurate(every=10, error=0.45) if r < K else Solved(every=10)
    stage = Stage(SparseParity(n, K), SGD(0.1, batch=128), event | Budget(BUDGET))
    return Sweep(Run(MLP(r), stage), seed=range(seeds))


def merged(e: Evidence) -> Evidence:
    """One table of all sweeps: n, width and the time of success."""
    return replace(e, parts={}, runs=pl.concat([_labelled(name, part.runs) for name, part in e.parts.items()]))


def _labelled(name: str, runs: pl.DataFrame) -> pl.DataFrame:
    n, _, r = name.partition("/")
    event = "accurate" if "accurate" in runs.columns else "solved"
    return runs.select(pl.lit(int(n)).alias("n"), pl.lit(int(r)).alias("width"), pl.col(event).alias("reached"))


def widths_of(e: Evidence, n: int) -> list[int]:
    """The widths that were run at n."""
    return sorted(set(e.runs.filter(pl.col("n") == n)["width"].to_list()))


def times(e: Evidence, n: int, r: int) -> Times | None:
    """Censored times at one width, or None where it was not run."""
    runs = e.runs.filter((pl.col("n") == n) & (pl.col("width") == r))
    return first_times(runs["reached"].cast(pl.Float64).fill_null(inf).to_numpy(), BUDGET) if len(runs) else None


def speed_up(e: Evidence, n: int, wide: int, narrow: int) -> Estimate:
    """Median time at the larger width over that at the smaller one."""
    a, b = times(e, n, wide), times(e, n, narrow)
    return absent("ratio of medians") if a is None or b is None else ratio(median_time(a), median_time(b))


def weak_share(e: Evidence, ns: Sequence[int]) -> Estimate:
    """Share of the networks with r < k that reach 55 % accuracy."""
    found = [t for n in ns for r in range(1, K) if (t := times(e, n, r)) is not None]
    if not found:
        return absent("share reached")
    return reached(Times(np.concatenate([t.time for t in found]), np.concatenate([t.seen for t in found])))


def spread(found: Times) -> Estimate:
    """Interquartile range over median. Censored runs stand at the budget, so it is too small if a quarter is censored."""
    return replace(bootstrap(found.time, _spread, seed=0, what="IQR / median"), censored=found.censored)


def _spread(t: np.ndarray) -> float:
    low, middle, high = np.quantile(t, [0.25, 0.5, 0.75])
    return float((high - low) / middle)


def search_time(n: int, r: int) -> float:
    """Mean time of r copies of random search."""
    return mean_time(success_probability(n, K, r))


def draw(ax: Any, e: Evidence, n: int) -> None:
    """Box plots of times by width (red: 55 % accuracy, r < 3), and random search with r copies as a line."""
    from matplotlib.ticker import NullLocator

    from elegans.claims.drawing import COLOURS

    rs = widths_of(e, n)
    for r in rs:
        found = times(e, n, r)
        assert found is not None
        colour = COLOURS[1] if r < K else COLOURS[0]
        box(ax, found, r, colour)
    curve = np.unique(np.geomspace(1, max(rs), 200).round()).astype(int)
    ax.plot(curve, [search_time(n, int(r)) for r in curve], color=COLOURS[2], label="random search, r copies")
    for colour, label in ((COLOURS[0], "100 % accuracy"), (COLOURS[1], "r < k: 55 % accuracy")):
        ax.plot([], [], "s", ms=5, mfc="none", mec=colour, label=label)
    ax.plot([], [], "^", ms=4, color="0.3", label=f"% censored at {BUDGET:,} steps")
    ax.set(xscale="log", yscale="log", xlabel="width r", ylim=(0.7, 4 * BUDGET), title=f"({n}, 3)-parity")
    ticks = [r for r in rs if r in (1, 3) or (r > 5 and str(r).strip("0") in ("1", "3"))]
    ax.set_xticks(ticks, [short(r) for r in ticks])
    ax.xaxis.set_minor_locator(NullLocator())


def box(ax: Any, found: Times, r: int, colour: str) -> None:
    """A box of quartiles, whiskers of 1.5 interquartile ranges, crosses at the extremes beyond, and the share censored."""
    line = {"color": colour, "linewidth": 1}
    ax.boxplot(
        [found.time], positions=[r], widths=[0.22 * r], whis=1.5, manage_ticks=False, boxprops=line, whiskerprops=line,
        capprops=line, medianprops={**line, "linewidth": 2}, flierprops={"marker": "x", "ms": 3, "mec": colour},
    )  # fmt: skip
    if found.censored:
        ax.plot(r, 1.3 * BUDGET, "^", ms=4, color="0.3")
        ax.text(r, 1.7 * BUDGET, f"{100 * found.censored / found.n:.0f}", ha="center", fontsize=6, rotation=90)


def short(r: int) -> str:
    """A width as it stands below the axis."""
    return f"{r // 1000}k" if r >= 1000 else str(r)
