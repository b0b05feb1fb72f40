"""The library: all papers, their experiments, and the evidence that is committed beside them.

A paper is a package in `elegans.papers` (or an entry point of that group) whose module `checklist` holds `PAPER`. Every
final `Experiment` in the package belongs to the library; a new file is enough.
"""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from elegans.base.discovery import discover
from elegans.base.errors import UsageError, unknown
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Paper

ROOM = "elegans.papers"
FOLDER = "evidence"


@cache
def packages() -> dict[str, str]:
    """The Python package of each paper, by the paper's slug."""
    room = importlib.import_module(ROOM)
    inside = [f"{ROOM}.{m.name}" for m in pkgutil.iter_modules(room.__path__) if m.ispkg]
    names = sorted([*inside, *(e.value for e in entry_points(group=ROOM))])
    return {_paper(name).slug: name for name in names}


@cache
def papers() -> dict[str, Paper]:
    """All papers by slug."""
    return {slug: _paper(package) for slug, package in packages().items()}


def paper(slug: str) -> Paper:
    """The paper called `slug`, or an error that lists the nearest."""
    if slug not in papers():
        raise unknown("paper", slug, list(papers()))
    return papers()[slug]


@cache
def experiments() -> dict[str, Experiment]:
    """All experiments by name, `paper/id`, in the order of their paper's checklist."""
    found: dict[str, Experiment] = {}
    for package in packages().values():
        for cls in discover(package, Experiment).values():
            name = cls.name()
            if name in found:
                both = f"{type(found[name]).__qualname__} and {cls.__qualname__}"
                raise UsageError(f"two experiments are called {name}: {both}; give one of them another id")
            found[name] = cls()
    return dict(sorted(found.items(), key=lambda item: _order(item[1])))


def experiment(name: str) -> Experiment:
    """The experiment called `name`, or an error that lists the nearest."""
    if name not in experiments():
        raise unknown("experiment", name, list(experiments()))
    return experiments()[name]


def evidence_folder(slug: str) -> Path:
    """Where a paper's committed evidence and its pins are kept: beside its checklist."""
    if slug not in packages():
        raise unknown("paper", slug, list(packages()))
    checklist = importlib.import_module(f"{packages()[slug]}.checklist")
    return Path(str(checklist.__file__)).parent / FOLDER


def evidence_path(experiment: Experiment) -> Path:
    """Where the experiment's committed evidence is, or would be."""
    return evidence_folder(experiment.place.paper.slug) / f"{experiment.id}.npz"


def load(name: str) -> Evidence:
    """The committed evidence of the experiment called `name`."""
    found = committed(experiment(name))
    if found is None:
        raise UsageError(f"no evidence of {name} is committed; run it with: elegans run {name} --scale laptop")
    return found


def committed(experiment: Experiment) -> Evidence | None:
    """The committed evidence of an experiment, or None."""
    try:
        return Evidence.load(evidence_path(experiment))
    except FileNotFoundError:
        return None


def _paper(package: str) -> Paper:
    checklist = importlib.import_module(f"{package}.checklist")
    found = getattr(checklist, "PAPER", None)
    if not isinstance(found, Paper):
        raise UsageError(f"{package}.checklist has no PAPER; define PAPER = Paper(slug, title, citation, rows)")
    return found


def _order(experiment: Experiment) -> tuple[str, int, str]:
    """Checklist order: by the first row that the experiment speaks for."""
    places = {row.id: i for i, row in enumerate(experiment.place.paper.rows)}
    first = min((places.get(c.row, len(places)) for c in experiment.claims), default=len(places))
    return (experiment.place.paper.slug, first, experiment.id)
