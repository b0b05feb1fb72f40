"""Which experiments a user means: `paper/id`, an id that only one paper has, or a paper for all of its experiments."""

from collections.abc import Iterable

from elegans.base.errors import UsageError, unknown
from elegans.claims import library
from elegans.claims.experiment import Experiment


def experiment(name: str) -> Experiment:
    """One experiment by its full name, or by its id where that is unique."""
    known = library.experiments()
    if name in known:
        return known[name]
    same = [full for full in known if full.partition("/")[2] == name]
    if len(same) > 1:
        raise UsageError(f"{name} names several experiments: {', '.join(same)}; give one of these names")
    if not known:
        raise UsageError(f"there is no experiment named {name!r}: the papers of this installation have none yet")
    return known[same[0]] if same else library.experiment(name)


def experiments(names: Iterable[str]) -> list[Experiment]:
    """All experiments that are named, each once, in the order of the names."""
    found: dict[str, Experiment] = {}
    for name in names:
        some = of_paper(name) if name in library.papers() else [experiment(name)]
        found.update({e.name(): e for e in some})
    return list(found.values())


def of_paper(slug: str) -> list[Experiment]:
    """A paper's experiments, in the order of its checklist."""
    if slug not in library.papers():
        raise unknown("paper", slug, list(library.papers()))
    return [e for e in library.experiments().values() if e.place.paper.slug == slug]
