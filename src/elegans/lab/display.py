"""Progress for people: a bar in a terminal, plain lines elsewhere, and a small file for `elegans status`."""

import json
import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from elegans.lab import pool
from elegans.lab.progress import Progress
from elegans.lab.results import Result
from elegans.lab.session import Session
from elegans.lab.words import Sweep

LINE_EVERY = 10.0  # seconds between lines where there is no terminal
FILE_EVERY = 2.0


def words(seconds: float | None) -> str:
    """A duration as people say it."""
    if seconds is None:
        return "?"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def size(count: float) -> str:
    """Bytes, short."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def rate(steps: float, seconds: float) -> str:
    """Steps per second, short."""
    r = steps / max(seconds, 1e-9)
    return f"{r / 1e3:.0f} k steps/s" if r >= 1e4 else f"{r:.0f} steps/s"


def line(p: Progress) -> str:
    """What is known, in one line."""
    t = p.tally
    parts = [
        f"{t.get('runs', 0)}/{p.runs} runs",
        rate(t.get("steps", 0), p.seconds),
        f"{p.occupancy:.0%} of lanes busy",
    ]
    for name, said in (("event", "solved"), ("budget", "out of budget"), ("diverged", "diverged")):
        if t.get(name):
            parts.append(f"{t[name]} {said}")
    return ", ".join([*parts, f"{words(p.left)} left"])


class Shown:
    """A session that says what its sweeps take before they start."""

    def __init__(self, session: Session, say: Callable[[str], None]) -> None:
        self.session, self.say, self.store = session, say, session.store

    def sweep(self, sweep: Sweep) -> Result:
        """Run what is missing and return the whole table."""
        return self.sweeps([sweep])[0]

    def sweeps(self, sweeps: Sequence[Sweep]) -> list[Result]:
        """The same for several sweeps as one piece of work."""
        from elegans.lab.estimate import prospect

        ahead = prospect(sweeps, self.store, self.session.workers, self.session.shard)
        if ahead.legs:
            first, absent, _ = ahead.legs[0]
            pool.warm(first.blueprint.stage.algorithm.precision, min(ahead.workers, len(absent)))
            self.say(str(ahead.weigh()))
        return self.session.sweeps(sweeps)


@contextmanager
def shown(session: Session, title: str, show: bool = True) -> Generator[Shown | Session, None, None]:
    """The session with its prospect and its progress displayed while it works."""
    console = Console(stderr=True)
    marker = Marker(session.store.folder / "progress" / f"{os.getpid()}.json", title)
    if not show:
        session.report = marker.write
        try:
            yield session
        finally:
            marker.clear()
        return
    bar = Bar(
        TextColumn("[bold]{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"), TimeElapsedColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    task = bar.add_task(title, total=1.0, said="starting")
    session.report = _Reporter(bar, task, marker, console, title)
    try:
        with bar:
            yield Shown(session, lambda said: console.print(f"{title}: {said}", highlight=False, soft_wrap=True))
    finally:
        marker.clear()


class _Reporter:
    """Called with the progress some fifty times a second; says something only as often as is useful."""

    def __init__(self, bar: Bar, task: TaskID, marker: "Marker", console: Console, title: str) -> None:
        self.bar, self.task, self.marker, self.console, self.title = bar, task, marker, console, title
        self.spoken = time.monotonic()

    def __call__(self, p: Progress) -> None:
        left, spent = p.left, p.seconds
        share = spent / (spent + left) if left is not None else 0.0
        self.bar.update(self.task, completed=share, said=line(p))
        self.marker.write(p)
        if not self.console.is_terminal and time.monotonic() - self.spoken > LINE_EVERY:
            self.console.print(f"{self.title}: {line(p)}", highlight=False, soft_wrap=True)
            self.spoken = time.monotonic()


class Marker:
    """The file that another terminal reads. It is a convenience: failing to write it stops nothing."""

    def __init__(self, path: Path, title: str) -> None:
        self.path, self.title, self.written = path, title, 0.0

    def write(self, p: Progress) -> None:
        """At most every two seconds."""
        if time.monotonic() - self.written < FILE_EVERY:
            return
        self.written = time.monotonic()
        note = {"pid": os.getpid(), "title": self.title, "said": line(p), "at": time.time()}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            partial = self.path.with_suffix(".partial")
            partial.write_text(json.dumps(note))
            partial.replace(self.path)
        except OSError:
            return

    def clear(self) -> None:
        """Nothing is running any more."""
        self.path.unlink(missing_ok=True)


def status(folder: Path) -> list[dict[str, Any]]:
    """What runs at the moment in this store; markers of dead processes are dropped."""
    found: list[dict[str, Any]] = []
    for path in sorted((folder / "progress").glob("*.json")):
        try:
            note = json.loads(path.read_text())
            os.kill(int(note["pid"]), 0)
            found.append({"pid": note["pid"], "title": note["title"], "said": note["said"], "at": float(note["at"])})
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found
