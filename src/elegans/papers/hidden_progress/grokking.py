"""Finite samples with weight decay: when a network fits its training set, and when it generalises.

Figures 5.4 (right) and B.11 train the network of width 100 on m examples of a (30, 3)-parity, with weights that shrink by
1 - λ a step. t_train is the first check with all m examples right, t_test the first with all fresh examples right.
"""

from collections.abc import Iterable

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.hidden_progress.presets import setting
from elegans.papers.hidden_progress.watching import even, first
from elegans.probes.accuracy import Accuracy
from elegans.probes.train_accuracy import TrainAccuracy
from elegans.stats import Estimate, Times, median_time, reached
from elegans.training.regimes import Virtual
from elegans.training.stops import Budget, Solved

EVERY = 100
ON = 1024  # fresh examples that have to be right, as in the specification's pilot
GIVEN = {
    "network": "ReLU, width 100, hinge loss, B = 32, η = 0.1",
    "regime": "a fixed sample of m examples, weight decay λ",
}
CHOSEN = {
    "task": "(30, 3)-parity; the paper does not name n, k, m and λ (specification 5.8)",
    "weight decay": "a direct shrink factor 1 - λ a step on W and u, not on biases (specification 5.8, erratum E25)",
    "batches": "32 indices drawn with replacement",
    "t_test": f"all of {ON} fresh examples right, checked every {EVERY} steps",
}


def grid(m: Iterable[int], decay: Iterable[float], seeds: int, budget: int) -> Sweep:
    """Sample sizes by decays by seeds, each run until it generalises or the budget ends."""
    preset = setting("ii", 30, 3, 0.1)
    algorithm = preset.algorithm.replace(decays=("W", "u"), regime=Virtual(100))
    stage = Stage(preset.task, algorithm, Solved(every=EVERY, on=ON) | Budget(budget))
    watch = (TrainAccuracy(every=EVERY), Accuracy(every=EVERY))
    return Sweep(Run(preset.model, stage, watch=watch), m=m, decay=decay, seed=range(seeds))


def budget(scale: Scale) -> int:
    """Steps after which a run that has not generalised is given up."""
    return scale(1000, 40_000, 400_000)


def tabled(e: Evidence) -> pl.DataFrame:
    """The runs with t_train (null where the sample was never fitted) and t_test."""
    fitted = [first(t["TrainAccuracy.t"], t["TrainAccuracy.accuracy"] == 1) for t in e.traces]
    t_train = pl.Series("t_train", [None if np.isnan(t) else int(t) for t in fitted], pl.Int64)
    return e.runs.select("m", "decay", "seed", "outcome", "t", "solved").with_columns(t_train)


def cell(e: Evidence, m: int, decay: float) -> pl.DataFrame:
    """The runs of one sample size and decay."""
    return e.runs.filter((pl.col("m") == m) & (pl.col("decay") == decay))


def generalised(e: Evidence, m: int, decay: float) -> Estimate:
    """Share of the runs of a cell that generalise within the budget."""
    return _share(cell(e, m, decay), "solved")


def fitted(e: Evidence, m: int, decay: float) -> Estimate:
    """Share of the runs of a cell that fit their sample within the budget."""
    return _share(cell(e, m, decay), "t_train")


def medians(e: Evidence, m: int, decay: float) -> tuple[float, float]:
    """Median t_train and t_test of a cell; inf where fewer than half of the runs get there."""
    t_train, t_test = (median_time(times(cell(e, m, decay), event)).value for event in ("t_train", "solved"))
    return t_train, t_test


def gap(e: Evidence, m: int, decay: float) -> Estimate:
    """Median of t_test / t_train over the runs that fit their sample; censored where a run did not generalise."""
    runs = cell(e, m, decay).drop_nulls("t_train")
    if not len(runs):
        return Estimate(np.inf, -np.inf, np.inf, 0, what="median t_test / t_train")
    ended = runs.select(pl.coalesce("solved", "t") / pl.col("t_train")).to_series().to_numpy()
    found = median_time(Times(ended, runs["solved"].is_not_null().to_numpy()))
    return Estimate(found.value, found.low, found.high, found.n, found.censored, what="median t_test / t_train")


def curves(trace: dict[str, np.ndarray], points: int = 60) -> dict[str, np.ndarray]:
    """Both accuracies of a run at evenly spread checks on a logarithmic axis."""
    t = trace["Accuracy.t"]
    at = (
        np.unique(np.append(0, np.geomspace(1, len(t), points).round().astype(int) - 1))
        if len(t) > points
        else even(len(t), points)
    )
    small = {name: trace[f"{name}.accuracy"][at].astype(np.float16) for name in ("TrainAccuracy", "Accuracy")}
    return {"t": t[at].astype(np.int32), "train": small["TrainAccuracy"], "test": small["Accuracy"]}


def times(runs: pl.DataFrame, event: str) -> Times:
    """First times of an event in a table of runs, censored where it did not come."""
    seen = runs[event].is_not_null().to_numpy()
    return Times(runs.select(pl.coalesce(event, "t").cast(pl.Float64)).to_series().to_numpy(), seen)


def _share(runs: pl.DataFrame, event: str) -> Estimate:
    """Without a run nothing is known: between none and all."""
    return reached(times(runs, event)) if len(runs) else Estimate(0.5, 0.0, 1.0, 0, what="share reached")
