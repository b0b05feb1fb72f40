"""Re-certification: rows of an older program count again when three of them, replayed, have the same bits.

Only rows of this kind of machine that ended with finite parameters are replayed. The verdict is written down when all
replays came back: equal bits certify the pair of programs, different bits reject it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from elegans.base.config import digest
from elegans.lab.job import Block, Load
from elegans.lab.machine import machine_id
from elegans.lab.plan import Leg, with_marks
from elegans.lab.programs import program_of
from elegans.lab.store import Store

REPLAYS = 3


@dataclass(frozen=True)
class Replay:
    """Old rows of one program, as a load for the new one."""

    old: str
    rows: pl.DataFrame
    load: Load


def uncertain(store: Store, leg: Leg, program: str, starts: Any) -> Iterator[Replay]:
    """A replay for every older program whose rows this leg could use and that has not been judged yet."""
    rows = store.runs(leg.group)
    if leg.before is not None or not len(rows):
        return
    mine = (rows["stop"] == leg.stop) & (rows["probes"] == leg.probes) & (rows["keep"] == ",".join(leg.keep))
    finite = (rows["outcome"] != "diverged") & (rows["machine"] == machine_id()) & (rows["t"] > 0)
    rows = rows.filter(mine & finite & rows["run"].is_in(leg.ids))
    for old in rows["program"].unique().sort().to_list():
        if not store.certified(old, program) and not store.certified(f"not-{old}", program):
            some = rows.filter(rows["program"] == old).sort("t").unique("run", keep="first", maintain_order=True)
            yield _replay(leg, old, program, some.head(REPLAYS), starts)


def _replay(leg: Leg, old: str, program: str, rows: pl.DataFrame, starts: Any) -> Replay:
    at = {run: i for i, run in enumerate(leg.ids)}
    runs = rows["run"].to_list()
    index = [at[r] for r in runs]
    steps = rows["t"].to_numpy().astype(np.int32)
    only = replace(leg, seeds=leg.seeds[index], knobs=leg.knobs[index], steps=steps)
    blueprint = with_marks(only, set()).blueprint
    block = Block(digest("replay", old, program, runs), leg.group, leg.stop, runs, only.seeds, only.knobs, steps,
                  {r: starts[i] for r, i in zip(runs, index, strict=True) if i in starts})  # fmt: skip
    cadences, event = {p.name: p.every for p in leg.blueprint.probes}, leg.blueprint.stage.stop.event
    load = Load(program_of(blueprint), [block], cadences, leg.probes, leg.keep, event is not None, stop=leg.stop)
    return Replay(old, rows, load)


def judge(store: Store, leg: Leg, program: str, replay: Replay) -> None:
    """Compare the bits and write the verdict down; nothing is written while a replay is missing."""
    again = store.runs(leg.group)
    again = again.filter((again["program"] == program) & again["run"].is_in(replay.rows["run"].to_list()))
    new = {(r["run"], r["t"]): r["bits"] for r in again.iter_rows(named=True)}
    pairs = [(r["bits"], new.get((r["run"], r["t"]))) for r in replay.rows.iter_rows(named=True)]
    came_back = {run for run, _ in new} >= set(replay.rows["run"])
    if came_back:
        same = all(a == b for a, b in pairs)
        store.certify(replay.old if same else f"not-{replay.old}", program, {"equal": same, "rows": len(pairs)})
