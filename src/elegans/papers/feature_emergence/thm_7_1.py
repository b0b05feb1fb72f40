"""Theorem 7.1: the normalised margin of minimisers of the regularised loss tends to γ* as λ goes to 0.

    lim_{λ→0} γ_λ = γ*,        γ* - γ_λ ~ c/log(1/λ)    on S3

once by the exact minimum at every λ (a convex programme), once by gradient descent at four λ.
"""

from math import ceil, log2

import numpy as np

from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.four_panels import predictions
from elegans.papers.feature_emergence.presets import LATE, Preset, s3
from elegans.probes.margins import Margin
from elegans.tasks.composition import Alphabet, Symmetric
from elegans.training.penalties import NeuronNorm
from elegans.training.schedules import Doubling
from elegans.training.stops import Steps

EXACT = tuple(10.0**-x for x in range(3, 9))
TRAINED = (1e-4, 1e-5, 1e-6, 1e-7)
PAPERS = 1e-7


def limit(group: Alphabet, strengths: tuple[float, ...]) -> dict[str, np.ndarray]:
    """γ*, and the exact minimum at every λ."""
    rows = [predictions(group, strength) for strength in strengths]
    return {name: np.array([row[name] for row in rows]) for name in ("strength", "gamma", "normalised", "objective")}


def recipe(strength: float) -> Preset:
    """The setting of S3 at another λ. Near its end the loss is of size λ, so the last learning rates would be too large for
    λ > 1e-7: doublings stop while lr λ is at most what it is there."""
    p = s3()
    doublings = LATE[: len(LATE) - ceil(log2(strength / PAPERS))]
    return p._replace(algorithm=p.algorithm.replace(penalty=NeuronNorm(strength), schedule=Doubling(doublings)))


class MarginOfTheLimit(Experiment):
    """The margin of regularised minimisers grows to the maximum as λ falls."""

    id = "thm-7.1"
    place = Place(PAPER, "theorem 7.1")
    claims = ()

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        stop, seeds = scale(Steps(10_000), s3().stop, s3().stop), range(scale(1, 8, 24))
        trained = {f"{x:.0e}": recipe(x)._replace(stop=stop) for x in TRAINED}
        return {
            "exact": Calculation(limit, group=Symmetric(3), strengths=EXACT),
            **{
                name: Sweep(Run(p.model, Stage(p.task, p.algorithm, p.stop), watch=[Margin(every=1000)]), seed=seeds)
                for name, p in trained.items()
            },
        }
