"""What a sweep will cost, before it starts: runs, programs, time, memory, disk. An estimate, and it says on what it rests.

`estimate` times every program for a moment. `prospect` is what is said before every sweep: it costs next to nothing, for it
traces what the sweep needs anyway, and knows how long runs take only where the store or an earlier estimate does.
"""

import contextlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np
import polars as pl

from elegans.base.config import unnamed
from elegans.base.errors import StoreError
from elegans.lab import files, results
from elegans.lab.display import size, words
from elegans.lab.job import Load
from elegans.lab.machine import cache_folder, machine_id, places
from elegans.lab.plan import Leg, expand, with_marks
from elegans.lab.program import Blueprint, Program
from elegans.lab.programs import identity_of, program_of
from elegans.lab.store import Store
from elegans.lab.tile import Tile
from elegans.lab.words import Sweep
from elegans.training.stops import Steps

PROCESS = 300_000_000  # bytes of a worker before it has a program


@dataclass(frozen=True)
class Estimate:
    """Of what is still missing; times assume that every run uses its whole budget unless earlier runs say otherwise."""

    runs: int
    missing: int
    programs: int
    steps: int
    seconds: float
    memory: int  # bytes, all workers
    disk: int  # bytes
    workers: int
    basis: str

    def __str__(self) -> str:
        return (
            f"{_count(self.missing, 'run')} of {self.runs} missing, {_count(self.programs, 'program')}, about "
            f"{words(self.seconds)} with {_count(self.workers, 'worker')} ({self.basis}), {self.memory / 1e6:.0f} MB of memory, "
            f"{self.disk / 1e6:.1f} MB of disk"
        )


def estimate(sweep: Sweep, store: Store, workers: int = 0, all_runs: bool = False) -> Estimate:
    """Count what the store does not answer (or all runs) and time a few blocks of every program."""
    plan = expand(sweep)
    missing, steps, seconds, memory, disk, seen, programs = 0, 0, 0.0, 0, 0, False, set[str]()
    for leg in plan.legs:
        rows = results.matching(store, leg, identity_of(leg.blueprint))
        found = results.answers(rows, leg)
        absent = [i for i in range(len(leg)) if all_runs or i not in found]
        if not absent:
            continue
        ended = [r["t"] for r in rows.iter_rows(named=True) if r["outcome"] == "event"]
        mean = float(np.mean(ended)) if ended else None
        seen |= mean is not None
        todo = int(sum(min(int(leg.steps[i]), mean or int(leg.steps[i])) for i in absent))
        program = program_of(leg.blueprint)
        programs.add(program.identity)
        missing, steps = missing + len(absent), steps + todo
        seconds += todo / speed(leg.blueprint)
        memory, disk = max(memory, _memory(program)), disk + len(absent) * (200 + _kept(leg, program))
    n = workers or places()  # side by side
    basis = (
        "rates measured on this machine, run lengths from earlier runs"
        if seen
        else "rates measured on this machine, full budgets"
    )
    return Estimate(len(plan), missing, len(programs), steps, seconds / n, memory * n, disk, n, basis)


def speed(b: Blueprint) -> float:
    """Steps per second of one core for a blueprint: remembered per machine, else timed for a moment."""
    program, known = program_of(b), _known()
    if program.identity not in known:
        known[program.identity] = _timed(b)
        with contextlib.suppress(StoreError):  # it is timed again next time
            files.write(_book(), json.dumps(known).encode())
    return known[program.identity]


