"""How a worker serves a job: for each program, lease blocks, keep the tile full, flush and checkpoint by the clock."""

import os
import time
import uuid
from collections.abc import Iterator
from typing import Any, Protocol

from elegans.lab import leases
from elegans.lab.job import Block, Job, Load
from elegans.lab.machine import machine_id
from elegans.lab.rows import ends
from elegans.lab.store import Store
from elegans.lab.tile import Occupant, Tile
from elegans.lab.worker import say


class Control(Protocol):
    """Where a request to stop is seen."""

    stopping: bool


class Service:
    """One job on one worker."""

    def __init__(self, job: Job, control: Control, worker: int = 0) -> None:
        self.job, self.control, self.store = job, control, Store(job.store)
        self.worker = worker
        self.id, self.machine = uuid.uuid4().hex, machine_id()
        self.leases: dict[str, leases.Lease] = {}
        self.left: dict[str, int] = {}  # unfinished runs of every leased block
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.arrays: dict[str, Any] = {}
        self.finished: list[str] = []  # blocks to release once their rows are on disk
        self.tally = {"runs": 0, "steps": 0, "event": 0, "diverged": 0, "budget": 0, "completed": 0}
        self.now = self.flushed = self.saved = self.beaten = time.monotonic()
        self.saved_lanes = False

    def run(self) -> bool:
        """Serve every load; True unless asked to stop first."""
        try:
            for load in self.job.order(self.worker):
                self._serve(load)
                if self.control.stopping:
                    break
            self._flush()
        finally:
            for lease in self.leases.values():
                lease.release()
        if not self.control.stopping and self.saved_lanes:
            self.store.drop_checkpoint(self.id)
        return not self.control.stopping

    def _serve(self, load: Load) -> None:
        queue = self._queue(load)
        first = next(queue, None)
        if first is None:
            return
        tile, resume = Tile(load), self._resumable(load)
        queue = _chain(first, queue)
        tile.fill(queue, resume)
        while tile.busy:
            before = tile.steps
            seen = tile.advance()
            self.tally["steps"] += int(seen["t"].sum()) - before
            tile.serve(seen, self._finish)
            self._by_the_clock(tile)
            if self.control.stopping:
                return self._save(tile)
            tile.fill(queue, resume)
        return None

    def _resumable(self, load: Load) -> dict[str, Any]:
        """Checkpointed lanes of this very load that can halt where this program halts."""
        lanes = self.store.checkpoints(load.key)
        return {run: lane for run, lane in lanes.items() if int(lane["t"]) % load.program.every == 0}

    def _queue(self, load: Load) -> Iterator[tuple[Block, int]]:
        """Runs of blocks that we could lease and nobody has finished."""
        for block in load.blocks:
            lease = leases.take(self.job.store, block.id)
            if lease is None:
                continue
            self.leases[block.id] = lease
            waiting = self._waiting(load, block)
            self.left[block.id] = len(waiting)
            if not waiting:
                self.finished.append(block.id)
            for i in waiting:
                yield block, i

    def _waiting(self, load: Load, block: Block) -> list[int]:
        """Indices without a result: another worker may have finished some since the job was planned."""
        rows = self.store.runs(block.group)
        rows = rows.filter(
            (rows["stop"] == block.stop) & (rows["program"] == load.program.identity)
            & (rows["probes"] == load.probe_ids) & (rows["keep"] == ",".join(load.keep))
        )  # fmt: skip
        by_run = rows.partition_by("run", as_dict=True) if len(rows) else {}
        exactly = bool(load.keep or load.probes)
        return [
            i
            for i, (run, steps) in enumerate(zip(block.runs, map(int, block.steps), strict=True))
            if not any(ends(row, steps, exactly) for row in _dicts(by_run, run))
        ]

    def _finish(self, occupant: Occupant, row: dict[str, Any], arrays: dict[str, Any]) -> None:
        block = occupant.block
        key = uuid.uuid4().hex if arrays else ""
        self.rows.setdefault(block.group, []).append({**row, "machine": self.machine, "arrays": key})
        if arrays:
            self.arrays[key] = arrays
        self.tally["runs"] += 1
        self.tally[row["outcome"]] += 1
        self.left[block.id] -= 1
        if not self.left[block.id]:
            self.finished.append(block.id)

    # --- by the clock --------------------------------------------------------------------------------------------------

    def _by_the_clock(self, tile: Tile) -> None:
        now = time.monotonic()
        if now - self.flushed > self.job.flush_every:
            self._flush()
        if now - self.saved > self.job.checkpoint_every:
            self._save(tile)
        if now - self.beaten > leases.BEAT:
            for lease in self.leases.values():
                lease.beat()
            self.beaten = now
        if now - self.now > 0.25:
            self._report(tile)
            self.now = now

    def _flush(self) -> None:
        """Put finished runs on disk, then give back the blocks that are complete."""
        for group, rows in self.rows.items():
            named = {r["arrays"]: self.arrays[r["arrays"]] for r in rows if r["arrays"]}
            self.store.write_runs(group, rows, named)
        self.rows, self.arrays = {}, {}
        for block in self.finished:
            self.leases.pop(block).release()
        self.finished = []
        self.flushed = time.monotonic()
        self._report(None)

    def _save(self, tile: Tile) -> None:
        self._flush()
        lanes = tile.checkpoint()
        note = {run: [tile.load.key, int(lane["t"])] for run, lane in lanes.items()}
        if lanes:
            self.store.write_checkpoint(self.id, lanes, note)
            self.saved_lanes = True
        self.saved = time.monotonic()

    def _report(self, tile: Tile | None) -> None:
        lanes = {} if tile is None else {"lanes": [sum(o is not None for o in tile.lanes), tile.width]}
        say({"progress": {**self.tally, **lanes, "pid": os.getpid()}})


def _dicts(by_run: dict[Any, Any], run: str) -> list[dict[str, Any]]:
    return by_run[run,].to_dicts() if (run,) in by_run else []


def _chain(first: tuple[Block, int], rest: Iterator[tuple[Block, int]]) -> Iterator[tuple[Block, int]]:
    yield first
    yield from rest
