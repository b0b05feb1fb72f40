"""`elegans run`: conduct, judge, draw."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional, arg

from elegans.base.errors import UsageError
from elegans.cli import out
from elegans.cli.parse import shard

if TYPE_CHECKING:
    from elegans.claims.evidence import Evidence
    from elegans.claims.experiment import Experiment
    from elegans.claims.scale import Scale
    from elegans.lab.session import Session

FOUND = 1  # exit code: done, but something needs a look
ScaleName = Literal["smoke", "laptop", "paper"]
Store = Annotated[Path | None, arg(metavar="DIR")]


@dataclass(frozen=True)
class Run:
    """Conduct experiments."""

    ids: Annotated[Positional[tuple[str, ...]], arg(metavar="ID ...")] = ()
    """Experiments, or papers for all of theirs."""
    all: bool = False
    """Every experiment of every paper."""
    scale: ScaleName = "smoke"
    """smoke: seconds. laptop: minutes on two cores. paper: the paper's sizes."""
    workers: int = 0
    """Processes, one core each; 0 takes one for every core."""
    shard: Annotated[str, arg(metavar="I/N")] = "1/1"
    """Do the I-th of N parts: on several machines that share a store, or merge theirs afterwards."""
    store: Store = None
    """The store; by default ELEGANS_STORE, or a folder of your data directory."""
    out: Annotated[Path, arg(metavar="DIR")] = Path("elegans-out")
    """Where figures are written."""
    publish: bool = False
    """Keep the evidence beside the paper, for the ledger."""

    def __call__(self) -> int:
        part, parts = shard(self.shard)
        if self.all == bool(self.ids):
            raise UsageError("say what to run: names of experiments or papers, or --all (elegans list shows them)")

        from elegans.claims import library
        from elegans.claims.scale import Scale
        from elegans.cli import find

        wanted = list(library.experiments().values()) if self.all else find.experiments(self.ids)
        session, scale = opened(self.store, self.workers, (part, parts)), Scale(self.scale)
        if parts > 1:
            for e in wanted:
                _part(e, scale, session)
            return 0
        several = len(wanted) > 1
        return max((attempt(e, scale, session, self.out, self.publish, several) for e in wanted), default=0)


def opened(store: Path | None, workers: int, part: tuple[int, int] = (0, 1)) -> "Session":
    """A session on a store that can be used, with a sensible number of workers."""
    from elegans.lab.session import Session
    from elegans.lab.store import Store

    if not 0 <= workers <= 1024:
        raise UsageError(f"--workers is {workers}, but it must be between 1 and 1024, or 0 for one on every core")
    return Session(Store.open(store), workers, part)


def attempt(e: "Experiment", scale: "Scale", session: "Session", folder: Path, publish: bool, several: bool) -> int:
    """Conduct one experiment. Among several, one that cannot be conducted does not keep the others from it."""
    import os
    import sys

    from elegans.base.errors import ElegansError, Interrupted, StoreError

    try:
        return conducted(e, scale, session, folder, publish)
    except (StoreError, Interrupted):
        raise
    except Exception as error:
        if os.environ.get("ELEGANS_DEBUG") or not (several or isinstance(error, ElegansError)):
            raise
        kind = "" if isinstance(error, ElegansError) else f"{type(error).__name__}: "
        print(f"elegans: {e.name()}: {kind}{' '.join(str(error).split())}", file=sys.stderr)
        return 2


def conducted(e: "Experiment", scale: "Scale", session: "Session", folder: Path, publish: bool) -> int:
    """Run what is missing, then say what came out; 1 if a claim has no verdict or the figure broke."""
    from elegans.claims import conduct
    from elegans.claims.judge import judge
    from elegans.lab.display import shown

    with shown(session, f"{e.name()} at {scale.value} scale") as lab:
        evidence = conduct.conduct(e, scale, lab)
    judged = judge(e, evidence)
    out.head(f"{e.name()}: {e.title()}")
    rows = [
        (j.id, j.claim.says, j.claim.of, j.estimate or "", str(j.claim.expect), j.verdict or f"no verdict: {j.error}")
        for j in judged
    ]
    out.table(("claim", "says", "of", "found", "expected", "verdict"), rows)
    fine = _draw(e, evidence, folder) and all(j.verdict for j in judged)
    if publish:
        larger = conduct.outranked(e, evidence)
        kept = f"the published evidence stays: it is of {larger.meta['scale']} scale and up to date" if larger else ""
        out.say(kept or f"evidence: {conduct.publish(e, evidence)}")
    out.say()
    return 0 if fine else FOUND


def _draw(e: "Experiment", evidence: "Evidence", folder: Path) -> bool:
    """The figure as folder/paper/id.png; False if it broke. Without matplotlib the verdicts still count."""
    from elegans.atlas import style

    path = folder / f"{e.name()}.png"
    try:
        with style.applied(), style.saving():
            figure = e.figure(evidence)
            if figure is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                figure.savefig(path)
                out.say(f"figure: {path}   published results: {e.name()}.html in elegans atlas --serve")
    except UsageError as error:
        out.say(f"no figure: {error}")
    except OSError:
        raise
    except Exception as error:  # figures are written by many hands, and the verdict does not depend on them
        out.say(f"no figure: drawing it failed with {type(error).__name__}: {error}")
        return False
    return True


def _part(e: "Experiment", scale: "Scale", session: "Session") -> None:
    """This machine's part of the sweeps. Nothing is judged: the other parts are elsewhere."""
    from elegans.lab.display import shown
    from elegans.lab.words import Sweep

    work: Any = e.work(scale)
    works = list(work.values()) if isinstance(work, Mapping) else [work]
    with shown(session, e.name()) as lab:
        for sweep in (w for w in works if isinstance(w, Sweep)):
            lab.sweep(sweep)
    out.say(
        f"{e.name()}: part {session.shard[0] + 1} of {session.shard[1]} is in {session.store.folder}; "
        "when all parts are in one store, run it there without --shard to judge"
    )
