"""How fast this machine trains at the moment, for `elegans doctor`."""

import os
import time
from pathlib import Path

from elegans.cli.interrupt import temporary

SECONDS = 1.0


def measured() -> tuple[str, str, str]:
    """About a second of the usual example on one core, against what this machine has reached before."""
    from elegans.lab.display import rate
    from elegans.lab.machine import cache_folder, machine_id

    found = steps_per_second()
    book = cache_folder() / f"doctor-{machine_id()}.txt"
    best = max(found, _read(book))
    _remember(book, best)
    said = f"one core trains a network of width 100 at {rate(found, 1.0)}"
    if found < best / 2:
        return (
            "speed",
            "warn",
            f"{said}, but {rate(best, 1.0)} were reached before; is other work running, or the machine hot?",
        )
    return "speed", "ok", said


def steps_per_second() -> float:
    """Steps a second of eight runs of SparseParity(50, 3) on MLP(100), without start and compilation."""
    from elegans.lab.session import Session
    from elegans.lab.store import Store
    from elegans.lab.words import Run, Stage, Sweep
    from elegans.models.mlp import MLP
    from elegans.tasks.parity import SparseParity
    from elegans.training.algorithms import SGD
    from elegans.training.stops import Steps

    def lap(steps: int) -> float:
        run = Run(MLP(100), Stage(SparseParity(50, 3), SGD(0.1, batch=32), Steps(steps)))
        with temporary("elegans-doctor-") as folder:
            began = time.monotonic()
            Session(Store.open(folder), workers=1).sweep(Sweep(run, seed=range(8)))
            return time.monotonic() - began

    lap(100)  # starts the worker and compiles
    short, steps = lap(100), 4000
    while (taken := lap(steps) - short) < SECONDS / 2 and steps < 500_000:
        steps *= 4
    return 8 * (steps - 100) / max(taken, 1e-3)


def _read(book: Path) -> float:
    try:
        return float(book.read_text())
    except (OSError, ValueError):
        return 0.0


def _remember(book: Path, best: float) -> None:
    try:
        partial = book.with_suffix(f".{os.getpid()}")
        partial.write_text(f"{best:.0f}\n")
        partial.replace(book)
    except OSError:
        return
