"""`elegans estimate`: what experiments would take, without running them."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from elegans.base.errors import ElegansError, UsageError
from elegans.cli import out
from elegans.cli.work import ScaleName, Store

if TYPE_CHECKING:
    from elegans.claims.experiment import Experiment
    from elegans.claims.prospects import Prospect

HEADS = ("experiment", "runs", "programs", "steps", "one core", "memory", "disk", "calculations")


@dataclass(frozen=True)
class Estimate:
    """Estimate experiments."""

    ids: Annotated[Positional[tuple[str, ...]], arg(metavar="ID ...")] = ()
    """Experiments, or papers for all of theirs."""
    scale: ScaleName = "paper"
    """smoke: seconds. laptop: minutes on two cores. paper: the paper's sizes."""
    store: Store = None
    """The store whose finished runs say how long runs are; by default ELEGANS_STORE, or a folder of your data directory."""
    publish: bool = False
    """Keep the estimates beside the paper, for its pages (paper scale only)."""

    def __call__(self) -> int:
        if not self.ids:
            raise UsageError("say what to estimate: names of experiments or papers (elegans list shows them)")
        if self.publish and self.scale != "paper":
            raise UsageError(f"--publish keeps estimates of the paper's sizes, but --scale is {self.scale}")

        from elegans.cli import find

        found: dict[str, Prospect | None] = {}
        for e in find.experiments(self.ids):
            found[e.name()] = p = self._one(e)
            if self.publish and p is not None:
                _publish({e.name(): p})  # at once: the whole may take minutes
        known = {name: p for name, p in found.items() if p is not None}
        out.table(HEADS, [*(_line(name, p) for name, p in known.items()), _total(list(known.values()))])
        if self.publish:
            out.say(f"{len(known)} estimates are kept beside the paper")
        return int(len(known) < len(found))

    def _one(self, e: "Experiment") -> "Prospect | None":
        """The prospect; an experiment that cannot be estimated does not keep the others from it."""
        from elegans.claims.prospects import prospect
        from elegans.claims.scale import Scale
        from elegans.lab import store

        opened = store.Store.open(self.store)
        try:
            return prospect(e, Scale(self.scale), opened)
        except ElegansError as error:
            print(f"elegans: {e.name()}: {' '.join(str(error).split())}", file=sys.stderr)
            return None


def _line(name: str, p: "Prospect") -> tuple[Any, ...]:
    from elegans.lab.display import words

    return (
        name, f"{p.runs:,}", p.programs, f"{p.steps:.3g}", words(p.seconds), out.size(p.memory), out.size(p.disk), p.calculations,
    )  # fmt: skip


def _total(all_of: "list[Prospect]") -> tuple[Any, ...]:
    from elegans.claims.prospects import Prospect

    sums = {
        n: sum(getattr(p, n) for p in all_of) for n in ("runs", "programs", "steps", "seconds", "disk", "calculations")
    }
    return _line("all", Prospect(**sums, memory=max((p.memory for p in all_of), default=0), date=""))


def _publish(known: "dict[str, Prospect]") -> None:
    from elegans.claims import prospects

    for slug in sorted({name.partition("/")[0] for name in known}):
        mine = [(id, p) for (paper, _, id), p in ((n.partition("/"), p) for n, p in known.items()) if paper == slug]
        prospects.write(slug, mine)
