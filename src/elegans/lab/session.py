"""Execution: find what the store already answers, run the rest leg by leg, collect the table.

Stages and `then` make legs depend on each other; a leg starts when the ends of the one before it are in the store. A run
whose budget was extended goes on from its stored state.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from elegans.base.config import digest
from elegans.base.errors import ElegansError, UsageError
from elegans.lab import leases, pool, recertify, results
from elegans.lab.job import Block, Job, Load
from elegans.lab.machine import places
from elegans.lab.plan import Leg, expand, with_marks
from elegans.lab.program import Program
from elegans.lab.programs import identity_of, program_of
from elegans.lab.progress import Progress
from elegans.lab.results import Result
from elegans.lab.store import Store
from elegans.lab.words import Given, Sweep, Then

WAIT = 1.0  # seconds between looks at what other processes have finished


@dataclass
class Session:
    """How and where work is executed."""

    store: Store
    workers: int = 0  # 0: one per core
    shard: tuple[int, int] = (0, 1)  # this machine's part of the work: (i, n)
    report: Callable[[Progress], None] = lambda _: None
    checkpoint_every: float = 30.0
    flush_every: float = 2.0
    spent: dict[str, float] = field(default_factory=lambda: {"seconds": 0.0, "steps": 0.0, "runs": 0.0})

    def __post_init__(self) -> None:
        i, n = self.shard
        if not 0 <= i < n:
            raise UsageError(f"shard is ({i}, {n}), but it must be (i, n) with i from 0 to n - 1")
        if self.workers < 0:
            raise UsageError(f"workers is {self.workers}, but it must be at least 1, or 0 for one on every core")

    def sweep(self, sweep: Sweep) -> Result:
        """Run what is missing and return the whole table."""
        return self.sweeps([sweep])[0]

    def sweeps(self, sweeps: Sequence[Sweep]) -> list[Result]:
        """Several sweeps as one piece of work, so that workers share it out; one result each, in order."""
        plans = [expand(s) for s in sweeps]
        legs = [leg for plan in plans for leg in plan.legs]
        programs = {id(leg): identity_of(leg.blueprint) for leg in legs}
        began, before = time.monotonic(), dict(self.spent)
        for depth in sorted({leg.depth for leg in legs}):
            self._level([leg for leg in legs if leg.depth == depth], programs)
        for group in {leg.group for leg in legs}:
            self.store.tidy(group)
        self.spent["seconds"] += time.monotonic() - began
        cost = {k: v - before[k] for k, v in self.spent.items()}
        return [replace(results.collect(self.store, plan, programs, self.shard[1] > 1), cost=cost) for plan in plans]

    def _level(self, legs: list[Leg], programs: Mapping[int, str]) -> None:
        """Run all legs that depend on nothing unfinished, one job per precision."""
        for leg in legs:
            for replay in recertify.uncertain(self.store, leg, programs[id(leg)], self._starts(leg, programs)):
                self._execute(replay.load.program.precision, [replay.load])
                recertify.judge(self.store, leg, programs[id(leg)], replay)
        before: set[str] = set()
        alone = False
        while loads := [load for leg in legs if (load := self._load(leg, programs)) is not None]:
            wanted = {
                f"{run}:{t}" for load in loads for b in load.blocks for run, t in zip(b.runs, b.steps, strict=True)
            }
            alone = wanted == before and self._alone(loads, alone)
            for precision in sorted({load.program.precision for load in loads}):
                self._execute(precision, [load for load in loads if load.program.precision == precision])
            before = wanted

    def _alone(self, loads: list[Load], alone: bool) -> bool:
        """Nothing missing was finished: other processes lease it all. Give them time, then look again.

        If none does any more, it may have finished or died since the store was read: it takes two looks to know."""
        if any(leases.held(self.store.folder, block.id) for load in loads for block in load.blocks):
            time.sleep(WAIT)
            return False
        if alone:
            raise ElegansError("workers ended without results and nobody else works on them; run `elegans doctor`")
        return True

    def _execute(self, precision: str, loads: list[Load]) -> None:
        total = sum(len(b.runs) for load in loads for b in load.blocks)
        steps = sum(int(b.steps.sum()) for load in loads for b in load.blocks)
        workers = min(self.workers or places(), max(1, sum(len(load.blocks) for load in loads)))
        job = Job(self.store.folder, loads, workers, self.checkpoint_every, self.flush_every)
        progress = Progress(total, steps, time.monotonic(), self.store.folder)

        def report(tallies: list[dict[str, Any]]) -> None:
            progress.take(tallies)
            self.report(progress)

        try:
            pool.run(job, precision, workers, report)
        finally:
            for key in ("runs", "steps"):
                self.spent[key] += progress.tally.get(key, 0)

    # --- what is missing -----------------------------------------------------------------------------------------------

    def _load(self, leg: Leg, programs: Mapping[int, str]) -> Load | None:
        """The part of a leg that the store does not answer, as blocks; None if it answers all."""
        rows = results.matching(self.store, leg, programs[id(leg)])
        found = results.answers(rows, leg)
        asked = {(run, int(t)): i for i, (run, t) in enumerate(zip(leg.ids, leg.steps, strict=True))}
        mine = [i for i in asked.values() if i not in found and i % self.shard[1] == self.shard[0]]
        starts = self._starts(leg, programs) if mine else {}
        index = [i for i in mine if leg.before is None or i in starts]
        if not index:
            return None
        pool.warm(leg.blueprint.stage.algorithm.precision, min(self.workers or places(), len(index)))
        states = self._states(leg, index, rows)
        marked = with_marks(leg, {int(s["t"]) for s in states.values()})
        program = program_of(marked.blueprint)
        stop = leg.blueprint.stage.stop
        size = self._block_size(program, len(index))
        blocks = [self._block(leg, index[i : i + size], starts, states) for i in range(0, len(index), size)]
        return Load(
            program, blocks, {p.name: p.every for p in leg.blueprint.probes}, leg.probes, leg.keep,
            stop.event is not None, "completed" if stop.prescribed else "budget", leg.stop,
        )  # fmt: skip

    def _block_size(self, program: Program, missing: int) -> int:
        """Blocks small enough that workers end together, large enough that lanes stay full."""
        workers = self.workers or places()
        return max(program.tile, min(512, -(-missing // (4 * workers))))

    def _block(self, leg: Leg, index: list[int], starts: Mapping[int, Any], states: Mapping[int, Any]) -> Block:
        runs, steps = [leg.ids[i] for i in index], leg.steps[index]
        return Block(
            digest(leg.group, leg.stop, runs, leg.probes, leg.keep, steps.tolist()), leg.group, leg.stop, runs,
            leg.seeds[index], leg.knobs[index], steps,
            {leg.ids[i]: starts[i] for i in index if i in starts}, {leg.ids[i]: states[i] for i in index if i in states},
        )  # fmt: skip

    def _starts(self, leg: Leg, programs: Mapping[int, str]) -> dict[int, Any]:
        """Given parameters by place in the leg: a construction, or made from the end of the leg before."""
        if isinstance(leg.start, Given):
            params = _checked_start(leg.start.function(**dict(leg.start.arguments)), leg)
            return dict.fromkeys(range(len(leg)), params)
        if leg.before is None:
            return {}
        before = leg.before
        found = results.answers(results.matching(self.store, before, programs[id(before)]), before)
        stored = self.store.arrays(r["arrays"] for r in found.values())
        return {i: _made(leg, stored[r["arrays"]]) for i, r in found.items() if r["outcome"] != "diverged"}

    def _states(self, leg: Leg, index: list[int], rows: pl.DataFrame) -> dict[int, Any]:
        """Stored states of runs that ended at a smaller budget with the same probes and keeps: they go on from there."""
        same = rows.filter((rows["probes"] == leg.probes) & (rows["keep"] == ",".join(leg.keep)) & rows["state"])
        by_run: dict[str, list[dict[str, Any]]] = {}
        for row in same.iter_rows(named=True):
            by_run.setdefault(row["run"], []).append(row)
        shorter = {i: [r for r in by_run.get(leg.ids[i], ()) if r["t"] < leg.steps[i]] for i in index}
        last = {i: max(some, key=lambda r: int(r["t"])) for i, some in shorter.items() if some}
        stored = self.store.arrays(r["arrays"] for r in last.values())
        return {
            i: {**stored[r["arrays"]]["state"], **{k: stored[r["arrays"]].get(k, {}) for k in ("traces", "start")}}
            for i, r in last.items() if "state" in stored.get(r["arrays"], {})
        }  # fmt: skip


def _made(leg: Leg, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The start that a stored run gives: its end, or what the named function makes of its start and end."""
    if isinstance(leg.start, Then):
        end, arguments = stored["end"], dict(leg.start.arguments)
        return _checked_start(leg.start.function(stored.get("start", {}), end, **arguments), leg)
    return stored["end"]


def _checked_start(params: Any, leg: Leg) -> dict[str, Any]:
    """The given parameters, or a sentence on how they differ from what the model needs."""
    need, made_by = leg.blueprint.shapes, getattr(leg.start, "function", leg.start)
    name = getattr(made_by, "__name__", made_by)
    if not isinstance(params, Mapping):
        raise UsageError(f"{name} gives {params!r}, but it must return arrays by name: {', '.join(need)}")
    if set(params) != set(need):
        raise UsageError(f"{name} gives parameters {sorted(params)}, but {leg.blueprint.model} needs {sorted(need)}")
    for p, s in need.items():
        if np.shape(params[p]) != s.shape:
            raise UsageError(
                f"{name} gives {p} of shape {np.shape(params[p])}, but {leg.blueprint.model} needs {s.shape}"
            )
    return dict(params)
