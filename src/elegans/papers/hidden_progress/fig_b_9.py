"""Figure B.9: weights and ρ under the plateau at other batch sizes, and in a ReLU network of width 10.

ρ = ‖W_t - W_0‖_max  over the whole first layer
"""

from dataclasses import replace
from typing import Any

import numpy as np

from elegans.claims.claim import Claim, at_least, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.presets import setting
from elegans.papers.hidden_progress.watching import (
    RATES,
    Trace,
    film,
    last_flat,
    left,
    median_of_reached,
    moved,
    neuron,
    overtaking,
)  # fmt: skip
from elegans.probes.accuracy import Accuracy
from elegans.probes.weights import Weights
from elegans.stats import Estimate
from elegans.tasks.base import Task
from elegans.tasks.random_label import RandomLabel
from elegans.training.stops import Budget, Solved, Steps, Stop

NETWORK, NOISE = "ReLU 10", "ReLU 10 on noise"


def network(seeds: range, task: Task | None, stop: Stop) -> Sweep:
    """The width-10 network on (50, 3)-parity or another task of 50 inputs, with its first layer."""
    preset = setting("i", 50, 3, 0.1)
    stage = Stage(task or preset.task, preset.algorithm, stop)
    return Sweep(Run(preset.model, stage, watch=(Weights(every=100), Accuracy(every=100, on=2048))), seed=seeds)


def share(e: Evidence, name: str) -> Estimate:
    """Median over runs of (relevant weights overtake the others) / (accuracy exceeds 60 %)."""
    return median_of_reached(e[name].array("overtakes") / e[name].array("leaves"))


def network_against_noise(e: Evidence) -> Estimate:
    """Median over pairs of ρ on the parity over ρ on noise, at the last check with at most 60 % accuracy."""
    return median_of_reached(e[NETWORK].array("real") / e[NETWORK].array("noise"))


def farthest(e: Evidence) -> Estimate:
    """Of the batch sizes, the median share that is farthest from 1."""
    found = [share(e, name) for name in e.parts if name.startswith("B = ")]
    return max(found, key=lambda estimate: abs(estimate.value - 1))


class OtherBatchSizes(Experiment):
    """Weights move under the plateau at every batch size, and in a network of ten neurons."""

    id = "fig-B.9"
    place = Place(PAPER, "figure B.9")
    claims = (
        Claim(
            "fig-B.9",
            "at each batch size, the relevant weights overtake all others about when the accuracy first exceeds 60 %",
            of="derived",
            expect=between(0.75, 1.25),
            why="specification 5.6 (a), asked of all batch sizes; the one whose median is farthest from 1 counts",
            value=farthest,
        ),
        Claim(
            "fig-B.9",
            "ReLU, width 10: before the accuracy shows it, ρ is larger than that of the same network on random labels",
            of="derived",
            expect=at_least(1.0),
            why="movement that noise alone would make is no progress; specification 5.17 reads 0.68 against 0.45",
            value=network_against_noise,
        ),
    )
    given = {
        "models": "a sinusoid neuron at several batch sizes; a ReLU network of width 10 with ρ over its first layer"
    }
    chosen = {
        "task": "(50, 3)-parity, as in figure 5.3",
        "batch sizes and learning rates": "; ".join(f"B = {b}: η = {lr:g}" for b, lr in RATES.items())
        + " (the paper states none; smaller batches need smaller steps)",
        "network": "B = 32, η = 0.1, against random labels with the same seeds",
    }
    remarks = (
        "The claim takes the batch size that is farthest from 1, which is B = 128: 0.82 [0.73, 0.89] with 24 runs does not "
        "decide against 0.75. 100 other runs there give 0.85 [0.80, 0.87], inside the bound; all other batch sizes are closer "
        "to 1."
    )
    shows = (
        "At every batch size the relevant weights (green) leave the others while the accuracy (line on top) is flat."
    )

    def work(self, scale: Scale) -> dict[str, Sweep]:
        few, many = range(scale(2, 12, 100)), range(scale(2, 24, 200))
        steps = scale(300, 20_000, 100_000)
        batches = scale((32,), tuple(RATES), tuple(RATES))
        return {
            **{f"B = {b}": neuron(many if b > 1 else few, b) for b in batches},
            NETWORK: network(few, None, Solved(every=100) | Budget(steps)),
            NOISE: network(few, RandomLabel(50), Steps(steps)),
        }

    def condense(self, e: Evidence) -> Evidence:
        parts = {name: _neuron(part) for name, part in e.parts.items() if name.startswith("B = ")}
        return replace(e, parts={**parts, NETWORK: _network(e[NETWORK], e[NOISE])})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(
            2, len(e.parts), width=9.6, height=4.0, sharex="col", gridspec_kw={"height_ratios": [1, 2]}
        )
        names = sorted(e.parts, key=lambda name: (name == NETWORK, int(name.rpartition(" ")[2])))
        for (top, bottom), name in zip(grid.T, names, strict=True):
            part = e[name]
            t, W = part.array("t"), part.array("weights").astype(np.float32)
            top.plot(t, part.array("accuracy"), color="C1")
            top.set(ylim=(0.4, 1.05))
            top.set_title(_title(e, name), fontsize=6.5)
            _lines(bottom, t, W)
            bottom.set(xlabel="step")
        grid[0, 0].set_ylabel("accuracy")
        grid[1, 0].set_ylabel("first-layer weights")
        grid[1, 0].plot([], [], color="C2", label="relevant")
        grid[1, 0].plot([], [], color="0.7", label="others")
        grid[1, 0].legend(loc="lower left", fontsize=7)
        return figure


def _neuron(part: Evidence) -> Evidence:
    shown = next(i for i, end in enumerate(part.runs["solved"]) if end is not None)
    runs = part.runs.select("seed", "outcome", "t", "solved")
    return Evidence(runs, arrays={**overtaking(part), **film(part.traces[shown], 40)})


def _network(real: Evidence, noise: Evidence) -> Evidence:
    """Both movements at the last flat check of every run that left the plateau, and the film of the first that did."""
    found = [_pair(*pair) for pair in zip(real.traces, noise.traces, strict=True)]
    shown = int(np.argmax(np.isfinite([here for here, _ in found])))
    both = dict(zip(("real", "noise"), np.array(found, np.float64).T, strict=True))
    runs = real.runs.select("seed", "outcome", "t", "solved")
    return Evidence(runs, arrays={**film(real.traces[shown], 16), **both})


def _pair(real: Trace, noise: Trace) -> tuple[float, float]:
    if not np.isfinite(left(real)):
        return float("nan"), float("nan")
    i = last_flat(real)
    return float(moved(real["Weights.weights"])[i]), float(moved(noise["Weights.weights"])[i])


def _title(e: Evidence, name: str) -> str:
    if name == NETWORK:
        found = network_against_noise(e)
        said = f"{name}, B = 32\nρ over noise"
    else:
        found = share(e, name)
        said = f"{name}, η = {RATES[int(name.rsplit(maxsplit=1)[-1])]:g}\novertake/jump"
    runs = f"{found.n - found.censored} of {found.n} runs"
    return f"{said} {found.value:.2f} [{found.low:.2f}, {found.high:.2f}]\n{runs}"


def _lines(ax: Any, t: np.ndarray, W: np.ndarray) -> None:
    """Every weight over time, the relevant ones on top."""
    for row in np.moveaxis(W, 1, 0):
        ax.plot(t, row[:, 3:], lw=0.3, color="0.75", zorder=1)
    for row in np.moveaxis(W, 1, 0):
        ax.plot(t, row[:, :3], lw=1.3, color="C2", zorder=2)
