"""Sinusoid neurons watched from inside, and what is read from the traces of watched runs.

Figures 5.3, B.8 (right) and B.9 look at one neuron u = 1, setting (xiv), whose weights move while its accuracy does not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.hidden_progress.presets import setting
from elegans.probes.accuracy import Accuracy
from elegans.probes.fourier_gap import FourierGap
from elegans.probes.progress import Movement, WeightMargin
from elegans.probes.weights import Weights
from elegans.stats import Estimate, median
from elegans.tasks.base import Task
from elegans.training.stops import Budget, Solved, Stop

Trace = Mapping[str, np.ndarray]
Floats = NDArray[np.float64]
ON_PLATEAU = 0.6  # accuracy that has to be exceeded to leave the plateau (specification 5.6)
RATES = {1: 0.001, 4: 0.003, 32: 0.01, 128: 0.01}  # learning rate of each batch size
CADENCE = {1: 100, 4: 50, 32: 10, 128: 10}  # steps between two looks


def neuron(seeds: Iterable[int], batch: int = 32, task: Task | None = None, stop: Stop | None = None) -> Sweep:
    """The sinusoid neuron on (50, 3)-parity or another task of 50 inputs, with its weights and accuracy."""
    preset, every = setting("xiv", 50, 3, RATES[batch], batch), CADENCE[batch]
    stage = Stage(task or preset.task, preset.algorithm, stop or Solved(every=every) | Budget(40_000))
    return Sweep(Run(preset.model, stage, watch=(Weights(every=every), Accuracy(every=every, on=2048))), seed=seeds)


def measured(scale: Scale) -> Sweep:
    """The neuron on (20, 3)-parity with all three progress measures: Fourier gap, margin and movement."""
    preset = setting("xiv", 20, 3)
    watch = (FourierGap(every=20), WeightMargin(every=20), Movement(every=20), Accuracy(every=20, on=2048))
    stage = Stage(preset.task, preset.algorithm, Solved(every=10) | Budget(20_000))
    return Sweep(Run(preset.model, stage, watch=watch), seed=range(scale(8, 120, 1000)))


def first(t: Sequence[int] | np.ndarray, holds: NDArray[np.bool_]) -> float:
    """The first of the times t at which something holds; nan if it never does."""
    return float(t[int(np.argmax(holds))]) if np.any(holds) else float("nan")


def sizes(weights: np.ndarray, k: int = 3) -> tuple[Floats, Floats]:
    """min_{i∈S} |w_i| and max_{i∉S} |w_i| over time, S the first k of the inputs on the last axis."""
    size = np.abs(weights.astype(np.float64))
    return size[..., :k].min(-1), size[..., k:].max(-1)


def moved(weights: np.ndarray) -> Floats:
    """ρ_t = ‖w_t - w_0‖_∞ over time."""
    away = np.abs(weights.astype(np.float64) - weights[:1])
    return away.reshape(len(away), -1).max(1)


def left(trace: Trace) -> float:
    """First time at which the accuracy exceeds 60 %."""
    return first(trace["Accuracy.t"], trace["Accuracy.accuracy"] > ON_PLATEAU)


def last_flat(trace: Trace) -> int:
    """Number of the last check with at most 60 % accuracy."""
    return int(np.flatnonzero(trace["Accuracy.accuracy"] <= ON_PLATEAU)[-1])


def median_of_reached(values: np.ndarray) -> Estimate:
    """Median of a number that only some runs have (nan elsewhere); the others are stated as censored. Without any run
    that has it nothing is known."""
    found = values[np.isfinite(values)]
    if not len(found):
        return Estimate(np.inf, -np.inf, np.inf, len(values), len(values), what="median")
    e = median(found)
    return replace(e, n=len(values), censored=len(values) - len(found))


def even(n: int, most: int) -> NDArray[np.int64]:
    """At most `most` of the numbers 0..n-1, evenly spread, both ends included."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64))


def film(trace: Trace, frames: int = 100) -> dict[str, np.ndarray]:
    """Weights and accuracy of one run at evenly spread checks, in half precision."""
    at = even(len(trace["Weights.t"]), frames)
    return {
        "t": trace["Weights.t"][at].astype(np.int32),
        "weights": trace["Weights.weights"][at].astype(np.float16),
        "accuracy": trace["Accuracy.accuracy"][at].astype(np.float16),
    }


def overtaking(e: Evidence) -> dict[str, np.ndarray]:
    """For every run: when the relevant weights overtake all others, and when the accuracy exceeds 60 %."""
    pairs = [(first(t["Weights.t"], _ahead(t)), left(t)) for t in e.traces]
    overtakes, leaves = np.array(pairs).T
    return {"overtakes": overtakes, "leaves": leaves}


def _ahead(trace: Trace) -> NDArray[np.bool_]:
    inside, outside = sizes(trace["Weights.weights"][:, 0])
    return inside > outside