def _timed(b: Blueprint) -> float:
    from dataclasses import replace

    from elegans.lab.job import Block

    endless = 10**9 if b.tile > 1 else 999_999_937  # nothing halts; a prime makes blocks of one step, where it is large
    program = program_of(replace(b, probes=(), marks=(), stage=b.stage.replace(stop=Steps(endless))))
    if program.precision == "float64":
        return 2e4  # cannot be timed in a 32-bit process without leaking its precision; corrected by the first run
    tile = Tile(Load(program, []))
    n = program.tile
    knobs = [
        0.0 if name.endswith(".lr") else value for name, value in b.knobs.items()
    ]  # nothing moves, nothing diverges
    block = Block("", "", "", [str(i) for i in range(n)], np.zeros((n, 4), np.uint32),
                  np.tile(np.array(knobs), (n, 1)), np.full(n, endless, np.int32))  # fmt: skip
    tile.fill(iter([(block, i) for i in range(n)]), {})
    tile.advance()
    began, before = time.monotonic(), tile.steps
    while time.monotonic() - began < 0.3:
        tile.advance()
    return max(tile.steps - before, 1) / (time.monotonic() - began)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _memory(program: Program) -> int:
    """Bytes of a worker: its lanes are there several times while they move."""
    return PROCESS + 4 * sum(a.nbytes for a in jax.tree.leaves(program.empty))


def _kept(leg: Leg, program: Program) -> int:
    """Bytes of parameters that a run leaves."""
    weights = sum(a.nbytes for a in jax.tree.leaves(program.empty["params"])) // program.tile
    resumable = leg.blueprint.stage.stop.event is None  # a run that ends with its event leaves no state
    return weights * (len(leg.keep) + resumable)


def _book() -> Path:
    return cache_folder() / f"speed-{machine_id()}.json"


def _known() -> dict[str, float]:
    """Steps a second of one core, by program."""
    try:
        return json.loads(_book().read_text())
    except (OSError, ValueError):
        return {}


# --- before every sweep ------------------------------------------------------------------------------------------------


