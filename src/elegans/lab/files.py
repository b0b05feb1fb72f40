"""Files that survive a crash: write a temporary, flush it to disk, rename. Trees of arrays become one `.npz`."""

import contextlib
import io
import json
import os
import uuid
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from elegans.base.errors import StoreError

AGAIN = "then run the same command again: finished runs are kept"
PLACE = f"free space or name another place, {AGAIN}"
STORE = f"free space or choose another store with --store or ELEGANS_STORE, {AGAIN}"


@contextlib.contextmanager
def explained(path: Path, doing: str, advice: str = STORE) -> Generator[None, None, None]:
    """Turn the operating system's refusals into one sentence that names the file and what to do."""
    try:
        yield
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"could not {doing} {path}: {error.strerror or error}; {advice}") from error


def write(path: Path, content: bytes, advice: str = PLACE) -> None:
    """Atomic and durable: afterwards the file is whole, or not there. A device or a pipe is written, never replaced."""
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
    with explained(path, "write", advice):
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(partial, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def pack(tree: Mapping[str, Any], note: Any = None) -> bytes:
    """A nested dictionary of arrays, with a JSON note, as the bytes of an `.npz`. Tuples become dictionaries by position."""
    buffer = io.BytesIO()
    flat = dict(_flatten(tree, ()))
    names = [list(path) for path in flat]
    arrays = {f"a{i}": a for i, a in enumerate(flat.values())}
    np.savez(buffer, allow_pickle=False, note=np.array(json.dumps({"names": names, "note": note})), **arrays)
    return buffer.getvalue()


def unpack(content: bytes) -> tuple[dict[str, Any], Any]:
    """What `pack` packed: the tree and the note."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        header = json.loads(str(stored["note"]))
        tree: dict[str, Any] = {}
        for i, path in enumerate(header["names"]):
            node = tree
            for part in path[:-1]:
                node = node.setdefault(part, {})
            node[path[-1]] = stored[f"a{i}"] if path[-1] != EMPTY else None
        return _restored(tree), header["note"]


EMPTY = "<empty>"  # stands for an empty dictionary or tuple, which has no arrays to show for itself


def _flatten(tree: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    if isinstance(tree, Mapping):
        if not tree:
            yield (*path, EMPTY), np.zeros(0)
        for name, value in tree.items():
            yield from _flatten(value, (*path, str(name)))
    elif isinstance(tree, tuple):
        yield from _flatten({str(i): value for i, value in enumerate(tree)}, path)
    else:
        yield path, np.asarray(tree)


def _restored(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    return {} if EMPTY in tree else {name: _restored(v) for name, v in tree.items()}
