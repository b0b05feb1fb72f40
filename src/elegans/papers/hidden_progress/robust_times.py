"""Convergence times over the robust space, as figures B.3 to B.5 show them: hinge loss, uniform initialisation.

    t_c         10th percentile over the runs at the best rate (of 5 runs the earliest, of 25 the third)
    (c, α)      c = t_c(10),  α = max_{n ∈ {20, 30}} log(t_c(n)/c) / log(n - 9):  the least α with t_c ≤ c (n - 9)^α

A cell is missing if fewer than a tenth of its runs converge.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.papers.hidden_progress.presets import NAMES
from elegans.papers.hidden_progress.robust import IDS, labelled
from elegans.stats import Estimate, absent, median

AXES = ("setting", "k", "batch", "n", "lr")
N0 = 9


def timed(e: Evidence) -> Evidence:
    """The 10th percentile of the times (inf where it was not reached, nan where nothing was run) and counts of runs."""
    runs = pl.concat([labelled(name, part.runs) for name, part in e.parts.items()])
    late = pl.when(pl.col("solved") > 0).then(pl.col("time")).otherwise(math.inf).sort()
    place = ((pl.len() + 9) // 10 - 1).cast(pl.Int64)
    table = runs.group_by(AXES, maintain_order=True).agg(
        late.get(place).alias("tenth"), pl.len().alias("runs"), pl.col("solved").sum(), pl.col("cut").sum()
    )
    values = {a: np.unique(table[a].to_numpy()) for a in AXES}
    at = tuple(np.searchsorted(v, table[a].to_numpy()) for a, v in values.items())
    arrays = {f"values/{a}": v for a, v in values.items()}
    for column, empty in (("tenth", math.nan), ("runs", 0), ("solved", 0), ("cut", 0)):
        arrays[column] = np.full([len(v) for v in values.values()], empty, np.float32)
        arrays[column][at] = table[column].to_numpy()
    return replace(e, parts={}, arrays=arrays)


def best(e: Evidence) -> np.ndarray:
    """t_c at the best rate, over (setting, k, batch, n)."""
    tenth = e.array("tenth")
    return np.where(np.isnan(tenth).all(-1), np.nan, np.where(np.isnan(tenth), np.inf, tenth).min(-1))


def at(e: Evidence, axis: str, value: float) -> int | None:
    """Where a value stands on an axis, if it was run."""
    found = np.flatnonzero(e.array(f"values/{axis}") == value)
    return int(found[0]) if found.size else None


def along(e: Evidence, axis: str, low: float, high: float) -> Callable[[np.ndarray], np.ndarray]:
    """Takes log(x at `high` / x at `low`) of an array over (setting, k, batch, ...), where both are numbers."""
    i, j, place = at(e, axis, low), at(e, axis, high), AXES.index(axis)

    def logs(x: np.ndarray) -> np.ndarray:
        if i is None or j is None:
            return np.zeros(0)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.log(np.take(x, j, place) / np.take(x, i, place))
        return found[np.isfinite(found)]

    return logs


def middle(values: np.ndarray, what: str) -> Estimate:
    """The median over cells with its interval."""
    if not values.size:
        return absent(what)
    return replace(median(values), what=what)


def exponents(times: np.ndarray, n: Sequence[float]) -> np.ndarray:
    """α from times over (..., n), nan where one is missing; n has to begin with 10."""
    if len(n) < 2 or n[0] != N0 + 1:
        return np.full(times.shape[:-1], np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        slopes = np.log(times[..., 1:] / times[..., :1]) / np.log(np.array(n[1:]) - N0)
    return np.where(np.isfinite(times).all(-1), slopes.max(-1), np.nan)


def heat_map(
    ax: Any, e: Evidence, values: np.ndarray, text: Callable[[float], str], missing: np.ndarray,
    after: np.ndarray | None = None, **style: Any,
) -> Any:  # fmt: skip
    """Architectures by (k, batch). `missing` says what stands where there is no number, `after` what follows a number."""
    ids, ks, batches = (e.array(f"values/{a}") for a in AXES[:3])
    flat, words = values.reshape(len(ids), -1), missing.reshape(len(ids), -1)
    behind = np.full(flat.shape, "") if after is None else after.reshape(flat.shape)
    image = ax.imshow(np.where(np.isfinite(flat), flat, np.nan), aspect="auto", **style)
    size = 7 if flat.shape[1] < 15 else 4.5
    for y, x in np.ndindex(flat.shape):
        word = text(float(flat[y, x])) + str(behind[y, x]) if np.isfinite(flat[y, x]) else str(words[y, x])
        ax.text(x, y, word, ha="center", va="center", fontsize=size, color=_ink(image, float(flat[y, x])))
    ax.set_xticks(range(flat.shape[1]), [f"{b:.0f}" for b in batches] * len(ks))
    ax.set_yticks(range(len(ids)), [f"({IDS[int(i)]}) {NAMES[IDS[int(i)]]}" for i in ids])
    for j, k in enumerate(ks):
        ax.text((j + 0.5) * len(batches) - 0.5, -0.7, f"k = {k:.0f}", ha="center", va="bottom", fontsize=9)
        ax.axvline(j * len(batches) - 0.5, color="white", lw=3)
    ax.set(xlabel="batch size B")
    ax.grid(False)
    return image


def _ink(image: Any, value: float) -> str:
    """Black on light colours, white on dark ones."""
    if not np.isfinite(value):
        return "0.3"
    r, g, b, _ = image.cmap(image.norm(value))
    return "black" if 0.3 * r + 0.6 * g + 0.1 * b > 0.5 else "white"


def words(e: Evidence) -> np.ndarray:
    """For cells without a number, over (setting, k, batch, n): "cut" before the paper's 10^5 steps, or "-"."""
    return np.where(e.array("cut").sum(-1) > 0, "cut", "–")
