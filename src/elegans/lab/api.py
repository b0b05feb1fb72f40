"""The lab for people: run a sweep and get a table. `Sweep.run` and `Sweep.estimate` come here."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from elegans.base.config import unnamed
from elegans.base.errors import UsageError
from elegans.base.values import whole
from elegans.lab.display import shown
from elegans.lab.estimate import Estimate, estimate
from elegans.lab.results import Result
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Run, Sweep, Then

MOST_WORKERS = 4096  # processes of one session; 0 means one per core


def result(
    sweep: Sweep, *, store: Path | str | None = None, workers: int = 0, progress: bool = True, title: str = "sweep"
) -> Result:
    """Everything the sweep's runs left behind; what is in the store already is not run again."""
    workers = whole("workers", workers, 0, MOST_WORKERS)
    session = Session(store_for(_sweep(sweep), store), workers)
    with shown(session, title, progress) as shown_session:
        return shown_session.sweep(sweep)


def run(sweep: Sweep, *, store: Path | str | None = None, workers: int = 0, progress: bool = True) -> pl.DataFrame:
    """One row a run, in the order of the axes."""
    return result(sweep, store=store, workers=workers, progress=progress).runs


def cost(sweep: Sweep, *, store: Path | str | None = None, workers: int = 0) -> Estimate:
    """What running it would take."""
    workers = whole("workers", workers, 0, MOST_WORKERS)
    return estimate(sweep, store_for(_sweep(sweep), store), workers)


def _sweep(sweep: Sweep) -> Sweep:
    if not isinstance(sweep, Sweep):
        raise UsageError(f"the lab runs sweeps, but this is {sweep!r}; write Sweep(run, seed=range(8))")
    return sweep


def store_for(sweep: Sweep, store: Path | str | None) -> Store:
    """The given or default store; code without an importable name (a lambda) gets one that lives for this session."""
    parts = (*_parts(sweep.run_), *(v for _, values in sweep.axes for v in values))
    if store is None and any(unnamed(p) for p in parts):
        return Store.open(_session_folder())
    return Store.open(store)


def _parts(run_: Run) -> tuple[Any, ...]:
    """All code and configuration that a run rests on, its starts included."""
    own = (run_.model, *run_.stages, *run_.watch)
    if run_.start is None:
        return own
    start = (run_.start.function, *(v for _, v in run_.start.arguments))
    return (*own, *start, *(_parts(run_.start.run) if isinstance(run_.start, Then) else ()))


@cache
def _session_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="elegans-session-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
