"""Judge: every claim of an experiment against its evidence. A claim that cannot be computed is a judgement too."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from elegans.claims.claim import Claim, Verdict
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.stats.estimate import Estimate


@dataclass(frozen=True)
class Judgement:
    """What became of a claim; without a verdict, `error` says why. The wrong variant ought to be judged *fails*."""

    id: str
    claim: Claim
    estimate: Estimate | None
    verdict: Verdict | None
    error: str = ""
    wrong: Estimate | None = None
    wrong_verdict: Verdict | None = None
    wrong_error: str = ""


def judge(experiment: Experiment, evidence: Evidence) -> list[Judgement]:
    """All claims of the experiment, in their order."""
    return [_judged(id, claim, evidence) for id, claim in zip(claim_ids(experiment), experiment.claims, strict=True)]


def claim_ids(experiment: Experiment) -> list[str]:
    """Unique within the paper: the row, then `#2`, `#3` if several claims speak for it; behind `experiment:` if the
    experiment is not named after the row."""
    seen: Counter[str] = Counter()
    ids: list[str] = []
    for claim in experiment.claims:
        seen[claim.row] += 1
        prefix = "" if claim.row == experiment.id else f"{experiment.id}:"
        suffix = f"#{seen[claim.row]}" if seen[claim.row] > 1 else ""
        ids.append(f"{prefix}{claim.row}{suffix}")
    return ids


def _judged(id: str, claim: Claim, evidence: Evidence) -> Judgement:
    estimate, verdict, error = _tried(claim.value, claim, evidence)
    wrong = _tried(claim.wrong, claim, evidence) if claim.wrong else (None, None, "")
    return Judgement(id, claim, estimate, verdict, error, *wrong)


def _tried(
    value: Callable[[Evidence], Estimate], claim: Claim, evidence: Evidence
) -> tuple[Estimate | None, Verdict | None, str]:
    """The estimate and its verdict, or the reason why there is none."""
    try:
        estimate = value(evidence)
        if not isinstance(estimate, Estimate):
            return None, None, f"value() gave {type(estimate).__name__}, but a claim is judged by an Estimate"
        return estimate, claim.expect.judge(estimate), ""
    except Exception as error:  # claims are written by many hands: one that breaks must not hide the others
        return None, None, f"{type(error).__name__}: {error}"