@dataclass
class Prospect:
    """What sweeps are about to take: counted when it is made, in time and room once it is weighed."""

    workers: int  # at most
    legs: list[tuple[Leg, list[int], pl.DataFrame]] = field(default_factory=list)  # what is missing, and rows like it
    runs: set[Any] = field(default_factory=set)
    missing: set[Any] = field(default_factory=set)
    replays: bool = False  # rows of an older program may answer some of what is missing
    programs: set[Any] = field(default_factory=set)
    untimed: set[Any] = field(default_factory=set)  # the programs whose speed is not known
    blocks: int = 0
    seconds: float = 0.0  # of one core, for the other programs
    longest: bool = False  # runs that may end early are counted at their full budgets,
    usual: bool = False  # or at the lengths of earlier runs
    memory: int = 0  # bytes, of one worker
    disk: int = 0

    def __str__(self) -> str:
        n = max(1, min(self.workers, self.blocks))
        runs = f"{'up to ' * self.replays}{len(self.missing)} of {_count(len(self.runs), 'run')} missing"
        room = f", about {size(n * self.memory)} of memory, {size(self.disk)} of disk" if self.memory else ""
        return f"{runs}, {_count(len(self.programs), 'program')}, {self._time(n)} with {_count(n, 'worker')}{room}"

    def _time(self, workers: int) -> str:
        if self.untimed == self.programs:
            return "time unknown yet"
        most = (self.longest or self.replays) and not self.usual
        about = f"{'at most ' * most}about {words(self.seconds / workers)} of training"
        return f"{about} and unknown time for {_count(len(self.untimed), 'program')}" if self.untimed else about

    def weigh(self) -> "Prospect":
        """Add what the programs say. They are traced for that, which saves the sweep from doing it."""
        known = _known()
        for leg, absent, rows in self.legs:
            begun = _begun(leg, absent, rows)
            marked = with_marks(leg, {int(t) for t in begun if t}).blueprint
            name = (leg.group, leg.stop, leg.probes, marked.every)
            self.programs.add(name)
            if unnamed((marked.model, marked.stage, marked.probes)):  # the sweep would trace it once more
                self.untimed.add(name)
                continue
            program = program_of(marked)
            self.blocks += -(-len(absent) // max(program.tile, min(512, -(-len(absent) // (4 * self.workers)))))
            self.memory = max(self.memory, _memory(program))
            self.disk += len(absent) * (200 + _kept(leg, program))
            rate = _rate(rows) or known.get(program.identity, 0.0) / program.tile
            if rate:  # lanes that stay empty make the others no faster
                steps = self._steps(leg, absent, begun, rows)
                self.seconds += steps / rate / min(program.tile, len(absent))
            else:
                self.untimed.add(name)
        return self

    def _steps(self, leg: Leg, absent: list[int], begun: np.ndarray, rows: pl.DataFrame) -> float:
        """Full budgets, or what runs took that reached the event of this leg; from the stored states on."""
        ended = rows.filter((pl.col("stop") == leg.stop) & (pl.col("outcome") == "event"))["t"].to_numpy()
        self.usual |= len(ended) > 0
        self.longest |= leg.blueprint.stage.stop.event is not None and not len(ended)
        steps = leg.steps[absent] - begun
        return float((np.minimum(steps, ended.mean()) if len(ended) else steps).sum())


def prospect(sweeps: Iterable[Sweep], store: Store, workers: int = 0, shard: tuple[int, int] = (0, 1)) -> Prospect:
    """What the sweeps lack in this store, or this machine's part of it. Runs that several legs ask for count once."""
    total = Prospect(workers or places())
    for plan in map(expand, sweeps):
        hopeless: dict[int, set[int]] = {}  # runs whose earlier stage diverged: they are never begun
        for leg in plan.legs:
            asked = {key: i for i, key in enumerate(zip(leg.ids, map(int, leg.steps), strict=True))}
            mine = {key: i for key, i in asked.items() if i % shard[1] == shard[0]}
            names = {i: (leg.group, leg.stop, leg.probes, leg.keep, *key) for key, i in mine.items()}
            rows = store.runs(leg.group)
            found, older = _answered(store, leg, rows)
            lost = hopeless.get(id(leg.before), set())
            hopeless[id(leg)] = lost | {i for i, row in found.items() if row["outcome"] == "diverged"}
            absent = [i for i in names if i not in found and i not in lost and names[i] not in total.missing]
            total.runs.update(names.values())
            total.missing.update(names[i] for i in absent)
            if absent:
                total.replays |= older
                total.legs.append((leg, absent, rows))
    return total


def _answered(store: Store, leg: Leg, rows: pl.DataFrame) -> tuple[dict[int, dict[str, Any]], bool]:
    """The rows that answer runs of a leg, and whether there are rows of an older program that has not been judged."""
    if not len(rows):
        return {}, False
    program = identity_of(leg.blueprint)
    found = results.answers(results.matching(store, leg, program), leg)
    others = rows.filter((pl.col("stop") == leg.stop) & pl.col("run").is_in(leg.ids))["program"].unique().to_list()
    older = [p for p in others if not store.certified(p, program) and not store.certified(f"not-{p}", program)]
    return found, bool(older)


def _begun(leg: Leg, absent: list[int], rows: pl.DataFrame) -> np.ndarray:
    """The steps at which missing runs go on, from states that were stored at smaller budgets."""
    same = (pl.col("probes") == leg.probes) & (pl.col("keep") == ",".join(leg.keep)) & pl.col("state")
    stored = list(rows.filter(same).select("run", "t").iter_rows())
    shorter = {run: t for run, t in sorted(stored, key=lambda row: row[1]) if t < leg.steps[absent].min()}
    return np.array([shorter.get(leg.ids[i], 0) for i in absent])


def _rate(rows: pl.DataFrame) -> float:
    """Steps a second of one lane in finished runs on this kind of machine, 0 if there are none."""
    timed = rows.filter((pl.col("machine") == machine_id()) & (pl.col("t") > 0) & (pl.col("seconds") > 0))
    return float(timed["t"].to_numpy().sum() / timed["seconds"].to_numpy().sum()) if len(timed) else 0.0
