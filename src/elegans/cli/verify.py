"""`elegans verify`: bring the published evidence up to date within a budget, cheapest first."""

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from elegans.cli import out
from elegans.cli.parse import seconds
from elegans.cli.work import ScaleName, Store, attempt, opened

if TYPE_CHECKING:
    from elegans.claims.evidence import Evidence
    from elegans.claims.experiment import Experiment
    from elegans.claims.scale import Scale

Todo = tuple[float, "Scale", "Experiment"]  # seconds expected, scale, experiment
CALCULATION = 5.0  # seconds expected of a calculation that was never made
RATE = 20_000.0  # steps a second expected of a sweep that was never run


@dataclass(frozen=True)
class Verify:
    """Verify papers."""

    papers: Annotated[Positional[tuple[str, ...]], arg(metavar="PAPER ...")] = ()
    """Papers or experiments; all papers if none is named."""
    budget: Annotated[str, arg(metavar="TIME")] = "60m"
    """Start nothing that is expected to end later than this, such as 90s, 60m or 2h."""
    scale: ScaleName = "smoke"
    """smoke: seconds. laptop: minutes on two cores. paper: the paper's sizes. Published evidence never shrinks: what is
    stale is run again at its own scale, if that is larger."""
    workers: int = 0
    """Processes, one core each; 0 takes one for every core."""
    store: Store = None
    """The store; by default ELEGANS_STORE, or a folder of your data directory."""
    out: Annotated[Path, arg(metavar="DIR")] = Path("elegans-out")
    """Where figures are written."""
    publish: bool = False
    """Keep the evidence beside the papers, for the ledger."""

    def __call__(self) -> int:
        until = time.monotonic() + seconds(self.budget)

        from elegans.claims.scale import Scale

        scale = Scale(self.scale)
        session = opened(self.store, self.workers)
        todo, codes = _todo(self.papers, scale, session.workers), [0]
        for i, (cost, size, e) in enumerate(todo):
            if time.monotonic() + cost > until:
                _left(todo[i:])
                break
            codes.append(attempt(e, size, session, self.out, self.publish, several=True))
        out.say(f"{len(codes) - 1} of {len(todo)} experiments that were stale or missing are done")
        return max(codes)


def _todo(names: tuple[str, ...], scale: "Scale", workers: int) -> "list[Todo]":
    """What is to be run, the seconds it is expected to take, and at what scale; cheapest first."""
    from elegans.claims import library
    from elegans.cli import find
    from elegans.lab.machine import places

    wanted = find.experiments(names) if names else list(library.experiments().values())
    evidence = [(e, library.committed(e)) for e in wanted]
    wanted_at = [(e, has, _at_least(scale, has)) for e, has in evidence if _needed(e, has, scale)]
    found = [(_cost(e, has, size, workers or places()), size, e) for e, has, size in wanted_at]
    return sorted(found, key=lambda item: item[0])


def _at_least(scale: "Scale", evidence: "Evidence | None") -> "Scale":
    """The scale that is asked for, or that of the published evidence if it is larger."""
    from elegans.claims.scale import Scale

    return max(scale, Scale(evidence.meta["scale"]), key=lambda s: s.size) if evidence else scale


def _needed(e: "Experiment", evidence: "Evidence | None", scale: "Scale") -> bool:
    """Missing, made at a smaller scale, or made by other code. What cannot be told is to be run: that will say why."""
    from elegans.claims.conduct import stale
    from elegans.claims.scale import Scale

    if evidence is None or Scale(evidence.meta["scale"]).size < scale.size:
        return True
    try:
        return stale(e, evidence)
    except Exception:  # work() is written by many hands; attempt() reports what is wrong with it
        return True


def _cost(e: "Experiment", evidence: "Evidence | None", scale: "Scale", workers: int) -> float:
    """Seconds: what it took last time at this scale, else a guess from the size of the work."""
    if evidence is not None and evidence.meta.get("scale") == scale.value and evidence.meta.get("cost"):
        return float(evidence.meta["cost"]["seconds"]) / workers
    try:
        work = e.work(scale)
    except Exception:  # as above
        return 0.0
    works: list[Any] = list(work.values()) if isinstance(work, Mapping) else [work]
    return sum(_guess(w, workers) for w in works)


def _guess(work: Any, workers: int) -> float:
    from elegans.lab.words import Sweep

    if not isinstance(work, Sweep):
        return CALCULATION
    return CALCULATION + len(work) * sum(s.stop.steps for s in work.run_.stages) / RATE / workers


def _left(todo: "list[Todo]") -> None:
    from elegans.lab.display import words

    names = ", ".join(f"{e.name()} (about {words(cost)})" for cost, _, e in todo)
    print(f"elegans: the budget is spent; left: {names}", file=sys.stderr)
