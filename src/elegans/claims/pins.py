"""Pins: the verdicts as a person last accepted them, beside each paper's evidence; and the alarms of the ledger."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from elegans.claims import library
from elegans.claims.ledger import Entry, Ledger, claims_of
from elegans.lab import files

Pins = Mapping[str, Mapping[str, str]]  # verdict by paper and claim
REPIN = "look at it, then accept with: elegans ledger --pin"


def path(slug: str) -> Path:
    """Where the pins of a paper are committed."""
    return library.evidence_folder(slug) / "pins.json"


def read() -> dict[str, dict[str, str]]:
    """The committed pins of all papers."""
    return {slug: json.loads(path(slug).read_text()) for slug in library.papers() if path(slug).exists()}


def of(ledger: Ledger) -> dict[str, dict[str, str]]:
    """The verdicts of a ledger as pins."""
    pins: dict[str, dict[str, str]] = {p["slug"]: {} for p in ledger["papers"]}
    for paper, row, claim in claims_of(ledger):
        if row is not None and claim["verdict"] is not None:
            pins[paper["slug"]][claim["id"]] = claim["verdict"]
    return pins


def write(ledger: Ledger) -> list[Path]:
    """Accept the verdicts of this ledger: one file a paper that has any; returns the files that changed."""
    changed: list[Path] = []
    for slug, pins in of(ledger).items():
        text, target = json.dumps(pins, indent=1, sort_keys=True) + "\n", path(slug)
        before = target.read_text() if target.exists() else "{}\n"
        if text != before:
            files.write(target, text.encode())
            changed.append(target)
    return changed


def check(ledger: Ledger, pins: Pins) -> list[str]:
    """Everything that must not be: one sentence each, none if all is well."""
    alarms = [a for paper, row, claim in claims_of(ledger) for a in _claim(paper, row, claim, pins)]
    return [*alarms, *_vanished(ledger, pins), *_incomplete(ledger)]


def _claim(paper: Entry, row: Entry | None, claim: Entry, pins: Pins) -> Iterator[str]:
    name = f"{paper['slug']}/{claim['id']}"
    if row is None:
        yield f"{claim['experiment']} claims row {claim['row']!r}, which is not in the checklist of {paper['slug']}"
        return
    if claim["error"]:
        yield f"{name} has no verdict: its value() failed with {claim['error']}"
    yield from _wrong(name, row, claim)
    pinned, verdict = pins.get(paper["slug"], {}).get(claim["id"]), claim["verdict"]
    if "A" in row["grade"] and verdict is not None and pinned != verdict:
        said = f"was {pinned}" if pinned else "is not pinned"
        yield f"{name} {said} and is now judged {verdict} ({claim['estimate']['says']}); {REPIN}"


def _wrong(name: str, row: Entry, claim: Entry) -> Iterator[str]:
    """A bound that a wrong statement passes would show nothing."""
    wrong = claim["wrong"]
    if wrong is not None and wrong["verdict"] != "fails":
        found = wrong["error"] or f"is judged {wrong['verdict']} ({wrong['estimate']['says']})"
        yield f"the wrong variant of {name} must fail, but it {found}; tighten the bound or choose another variant"
    if wrong is None and row["grade"] == "A" and claim["verdict"] == "holds":
        yield f"{name} holds and is of grade A, but has no wrong variant; give the claim wrong=..."


def _vanished(ledger: Ledger, pins: Pins) -> Iterator[str]:
    there = of(ledger)
    for slug, pinned in pins.items():
        gone = sorted(set(pinned) - set(there.get(slug, {})))
        yield from (f"{slug}/{id} is pinned as {pinned[id]}, but has no verdict now; {REPIN}" for id in gone)


def _incomplete(ledger: Ledger) -> Iterator[str]:
    for paper in ledger["papers"]:
        for row in paper["rows"] if paper["complete"] else ():
            if not row["claims"] and row["status"] != "not checkable":
                yield f"{paper['slug']} is marked complete, but row {row['id']} has neither an experiment nor a reason"
