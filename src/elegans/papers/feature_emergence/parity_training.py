"""The trainings behind figure 7.5 and the structure of theorem 7.8: one sweep, so that the store trains it once."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.feature_emergence.parity_end import predictions
from elegans.papers.feature_emergence.presets import parity
from elegans.probes.margins import Margin
from elegans.probes.parity_features import ParityFeatures
from elegans.tasks.parity import SparseParity
from elegans.training.penalties import NeuronNorm
from elegans.training.stops import Steps

OF_NEURONS = ("norm", "support", "spread", "opposite", "ratio", "gain")
TOP = 0.9  # of the largest norm: the neurons "of highest norm" of the figure


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


def theory(scale: Scale) -> Calculation:
    """The predictions for `training` at this scale."""
    s = setting(scale)
    return Calculation(predictions, k=s.k, strength=s.strength)


def largest(trace: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Final features of the neurons whose norm is over 0.9 of the largest one of their network; `beside` is ‖u‖ beside S
    over ‖u‖ on S, `agree` is |w_0 + w_1|/√2 over ‖w‖."""
    norm = trace["ParityFeatures.norm"][-1]
    top = norm > TOP * norm.max()
    own = {name: trace[f"ParityFeatures.{name}"][-1][top] for name in OF_NEURONS}
    beside, agree = 1 / own["support"] - 1, 1 - own["opposite"]
    return {**own, "beside": np.sqrt(np.maximum(beside, 0)), "agree": np.sqrt(np.maximum(agree, 0))}
