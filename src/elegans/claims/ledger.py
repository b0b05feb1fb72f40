"""The ledger: the verdict on every row of every paper, a pure function of the committed evidence.

A row *fails* if one of its claims does; else it is *inconclusive* if one is, or could not be computed; else *not yet*
if one has no evidence, or there is none at all; else it *holds*.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from elegans.claims import library
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.judge import Judgement, claim_ids, judge
from elegans.claims.paper import Paper, Row
from elegans.stats.estimate import Estimate

Status = Literal["holds", "fails", "inconclusive", "not yet", "not checkable"]
STATUSES: tuple[Status, ...] = ("holds", "fails", "inconclusive", "not yet", "not checkable")
Entry = dict[str, Any]
Ledger = dict[str, Any]


def from_repository() -> Ledger:
    """The ledger of everything that is committed."""
    found = library.experiments()
    return build(library.papers().values(), [(e, library.committed(e)) for e in found.values()])


def build(papers: Iterable[Paper], items: Iterable[tuple[Experiment, Evidence | None]]) -> Ledger:
    """The ledger of these papers from these experiments and their evidence, ready for JSON."""
    listed = list(items)
    claims = [entry for e, evidence in listed for entry in entries(e, evidence)]
    mine = {p: [v for e, v in listed if e.place.paper.slug == p.slug and v is not None] for p in papers}
    return {"papers": [_paper(p, [c for c in claims if c["paper"] == p.slug], found) for p, found in mine.items()]}


def entries(experiment: Experiment, evidence: Evidence | None) -> list[Entry]:
    """One entry a claim of the experiment, judged if there is evidence."""
    judged: Mapping[str, Judgement] = {j.id: j for j in judge(experiment, evidence)} if evidence else {}
    return [
        {
            "id": id, "paper": experiment.place.paper.slug, "experiment": experiment.name(), "row": claim.row,
            "says": claim.says, "of": claim.of, "expect": str(claim.expect), "why": claim.why,
            "bound": [_finite(claim.expect.low), _finite(claim.expect.high)],
            **_outcome(judged.get(id)), **_provenance(evidence),
        }
        for id, claim in zip(claim_ids(experiment), experiment.claims, strict=True)
    ]  # fmt: skip


def _outcome(j: Judgement | None) -> Entry:
    if j is None:
        return {"verdict": None, "estimate": None, "error": "", "wrong": None}
    wrong = {"verdict": j.wrong_verdict, "estimate": _numbers(j.wrong), "error": j.wrong_error}
    return {
        "verdict": j.verdict, "estimate": _numbers(j.estimate), "error": j.error,
        "wrong": wrong if j.claim.wrong else None,
    }  # fmt: skip


def _numbers(e: Estimate | None) -> Entry | None:
    """An estimate for JSON; infinite ends become words."""
    if e is None:
        return None
    ends = {n: _finite(getattr(e, n)) for n in ("value", "low", "high")}
    return {**ends, "n": e.n, "censored": e.censored, "exact": e.exact, "says": str(e)}


def _finite(x: float) -> float | str:
    return x if math.isfinite(x) else "inf" if x > 0 else "-inf"


def _provenance(evidence: Evidence | None) -> Entry:
    meta: Mapping[str, Any] = evidence.meta if evidence else {}
    return {name: meta.get(name) for name in ("scale", "cost", "date", "version", "fingerprint")}


def spent(found: Sequence[Evidence]) -> Entry:
    """Seconds of one core, steps and runs behind all evidence of a paper; work that experiments share counts once."""
    each: Entry = {name: cost for e in found for name, cost in _works(e).items()}
    return {n: sum(cost.get(n, 0) for cost in each.values()) for n in ("seconds", "steps", "runs")}


def _works(e: Evidence) -> Entry:
    return e.meta.get("works") or {e.meta.get("fingerprint", ""): e.meta.get("cost", {})}


def _paper(paper: Paper, claims: list[Entry], found: Sequence[Evidence]) -> Entry:
    rows = [_row(row, [c for c in claims if c["row"] == row.id]) for row in paper.rows]
    known = {row.id for row in paper.rows}
    return {
        "slug": paper.slug, "title": paper.title, "citation": paper.citation, "complete": paper.complete,
        "counts": {s: sum(r["status"] == s for r in rows) for s in STATUSES},
        "rows": rows, "strays": [c for c in claims if c["row"] not in known],
        "spent": spent(found), "effort": asdict(paper.effort) if paper.effort else None,
    }  # fmt: skip


def _row(row: Row, claims: list[Entry]) -> Entry:
    return {
        "id": row.id, "what": row.what, "grade": row.grade, "status": _status(row, claims),
        "note": row.why_not or _note(claims), "claims": claims,
    }  # fmt: skip


def _status(row: Row, claims: list[Entry]) -> Status:
    verdicts = [c["verdict"] for c in claims]
    if "fails" in verdicts:
        return "fails"
    if "inconclusive" in verdicts or any(c["error"] for c in claims):
        return "inconclusive"
    if not claims and row.why_not:
        return "not checkable"
    return "holds" if claims and None not in verdicts else "not yet"


def _note(claims: list[Entry]) -> str:
    """Where the printed statement fails, whether its correction holds."""
    printed = [c["verdict"] for c in claims if c["of"] == "printed"]
    corrected = [c["verdict"] for c in claims if c["of"] == "corrected"]
    if "fails" in printed and corrected and set(corrected) == {"holds"}:
        return "as printed it fails; corrected it holds"
    return ""


def to_json(ledger: Ledger) -> str:
    """The ledger as text; equal ledgers, equal text."""
    return json.dumps(ledger, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def claims_of(ledger: Ledger) -> Iterable[tuple[Entry, Entry | None, Entry]]:
    """Every claim with its paper and its row (None if the claim names a row that does not exist)."""
    for paper in ledger["papers"]:
        for row in paper["rows"]:
            yield from ((paper, row, claim) for claim in row["claims"])
        yield from ((paper, None, claim) for claim in paper["strays"])
