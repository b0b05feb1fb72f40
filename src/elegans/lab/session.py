"""Execution: find what the store already answers, run the rest leg by leg, collect the table.

Stages and `then` make legs depend on each other; a leg starts when the ends of the one before it are in the store. A run
whose budget was extended goes on from its stored state. When a program's hash has changed, three old rows are replayed
and equal bits re-certify the others.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from elegans.base.config import digest, unnamed
from elegans.base.errors import ElegansError, UsageError
from elegans.lab import leases, pool, results
from elegans.lab.job import Block, Job, Load
from elegans.lab.machine import cores
from elegans.lab.plan import Leg, expand, with_marks
from elegans.lab.program import Blueprint, Program, build, identity
from elegans.lab.results import Result
from elegans.lab.store import Store
from elegans.lab.words import Given, Sweep, Then

WAIT = 1.0  # seconds between looks at what other processes have finished
REPLAYS = 3  # old rows that are run again to re-certify a changed program


@dataclass
class Session:
    """How and where work is executed."""

    store: Store
    workers: int = 0  # 0: one per core
    shard: tuple[int, int] = (0, 1)  # this machine's part of the work: (i, n)
    report: Callable[["Progress"], None] = lambda _: None
    checkpoint_every: float = 30.0
    flush_every: float = 2.0
    spent: dict[str, float] = field(default_factory=lambda: {"seconds": 0.0, "steps": 0.0, "runs": 0.0})

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
        return [replace(results.collect(self.store, plan, programs), cost=cost) for plan in plans]

    def _level(self, legs: list[Leg], programs: Mapping[int, str]) -> None:
        """Run all legs that depend on nothing unfinished, one job per precision."""
        for leg in legs:
            self._recertify(leg, programs[id(leg)])
        while loads := [load for leg in legs if (load := self._load(leg, programs)) is not None]:
            before = self.spent["runs"]
            for precision in sorted({load.program.precision for load in loads}):
                self._execute(precision, [load for load in loads if load.program.precision == precision])
            if self.spent["runs"] == before:
                self._wait_for_others(loads)

    def _wait_for_others(self, loads: list[Load]) -> None:
        """Everything missing is leased by other processes: give them time, then look again."""
        if not any(leases.held(self.store.folder, block.id) for load in loads for block in load.blocks):
            raise ElegansError("workers ended without results and nobody else works on them; run `elegans doctor`")
        time.sleep(WAIT)

    def _execute(self, precision: str, loads: list[Load]) -> None:
        total = sum(len(b.runs) for load in loads for b in load.blocks)
        steps = sum(int(b.steps.sum()) for load in loads for b in load.blocks)
        workers = min(self.workers or cores(), max(1, sum(len(load.blocks) for load in loads)))
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
        missing = {run: i for i, run in enumerate(leg.ids) if run not in found}
        starts = self._starts(leg, missing, programs)
        if leg.before is not None:
            missing = {run: i for run, i in missing.items() if run in starts}
        for run, i in enumerate(leg.ids):
            if i in missing and leg.steps[run] > leg.steps[missing[i]]:
                missing[i] = run  # the same run asked for twice: its longest budget answers both
        missing = {run: i for run, i in missing.items() if i % self.shard[1] == self.shard[0]}
        if not missing:
            return None
        states = self._states(leg, missing, rows)
        marked = with_marks(leg, {int(s["t"]) for s in states.values()})
        program = program_of(marked.blueprint)
        stop = leg.blueprint.stage.stop
        size = self._block_size(program, len(missing))
        index = list(missing.values())
        blocks = [self._block(leg, index[i : i + size], starts, states) for i in range(0, len(index), size)]
        return Load(
            program, blocks, {p.name: p.every for p in leg.blueprint.probes}, leg.probes, leg.keep,
            stop.event is not None, "completed" if stop.prescribed else "budget", leg.stop,
        )  # fmt: skip

    def _block_size(self, program: Program, missing: int) -> int:
        """Blocks small enough that workers end together, large enough that lanes stay full."""
        workers = self.workers or cores()
        return max(program.tile, min(512, -(-missing // (4 * workers))))

    def _block(self, leg: Leg, index: list[int], starts: Mapping[str, Any], states: Mapping[str, Any]) -> Block:
        runs = [leg.ids[i] for i in index]
        return Block(
            digest(leg.group, leg.stop, runs, leg.probes, leg.keep, int(leg.steps.max())), leg.group, leg.stop, runs,
            leg.seeds[index], leg.knobs[index], leg.steps[index],
            {r: starts[r] for r in runs if r in starts}, {r: states[r] for r in runs if r in states},
        )  # fmt: skip

    def _starts(self, leg: Leg, missing: Mapping[str, int], programs: Mapping[int, str]) -> dict[str, Any]:
        """Given parameters of the missing runs: a construction, or made from the end of the leg before."""
        if isinstance(leg.start, Given) and missing:
            params = _checked_start(dict(leg.start.function(**dict(leg.start.arguments))), leg)
            return dict.fromkeys(missing, params)
        if leg.before is None:
            return {}
        before = leg.before
        found = results.answers(results.matching(self.store, before, programs[id(before)]), before)
        stored = self.store.arrays(r["arrays"] for r in found.values())
        starts: dict[str, Any] = {}
        for run, i in missing.items():
            earlier = before.ids[i]
            if earlier in found and found[earlier]["outcome"] != "diverged":
                starts[run] = _made(leg, stored[earlier])
        return starts

    def _states(self, leg: Leg, missing: Mapping[str, int], rows: Any) -> dict[str, Any]:
        """Stored states of runs that ended at a smaller budget with the same probes and keeps: they go on from there."""
        same = rows.filter((rows["probes"] == leg.probes) & (rows["keep"] == ",".join(leg.keep)) & rows["state"])
        wanted = {r["run"]: r for r in same.iter_rows(named=True) if r["run"] in missing}
        wanted = {run: r for run, r in wanted.items() if r["t"] < leg.steps[missing[run]]}
        stored = self.store.arrays(r["arrays"] for r in wanted.values())
        return {
            run: {**stored[run]["state"], "traces": stored[run].get("traces", {}), "start": stored[run].get("start", {})}
            for run in wanted if run in stored and "state" in stored[run]
        }  # fmt: skip

    # --- re-certification ----------------------------------------------------------------------------------------------

    def _recertify(self, leg: Leg, program: str) -> None:
        """Replay up to three rows of an older program; equal bits make all its rows count again."""
        rows = self.store.runs(leg.group)
        rows = rows.filter((rows["stop"] == leg.stop) & (rows["probes"] == leg.probes)) if len(rows) else rows
        for old in rows["program"].unique().to_list():
            certain = self.store.certified(old, program) or self.store.certified(f"not-{old}", program)
            replayable = (rows["program"] == old) & (rows["outcome"] != "diverged") & rows["run"].is_in(leg.ids)
            mine = rows.filter(replayable).sort("t")
            if certain or not len(mine) or leg.before is not None:
                continue
            self._replay(leg, program, old, mine.head(REPLAYS))

    def _replay(self, leg: Leg, program: str, old: str, rows: Any) -> None:
        at = {run: i for i, run in enumerate(leg.ids)}
        index = [at[r] for r in rows["run"]]
        steps = rows["t"].cast(int).to_numpy().astype(np.int32)
        some = with_marks(_only(leg, index, np.maximum(steps, 1)), set())
        starts = self._starts(leg, {leg.ids[i]: i for i in index}, {})
        block = Block(digest("replay", old, program, list(rows["run"])), leg.group, leg.stop, list(rows["run"]),
                      leg.seeds[index], leg.knobs[index], some.steps, starts)  # fmt: skip
        load = Load(program_of(some.blueprint), [block], {p.name: p.every for p in leg.blueprint.probes}, leg.probes,
                    tuple(leg.keep), leg.blueprint.stage.stop.event is not None, stop=leg.stop)  # fmt: skip
        self._execute(load.program.precision, [load])
        again = self.store.runs(leg.group).filter(self.store.runs(leg.group)["program"] == program)
        new = {r["run"]: r["bits"] for r in again.iter_rows(named=True)}
        same = all(new.get(r["run"]) == r["bits"] for r in rows.iter_rows(named=True))
        self.store.certify(old if same else f"not-{old}", program, {"runs": list(rows["run"]), "equal": same})


def _only(leg: Leg, index: list[int], steps: np.ndarray) -> Leg:
    return replace(leg, seeds=leg.seeds[index], knobs=leg.knobs[index], steps=steps)


def _made(leg: Leg, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The start that a stored run gives: its end, or what the named function makes of its start and end."""
    if isinstance(leg.start, Then):
        end, arguments = stored["end"], dict(leg.start.arguments)
        return _checked_start(dict(leg.start.function(stored.get("start", {}), end, **arguments)), leg)
    return stored["end"]


