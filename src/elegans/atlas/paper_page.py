"""The page of one paper: its figures, what they took, and its whole checklist with the verdict on every row."""

from collections.abc import Mapping
from typing import Any

from elegans.atlas import effort
from elegans.atlas.drawing import thumbnail
from elegans.atlas.page import MARKS, anchor, badge, css_class, expected, number, page, prose, section, text, verdict
from elegans.claims.report import counted

Entry = dict[str, Any]


def rendered(paper: Entry, titles: Mapping[str, str]) -> str:
    """The page of a paper's entry in the ledger; `titles` are those of its experiments that have a figure."""
    body = "\n".join(
        (
            f"<h1>{text(paper['title'])}</h1>",
            f'<p class="soft">{text(paper["citation"])}.</p>\n<p>{counted(paper["counts"])}.</p>',
            section("Gallery", "".join(_picture(paper, id, title) for id, title in titles.items()), kind="gallery"),
            section("What it took", effort.rendered(paper)),
            section("Row by row", f'<ul class="rows">{"".join(_row(r) for r in paper["rows"])}</ul>'),
        )
    )
    return page(paper["title"], body, (("Atlas", "../index.html"),))


def _picture(paper: Entry, id: str, title: str) -> str:
    """A small figure that leads to its page, with the verdicts of its experiment as marks."""
    claims = [c for r in paper["rows"] for c in r["claims"] if c["experiment"] == f"{paper['slug']}/{id}"]
    said = " ".join(f'<b class="{css_class(v)}" title="{v}">{MARKS[v]}</b>' for v in map(verdict, claims))
    return (
        f'<a href="{text(id)}.html"><img loading="lazy" src="{text(thumbnail(id))}" alt="{text(title)}">'
        f"<span>{prose(title.rstrip('.'))}</span><small>{text(id)} {said}</small></a>"
    )


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
