"""From a sweep to legs: all runs of one program and one stage, with their identities as columns.

Nothing is traced here. A run's identity is a hash of its group (the static configuration), its knobs, its seeds and its
start, and of nothing else: not of the stop that truncates it, nor of what is watched or kept.
"""

import hashlib
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from elegans.base.config import code_of, describe, digest
from elegans.lab import axes as axes_
from elegans.lab.program import Blueprint
from elegans.lab.words import SEEDS, Given, Run, Stage, Sweep, Then


@dataclass(frozen=True)
class Leg:
    """Runs that share a program, at one stage. Row i of every column is one run."""

    blueprint: Blueprint
    seeds: np.ndarray  # (n, 4) uint32
    knobs: np.ndarray  # (n, number of knobs) float64
    steps: np.ndarray  # (n,) int32
    keep: tuple[str, ...]
    before: "Leg | None" = None  # the leg whose ends these runs start from, row by row
    start: Then | Given | None = None

    @cached_property
    def group(self) -> str:
        """Identity of what is static."""
        b = self.blueprint
        static = {"model": b.model, "task": b.stage.task, "algorithm": b.stage.algorithm}
        return digest({n: _static(c) for n, c in static.items()}, b.stage.train, b.index)

    @cached_property
    def stop(self) -> str:
        """Identity of the event; the number of steps is not part of it."""
        event = self.blueprint.stage.stop.event
        return digest(event, code_of(event), code_of(self.blueprint.stage.task)) if event else digest(None)

    @cached_property
    def probes(self) -> str:
        """Identity of what is watched."""
        return ",".join(sorted(digest(p, code_of(p)) for p in self.blueprint.probes))

    @cached_property
    def ids(self) -> list[str]:
        """Identity of every run."""
        columns = (self.seeds.astype("<u4"), self.knobs.astype("<f8"))
        rows = zip(*(c.reshape(len(c), -1) for c in columns), self._origins(), strict=True)
        prefix = bytes.fromhex(self.group)
        return [
            hashlib.blake2b(prefix + s.tobytes() + k.tobytes() + o.encode(), digest_size=16).hexdigest()
            for s, k, o in rows
        ]

    def _origins(self) -> list[str]:
        """What each run starts from, as text."""
        start = self.start
        made_by = digest(start.function, start.arguments, code_of(start.function)) if start else ""
        if self.before is None:
            return [made_by] * len(self.seeds)
        end = self.before.stop
        return [f"{made_by}:{i}:{end}:{s}" for i, s in zip(self.before.ids, self.before.steps, strict=True)]

    @property
    def depth(self) -> int:
        """How many legs must be finished first."""
        return 0 if self.before is None else 1 + self.before.depth

    def __len__(self) -> int:
        return len(self.seeds)


@dataclass(frozen=True)
class Plan:
    """A sweep, expanded: its last legs with the rows of the table they fill, and all legs in order of dependence."""

    table: dict[str, pl.Series]
    cells: list[tuple[np.ndarray, Leg]]  # rows of the table, and the leg that fills them
    runs: list[Run]  # the static configuration of each cell

    @property
    def legs(self) -> list[Leg]:
        """Every leg, earlier stages first."""
        found: list[Leg] = []
        for _, leg in self.cells:
            chain: list[Leg] = []
            at: Leg | None = leg
            while at is not None:
                chain.insert(0, at)
                at = at.before
            found += chain
        return sorted(found, key=lambda leg: leg.depth)

    def __len__(self) -> int:
        return sum(len(rows) for rows, _ in self.cells)


