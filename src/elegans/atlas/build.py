"""Build the atlas: a folder of pages that open from a disk, made from the committed evidence alone."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from elegans.atlas import experiment_page, index, paper_page
from elegans.atlas.drawing import thumbnail
from elegans.claims import ledger, library, report
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.ledger import Entry
from elegans.claims.paper import Paper
from elegans.lab import files

Item = tuple[Experiment, Evidence | None]


def build(folder: Path) -> Path:
    """All pages of everything committed; returns the index."""
    items = [(e, library.committed(e)) for e in library.experiments().values()]
    return build_from(folder, library.papers().values(), items)


def build_from(folder: Path, papers: Iterable[Paper], items: Sequence[Item]) -> Path:
    """All pages of these papers and experiments; returns the index."""
    book = ledger.build(papers, items)
    claims: dict[str, list[Entry]] = {}
    for _, _, claim in ledger.claims_of(book):
        claims.setdefault(claim["experiment"], []).append(claim)
    for paper in book["papers"]:
        mine = [i for i in items if i[0].place.paper.slug == paper["slug"]]
        _experiments(folder / paper["slug"], mine, claims)
        titles = {e.id: e.title() for e, _ in mine if (folder / paper["slug"] / thumbnail(e.id)).exists()}
        _write(folder / paper["slug"] / "index.html", paper_page.rendered(paper, titles))
    _write(folder / "ledger.json", ledger.to_json(book))
    _write(folder / "ledger.md", report.to_markdown(book))
    return _write(folder / "index.html", index.rendered(book))


def _experiments(folder: Path, items: Sequence[Item], claims: dict[str, list[Entry]]) -> None:
    """The pages of one paper's experiments, each with links to its neighbours."""
    ids = ["", *(e.id for e, _ in items), ""]
    for i, (experiment, evidence) in enumerate(items):
        mine = _in_order(experiment, claims.get(experiment.name(), []))
        page = experiment_page.rendered(experiment, evidence, mine, folder, (ids[i], ids[i + 2]))
        _write(folder / f"{experiment.id}.html", page)


def _in_order(experiment: Experiment, claims: list[Entry]) -> list[Entry]:
    """As the experiment lists them, not as the checklist lists their rows."""
    from elegans.claims.judge import claim_ids

    places = {id: i for i, id in enumerate(claim_ids(experiment))}
    return sorted(claims, key=lambda c: places[c["id"]])


def _write(path: Path, content: str) -> Path:
    files.write(path, content.encode())
    return path
