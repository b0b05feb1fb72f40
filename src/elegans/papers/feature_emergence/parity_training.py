"""The trainings behind figure 7.5 and the structure of theorem 7.8: one sweep, so that the store trains it once."""

from typing import NamedTuple

import numpy as np

from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.feature_emergence.presets import parity
from elegans.probes.margins import Margin
from elegans.probes.parity_features import ParityFeatures
from elegans.tasks.parity import SparseParity
from elegans.theory.parity_optimum import parity_optimum
from elegans.training.penalties import NeuronNorm
from elegans.training.stops import Steps


class Setting(NamedTuple):
    """Parity of k of n bits with `width` neurons z^k, and the strength λ of the penalty λ Σ ‖ω‖^{k+1}."""

    n: int
    k: int
    width: int
    strength: float
    steps: int


def setting(scale: Scale) -> Setting:
    """The paper's own, but for smoke runs."""
    paper = Setting(10, 4, 40, 1e-3, 30_000)
    return scale(Setting(6, 2, 12, 1e-2, 10_000), paper, paper)


def training(scale: Scale) -> Sweep:
    """The preset at this scale's sizes; margins and features are watched, the last weights are kept."""
    p, s = parity(), setting(scale)
    algorithm = p.algorithm.replace(batch=2**s.n, penalty=NeuronNorm(s.strength, power=s.k + 1))
    stage = Stage(SparseParity(s.n, s.k), algorithm, Steps(s.steps))
    watch = (Margin(every=250, nu=s.k + 1), ParityFeatures(every=1000))
    run = Run(p.model.replace(width=s.width, k=s.k), stage, watch=watch, keep=("end",))
    return Sweep(run, seed=range(scale(2, 8, 24)))


def predictions(k: int, strength: float) -> dict[str, np.ndarray]:
    """γ*, and where the exact minimum of the regularised loss is."""
    best = parity_optimum(k, strength)
    return {
        "gamma": np.array(best.normalised_margin), "loss": np.array(best.cross_entropy), "norm": np.array(best.norm),
        "share": np.array(best.share), "total": np.array(best.loss), "strength": np.array(strength),
    }  # fmt: skip


def theory(scale: Scale) -> Calculation:
    """The predictions for `training` at this scale."""
    s = setting(scale)
    return Calculation(predictions, k=s.k, strength=s.strength)
