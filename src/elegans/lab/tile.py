"""The host's side of a tile: which run is in which lane, what is due for it, and how it leaves.

A lane halts at the next step at which the host must look (`until`): a probe's cadence or the end. The host then observes,
confirms, finishes or releases it; a finished lane is refilled from the queue in the same call for all lanes.
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jax import export

from elegans.lab.job import Block, Load
from elegans.lab.program import Lane

Tree = dict[str, Any]


@dataclass
class Occupant:
    """A run in a lane."""

    block: Block
    index: int
    since: float
    traces: dict[str, list[tuple[int, Tree]]] = field(default_factory=dict)
    start: Tree = field(default_factory=dict)

    @property
    def run(self) -> str:
        return self.block.runs[self.index]

    @property
    def steps(self) -> int:
        return int(self.block.steps[self.index])


MOST_BLOCKS = 2**20  # of one call, which counts them with 32 bits
Finish = Callable[[Occupant, dict[str, Any], Tree], None]


class Tile:
    """One compiled program and its lanes."""

    def __init__(self, load: Load) -> None:
        program = load.program
        self.load, self.width = load, program.tile
        calls = {name: export.deserialize(bytearray(part)).call for name, part in program.parts.items()}
        donated = {"advance": 0, "refill": 0}
        self.call = {n: jax.jit(f, donate_argnums=donated.get(n, ())) for n, f in calls.items()}
        self.state: Lane = placed(program.empty)
        self.lanes: list[Occupant | None] = [None] * self.width
        self.blocks = 2  # blocks a call; adapted to the speed of the machine, which changes no bits

    @property
    def busy(self) -> bool:
        return any(self.lanes)

    # --- in ------------------------------------------------------------------------------------------------------------

    def fill(self, queue: Iterator[tuple[Block, int]], resume: dict[str, Lane]) -> None:
        """Put waiting runs into empty lanes: fresh ones together, given starts and resumed lanes one by one."""
        fresh: dict[int, Occupant] = {}
        for i in (i for i, o in enumerate(self.lanes) if o is None):
            taken = next(queue, None)
            if taken is None:
                break
            block, index = taken
            new = self.lanes[i] = Occupant(block, index, time.monotonic())
            state = _furthest(resume.get(new.run), block.states.get(new.run), steps=new.steps)
            if state is not None:
                self._put(i, new, state)
            elif new.run in block.starts:
                self._adopt(i, new, block.starts[new.run])
            else:
                fresh[i] = new
        if fresh:
            self._refill(fresh)

    def _refill(self, fresh: dict[int, Occupant]) -> None:
        which = np.zeros(self.width, bool)
        seeds, until = np.zeros((self.width, 4), np.uint32), np.zeros(self.width, np.int32)
        knobs = np.zeros((self.width, len(self.load.program.knobs)))
        for i, o in fresh.items():
            which[i], seeds[i], knobs[i] = True, o.block.seeds[o.index], o.block.knobs[o.index]
            until[i] = self._until(0, o)
        self.state = self.call["refill"](self.state, which, seeds, self._cast(knobs), until)
        for i, o in fresh.items():
            self._enter(i, o)

    def _adopt(self, i: int, o: Occupant, params: Tree) -> None:
        """A run that starts from given parameters."""
        knobs = self._cast(o.block.knobs[o.index])
        shaped = {n: np.asarray(params[n], self.state["params"][n].dtype) for n in self.state["params"]}
        lane = self.call["adopt"](shaped, o.block.seeds[o.index], knobs, np.int32(self._until(0, o)))
        self._set(i, lane)
        self._enter(i, o)

    def _cast(self, knobs: np.ndarray) -> np.ndarray:
        """In the program's precision; what is too large for it becomes infinite, and its run diverges."""
        with np.errstate(over="ignore"):
            return knobs.astype(self.state["knobs"].dtype)

    def _put(self, i: int, o: Occupant, state: Lane) -> None:
        """A run that goes on from a stored lane."""
        state = dict(state)
        cadences = self.load.probes
        stored = {p: _rows(rows) for p, rows in state.pop("traces", {}).items() if p in cadences}
        o.traces = {p: [r for r in rows if r[0] % cadences[p] == 0] for p, rows in stored.items()}  # no earlier end
        o.start = state.pop("start", {})
        t = int(state["t"])
        lane = {**state, "until": np.int32(self._until(t, o)), "held": np.asarray(t >= o.steps)}
        self._set(i, _like(self._get(i), lane))

    def _enter(self, i: int, o: Occupant) -> None:
        if "start" in self.load.keep:
            o.start = self.params(i)
        self.observe(i, o, 0)

    # --- onwards -------------------------------------------------------------------------------------------------------

    def advance(self, target: float = 0.08) -> Tree:
        """Run the lanes for about `target` seconds; returns what the host needs to know of each."""
        began, waiting = time.monotonic(), int(np.asarray(self.state["held"]).sum())
        self.state, brief = self.call["advance"](self.state, np.int32(self.blocks))
        seen = jax.device_get(brief)
        took = time.monotonic() - began
        if seen["held"].sum() == waiting:  # the call was not cut short by a lane that halted
            wanted = np.clip(self.blocks * target / max(took, 1e-4), self.blocks // 2 + 1, 2 * self.blocks)
            self.blocks = int(min(wanted, MOST_BLOCKS))
        return seen

    def serve(self, seen: Tree, finish: Finish) -> None:
        """Look after every lane that halted: observe, end, or let it go on."""
        held, until = np.array(seen["held"]), np.array(self.state["until"])
        for i, o in enumerate(self.lanes):
            if o is None or not held[i]:
                continue
            t = int(seen["t"][i])
            outcome = self._outcome(i, o, seen)
            if outcome != "diverged":
                self.observe(i, o, t, last=outcome is not None)
            if outcome:
                self._leave(i, o, outcome, seen, finish)
            else:
                held[i], until[i] = False, self._until(t, o)
        self.state = {**self.state, "held": placed(held), "until": placed(until)}

    def _outcome(self, i: int, o: Occupant, seen: Tree) -> str | None:
        if seen["bad"][i] >= 0:
            return "diverged"
        passed = seen["passed"][i] and bool(self.call["confirm"](self.state, np.int32(i)))
        if not passed and int(seen["t"][i]) < o.steps:
            return None
        finite = all(np.isfinite(p).all() for p in self.params(i).values())  # the last update has no loss to show it
        return ("event" if passed else self.load.outcome) if finite else "diverged"

    def _leave(self, i: int, o: Occupant, outcome: str, seen: Tree, finish: Finish) -> None:
        ended = outcome != "diverged"
        t = int(seen["bad"][i]) if seen["bad"][i] >= 0 else int(seen["t"][i])
        params = self.params(i)
        row = {
            "run": o.run, "stop": o.block.stop, "program": self.load.program.identity, "outcome": outcome, "t": t,
            "event": t if outcome == "event" else None, "loss": float(seen["loss"][i]) if seen["bad"][i] < 0 else math.nan,
            "bits": bits(params if ended else {}),  # how far a diverged lane ran on depends on the length of a block
            "probes": self.load.probe_ids, "keep": ",".join(self.load.keep), "state": outcome in ("budget", "completed"),
            "seconds": time.monotonic() - o.since, "date": time.time(),
        }  # fmt: skip
        arrays: Tree = {"traces": {p: _stacked(rows) for p, rows in o.traces.items()}} if o.traces else {}
        if o.start:
            arrays["start"] = o.start
        if "end" in self.load.keep:
            arrays["end"] = params
        if row["state"]:
            arrays["state"] = self.snapshot(i)
        finish(o, row, arrays)
        self.lanes[i] = None

    def observe(self, i: int, o: Occupant, t: int, last: bool = False) -> None:
        """Record the probes that are due at step t (all of them at the end), each at most once."""
        for name, every in self.load.probes.items():
            rows = o.traces.setdefault(name, [])
            if (t % every == 0 or last) and not (rows and rows[-1][0] >= t):
                seen = jax.device_get(self.call[f"probe:{name}"](self.state, np.int32(i)))
                rows.append((t, seen))

    def _until(self, t: int, o: Occupant) -> int:
        return min([o.steps, *(every * (t // every + 1) for every in self.load.probes.values())])

    # --- lanes as trees ------------------------------------------------------------------------------------------------

    def _get(self, i: int) -> Lane:
        """Lane i on the host. NumPy does it without compiling anything."""
        return jax.tree.map(lambda a: np.asarray(a)[i], self.state)

    def _set(self, i: int, lane: Lane) -> None:
        def put(a: Any, b: Any) -> Any:
            host = np.array(a)
            host[i] = b
            return placed(host)

        self.state = jax.tree.map(put, self.state, lane)

    def params(self, i: int) -> Tree:
        """Parameters of lane i on the host."""
        return {n: np.array(np.asarray(p)[i]) for n, p in self.state["params"].items()}

    @property
    def steps(self) -> int:
        """Sum of the lanes' step numbers."""
        return int(np.asarray(self.state["t"]).sum())

    def snapshot(self, i: int) -> Lane:
        """All of lane i that cannot be recomputed from its seeds and knobs, as a dictionary of arrays."""
        keep = ("params", "opt", "t", "loss", "bad", "passed", "knobs", "seeds", "secret", "screen")
        return {n: jax.tree.map(lambda a: np.array(np.asarray(a)[i]), self.state[n]) for n in keep}

    def checkpoint(self) -> dict[str, Lane]:
        """Every occupied lane with its open traces, by run."""
        return {
            o.run: {**self.snapshot(i), "traces": {p: _stacked(r) for p, r in o.traces.items()}, "start": o.start}
            for i, o in enumerate(self.lanes) if o is not None
        }  # fmt: skip


def placed(tree: Any) -> Any:
    """Host arrays on the device to which programs commit their results: otherwise each program is compiled twice."""
    return jax.device_put(tree, jax.devices()[0])


def _furthest(*states: Lane | None, steps: int) -> Lane | None:
    """Of several stored lanes the one that got furthest without overshooting."""
    usable = [s for s in states if s is not None and int(s["t"]) <= steps]
    return max(usable, key=lambda s: int(s["t"]), default=None)


def bits(params: Tree) -> str:
    """Hash of parameters: equal bits, equal hash."""
    h = hashlib.blake2b(digest_size=16)
    for name in sorted(params):
        h.update(name.encode() + np.ascontiguousarray(params[name]).tobytes())
    return h.hexdigest()


def _like(template: Lane, lane: Lane) -> Lane:
    """A stored lane in the structure of a live one."""
    return {n: _shaped(template[n], lane[n]) for n in template}


def _shaped(template: Any, stored: Any) -> Any:
    if isinstance(template, dict):
        return {n: _shaped(t, stored[n]) for n, t in template.items()}
    if isinstance(template, tuple):
        return tuple(_shaped(t, stored[str(i)]) for i, t in enumerate(template))
    return stored


def _stacked(rows: list[tuple[int, Tree]]) -> Tree:
    """One array a name over time, with the steps as `t`."""
    if not rows:
        return {"t": np.zeros(0, np.int64)}
    names = rows[0][1]
    return {"t": np.array([t for t, _ in rows]), **{n: np.stack([r[n] for _, r in rows]) for n in names}}


def _rows(stacked: Tree) -> Iterator[tuple[int, Tree]]:
    for j, t in enumerate(stacked["t"]):
        yield int(t), {n: a[j] for n, a in stacked.items() if n != "t"}
