"""Looking around: list, load, cite."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from elegans.base.errors import UsageError
from elegans.cli import out

if TYPE_CHECKING:
    import polars as pl

    from elegans.claims.evidence import Evidence

Name = Annotated[Positional[str], arg(metavar="ID")]


@dataclass(frozen=True)
class List:
    """Papers, or the rows of one."""

    paper: Annotated[Positional[str | None], arg(metavar="[PAPER]")] = None
    """The paper whose rows are listed; without it, all papers are."""

    def __call__(self) -> int:
        from elegans.claims import ledger, library, report

        if self.paper is None:
            found = ledger.from_repository()["papers"]
            out.table(("paper", "title", "rows"), [(p["slug"], p["title"], report.counted(p["counts"])) for p in found])
            return 0
        paper = library.paper(self.paper)
        mine = [(e, library.committed(e)) for e in library.experiments().values() if e.place.paper is paper]
        entry = ledger.build([paper], mine)["papers"][0]
        out.head(f"{paper.title}. {paper.citation}")
        out.table(("row", "grade", "status", "what", "experiments"), [_row(row) for row in entry["rows"]])
        out.say(report.counted(entry["counts"]))
        return 0


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    names = dict.fromkeys(c["experiment"].partition("/")[2] for c in row["claims"])
    note = f" ({row['note']})" if row["note"] else ""
    return row["id"], row["grade"], row["status"] + note, row["what"], ", ".join(names)


@dataclass(frozen=True)
class Load:
    """The published evidence of an experiment."""

    id: Name
    """The experiment."""
    csv: Annotated[Path | None, arg(metavar="FILE")] = None
    """Write the table here instead of printing its first rows."""
    part: str | None = None
    """The part to show, where an experiment consists of several works."""

    def __call__(self) -> int:
        from elegans.claims import library
        from elegans.cli import find

        evidence = library.load(find.experiment(self.id).name())
        evidence = evidence[self.part] if self.part is not None else evidence
        if evidence.parts:
            raise UsageError(f"{self.id} has several parts; choose one with --part: {', '.join(evidence.parts)}")
        table = tabulated(evidence)
        if self.csv is None:
            out.table(table.columns, table.head(20).rows())
            out.say(f"{len(table)} rows; --csv FILE writes them all" if len(table) > 20 else f"{len(table)} rows")
            return 0
        table.write_csv(self.csv)
        out.say(f"{len(table)} rows written to {self.csv}")
        return 0


def tabulated(evidence: "Evidence") -> "pl.DataFrame":
    """The table of runs, or the one-dimensional arrays of a calculation side by side."""
    import polars as pl

    if evidence.runs.columns:
        return evidence.runs
    lists = {name: array for name, array in evidence.arrays.items() if array.ndim <= 1}
    if not lists:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in evidence.arrays.items()) or "nothing"
        raise UsageError(f"this evidence has no table, it has {shapes}; load it in Python with elegans.load")
    longest = max(array.size for array in lists.values())
    columns = {name: array.reshape(-1) for name, array in lists.items() if array.size in (1, longest)}
    return pl.DataFrame({n: a if a.size == longest else a.repeat(longest) for n, a in columns.items()})


@dataclass(frozen=True)
class Cite:
    """How to cite."""

    id: Name
    """The paper or the experiment."""

    def __call__(self) -> int:
        from elegans import __version__
        from elegans.claims import library
        from elegans.cli import find

        papers = library.papers()
        if self.id in papers:
            out.say(f"{papers[self.id].title}. {papers[self.id].citation}")
        else:
            place = find.experiments([self.id])[0].place
            out.say(f"{place.paper.title}, {place.where}. {place.paper.citation}")
        out.say(f"Judged with elegans {__version__}.")
        return 0
