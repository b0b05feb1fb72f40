"""What an experiment would take at a scale, before it is run: counted and timed, not trained.

The prospects of a paper at its own sizes are committed beside its evidence, so that its pages can tell them.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from elegans.claims import library
from elegans.claims.experiment import Experiment
from elegans.claims.scale import Scale
from elegans.lab import files
from elegans.lab.estimate import estimate
from elegans.lab.store import Store
from elegans.lab.words import Sweep, Work


@dataclass(frozen=True)
class Prospect:
    """Sums over the sweeps of an experiment; `seconds` are those of one core, `calculations` are only counted."""

    runs: int
    programs: int
    steps: int
    seconds: float
    memory: int  # bytes a worker
    disk: int
    calculations: int
    date: str


def prospect(experiment: Experiment, scale: Scale, store: Store) -> Prospect:
    """What all of the experiment would take on an empty store; run lengths are those of earlier runs where there are any."""
    parts = works(experiment.work(scale))
    found = [estimate(w, store, workers=1, all_runs=True) for w in parts if isinstance(w, Sweep)]
    return Prospect(
        sum(f.runs for f in found),
        sum(f.programs for f in found),
        sum(f.steps for f in found),
        round(sum(f.seconds for f in found), 1),
        max((f.memory for f in found), default=0),
        sum(f.disk for f in found),
        len(parts) - len(found),
        date.today().isoformat(),
    )


def works(work: Work) -> list[object]:
    """The sweeps and calculations of an experiment."""
    return list(work.values()) if isinstance(work, Mapping) else [work]


def path(slug: str) -> Path:
    """Where the prospects of a paper at its own sizes are committed."""
    return library.evidence_folder(slug) / "paper-scale.json"


def read(slug: str) -> dict[str, Prospect]:
    """The committed prospects by experiment; none if there are none."""
    if slug not in library.packages():
        return {}
    try:
        return {id: Prospect(**fields) for id, fields in json.loads(path(slug).read_text()).items()}
    except FileNotFoundError:
        return {}


def write(slug: str, found: Iterable[tuple[str, Prospect]]) -> Path:
    """Add or replace prospects."""
    both = {id: asdict(p) for id, p in {**read(slug), **dict(found)}.items()}
    files.write(path(slug), (json.dumps(both, indent=1, sort_keys=True) + "\n").encode())
    return path(slug)
