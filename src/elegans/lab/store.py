"""The store: a folder in which finished runs are safe. Results are Parquet shards and `.npz` shards, each written whole.

    runs/<group>/<shard>.parquet   one row a run: identity, outcome, times, bits, where its arrays are
    arrays/<shard>.npz             traces, kept parameters and resumable states of the runs of one flush
    calculations/<id>.npz          results of calculations
    checkpoints/<worker>.npz       lanes in flight; leases/<block>: who works on what; progress/: who is alive
    certificates/                  proofs that a changed program gives the same bits;  aside/: what could not be read

Duplicates are harmless (same bits) and dropped on reading; a torn or foreign file is set aside with a warning.
"""

import io
import json
import os
import shutil
import sys
import tempfile
import time
import uuid
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from elegans.base.errors import StoreError, UsageError
from elegans.lab import files

UNREADABLE = (pl.exceptions.PolarsError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
MANY = 64  # shards of a group above which it is compacted
SCHEMA = {
    "run": pl.String, "stop": pl.String, "program": pl.String, "machine": pl.String, "outcome": pl.String,
    "t": pl.Int64, "event": pl.Int64, "loss": pl.Float64, "bits": pl.String, "probes": pl.String, "keep": pl.String,
    "state": pl.Boolean, "arrays": pl.String, "seconds": pl.Float64, "date": pl.Float64,
}  # fmt: skip


KINDS = ("aside", "arrays", "calculations", "certificates", "checkpoints", "leases", "progress", "runs")


def default_folder() -> Path:
    """`ELEGANS_STORE`, or a folder of the user's data directory."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(os.environ.get("ELEGANS_STORE") or Path(data) / "elegans" / "store")


@dataclass(frozen=True)
class Store:
    """A folder of results, on any file system with atomic rename."""

    folder: Path

    @staticmethod
    def open(folder: Path | str | None = None) -> "Store":
        """The store at `folder`, made if need be, or one sentence on why it cannot be used."""
        if not isinstance(folder, str | os.PathLike | None):
            raise UsageError(f"store is {folder!r}, but it must be the path of a folder, for example store='results'")
        path = Path(folder).expanduser() if folder else default_folder()
        with files.explained(path, "use the store"):
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path) as probe:
                probe.write(b"elegans")
        return Store(path)

    @staticmethod
    def existing(folder: Path | str | None = None) -> "Store | None":
        """The store at `folder`, to be looked at; None if it is the default one and nothing has been run yet."""
        path = Path(folder).expanduser() if folder else default_folder()
        if folder is None and not path.exists():
            return None
        if not path.is_dir():
            reason = "it is not a folder" if path.exists() else "it does not exist"
            raise StoreError(f"could not use the store {path}: {reason}; name a store with --store or ELEGANS_STORE")
        inside = {p.name for p in path.iterdir()}
        if inside and not inside & {*KINDS}:
            raise StoreError(f"{path} is not a store of elegans: it has neither runs nor calculations")
        return Store(path)

    # --- runs ----------------------------------------------------------------------------------------------------------

    def runs(self, group: str) -> pl.DataFrame:
        """The rows of a group without duplicates, shorter runs first."""
        frames = self._shards(group)
        if not frames:
            return pl.DataFrame(schema=SCHEMA)
        rows = pl.concat(frames)
        shards = rows["arrays"].str.split("/").list.first()
        torn = [s for s in shards.unique().to_list() if s and not self._whole(s)]
        rows = rows.filter(~shards.is_in(torn)).sort("t", "date")
        return rows.unique(["run", "stop", "program", "probes", "keep", "t"], keep="last", maintain_order=True)

    def _shards(self, group: str) -> list[pl.DataFrame]:
        """All readable shards; if one vanished meanwhile (compaction), the listing is taken anew."""
        for _ in range(10):
            try:
                shards = sorted((self.folder / "runs" / group).glob("*.parquet"))
                return [f for f in map(self._shard, shards) if f is not None]
            except FileNotFoundError:
                continue
        raise StoreError(f"the rows in {self.folder / 'runs' / group} change faster than they can be read; try again")

    def write_runs(self, group: str, rows: list[dict[str, Any]], arrays: Mapping[str, Any]) -> None:
        """Arrays first, then the rows that point to them: a crash between the two loses nothing and shows nothing."""
        shard = uuid.uuid4().hex
        if arrays:
            _write(self.folder / "arrays" / f"{shard}.npz", files.pack(arrays))
        buffer = io.BytesIO()
        named = [{**row, "arrays": f"{shard}/{row['arrays']}" if row["arrays"] else ""} for row in rows]
        pl.DataFrame(named, schema=SCHEMA).write_parquet(buffer)
        _write(self.folder / "runs" / group / f"{shard}.parquet", buffer.getvalue())

    def arrays(self, references: Iterable[str]) -> dict[str, Any]:
        """Arrays by the references ("shard/key") that rows carry; missing ones are left out."""
        wanted: dict[str, list[str]] = {}
        for shard, _, key in (r.partition("/") for r in references if r):
            wanted.setdefault(shard, []).append(key)
        found: dict[str, Any] = {}
        for shard, keys in wanted.items():
            tree, _ = self._tree(self.folder / "arrays" / f"{shard}.npz") or ({}, None)
            found |= {f"{shard}/{key}": tree[key] for key in keys if key in tree}
        return found

    def tidy(self, group: str) -> None:
        """Compact a group that has come to consist of very many shards."""
        if sum(1 for _ in (self.folder / "runs" / group).glob("*.parquet")) > MANY:
            self.compact(group)

    def compact(self, group: str) -> None:
        """Replace many small shards of a group by one; a reader that misses an old one looks again."""
        shards = sorted((self.folder / "runs" / group).glob("*.parquet"))
        try:
            frames = [f for f in map(self._shard, shards) if f is not None]
        except FileNotFoundError:
            return  # somebody else is at it
        if len(frames) < 2:
            return
        buffer = io.BytesIO()
        pl.concat(frames).unique(maintain_order=True).write_parquet(buffer)
        _write(self.folder / "runs" / group / f"{uuid.uuid4().hex}.parquet", buffer.getvalue())
        for shard in shards:
            shard.unlink(missing_ok=True)

    # --- calculations --------------------------------------------------------------------------------------------------

    def calculation(self, id: str) -> dict[str, Any] | None:
        """A stored result, or None."""
        tree = self._tree(self.folder / "calculations" / f"{id}.npz")
        return tree[0] if tree else None

    def write_calculation(self, id: str, result: Mapping[str, Any], note: Any) -> None:
        """Keep the named arrays of a calculation."""
        _write(self.folder / "calculations" / f"{id}.npz", files.pack(result, note))

    # --- certificates --------------------------------------------------------------------------------------------------

    def certified(self, old: str, new: str) -> bool:
        """Whether rows made by program `old` are known to have the bits of program `new`."""
        return old == new or (self.folder / "certificates" / f"{old}-{new}.json").exists()

    def certify(self, old: str, new: str, note: Any) -> None:
        """Record that replayed rows of `old` had equal bits under `new`."""
        _write(self.folder / "certificates" / f"{old}-{new}.json", json.dumps(note).encode())

    # --- checkpoints ---------------------------------------------------------------------------------------------------

    def write_checkpoint(self, worker: str, lanes: Mapping[str, Any], note: Any) -> None:
        """Lanes in flight, by run; `note` maps each run to the key of its load and its step."""
        _write(self.folder / "checkpoints" / f"{worker}.npz", files.pack(lanes, note))

    def checkpoints(self, key: str) -> dict[str, dict[str, Any]]:
        """The furthest checkpointed lane of every run of the load with this key."""
        best: dict[str, dict[str, Any]] = {}
        for path in sorted((self.folder / "checkpoints").glob("*.npz")):
            tree = self._tree(path)
            lanes, note = tree if tree else ({}, {})
            for run, (made_for, t) in note.items():
                if made_for == key and t >= int(best.get(run, {}).get("t", -1)):
                    best[run] = {**lanes[run], "t": t}
        return best

    def drop_checkpoint(self, worker: str) -> None:
        """Forget a worker's checkpoint: all its lanes are finished."""
        (self.folder / "checkpoints" / f"{worker}.npz").unlink(missing_ok=True)

    # --- reading what may be torn --------------------------------------------------------------------------------------

    def _shard(self, path: Path) -> pl.DataFrame | None:
        try:
            frame = pl.read_parquet(path)
            return frame.select(pl.col(n).cast(t) for n, t in SCHEMA.items())
        except UNREADABLE as error:
            return self.set_aside(path, error)

    def _whole(self, shard: str) -> bool:
        """Whether the arrays of a shard are there to their end; if not, the runs that need them are missing."""
        path = self.folder / "arrays" / f"{shard}.npz"
        if not path.exists():
            return False
        stat = path.stat()
        if _ends_well(path, stat.st_size, stat.st_mtime_ns):
            return True
        self.set_aside(path, EOFError("it ends too early"))
        return False

    def _tree(self, path: Path) -> tuple[dict[str, Any], Any] | None:
        try:
            return files.unpack(path.read_bytes())
        except FileNotFoundError:
            return None
        except UNREADABLE as error:
            return self.set_aside(path, error)

    def set_aside(self, path: Path, error: Exception) -> None:
        """Move an unreadable file out of the way and say so; its runs are simply missing and will be run again."""
        target = self.folder / "aside" / f"{path.parent.name}-{path.name}"
        with files.explained(target, "set aside a file as"):
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
            os.utime(target)
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        print(f"elegans: {path} is not readable ({reason}); it was set aside as {target}", file=sys.stderr)


def _write(path: Path, content: bytes) -> None:
    files.write(path, content, files.STORE)


@cache
def _ends_well(path: Path, size: int, written: int) -> bool:
    """Whether the file has the directory that closes an `.npz`; size and date say which file this was asked of."""
    return zipfile.is_zipfile(path)


# --- housekeeping ------------------------------------------------------------------------------------------------------


def usage(store: Store) -> dict[str, tuple[int, int]]:
    """Files and bytes by kind."""
    out: dict[str, tuple[int, int]] = {}
    for kind in sorted(p.name for p in store.folder.iterdir() if p.is_dir()):
        sizes = [p.stat().st_size for p in (store.folder / kind).rglob("*") if p.is_file()]
        out[kind] = (len(sizes), sum(sizes))
    return out


def merge(into: Store, source: Store) -> int:
    """Copy what `source` has and `into` lacks; the number of files copied. Duplicated runs are harmless."""
    if not (source.folder / "runs").is_dir() and not (source.folder / "calculations").is_dir():
        raise StoreError(f"{source.folder} is not a store of elegans: it has neither runs nor calculations")
    copied = 0
    for kind in ("arrays", "calculations", "certificates", "runs"):  # rows last: they point to arrays
        for path in sorted((source.folder / kind).rglob("*")):
            target = into.folder / path.relative_to(source.folder)
            if path.is_file() and not target.exists() and ".partial" not in path.name:
                _write(target, path.read_bytes())
                copied += 1
    return copied


def prune(store: Store, older_than_days: float = 7.0) -> int:
    """Delete leftovers that nothing points to: old partial files, old checkpoints, unreferenced arrays, what is aside."""
    limit, removed = time.time() - 86400 * older_than_days, 0
    if any(time.time() - p.stat().st_mtime < 60 for p in (store.folder / "leases").glob("*")):
        raise StoreError(f"work is going on in {store.folder}; prune it when `elegans status` says that nothing runs")
    groups = [p.name for p in (store.folder / "runs").glob("*")]
    used = {r.partition("/")[0] for g in groups for r in store.runs(g)["arrays"].unique().to_list()}
    for path in sorted(store.folder.rglob("*")):
        leftover = ".partial" in path.name or path.parent.name in ("checkpoints", "aside", "leases", "progress")
        orphan = path.parent.name == "arrays" and path.stem not in used
        if path.is_file() and (leftover or orphan) and path.stat().st_mtime < limit:
            path.unlink()
            removed += 1
    return removed


def free_space(store: Store) -> int:
    """Bytes free where the store lives."""
    return shutil.disk_usage(store.folder).free


def as_arrays(result: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """A calculation's result as named NumPy arrays."""
    return {name: np.asarray(value) for name, value in result.items()}
