"""The page of one paper: its whole checklist with the verdict on every row."""

from typing import Any

from elegans.atlas.page import MARKS, anchor, badge, expected, number, page, prose, text, verdict
from elegans.claims.report import counted

Entry = dict[str, Any]


def rendered(paper: Entry) -> str:
    """The page of a paper's entry in the ledger."""
    body = (
        f"<h1>{text(paper['title'])}</h1>\n"
        f'<p class="soft">{text(paper["citation"])}.</p>\n<p>{counted(paper["counts"])}.</p>\n'
        f'<ul class="rows">{"".join(_row(r) for r in paper["rows"])}</ul>'
    )
    return page(paper["title"], body, (("Atlas", "../index.html"),))


def link(row: Entry) -> str:
    """Where a row leads, seen from its paper's folder: the claim that decided, or its line on the paper's page."""
    if not row["claims"]:
        return f"index.html#{row['id']}"
    return claim_link(next((c for c in row["claims"] if c["verdict"] == row["status"]), row["claims"][0]))


def claim_link(c: Entry) -> str:
    """A claim on the page of its experiment, seen from the paper's folder."""
    return f"{c['experiment'].partition('/')[2]}.html#{anchor(c)}"


def claim_line(c: Entry, folder: str = "") -> str:
    """One line a claim, in small print."""
    found = f"{number(c['estimate']['value'])}, {expected(c['bound'])}" if c["estimate"] else expected(c["bound"])
    word = verdict(c)
    return (
        f'<br><small>{MARKS[word]} {word}: <a href="{text(folder + claim_link(c))}">{prose(c["says"])}</a>; '
        f"{c['of']}; {found}</small>"
    )


def _row(row: Entry) -> str:
    name = f'<a href="{text(link(row))}">{text(row["id"])}</a>' if row["claims"] else text(row["id"])
    note = f'<br><span class="soft">{text(row["note"])}</span>' if row["note"] else ""
    claims = "".join(claim_line(c) for c in row["claims"])
    return (
        f'<li id="{text(row["id"])}"><span>{badge(row["status"])}</span><div>'
        f'<span class="grade" title="A exact, B statistical, C asymptotic, D not checkable">{row["grade"]}</span>'
        f"<b>{name}</b> {prose(row['what'])}{note}{claims}</div></li>"
    )
