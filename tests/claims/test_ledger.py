"""The ledger is a pure function of evidence; pins and wrong variants raise the alarm."""

import copy
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from elegans.claims import ledger, pins, report
from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.judge import claim_ids, judge
from elegans.claims.paper import Paper
from elegans.stats import exact
from tests.claims import fakes

SQUARES = Evidence(arrays=fakes.squares(8), meta=fakes.META)
ITEMS = ((fakes.Squares(), SQUARES), (fakes.Learns(), fakes.evidence()))


def book(paper: Paper = fakes.PAPER, items: Any = ITEMS) -> ledger.Ledger:
    return ledger.build([paper], items)


def row(found: ledger.Ledger, id: str) -> ledger.Entry:
    return next(r for r in found["papers"][0]["rows"] if r["id"] == id)


def test_judging_is_total() -> None:
    found = {j.id: j for j in judge(*ITEMS[1])}
    assert [j.verdict for j in found.values()] == ["holds", "inconclusive", "fails", None]
    assert "nan" in found["fig-1:fig-2"].error
    first = judge(*ITEMS[0])[0]
    assert (first.verdict, first.wrong_verdict) == ("holds", "fails")


def test_claim_ids_are_stable_when_claims_are_added() -> None:
    assert claim_ids(fakes.Squares()) == ["eq-1", "eq-1#2"]
    assert claim_ids(fakes.Learns()) == ["fig-1", "fig-1#2", "fig-1#3", "fig-1:fig-2"]


def test_the_ledger_is_a_function_of_evidence() -> None:
    again = tuple((type(e)(), Evidence(v.runs, v.traces, v.arrays, v.parts, v.meta)) for e, v in ITEMS)
    assert ledger.to_json(book()) == ledger.to_json(book(items=again))
    assert json.loads(ledger.to_json(book())) == book()
    assert report.to_markdown(book()) == report.to_markdown(book(items=again))


def test_status_of_rows() -> None:
    found = book()
    assert [r["status"] for r in found["papers"][0]["rows"]] == ["fails", "fails", "inconclusive", "not checkable"]
    assert row(found, "remark")["note"] == "interpretation"
    empty = book(items=[(e, None) for e, _ in ITEMS])
    assert [r["status"] for r in empty["papers"][0]["rows"]] == ["not yet"] * 3 + ["not checkable"]
    assert found["papers"][0]["counts"]["fails"] == 2


def test_every_claim_says_value_bound_reason_cost_and_date() -> None:
    claim = row(book(), "fig-1")["claims"][0]
    assert claim["estimate"]["n"] == 12 and claim["bound"] == [0.5, "inf"] and claim["expect"] == "at least 0.5"
    assert claim["why"] == "the figure" and claim["of"] == "printed" and claim["scale"] == "laptop"
    assert claim["cost"]["runs"] == 12 and claim["date"] == "2026-01-02" and claim["fingerprint"] == "f00d"


def test_a_correction_is_told() -> None:
    class Corrected(fakes.Squares):
        claims = (replace(fakes.Squares.claims[0], of="corrected"), fakes.Squares.claims[1])

    found = book(items=[(Corrected(), SQUARES)])
    assert row(found, "eq-1")["status"] == "fails"
    assert row(found, "eq-1")["note"] == "as printed it fails; corrected it holds"


def test_markdown_has_every_row() -> None:
    text = report.to_markdown(book())
    assert all(f"| `{r.id}` |" in text for r in fakes.ROWS)
    assert "holds: at least half of the runs learn (printed): " in text


def alarms(found: ledger.Ledger, pinned: Any = None) -> list[str]:
    return pins.check(found, pins.of(found) if pinned is None else pinned)


def sound() -> ledger.Ledger:
    class Sound(fakes.Learns):
        claims = fakes.Learns.claims[:3]

    return book(items=[ITEMS[0], (Sound(), fakes.evidence())])


def test_no_alarm_where_all_is_as_pinned() -> None:
    assert alarms(sound()) == []


def test_a_changed_verdict_of_grade_a_alarms_and_others_do_not() -> None:
    pinned = copy.deepcopy(pins.of(sound()))
    pinned["toy-paper"]["fig-1"] = "fails"
    assert alarms(sound(), pinned) == []
    pinned["toy-paper"]["eq-1"] = "fails"
    (alarm,) = alarms(sound(), pinned)
    assert "toy-paper/eq-1 was fails and is now judged holds" in alarm and "--pin" in alarm


def test_a_missing_pin_and_a_vanished_claim_alarm() -> None:
    pinned = copy.deepcopy(pins.of(sound()))
    del pinned["toy-paper"]["eq-1"]
    pinned["toy-paper"]["old"] = "holds"
    first, second = alarms(sound(), pinned)
    assert "eq-1 is not pinned" in first and "toy-paper/old is pinned as holds, but has no verdict" in second


def test_a_claim_without_verdict_alarms() -> None:
    assert any("fig-1:fig-2 has no verdict: its value() failed with ValueError" in a for a in alarms(book()))


@pytest.mark.parametrize(
    ("wrong", "alarm"),
    [
        (lambda e: e.max("error"), "the wrong variant of toy-paper/eq-1 must fail, but it is judged holds"),
        (lambda e: e.max("nothing"), "must fail, but it UsageError"),
        (None, "holds and is of grade A, but has no wrong variant"),
    ],
)
def test_wrong_variants_must_fail(wrong: Any, alarm: str) -> None:
    class Lenient(fakes.Squares):
        claims = (replace(fakes.Squares.claims[0], wrong=wrong),)

    (found,) = alarms(book(items=[(Lenient(), SQUARES)]))
    assert alarm in found


def test_an_unknown_row_alarms() -> None:
    class Stray(fakes.Squares):
        claims = (Claim("eq-9", "anything", lambda e: exact(1), at_least(0), "no reason"),)

    (alarm,) = alarms(book(items=[(Stray(), SQUARES)]))
    assert alarm == "toy-paper/eq-1 claims row 'eq-9', which is not in the checklist of toy-paper"


def test_a_complete_paper_has_no_row_without_experiment_or_reason() -> None:
    complete = replace(fakes.PAPER, complete=True)
    found = alarms(book(complete, [ITEMS[0]]))
    assert [a.partition("row ")[2].partition(" ")[0] for a in found] == ["fig-1", "fig-2"]


def test_infinite_estimates_survive_json() -> None:
    class Endless(fakes.Squares):
        claims = (Claim("fig-1", "never", lambda e: exact(float("inf")), at_least(0), "censored"),)

    text = ledger.to_json(book(items=[(Endless(), Evidence(arrays={"x": np.zeros(1)}))]))
    assert json.loads(text)["papers"][0]["rows"][1]["claims"][0]["estimate"]["value"] == "inf"
