"""The index: what holds, what fails, what is open, at one glance and then row by row."""

from collections.abc import Sequence
from typing import Any

from elegans.atlas.page import MARKS, badge, css_class, page, prose, section, text
from elegans.atlas.paper_page import claim_line, link
from elegans.claims.ledger import STATUSES
from elegans.claims.report import counted

Entry = dict[str, Any]
HEADS = {
    "fails": "What fails", "inconclusive": "What is inconclusive", "holds": "What holds", "not yet": "What is open",
    "not checkable": "What cannot be checked",
}  # fmt: skip
SHORT = 12  # longer lists are folded


def rendered(ledger: Entry) -> str:
    """The first page of the atlas."""
    papers = ledger["papers"]
    counts = {s: sum(p["counts"][s] for p in papers) for s in STATUSES}
    body = "\n".join(
        (
            "<h1>elegans atlas</h1>",
            "<p>Every figure, theorem and number of the papers below, held against evidence. A claim <b>holds</b> when "
            "its interval lies inside a bound that was fixed beforehand, <b>fails</b> when it lies outside, and is "
            "<b>inconclusive</b> when it straddles.</p>",
            _totals(counts),
            "".join(_paper(p) for p in papers),
            *(_list(status, papers) for status in HEADS),
            '<p class="soft"><a href="ledger.json">The ledger as JSON</a>, <a href="ledger.md">as a table</a>.</p>',
        )
    )
    return page("elegans atlas", body)


def _totals(counts: dict[str, int]) -> str:
    shown = (("holds", "hold"), ("fails", "fail"), ("inconclusive", "inconclusive"), ("not yet", "not yet"))
    boxes = (f'<div class="{css_class(s)}"><b>{counts[s]}</b>{MARKS[s]} {said}</div>' for s, said in shown)
    return f'<div class="totals">{"".join(boxes)}</div>'


def _paper(paper: Entry) -> str:
    squares = "".join(_square(paper, row) for row in paper["rows"])
    return (
        f'<div class="card"><h3><a href="{paper["slug"]}/index.html">{text(paper["title"])}</a></h3>'
        f'<p class="soft">{counted(paper["counts"])}</p><div class="squares">{squares}</div></div>'
    )


def _square(paper: Entry, row: Entry) -> str:
    said = f"{row['id']}: {row['what']} ({row['status']})"
    return (
        f'<a class="{css_class(row["status"])}" href="{paper["slug"]}/{text(link(row))}" title="{text(said)}" '
        f'aria-label="{text(said)}">{MARKS[row["status"]]}</a>'
    )


def _list(status: str, papers: Sequence[Entry]) -> str:
    """All rows with this status; folded where they are many."""
    lines = [_line(p, r) for p in papers for r in p["rows"] if r["status"] == status]
    rows = f'<ul class="rows">{"".join(lines)}</ul>'
    if len(lines) > SHORT:
        rows = f"<details><summary>{len(lines)} rows</summary>{rows}</details>"
    return section(HEADS[status], rows if lines else "")


def _line(paper: Entry, row: Entry) -> str:
    """A row; where something is wrong, with the claims that say so."""
    note = f'<br><span class="soft">{text(row["note"])}</span>' if row["note"] else ""
    telling = [c for c in row["claims"] if row["status"] != "holds" and c["verdict"] == row["status"]]
    claims = "".join(claim_line(c, f"{paper['slug']}/") for c in telling)
    return (
        f"<li><span>{badge(row['status'])}</span><div>"
        f'<a href="{paper["slug"]}/{text(link(row))}">{prose(row["what"])}</a> '
        f"<small>{text(paper['slug'])}/{text(row['id'])}</small>{note}{claims}</div></li>"
    )
