"""Passing by unigrams: where the second layer hardly moves, the minimal model is at the unigram solution, and for longer.

one step of the population gradient from W = c 1 1^T, v = c 1 (margin loss, every hinge active):
cos(W, 1 1^T) -> 1 and v_1 > v_j as η -> 0                               uniform W and v biased to 1 are unigrams
training with cross-entropy: first step with loss <= unigram / 2         against rate, start of v and start of W
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.models.minimal_induction import MinimalInduction
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.flat_runs import TINY, Trace, level
from elegans.papers.induction_heads.presets import minimal_small
from elegans.papers.induction_heads.watching import baselines
from elegans.probes.strategies import StrategyKL
from elegans.stats import Estimate, exact, median, wilson
from elegans.tasks.markov import MarkovChains
from elegans.theory.induction import gradient_tensor, population_gradient
from elegans.theory.markov import flat_mean, two_state
from elegans.training.stops import Steps

ROW = "passing-by-unigrams"
RATES, STARTS, SECOND = (1.0, 0.5, 0.25), (0.02, 0.05, 0.1), (0.02, 0.1, 0.2)
AXES = {"rate": ("lr", RATES), "start of v": ("init_v", STARTS), "start of W": ("init_w", SECOND)}


def one_step(t: int, c: float, rates: tuple[float, ...], n: int) -> dict[str, np.ndarray]:
    """After one population step for k = 2: cos(W, 1 1^T), v_1 / v_2, and which offset is largest."""
    T = flat_mean(lambda a, b: gradient_tensor(two_state(a, b), t), n)
    W, v = np.full((2, 2), c), np.full(t, c)
    push_W, push_v = population_gradient(T, W, v)
    stepped = [(W + rate * push_W, v + rate * push_v) for rate in rates]
    return {
        "rates": np.array(rates),
        "cosine": np.array([A.sum() / (2 * np.linalg.norm(A)) for A, _ in stepped]),
        "lead": np.array([u[0] / u[1] for _, u in stepped]),
        "largest": np.array([int(np.argmax(u)) + 1 for _, u in stepped]),
    }


def sweep(scale: Scale, part: str) -> Sweep:
    """Minimal models on half the context, along one axis: factors of the preset's rate, or starts."""
    p = minimal_small(2)
    name, values = AXES[part]
    rate = scale(3.5e-2, p.algorithm.lr, p.algorithm.lr)
    task = scale(MarkovChains(2, TINY), p.task, p.task)
    stage = Stage(task, p.algorithm.replace(lr=rate), Steps(scale(300, 3000, 3000)))
    watch = (StrategyKL(every=scale(20, 25, 25), on=scale(512, 2048, 2048)),)
    axis = {name: [rate * f for f in values] if name == "lr" else values}
    return Sweep(Run(MinimalInduction(init_v=STARTS[0]), stage, watch=watch), **axis, seed=range(scale(2, 6, 12)))


def first_below(trace: Trace, to: float) -> float:
    """The first look with a loss of at most `to`; infinity if there is none."""
    below = trace["StrategyKL.truth"] <= to
    return float(trace["StrategyKL.t"][np.argmax(below)]) if below.any() else np.inf


def times(part: Evidence) -> np.ndarray:
    """Steps until half of the unigram strategy's loss: one row a value of the axis, one column a seed."""
    return part.array("time")


def longer(part: str) -> Callable[[Evidence], Estimate]:
    """The share of seeds whose times grow strictly along the axis."""

    def value(e: Evidence) -> Estimate:
        late = times(e[part])
        grows = np.all(late[1:] > late[:-1], axis=0)
        return wilson(int(grows.sum()), len(grows))

    return value


def spread(e: Evidence) -> Estimate:
    """Largest over smallest time along the start of W, median over seeds; a run without such a time counts as the last look."""
    late = np.minimum(times(e["start of W"]), e["start of W"].array("last"))
    return median(late.max(0) / late.min(0))


def increase(e: Evidence, name: str) -> Estimate:
    """The largest increase between neighbouring rates of a number of the first step."""
    return exact(float(np.diff(e["one step"].array(name)).max()), f"largest increase of {name}")


