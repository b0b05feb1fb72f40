"""What comes back from the store: a table of runs, the traces of probes, and kept parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from elegans.base.errors import ElegansError
from elegans.lab.plan import Leg, Plan
from elegans.lab.rows import ended, ends
from elegans.lab.store import Store

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Result:
    """One row a run in `runs`; `traces[i]` and `arrays[i]` belong to row i (empty where nothing was watched or kept)."""

    runs: pl.DataFrame
    traces: tuple[Arrays, ...] = ()
    arrays: tuple[Mapping[str, Any], ...] = ()
    cost: Mapping[str, float] = field(default_factory=dict)


def matching(store: Store, leg: Leg, program: str) -> pl.DataFrame:
    """Rows that answer (a part of) a leg: same runs, same event, bits known to be those of today's program."""
    rows = store.runs(leg.group)
    rows = rows.filter(rows["stop"] == leg.stop) if len(rows) else rows
    good = [p for p in rows["program"].unique().to_list() if store.certified(p, program)]
    return rows.filter(rows["program"].is_in(good))


def answers(rows: pl.DataFrame, leg: Leg) -> dict[int, dict[str, Any]]:
    """For each run of the leg, by its place there, a row that answers it in full, if there is one."""
    wanted = set(leg.ids)
    by_run: dict[str, list[dict[str, Any]]] = {}
    probes, keep = set(filter(None, leg.probes.split(","))), set(leg.keep)
    for row in rows.iter_rows(named=True):
        if row["run"] in wanted and probes <= set(row["probes"].split(",")) and keep <= set(row["keep"].split(",")):
            by_run.setdefault(row["run"], []).append(row)
    exactly = bool(probes or keep)
    pairs = enumerate(zip(leg.ids, map(int, leg.steps), strict=True))
    fitting = ((i, [r for r in by_run.get(run, ()) if ends(r, steps, exactly)]) for i, (run, steps) in pairs)
    return {i: found[0] for i, found in fitting if found}  # of several, the shortest run


def collect(store: Store, plan: Plan, programs: Mapping[int, str], partial: bool) -> Result:
    """The table of a plan, in the order of its axes, with traces and kept parameters. Only a `partial` plan (a shard)
    and runs whose earlier stage diverged may lack rows; they are "not begun"."""
    n = len(plan)
    numbers = ("outcome", "t", "diverged", "loss", "bits", "machine", "seconds")
    columns: dict[str, list[Any]] = {c: [None] * n for c in numbers}
    events = sorted({leg.blueprint.stage.stop.event.name for _, leg in plan.cells if leg.blueprint.stage.stop.event})
    columns |= {e: [None] * n for e in events}
    traces: list[Arrays] = [{} for _ in range(n)]
    arrays: list[Mapping[str, Any]] = [{} for _ in range(n)]
    for places, leg in plan.cells:
        found = answers(matching(store, leg, programs[id(leg)]), leg)
        stored = store.arrays(r["arrays"] for r in found.values()) if leg.probes or leg.keep else {}
        for at, place in enumerate(map(int, places)):
            if at not in found:
                if not partial and leg.before is None:
                    raise ElegansError(
                        f"the store lost run {leg.ids[at]} while it was read; run the same command again"
                    )
                columns["outcome"][place], columns["t"][place] = "not begun", 0
                continue
            row, steps = found[at], int(leg.steps[at])
            _fill(columns, place, row, steps, leg)
            if row["arrays"] in stored:
                kept = stored[row["arrays"]]
                traces[place] = _flat(kept.get("traces", {}), steps)
                arrays[place] = {k: kept[k] for k in ("start", "end") if k in kept}
    frame = pl.DataFrame({**plan.table, **columns}, strict=False)
    typed = {"t": pl.Int64, "diverged": pl.Int64, "loss": pl.Float64, **dict.fromkeys(events, pl.Int64)}
    frame = frame.with_columns(pl.col(c).cast(t) for c, t in typed.items())
    return Result(frame, tuple(traces), tuple(arrays))


def _fill(columns: dict[str, list[Any]], i: int, row: Mapping[str, Any], steps: int, leg: Leg) -> None:
    event, prescribed = leg.blueprint.stage.stop.event, leg.blueprint.stage.stop.prescribed
    finished = ended(row, steps)
    reached = "completed" if prescribed else "budget"
    name = {"event": event.name if event else "event", "diverged": "diverged"}.get(row["outcome"], reached)
    columns["outcome"][i] = name if finished else reached
    columns["t"][i] = row["t"] if finished else steps
    if finished:
        columns[name][i] = row["t"]
    if finished or row["t"] == steps:  # a longer run says nothing about the state at this length
        for c in ("loss", "bits", "machine", "seconds"):
            columns[c][i] = row[c]


def _flat(traces: Mapping[str, Mapping[str, np.ndarray]], steps: int) -> Arrays:
    """Arrays by "Probe.name", up to the requested number of steps."""
    out: dict[str, np.ndarray] = {}
    for probe, rows in traces.items():
        upto = np.asarray(rows["t"]) <= steps
        out |= {f"{probe}.{name}": np.asarray(a)[upto] for name, a in rows.items()}
    return out