def _checked_start(params: dict[str, Any], leg: Leg) -> dict[str, Any]:
    """The given parameters, or a sentence on how they differ from what the model needs."""
    need, made_by = leg.blueprint.shapes, getattr(leg.start, "function", leg.start)
    name = getattr(made_by, "__name__", made_by)
    if set(params) != set(need):
        raise UsageError(f"{name} gives parameters {sorted(params)}, but {leg.blueprint.model} needs {sorted(need)}")
    for p, s in need.items():
        if np.shape(params[p]) != s.shape:
            raise UsageError(
                f"{name} gives {p} of shape {np.shape(params[p])}, but {leg.blueprint.model} needs {s.shape}"
            )
    return params


# --- programs, built once a process ------------------------------------------------------------------------------------

_IDENTITIES: dict[str, str] = {}
_PROGRAMS: dict[str, Program] = {}


def identity_of(b: Blueprint) -> str:
    """The hash of a blueprint's start and step; traced once a process, except for code that may be redefined."""
    key = _trajectory(b)
    if key not in _IDENTITIES or _redefinable(b):
        _IDENTITIES[key] = identity(b)
    return _IDENTITIES[key]


def program_of(b: Blueprint) -> Program:
    """The exported program of a blueprint; one trace per process. Knob values do not matter, the length of a block does."""
    event, seen = b.stage.stop.event, b.probes if not _redefinable(b) else (*map(id, b.probes),)
    key = digest(_trajectory(b), identity_of(b), event, seen, b.every)
    if key not in _PROGRAMS:
        _PROGRAMS[key] = build(b)
    return _PROGRAMS[key]


