"""What is committed: every claim has a verdict, wrong variants of grade A fail, and nothing differs from its pin."""

from pathlib import Path

import pytest

from elegans.claims import ledger, library, pins
from elegans.claims.experiment import Experiment
from elegans.claims.judge import judge

EVIDENT = [e for e in library.experiments().values() if library.evidence_path(e).exists()]


def test_some_evidence_is_committed() -> None:
    papers = {e.place.paper.slug for e in EVIDENT}
    assert papers == set(library.papers()), "every paper has some"


@pytest.mark.parametrize("experiment", EVIDENT, ids=lambda e: e.name())
def test_wrong_variants_of_grade_a_fail(experiment: Experiment) -> None:
    grades = {row.id: row.grade for row in experiment.place.paper.rows}
    for j in judge(experiment, library.load(experiment.name())):
        assert not j.error, f"{j.id}: {j.error}"
        if j.claim.wrong is not None:
            assert j.wrong_verdict == "fails", f"{j.id}: {j.wrong or j.wrong_error}"
        if grades[j.claim.row] == "A" and j.verdict == "holds":
            assert j.claim.wrong is not None, f"{j.id} is of grade A and has no wrong variant"


def test_the_ledger_raises_no_alarm() -> None:
    assert pins.check(ledger.from_repository(), pins.read()) == []


def test_pins_are_written_only_where_they_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "evidence_folder", lambda slug: tmp_path / slug)
    claim = {"id": "x", "verdict": "holds", "row": "x"}
    book = {"papers": [{"slug": "hidden-progress", "rows": [{"id": "x", "claims": [claim]}], "strays": []}]}
    assert pins.write(book) == [tmp_path / "hidden-progress" / "pins.json"]
    assert pins.write(book) == []
    assert pins.read() == {"hidden-progress": {"x": "holds"}}
