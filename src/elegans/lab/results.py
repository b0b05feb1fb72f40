"""What comes back from the store: a table of runs, the traces of probes, and kept parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from elegans.lab.plan import Leg, Plan
from elegans.lab.rows import ends
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


def answers(rows: pl.DataFrame, leg: Leg) -> dict[str, dict[str, Any]]:
    """For each run of the leg, a row that answers it in full, if there is one."""
    wanted = dict(zip(leg.ids, map(int, leg.steps), strict=True))
    probes, keep = set(filter(None, leg.probes.split(","))), set(leg.keep)
    found: dict[str, dict[str, Any]] = {}
    for row in rows.iter_rows(named=True):
        steps = wanted.get(row["run"])
        if steps is None or not probes <= set(row["probes"].split(",")) or not keep <= set(row["keep"].split(",")):
            continue
        if ends(row, steps, exactly="end" in keep):
            found[row["run"]] = row
    return found


def collect(store: Store, plan: Plan, programs: Mapping[int, str]) -> Result:
    """The table of a finished plan, in the order of its axes, with traces and kept parameters."""
    n = len(plan)
    columns: dict[str, list[Any]] = {
        c: [None] * n for c in ("outcome", "t", "diverged", "loss", "bits", "machine", "seconds")
    }
    events = sorted({leg.blueprint.stage.stop.event.name for _, leg in plan.cells if leg.blueprint.stage.stop.event})
    columns |= {e: [None] * n for e in events}
    traces: list[Arrays] = [{} for _ in range(n)]
    arrays: list[Mapping[str, Any]] = [{} for _ in range(n)]
    for rows, leg in plan.cells:
        found = answers(matching(store, leg, programs[id(leg)]), leg)
        needs_arrays = bool(leg.probes or leg.keep)
        stored = store.arrays(r["arrays"] for r in found.values()) if needs_arrays else {}
        for i, run, steps in zip(rows, leg.ids, leg.steps, strict=True):
            if run not in found:  # an earlier stage diverged, or another shard has it
                columns["outcome"][i], columns["t"][i] = "not begun", 0
                continue
            _fill(columns, int(i), found[run], int(steps), leg)
            if run in stored:
                traces[i] = _flat(stored[run].get("traces", {}), int(steps))
                arrays[i] = {k: stored[run][k] for k in ("start", "end") if k in stored[run]}
    frame = pl.DataFrame({**plan.table, **columns}, strict=False)
    typed = {"t": pl.Int64, "diverged": pl.Int64, "loss": pl.Float64, **dict.fromkeys(events, pl.Int64)}
    frame = frame.with_columns(pl.col(c).cast(t) for c, t in typed.items())
    return Result(frame, tuple(traces), tuple(arrays))


def _fill(columns: dict[str, list[Any]], i: int, row: Mapping[str, Any], steps: int, leg: Leg) -> None:
    event, prescribed = leg.blueprint.stage.stop.event, leg.blueprint.stage.stop.prescribed
    ended = row["outcome"] in ("event", "diverged") and row["t"] <= steps
    reached = "completed" if prescribed else "budget"
    name = {"event": event.name if event else "event", "diverged": "diverged"}.get(row["outcome"], reached)
    columns["outcome"][i] = name if ended else reached
    columns["t"][i] = row["t"] if ended else steps
    if ended:
        columns[name][i] = row["t"]
    for c in ("loss", "bits", "machine", "seconds"):
        columns[c][i] = row[c]


def _flat(traces: Mapping[str, Mapping[str, np.ndarray]], steps: int) -> Arrays:
    """Arrays by "Probe.name", up to the requested number of steps."""
    out: dict[str, np.ndarray] = {}
    for probe, rows in traces.items():
        upto = np.asarray(rows["t"]) <= steps
        out |= {f"{probe}.{name}": np.asarray(a)[upto] for name, a in rows.items()}
    return out
