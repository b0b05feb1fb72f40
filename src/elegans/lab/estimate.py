"""What a sweep will cost, before it starts: runs, programs, time, memory, disk. An estimate, and it says on what it rests."""

import json
import time
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from elegans.lab import files, results
from elegans.lab.display import words
from elegans.lab.job import Load
from elegans.lab.machine import cache_folder, machine_id, places
from elegans.lab.plan import Leg, expand
from elegans.lab.program import Blueprint
from elegans.lab.programs import identity_of, program_of
from elegans.lab.store import Store
from elegans.lab.tile import Tile
from elegans.lab.words import Sweep
from elegans.training.stops import Steps


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
        lane = sum(a.nbytes for a in jax.tree.leaves(program.empty))
        memory, disk = max(memory, 300_000_000 + 4 * lane), disk + len(absent) * (200 + _kept(leg))
    n = workers or places()  # side by side
    basis = (
        "rates measured on this machine, run lengths from earlier runs"
        if seen
        else "rates measured on this machine, full budgets"
    )
    return Estimate(len(plan), missing, len(programs), steps, seconds / n, memory * n, disk, n, basis)


def speed(b: Blueprint) -> float:
    """Steps per second of one core for a blueprint: remembered per machine, else timed for a moment."""
    program = program_of(b)
    book = cache_folder() / f"speed-{machine_id()}.json"
    known: dict[str, float] = _read(book)
    if program.identity not in known:
        known[program.identity] = _timed(b)
        files.write(book, json.dumps(known).encode())
    return known[program.identity]


def _timed(b: Blueprint) -> float:
    from dataclasses import replace

    from elegans.lab.job import Block

    program = program_of(replace(b, probes=(), marks=(), stage=b.stage.replace(stop=Steps(10**9))))  # nothing halts
    if program.precision == "float64":
        return 2e4  # cannot be timed in a 32-bit process without leaking its precision; corrected by the first run
    tile = Tile(Load(program, []))
    n = program.tile
    block = Block("", "", "", [str(i) for i in range(n)], np.zeros((n, 4), np.uint32),
                  np.tile(np.array(list(b.knobs.values())), (n, 1)), np.full(n, 10**9, np.int32))  # fmt: skip
    tile.fill(iter([(block, i) for i in range(n)]), {})
    tile.advance()
    began, before = time.monotonic(), tile.steps
    while time.monotonic() - began < 0.3:
        tile.advance()
    return (tile.steps - before) / (time.monotonic() - began)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _kept(leg: Leg) -> int:
    weights = sum(int(np.prod(s.shape)) * s.dtype.itemsize for s in leg.blueprint.shapes.values())
    resumable = leg.blueprint.stage.stop.event is None  # a run that ends with its event leaves no state
    return weights * (len(leg.keep) + resumable)


def _read(path: Any) -> dict[str, float]:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
