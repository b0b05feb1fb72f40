"""Evidence: what the work of an experiment left behind, and the only input of its figure and its claims.

A table of runs, the traces of probes, named arrays, and parts for experiments with several works. It is saved as one
small `.npz` file whose bytes depend on its content only, so that it can be committed.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from elegans.base.errors import StoreError, UsageError
from elegans.stats.estimate import Estimate, exact
from elegans.stats.times import Times

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Evidence:
    """`runs` has one row per run; `traces[i]` maps "Probe.name" to run i's array over time, with "Probe.t" its steps."""

    runs: pl.DataFrame = field(default_factory=pl.DataFrame)
    traces: tuple[Mapping[str, np.ndarray], ...] = ()
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    parts: Mapping[str, "Evidence"] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> "Evidence":
        """The part called `name`, for work that is a dictionary."""
        if name not in self.parts:
            raise UsageError(f"this evidence has no part {name!r}; it has {', '.join(self.parts) or 'no parts'}")
        return self.parts[name]

    def array(self, name: str) -> np.ndarray:
        """A named array of a calculation, or parameters that were kept ("end/W": one row per run)."""
        if name not in self.arrays:
            raise UsageError(f"this evidence has no array {name!r}; it has {', '.join(self.arrays) or 'none'}")
        return self.arrays[name]

    def max(self, name: str) -> Estimate:
        """The largest entry of a named array, as an exact estimate."""
        return exact(float(np.max(self.array(name))), f"max {name}")

    def times(self, event: str = "solved", where: pl.Expr | None = None) -> Times:
        """First times of an event over the runs, censored where a run ended without it."""
        runs = self.runs if where is None else self.runs.filter(where)
        seen = runs[event].is_not_null().to_numpy()
        time = runs.select(pl.coalesce(event, "t").cast(pl.Float64)).to_series().to_numpy()
        return Times(time, seen)

    def save(self, path: Path) -> int:
        """Write atomically; returns the number of bytes."""
        buffer = io.BytesIO()
        arrays: Arrays = {}
        tree = _pack(self, "", arrays)
        np.savez_compressed(buffer, __tree__=np.array(json.dumps(tree, sort_keys=True)), **arrays)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(buffer.getvalue())
        partial.replace(path)
        return len(buffer.getvalue())

    @staticmethod
    def load(path: Path) -> "Evidence":
        """Read what `save` wrote; a torn or foreign file is an error that names it."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files if name != "__tree__"}
                return _unpack(json.loads(str(stored["__tree__"])), "", arrays)
        except FileNotFoundError:
            raise
        except Exception as error:
            raise StoreError(
                f"{path} is not readable evidence ({error}); delete it and run the experiment again"
            ) from error


def _pack(e: Evidence, prefix: str, arrays: Arrays) -> dict[str, Any]:
    for name, column in zip(e.runs.columns, e.runs.get_columns(), strict=True):
        arrays[f"{prefix}runs|{name}"] = _column(column)
    for i, trace in enumerate(e.traces):
        arrays.update({f"{prefix}traces|{i}|{name}": np.asarray(a) for name, a in trace.items()})
    arrays.update({f"{prefix}arrays|{name}": np.asarray(a) for name, a in e.arrays.items()})
    parts = {name: _pack(part, f"{prefix}parts|{name}|", arrays) for name, part in e.parts.items()}
    return {"columns": e.runs.columns, "traces": [sorted(t) for t in e.traces], "arrays": sorted(e.arrays),
            "parts": parts, "meta": dict(e.meta)}  # fmt: skip


def _column(column: pl.Series) -> np.ndarray:
    """A column without nulls: missing times become nan, missing words the empty string."""
    if column.dtype == pl.String:
        return np.asarray(column.fill_null("").to_list(), dtype=np.str_)
    if column.null_count():
        return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return column.to_numpy()


def _unpack(tree: dict[str, Any], prefix: str, arrays: Arrays) -> Evidence:
    columns = {c: arrays[f"{prefix}runs|{c}"] for c in tree["columns"]}
    runs = pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None)) if columns else pl.DataFrame()
    traces = tuple({n: arrays[f"{prefix}traces|{i}|{n}"] for n in names} for i, names in enumerate(tree["traces"]))
    named = {n: arrays[f"{prefix}arrays|{n}"] for n in tree["arrays"]}
    parts = {n: _unpack(t, f"{prefix}parts|{n}|", arrays) for n, t in tree["parts"].items()}
    return Evidence(runs, traces, named, parts, tree["meta"])
