"""What was watched, as a table over the steps."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elegans.base.errors import UsageError

Row = tuple[Any, ...]
ELSEWHERE = "name another file, then run the same command again: nothing is trained twice"


def scalars(traces: Mapping[str, Any]) -> tuple[list[str], list[Row]]:
    """One row a step at which something was watched, one column a scalar; empty where a probe did not look."""
    names = [n for n, a in traces.items() if a.ndim == 1 and not n.endswith(".t")]
    seen: dict[int, dict[str, Any]] = {}
    for name in names:
        for t, value in zip(traces[f"{name.partition('.')[0]}.t"], traces[name], strict=True):
            seen.setdefault(int(t), {})[name] = value
    return ["t", *names], [(t, *(seen[t].get(n, "") for n in names)) for t in sorted(seen)]


def vectors(traces: Mapping[str, Any]) -> list[str]:
    """What was watched and is too large for the table, with its size."""
    return [f"{name} ({'x'.join(map(str, a.shape[1:]))} numbers a step)" for name, a in traces.items() if a.ndim > 1]


def short(value: Any) -> str:
    """A cell in four digits."""
    return str(value) if isinstance(value, int | str) else f"{float(value):.4g}"


def spread(rows: list[Row], most: int = 12) -> list[Row]:
    """The first, the last and some in between, evenly."""
    if len(rows) <= most:
        return rows
    return [rows[i * (len(rows) - 1) // (most - 1)] for i in range(most)]


def writable(path: Path) -> None:
    """Find out before training, not after. A device or a pipe is found out when it is written."""
    if path.is_dir() or not path.resolve().parent.is_dir():
        raise UsageError(
            f"{path} cannot be written: it is a folder, or its folder does not exist; name a file in a folder"
        )
    if path.exists() and not path.is_file():
        return
    try:
        with tempfile.NamedTemporaryFile(dir=path.resolve().parent) as probe:
            probe.write(b"elegans")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror or error}; name a file in another folder"
        ) from error
