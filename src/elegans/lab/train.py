"""`train`: one run, watched from inside, through the same programs as a sweep; hence the same bits."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from elegans.base.errors import UsageError, shown
from elegans.base.values import instance_of, whole
from elegans.lab.api import result
from elegans.lab.words import Run, Seeds, Stage, Sweep, check_stop
from elegans.models.base import Model
from elegans.probes.base import Probe
from elegans.tasks.base import Task
from elegans.training.algorithms import Algorithm
from elegans.training.stops import Steps, Stop


@dataclass(frozen=True)
class Trained:
    """A finished run: how it ended, what was seen, and its parameters."""

    run: Run
    outcome: str
    t: int
    params: dict[str, np.ndarray] = field(repr=False)
    traces: dict[str, np.ndarray] = field(repr=False)
    store: Path | None = None

    def trace(self, name: str) -> pl.DataFrame:
        """A probe's scalars over time as a table, for example `trace("Accuracy")`."""
        found = {k.partition(".")[2]: v for k, v in self.traces.items() if k.partition(".")[0] == name}
        if not found:
            names = sorted({k.partition(".")[0] for k in self.traces})
            raise UsageError(f"nothing called {name!r} was watched; this run has {', '.join(names) or 'no probes'}")
        return pl.DataFrame({"t": found.pop("t"), **{n: a for n, a in found.items() if a.ndim == 1}})

    def at(self, step: int) -> dict[str, np.ndarray]:
        """Parameters after `step` steps: the run replayed that far (same bits, whatever the machine's other work)."""
        step = whole("step", step, 0, self.t)
        if step == self.t:
            return self.params
        keep = "start" if step == 0 else "end"
        stage = self.run.stages[-1].replace(stop=Steps(max(step, 1)))
        again = Run(
            self.run.model, *self.run.stages[:-1], stage, start=self.run.start, seeds=self.run.seeds, keep=(keep,)
        )
        return result(Sweep(again), store=self.store, progress=False).arrays[0][keep]

    def plot(self) -> Any:
        """Every watched scalar over the steps (a matplotlib figure)."""
        from elegans.lab.plots import curves

        return curves(self.traces)


def train(
    model: Model,
    task: Task,
    algorithm: Algorithm,
    steps: int | None = None,
    *,
    stop: Stop | None = None,
    watch: Iterable[Probe] = (),
    seed: int = 0,
    start: Any = None,
    store: Path | str | None = None,
    progress: bool = True,
) -> Trained:
    """Train one network for `steps`, or until `stop`. A second call with the same arguments answers from the store."""
    if (steps is None) == (stop is None):
        raise UsageError("say how long to train: either steps=20_000 or stop=Solved() | Budget(20_000)")
    for name, part, kind in (("model", model, Model), ("task", task, Task), ("algorithm", algorithm, Algorithm)):
        if not isinstance(part, kind):
            what = f"{name} is {shown(part)}, but it must be {instance_of(kind, part)}"
            raise UsageError(f"{what}; train takes a model, a task and an algorithm, in this order")
    if steps is not None and not isinstance(steps, int | float | np.number):
        raise UsageError(f"steps is {shown(steps)}, but it must be a number; say when to end with stop=...")
    if stop is None:
        stop = Steps(whole("steps", steps, 1, 2**31 - 1))
    check_stop("stop", stop)
    stage = Stage(task, algorithm, stop)
    seed = whole("seed", seed, 0, 2**32 - 1)
    seeds = Seeds(seed, seed, seed, seed)
    run = Run(model, stage, start=start, seeds=seeds, watch=watch, keep=("end",))
    found = result(Sweep(run), store=store, progress=progress)
    row = found.runs.row(0, named=True)
    where = Path(store) if store else None
    return Trained(run, row["outcome"], row["t"], found.arrays[0].get("end", {}), dict(found.traces[0]), where)
