"""`elegans show`: everything there is to know about an experiment without running it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional, arg

from elegans.cli import out

if TYPE_CHECKING:
    from elegans.claims.experiment import Experiment
    from elegans.claims.judge import Judgement


@dataclass(frozen=True)
class Show:
    """One experiment."""

    id: Annotated[Positional[str], arg(metavar="ID")]
    """The experiment, such as hidden-progress/eq-B.5."""

    def __call__(self) -> int:
        from elegans.claims import library
        from elegans.claims.judge import judge
        from elegans.cli import find

        experiment = find.experiment(self.id)
        evidence = library.committed(experiment)
        out.head(f"{experiment.name()}: {experiment.title()}")
        out.say(f"{experiment.place.paper.title}, {experiment.place.where}")
        if experiment.shows:
            out.say(f"The figure: {experiment.shows}")
        out.say()
        _claims(experiment, judge(experiment, evidence) if evidence else [])
        _settings("the paper gives", experiment.given)
        _settings("we chose", experiment.chosen)
        out.say(f"\nTo run it:  elegans run {experiment.name()} --scale {'laptop' if evidence else 'smoke'}")
        out.say(last(evidence.meta) if evidence else "It has no published evidence yet.")
        return 0


def _claims(experiment: "Experiment", judged: "list[Judgement]") -> None:
    from elegans.claims.judge import claim_ids

    verdicts = [verdict(j) for j in judged] or [""] * len(experiment.claims)
    rows = [
        (id, c.says, c.of, str(c.expect), c.why, said)
        for id, c, said in zip(claim_ids(experiment), experiment.claims, verdicts, strict=True)
    ]
    out.table(("claim", "says", "of", "expected", "because", "last verdict"), rows)


def _settings(title: str, settings: dict[str, str]) -> None:
    if settings:
        out.say()
        out.table((title, ""), settings.items())


def verdict(j: "Judgement") -> str:
    """The verdict with its number, or why there is none."""
    return f"{j.verdict} {j.estimate}" if j.verdict else f"no verdict: {j.error}"


def last(meta: Any) -> str:
    """When, at what scale and at what cost the evidence was made."""
    from elegans.lab.display import words

    cost = meta.get("cost") or {}
    runs = f", {cost['runs']:.0f} runs" if cost.get("runs") else ""
    spent = f"{words(cost.get('seconds'))} of one core"
    return f"Published evidence: scale {meta.get('scale')}, {meta.get('date')}{runs}, {spent}."