def _trajectory(b: Blueprint) -> str:
    return digest(b.model, b.stage.task, b.stage.algorithm, b.stage.train)


def _redefinable(b: Blueprint) -> bool:
    """Whether something in the blueprint was defined in a notebook, where its name may come to mean something else."""
    return unnamed(b.model) or unnamed(b.stage) or unnamed(b.probes)


# --- progress ----------------------------------------------------------------------------------------------------------


@dataclass
class Progress:
    """What is known while workers work; written to the store for `elegans status`."""

    runs: int
    steps: int
    began: float
    folder: Path
    tally: dict[str, Any] = field(default_factory=dict)
    occupancy: float = 0.0

    def take(self, tallies: Iterable[Mapping[str, Any]]) -> None:
        """Add up what the workers said."""
        rows = list(tallies)
        self.tally = {
            n: sum(r.get(n, 0) for r in rows) for n in ("runs", "steps", "event", "diverged", "budget", "completed")
        }
        lanes = [r.get("lanes", [0, 0]) for r in rows]
        width = sum(w for _, w in lanes)
        self.occupancy = sum(o for o, _ in lanes) / width if width else 0.0

    @property
    def seconds(self) -> float:
        """Since the job began."""
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds left if the rest goes like what is done; None before anything is known."""
        share = max(self.tally.get("runs", 0) / max(self.runs, 1), self.tally.get("steps", 0) / max(self.steps, 1))
        return self.seconds * (1 - share) / share if share > 0 else None
