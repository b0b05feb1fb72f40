"""The file format of evidence: one compressed `.npz` with a JSON description called `__tree__`.

Everything comes back exactly as it was, missing values and column types included, so a verdict on stored evidence is
the verdict on fresh evidence. Traces of all runs are laid end to end, one array a name, which keeps files small.
"""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from elegans.base.errors import UsageError
from elegans.claims.evidence import Arrays, Evidence

Trace = Mapping[str, np.ndarray]


def pack(e: Evidence) -> bytes:
    """Evidence as the bytes of a file; they depend on nothing but the evidence."""
    arrays: Arrays = {}
    tree = _tree(e, "", arrays)
    buffer = io.BytesIO()
    named: dict[str, Any] = {"__tree__": np.array(json.dumps(tree, sort_keys=True)), **dict(sorted(arrays.items()))}
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


def unpack(content: bytes) -> Evidence:
    """What `pack` packed."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return _evidence(json.loads(str(arrays.pop("__tree__"))), "", arrays)


def _tree(e: Evidence, prefix: str, arrays: Arrays) -> dict[str, Any]:
    arrays.update({f"{prefix}arrays|{name}": _plain(name, a) for name, a in e.arrays.items()})
    return {
        "columns": [_put_column(column, f"{prefix}runs|{column.name}", arrays) for column in e.runs.get_columns()],
        "traces": {"runs": len(e.traces), "names": _put_traces(e.traces, f"{prefix}traces|", arrays)},
        "arrays": sorted(e.arrays),
        "parts": {name: _tree(part, f"{prefix}parts|{name}|", arrays) for name, part in e.parts.items()},
        "meta": dict(e.meta),
    }


def _evidence(tree: dict[str, Any], prefix: str, arrays: Arrays) -> Evidence:
    columns = [_get_column(c, f"{prefix}runs|{c['name']}", arrays) for c in tree["columns"]]
    traces = _get_traces(tree["traces"], f"{prefix}traces|", arrays)
    named = {n: arrays[f"{prefix}arrays|{n}"] for n in tree["arrays"]}
    parts = {n: _evidence(t, f"{prefix}parts|{n}|", arrays) for n, t in tree["parts"].items()}
    return Evidence(pl.DataFrame(columns), traces, named, parts, tree["meta"])


def _plain(name: str, value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise UsageError(
            f"array {name!r} of the evidence holds {type(value).__name__} objects; give numbers or strings"
        )
    return array


def _put_column(column: pl.Series, key: str, arrays: Arrays) -> dict[str, Any]:
    """Values with a stand-in where one is missing, and a mask of the missing ones if there are any."""
    missing = column.is_null()
    if column.dtype == pl.Null:
        column = column.cast(pl.Float64)
    dtype = str(column.dtype)
    if column.dtype == pl.String:
        arrays[key] = np.asarray(column.fill_null("").to_list(), dtype=np.str_)
    else:
        filled = column.fill_null(False if column.dtype == pl.Boolean else 0)
        arrays[key] = _plain(column.name, filled.to_numpy())
    if missing.any():
        arrays[f"{key}|missing"] = missing.to_numpy()
    return {"name": column.name, "type": dtype}


def _get_column(note: dict[str, str], key: str, arrays: Arrays) -> pl.Series:
    column = pl.Series(note["name"], arrays[key].tolist(), dtype=getattr(pl, note["type"]))
    missing = arrays.get(f"{key}|missing")
    return column if missing is None else column.set(pl.Series(missing), None)


def _put_traces(traces: tuple[Trace, ...], prefix: str, arrays: Arrays) -> list[dict[str, Any]]:
    """For each name and shape: the runs that have it, how long each is, and all of them end to end."""
    groups: dict[tuple[str, str, tuple[int, ...]], list[int]] = {}
    for i, trace in enumerate(traces):
        for name, value in trace.items():
            array = _plain(name, value)
            groups.setdefault((name, array.dtype.str, array.shape[1:]), []).append(i)
    notes: list[dict[str, Any]] = []
    for g, ((name, _, _), runs) in enumerate(sorted(groups.items())):
        some = [np.asarray(traces[i][name]) for i in runs]
        arrays[f"{prefix}{g}"] = np.concatenate(some)
        notes.append({"name": name, "of": runs, "lengths": [len(a) for a in some]})
    return notes


def _get_traces(note: dict[str, Any], prefix: str, arrays: Arrays) -> tuple[Trace, ...]:
    traces: tuple[Arrays, ...] = tuple({} for _ in range(note["runs"]))
    for g, group in enumerate(note["names"]):
        pieces = np.split(arrays[f"{prefix}{g}"], np.cumsum(group["lengths"])[:-1])
        for i, piece in zip(group["of"], pieces, strict=True):
            traces[i][group["name"]] = piece
    return traces
