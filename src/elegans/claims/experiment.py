"""An experiment: work, a figure and claims, tied to one place of one paper. One file is enough to add one."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from elegans.claims.claim import Claim
from elegans.claims.evidence import Evidence
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Work


class Experiment(ABC):
    """Subclasses are final; their docstring's first line is the experiment's title."""

    id: ClassVar[str]  # unique within its paper, such as "fig-5.1-left"
    place: ClassVar[Place]
    claims: ClassVar[tuple[Claim, ...]]
    given: ClassVar[dict[str, str]] = {}  # settings that the paper states
    chosen: ClassVar[dict[str, str]] = {}  # settings that we chose, each with its reason
    shows: ClassVar[str] = ""  # what a reader should see in the figure, in words
    remarks: ClassVar[str] = ""  # on verdicts other than *holds*: what was found, whose it is, what was tried

    @abstractmethod
    def work(self, scale: Scale) -> Work:
        """What is to be run or calculated at this scale."""

    def condense(self, e: Evidence) -> Evidence:
        """Reduce what was left behind to what the figure and the claims need (at most 50 kB on disk)."""
        return e

    def figure(self, e: Evidence) -> Any:
        """A matplotlib figure drawn from the evidence alone; if none is written, the claims' estimates on their bounds."""
        from elegans.claims.gauges import drawn

        return drawn(self.claims, e)

    def motion(self, e: Evidence) -> dict[str, Any] | None:
        """Data of something that moves on the experiment's page (see `elegans.atlas.motion`), or None."""
        return None

    @classmethod
    def name(cls) -> str:
        """The full identifier, `paper/id`."""
        return f"{cls.place.paper.slug}/{cls.id}"

    @classmethod
    def title(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or cls.id).strip().splitlines()[0].strip()
