"""Convergence times on a grid of n and k, and the power laws through their medians.

    t_c ∝ n^α        α from least squares on (log n, log median t_c)

A run is solved at the first check at which all of 128 validation points are right (the paper's sample in large sweeps).
Runs that never are count as censored at the budget, also if they diverged. A median that over half of the runs miss is
no number, and the curve is cut there. Intervals of laws come from resampled runs, as in the paper.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.hidden_progress.presets import setting
from elegans.stats import Estimate, PowerLaw, Times, absent, bootstrap, exponent_of, first_times, median_time, power_law
from elegans.training.stops import Budget, Solved

BUDGET = 100_000
DRAWS = 200  # the paper takes 100
CHECKS = "every 10 steps, and every 2 for k = 2, whose medians of 20 to 40 steps a grid of 10 would round"

Laws = Callable[[dict[int, PowerLaw]], float]


def sweeps(id: str, ns: Sequence[int], ks: Sequence[int], seeds: int) -> dict[str, Sweep]:
    """Setting `id` of the paper on every (n, k)-parity, with the rate of figure B.6; one program for each n and k.

    "ii+" is setting (ii) under a name of its own, for a second panel."""
    return {f"{id}/{k}": _sweep(id.rstrip("+"), ns, k, seeds) for k in ks}


def _sweep(id: str, ns: Sequence[int], k: int, seeds: int) -> Sweep:
    p = setting(id, ns[0], k)
    stop = Solved(every=2 if k == 2 else 10, on=128) | Budget(BUDGET)
    return Sweep(Run(p.model, Stage(p.task, p.algorithm, stop)), n=ns, seed=range(seeds))


def merged(e: Evidence) -> Evidence:
    """One table of all sweeps: setting, k, n and the time of success."""
    parts = [_labelled(name, part.runs) for name, part in e.parts.items()]
    return replace(e, parts={}, runs=pl.concat(parts))


def _labelled(name: str, runs: pl.DataFrame) -> pl.DataFrame:
    id, _, k = name.partition("/")
    return runs.select(
        pl.lit(id).alias("setting"), pl.lit(int(k)).alias("k"), pl.col("n").cast(pl.Int64), pl.col("solved")
    )


def ks_of(e: Evidence, id: str) -> list[int]:
    """The values of k that were run in a setting."""
    return sorted(set(e.runs.filter(pl.col("setting") == id)["k"].to_list()))


def medians(e: Evidence, id: str, k: int) -> tuple[list[int], list[Estimate]]:
    """The values of n at which at least half of the runs succeed, and the median times there."""
    grid = {n: median_time(t) for n, t in cells(e, id, k).items()}
    reached = {n: m for n, m in grid.items() if m.value < BUDGET}
    return list(reached), list(reached.values())


def cells(e: Evidence, id: str, k: int) -> dict[int, Times]:
    """Censored times by n."""
    runs = e.runs.filter((pl.col("setting") == id) & (pl.col("k") == k))
    return {n: _times(runs.filter(pl.col("n") == n)) for n in sorted(set(runs["n"].to_list()))}


def _times(runs: pl.DataFrame) -> Times:
    return first_times(runs["solved"].cast(pl.Float64).fill_null(inf).to_numpy(), BUDGET)


def exponent(e: Evidence, id: str, k: int) -> Estimate:
    """α from the medians, their intervals carried through."""
    ns, middle = medians(e, id, k)
    return exponent_of(ns, middle) if len(ns) > 1 else absent(f"exponent at k = {k}")


def of_laws(e: Evidence, id: str, least: int, statistic: Laws, what: str) -> Estimate:
    """A number made of the laws of all k, with an interval over resampled runs; at least `least` laws are needed."""
    where = {k: ns for k in ks_of(e, id) if len(ns := medians(e, id, k)[0]) > 2}
    if len(where) < least:
        return absent(what)
    found = [cells(e, id, k)[n] for k, ns in where.items() for n in ns]
    ends = np.cumsum([len(ns) for ns in where.values()])[:-1]

    def value(x: np.ndarray) -> float:
        middle = np.split(np.median(x, axis=0), ends)
        return statistic({k: power_law(ns, m) for (k, ns), m in zip(where.items(), middle, strict=True)})

    estimate = bootstrap(np.column_stack([t.time for t in found]), value, seed=0, draws=DRAWS, what=what)
    return replace(estimate, n=sum(t.n for t in found), censored=sum(t.censored for t in found))


def draw(ax: Any, e: Evidence, id: str, k: int, colour: str) -> None:
    """Medians with 95 % intervals, and the power law through them with its exponent in the legend. Where few tied runs
    leave the interval without an upper end, it ends at the slowest run."""
    ns, middle = medians(e, id, k)
    if not ns:
        return
    y = np.array([m.value for m in middle])
    slowest = {n: float(t.time.max()) for n, t in cells(e, id, k).items()}
    top = [min(m.high, slowest[n]) for n, m in zip(ns, middle, strict=True)]
    bars = [y - [m.low for m in middle], np.array(top) - y]
    fit = power_law(ns, y) if len(ns) > 1 else None
    slope = f": $n^{{{fit.exponent.value:.2f}}}$" if fit else ""
    ax.errorbar(ns, y, yerr=bars, fmt="o", ms=3.5, lw=1, capsize=2, color=colour, label=f"k = {k}{slope}")
    if fit:
        ax.plot(ns, fit.factor.value * np.array(ns) ** fit.exponent.value, lw=1, color=colour)


def log_axes(ax: Any, ns: Sequence[int]) -> None:
    """Both axes logarithmic, with the values of n written out."""
    ax.set(xscale="log", yscale="log")
    ax.set_xticks(list(ns), [str(n) for n in ns], minor=False)
    ax.set_xticks([], minor=True)
