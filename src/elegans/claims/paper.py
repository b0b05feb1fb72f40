"""Papers, the rows of their checklists, and places in them."""

from dataclasses import dataclass
from typing import Literal

Grade = Literal["A", "A/B", "A/C", "B", "B/C", "C/B", "C", "D"]


@dataclass(frozen=True)
class Row:
    """One line of a paper's checklist. `why_not` is the stated reason of a row that cannot be checked at all."""

    id: str
    what: str
    grade: Grade
    why_not: str = ""


@dataclass(frozen=True)
class Effort:
    """What the authors say their experiments took; `says` quotes how they say it."""

    models: float
    cpu_hours: float
    gpu_hours: float
    says: str


@dataclass(frozen=True)
class Paper:
    """A source document: `complete` promises that no row is without an experiment or a stated reason."""

    slug: str
    title: str
    citation: str
    rows: tuple[Row, ...]
    complete: bool = False
    effort: Effort | None = None


@dataclass(frozen=True)
class Place:
    """A place in a paper, in the words a reader would look for."""

    paper: Paper
    where: str
