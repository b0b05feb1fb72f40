"""The claims of grade A, computed afresh: pytest runs them instead of restating them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from elegans.claims import library, pins
from elegans.claims.conduct import conduct
from elegans.claims.experiment import Experiment
from elegans.claims.judge import judge
from elegans.claims.scale import Scale
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Calculation


def calculated(experiment: Experiment) -> bool:
    """Whether nothing is trained."""
    work = experiment.work(Scale.SMOKE)
    return all(isinstance(w, Calculation) for w in (work.values() if isinstance(work, Mapping) else (work,)))


CALCULATED = [e for e in library.experiments().values() if calculated(e)]


@pytest.mark.parametrize("experiment", CALCULATED, ids=lambda e: e.name())
def test_claims_of_grade_a(experiment: Experiment, tmp_path: Path) -> None:
    """A claim has the verdict that is pinned; without a pin it holds, unless it is as the paper prints it."""
    grades = {row.id: row.grade for row in experiment.place.paper.rows}
    pinned = pins.read().get(experiment.place.paper.slug, {})
    evidence = conduct(experiment, Scale.SMOKE, Session(Store.open(tmp_path)))
    for j in judge(experiment, evidence):
        assert not j.error, f"{j.id}: {j.error}"
        if grades[j.claim.row] == "A":
            allowed = {pinned.get(j.id, "holds")} | (
                {"fails"} if j.claim.of == "printed" and j.id not in pinned else set()
            )
            assert j.verdict in allowed, f"{j.id}: {j.estimate}, expected {j.claim.expect}"
            assert j.claim.wrong is None or j.wrong_verdict == "fails", f"{j.id}: {j.wrong or j.wrong_error}"
