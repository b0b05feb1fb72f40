"""Which experiments a user means: `paper/id`, an id that only one paper has, or a paper for all of its experiments."""

from collections.abc import Iterable

from elegans.base.errors import UsageError, unknown
from elegans.claims import library
from elegans.claims.experiment import Experiment


def experiment(name: str) -> Experiment:
    """One experiment by its full name, or by its id where that is unique."""
    found = _lookup(name)
    if found is None:
        raise _row_or_paper(name) or unknown("experiment", name, _names(name))
    return found


def experiments(names: Iterable[str]) -> list[Experiment]:
    """All experiments that are named, each once, in the order of the names."""
    found: dict[str, Experiment] = {}
    for name in names:
        one = _lookup(name)
        if one is None and name not in library.papers():
            raise _row_or_paper(name) or unknown("experiment or paper", name, [*library.papers(), *_names(name)])
        found.update({e.name(): e for e in (of_paper(name) if one is None else [one])})
    return list(found.values())


def _lookup(name: str) -> Experiment | None:
    known = library.experiments()
    same = [full for full in known if name in (full, full.partition("/")[2])]
    if len(same) > 1:
        raise UsageError(f"{name} names several experiments: {', '.join(same)}; give one of these names")
    return known[same[0]] if same else None


def _row_or_paper(name: str) -> UsageError | None:
    """What to say to the name of a paper, or of a row of a checklist, which has an experiment of another name."""
    slug, _, id = name.rpartition("/")
    if name in library.papers():
        return UsageError(f"{name} is a paper, not an experiment; `elegans list {name}` names its experiments")
    papers = [p for p in library.papers().values() if slug in ("", p.slug)]
    for paper, row in ((p, r) for p in papers for r in p.rows if r.id == id):
        judges = [e.name() for e in of_paper(paper.slug) if any(c.row == id for c in e.claims)]
        if row.why_not:
            return UsageError(f"row {id} of {paper.slug} has no experiment, for it cannot be checked: {row.why_not}")
        if judges:
            return UsageError(f"{id} is a row of {paper.slug}, which {' and '.join(judges)} judges; give that name")
    return None


def _names(given: str) -> list[str]:
    """What could have been meant: full names, or ids where the user gave no paper."""
    full = library.experiments()
    return list(full) if "/" in given else list(dict.fromkeys(name.partition("/")[2] for name in full))


def of_paper(slug: str) -> list[Experiment]:
    """A paper's experiments, in the order of its checklist."""
    return [e for e in library.experiments().values() if e.place.paper.slug == slug]
