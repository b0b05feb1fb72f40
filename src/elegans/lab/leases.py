"""Leases: which worker works on which block of runs, agreed on through files alone.

A lease is a file made with O_EXCL; its owner touches it every few seconds. A lease that was not touched for a minute belongs
to a dead worker and is taken over: it is renamed away if it is still the file that was looked at, which only one of several
rivals can do. A rival may take the block between that look and the renaming; then two workers hold it, and compute the same
bits.
"""

import contextlib
import os
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from elegans.lab import files

BEAT = 5.0  # seconds between touches
DEAD = 60.0  # seconds without a touch after which a lease may be taken over


@dataclass(frozen=True)
class Lease:
    """A block that is ours until `release`."""

    path: Path

    def beat(self) -> None:
        """Show that the owner is alive."""
        with contextlib.suppress(FileNotFoundError):
            os.utime(self.path)

    def release(self) -> None:
        """Give the block back; its finished rows are the record."""
        self.path.unlink(missing_ok=True)


def take(store: Path, block: str) -> Lease | None:
    """Take a lease on `block`, or None if a living worker has it."""
    path = store / "leases" / block
    with files.explained(path, "take the lease"):
        path.parent.mkdir(parents=True, exist_ok=True)
        _bury(path)
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return None
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{os.uname().nodename} {os.getpid()}\n")
        return Lease(path)


def held(store: Path, block: str) -> bool:
    """Whether somebody has a lease on the block at the moment."""
    return (store / "leases" / block).exists()


def _bury(path: Path) -> None:
    """Remove the lease of an owner who is dead: silent for too long, or a process of this machine that is gone."""
    with contextlib.suppress(FileNotFoundError):
        seen = path.stat()
        silence = time.time() - seen.st_mtime
        try:
            host, number = path.read_text().split()
            dead = silence > DEAD or (host == os.uname().nodename and not _alive(int(number)))
        except ValueError:  # its owner died before it had written its name, or is about to
            dead = silence > BEAT
        if dead and _same(seen, path.stat()):
            grave = path.with_name(f".{path.name}.{uuid.uuid4().hex}.partial")
            path.rename(grave)
            grave.unlink()


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether nobody has touched or replaced the file between two looks."""
    return (one.st_ino, one.st_mtime_ns) == (other.st_ino, other.st_mtime_ns)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
