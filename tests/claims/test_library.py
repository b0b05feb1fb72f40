"""The library finds the papers, their experiments and their evidence; its checklists are well formed."""

import re

import pytest

from elegans.base.errors import UsageError
from elegans.claims import library, pins, prospects
from elegans.claims.evidence import LIMIT
from elegans.claims.paper import Paper

EXPERIMENTS = list(library.experiments().values())


def test_the_papers_of_the_house() -> None:
    assert {"hidden-progress", "feature-emergence", "induction-heads"} <= set(library.papers())


@pytest.mark.parametrize("paper", list(library.papers().values()), ids=lambda p: p.slug)
def test_checklists_are_well_formed(paper: Paper) -> None:
    ids = [row.id for row in paper.rows]
    assert len(set(ids)) == len(ids) > 0
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", id) for id in ids)
    assert all(row.what and not row.what.endswith(".") for row in paper.rows)
    assert all(bool(row.why_not) == (row.grade == "D") for row in paper.rows)


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(UsageError, match="no paper named 'hidden-progess'; did you mean hidden-progress"):
        library.paper("hidden-progess")
    with pytest.raises(UsageError, match="no experiment named"):
        library.experiment("hidden-progress/nothing-like-this")


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name())
def test_experiments_are_well_formed(experiment: library.Experiment) -> None:
    assert experiment is library.experiment(experiment.name())
    rows = {row.id for row in experiment.place.paper.rows}
    assert experiment.claims and {c.row for c in experiment.claims} <= rows
    assert all(c.says and c.why for c in experiment.claims)
    assert library.papers()[experiment.place.paper.slug] is experiment.place.paper
    path = library.evidence_path(experiment)
    assert path.name == f"{experiment.id}.npz" and path.parent.name == "evidence"


def test_committed_evidence_belongs_to_an_experiment_and_is_small() -> None:
    owned = {library.evidence_path(e) for e in EXPERIMENTS}
    for slug in library.papers():
        lists = {pins.path(slug), prospects.path(slug)}
        for path in library.evidence_folder(slug).glob("*"):
            assert path in owned | lists, f"{path} belongs to no experiment"
            assert path.suffix != ".npz" or path.stat().st_size <= LIMIT