class PassingByUnigrams(Experiment):
    """A small rate and a large start of v keep the minimal model at unigrams for longer."""

    id = "passing-by-unigrams"
    place = Place(PAPER, "section 8.3.2, text: passing by unigrams")
    claims = (
        Claim(
            ROW,
            "the smaller the rate, the nearer is W to the uniform matrix after one step",
            expect=at_most(0.0),
            why="'W_k will not deviate much from the uniform initialization': the cosine falls from rate to rate",
            value=lambda e: increase(e, "cosine"),
        ),
        Claim(
            ROW,
            "after one step offset 1 has the largest v at every rate",
            expect=at_most(1.0),
            why="'biased first coordinate of v': with uniform W that is the unigram solution (fact 8.3)",
            value=lambda e: e["one step"].max("largest"),
        ),
        Claim(
            ROW,
            "in most seeds the time until half of the unigram loss grows as the rate falls to a half and to a quarter",
            expect=at_least(0.5),
            why="'due to a small learning rate'; monotone in the rate, specification 4.5",
            value=longer("rate"),
        ),
        Claim(
            ROW,
            "in most seeds it grows with the start of v from 0.02 to 0.05 and 0.1",
            expect=at_least(0.5),
            why="'due to the initialization of v'; monotone from 0.02 on, specification 4.5",
            value=longer("start of v"),
        ),
        Claim(
            ROW,
            "the start of W, from 0.02 to 0.2, changes it by less than a factor 2",
            of="derived",
            expect=at_most(2.0),
            why="specification 4.5: 'hardly by the size of W'; less than the factor 2 of half the rate",
            value=spread,
        ),
    )
    given = {"model": "minimal model, k = 2, SGD, cross-entropy, batch 64"}
    chosen = {
        "t, rate": "50 tokens; rate 8e-3, a half and a quarter of it (times change like 1/rate)",
        "starts": "v = 0.02, 0.05, 0.1 with W = 0; W = 0.02, 0.1, 0.2 with v = 0.02",
        "time": "the first look, every 25 steps, with half of the unigram strategy's loss; runs end after 3000 steps",
        "one step": "t = 50, c = 0.02, exact population gradient of the margin loss in its linear regime",
        "smoke": "24 tokens, rate 3.5e-2, 300 steps, too few for these times",
    }
    shows = "Times rise to the left (smaller rates) and with the start of v; they are level in the start of W."

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        rates = tuple(float(r) for r in np.geomspace(1e-4, 1, 9))
        t = scale(TINY, 50, 50)
        return {part: sweep(scale, part) for part in AXES} | {
            "levels": Calculation(baselines, k=2, t=t, n=scale(2000, 20_000, 20_000), seed=7),
            "one step": Calculation(one_step, t=50, c=0.02, rates=rates, n=scale(30, 80, 80)),
        }

    def condense(self, e: Evidence) -> Evidence:
        half = level(e["levels"], "unigram") / 2
        return replace(e, parts={**e.parts, **{part: _condensed(e[part], half, part) for part in AXES}})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (axes,) = panels(1, 3, height=2.8, sharey=True)
        labels = {"rate": "learning rate", "start of v": "start of v", "start of W": "start of W"}
        for ax, (part, label) in zip(axes, labels.items(), strict=True):
            _times(ax, e[part], label)
        axes[0].set_ylabel("steps until loss ≤ unigram / 2")
        axes[0].legend()
        return figure


def _condensed(part: Evidence, half: float, axis: str) -> Evidence:
    name = AXES[axis][0]
    values = part.runs[name].to_numpy()
    late = np.array([first_below(t, half) for t in part.traces])
    rows = part.runs[name].unique(maintain_order=True).to_numpy()
    arrays = {"value": rows, "time": np.stack([late[values == x] for x in rows])}
    return Evidence(pl.DataFrame(), arrays=arrays | {"last": np.array(float(part.traces[0]["StrategyKL.t"][-1]))})


def _times(ax: Any, part: Evidence, label: str) -> None:
    x, late, last = part.array("value"), times(part), float(part.array("last"))
    for i, row in enumerate(np.minimum(late, last).T):
        ax.plot(x, row, "o", ms=3.5, color="#0072B2", alpha=0.5, label="one seed" if i == 0 else None)
    ax.plot(x, np.median(np.minimum(late, last), axis=1), color="k", lw=1.4, label="median")
    ax.axhline(last, color="0.6", ls=":", lw=1, label="end of the run")
    ax.set(xlabel=label, xscale="log", ylim=(0, 1.05 * last))
    ax.set_xticks(x, [f"{v:.3g}" for v in x])
    ax.minorticks_off()