def expand(sweep: Sweep) -> Plan:
    """Multiply out the axes: static ones into cells, the others into columns."""
    run = sweep.run_
    axes = [axes_.resolve(run, name, values) for name, values in sweep.axes]
    shape = tuple(len(a.values) for a in axes)
    index = np.indices(shape, np.int32).reshape(len(shape), math.prod(shape))  # row-major: the last axis varies fastest
    table = {a.name: pl.Series([_cell(v) for v in a.values], strict=False).gather(index[i]) for i, a in enumerate(axes)}
    grouping = [i for i, a in enumerate(axes) if a.groups]
    cells: list[tuple[np.ndarray, Leg]] = []
    runs: list[Run] = []
    for combo in itertools.product(*(range(shape[i]) for i in grouping)):
        rows = np.flatnonzero(np.all([index[i] == j for i, j in zip(grouping, combo, strict=True)], axis=0, keepdims=False)) \
            if grouping else np.arange(index.shape[1])  # fmt: skip
        concrete = run
        for i, j in zip(grouping, combo, strict=True):
            concrete = axes_.apply(concrete, axes[i], axes[i].values[j])
        columns = {a.name: (a, index[i][rows]) for i, a in enumerate(axes) if not a.groups}
        cells.append((rows, _legs(concrete, columns, len(rows))))
        runs.append(concrete)
    return Plan(table, cells, runs)


Columns = Mapping[str, tuple[axes_.Axis, np.ndarray]]


def _legs(run: Run, columns: Columns, n: int) -> Leg:
    """The chain of legs of one static configuration; returns the last."""
    seeds = _seed_columns(run, columns, n)
    before, start = None, run.start
    if isinstance(start, Then):
        only_seeds = {name: c for name, c in columns.items() if c[0].kind == "seed"}
        parent = replace_keep(start.run, ("start", "end"))
        before = _legs(parent, only_seeds, n)
    last = len(run.stages) - 1
    leg: Leg | None = None
    for j, stage in enumerate(run.stages):
        blueprint = Blueprint(run.model, stage, run.watch, j, given=before is not None or start is not None)
        keep = tuple(dict.fromkeys((*run.keep, *(("end",) if j < last else ()))))
        leg = Leg(
            blueprint, seeds, _knob_columns(blueprint, columns, n), _steps(stage, columns, n, j == last), tuple(sorted(keep)),
            before=before, start=start,
        )  # fmt: skip
        before, start = leg, None
    assert leg is not None
    return leg


def replace_keep(run: Run, keep: tuple[str, ...]) -> Run:
    """The run, keeping these parameters as well."""
    both = tuple(sorted({*run.keep, *keep}))
    return Run(run.model, *run.stages, start=run.start, seeds=run.seeds, watch=run.watch, keep=both)  # type: ignore[arg-type]


def _seed_columns(run: Run, columns: Columns, n: int) -> np.ndarray:
    seeds = np.tile(np.array([getattr(run.seeds, s) for s in SEEDS], np.uint32), (n, 1))
    ordered = sorted((c for c in columns.values() if c[0].kind == "seed"), key=lambda c: -len(c[0].paths))
    for axis, index in ordered:  # `seed` first, so that a named seed overrides it
        for path in axis.paths:
            seeds[:, SEEDS.index(path)] = np.asarray(axis.values, np.uint32)[index]
    return seeds


def _knob_columns(blueprint: Blueprint, columns: Columns, n: int) -> np.ndarray:
    names = list(blueprint.knobs)
    knobs = np.tile(np.array(list(blueprint.knobs.values()), np.float64), (n, 1))
    for axis, index in columns.values():
        for path in axis.paths if axis.kind == "knob" else ():
            if path in names:
                knobs[:, names.index(path)] = np.asarray(axis.values, np.float64)[index]
    return knobs


def _steps(stage: Stage, columns: Columns, n: int, last: bool) -> np.ndarray:
    steps = np.full(n, stage.stop.steps, np.int32)
    if last and "steps" in columns:
        axis, index = columns["steps"]
        steps = np.asarray(axis.values, np.int32)[index]
    return steps


def _static(config: Any) -> Any:
    return describe(config, without_knobs=True)


def _cell(value: Any) -> Any:
    """A value as it stands in the table: numbers and words as they are, anything else by name."""
    if isinstance(value, bool | int | float | str):
        return value
    return getattr(value, "__name__", None) or str(value)


def with_marks(leg: Leg, marks: set[int]) -> Leg:
    """The leg with further steps at which its lanes must be able to halt."""
    longest = int(leg.steps.max())
    stage = leg.blueprint.stage
    all_marks = tuple(sorted({*marks, *map(int, np.unique(leg.steps))}))
    stage = stage.replace(stop=stage.stop.replace(steps=longest))
    return replace(leg, blueprint=replace(leg.blueprint, stage=stage, marks=all_marks))
