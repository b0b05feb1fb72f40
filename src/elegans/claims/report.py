"""The ledger for people: a Markdown table a paper, and the counts in one line."""

from elegans.claims.ledger import STATUSES, Entry, Ledger


def to_markdown(ledger: Ledger) -> str:
    """Every row of every paper with its verdict."""
    return "\n".join(["# Ledger", "", *(line for p in ledger["papers"] for line in _paper(p))]) + "\n"


def counted(counts: dict[str, int]) -> str:
    """ "12 hold, 1 fails, 3 inconclusive, 40 not yet, 4 not checkable", without the zeros."""
    words = {"holds": "hold" if counts["holds"] != 1 else "holds", "fails": "fail" if counts["fails"] != 1 else "fails"}
    return ", ".join(f"{counts[s]} {words.get(s, s)}" for s in STATUSES if counts[s]) or "no rows"


def _paper(paper: Entry) -> list[str]:
    head = [f"## {paper['title']}", "", f"{paper['citation']}. {counted(paper['counts'])}.", ""]
    table = ["| row | grade | what | status | claims |", "|---|---|---|---|---|"]
    return [*head, *table, *(_row(r) for r in paper["rows"]), ""]


def _row(row: Entry) -> str:
    note = f" ({row['note']})" if row["note"] else ""
    claims = "<br>".join(_claim(c) for c in row["claims"])
    cells = (f"`{row['id']}`", row["grade"], row["what"], f"{row['status']}{note}", claims)
    return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |"


def _claim(claim: Entry) -> str:
    if claim["estimate"] is None:
        return f"{claim['says']}: {claim['error'] or 'no evidence yet'}"
    found = f"{claim['estimate']['says']}; expected {claim['expect']}; {claim['scale']}, {claim['date']}"
    return f"{claim['verdict']}: {claim['says']} ({claim['of']}): {found}"
