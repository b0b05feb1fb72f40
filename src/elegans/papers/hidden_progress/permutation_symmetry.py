"""Appendix B.1.2: architecture, initialisation and SGD treat all inputs alike.

    train(π x, π W_0) = π train(x, W_0)        so the law of t_c is the same for every S of size k

Trajectories of a network whose inputs and first layer are permuted together are compared in exact arithmetic: with ReLU, hinge
loss and dyadic start and rate every parameter stays a dyadic number whose length grows by a few bits a step.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.presets import NAMES, setting
from elegans.stats import Estimate, Times, kaplan_meier, logrank
from elegans.training.stops import Budget, Solved

Exact = np.ndarray  # of fractions, or of floats
N, K = 20, 3
ARCHITECTURES = {"ii": 0.1, "xv": 0.05}  # learning rates


def train(W: Exact, b: Exact, u: Exact, x: Exact, y: Exact, rate: Fraction | float | np.float32) -> list[Exact]:
    """SGD with the hinge loss on f = u·ReLU(Wᵀx + b), one batch x[t], y[t] a step, in whatever arithmetic is given."""
    for batch, label in zip(x, y, strict=True):
        pre = batch @ W + b
        on = (pre > 0) * 1
        slope = -label * ((label * ((pre * on) @ u) < 1) * 1) * rate / len(label)
        back = slope[:, None] * on * u
        W, b, u = W - batch.T @ back, b - back.sum(0), u - (pre * on).T @ slope
    return [W, b, u]


def trajectories(n: int, k: int, width: int, batch: int, steps: int, seed: int) -> dict[str, np.ndarray]:
    """Parameters that differ between a run and its permuted image after some steps, in exact arithmetic; the same
    with the first layer left where it was; and in single precision how far they are apart."""
    rng, order = np.random.default_rng(seed), np.roll(np.arange(n), 3)
    start = [rng.integers(-64, 65, shape) for shape in ((n, width), width, width)]
    x = rng.choice((-1, 1), (steps, batch, n))
    y = x[..., :k].prod(-1)
    W, b, u = (np.vectorize(lambda v: Fraction(int(v), 64), otypes=[object])(a) for a in start)
    plain = train(W, b, u, x.astype(object), y.astype(object), Fraction(1, 8))
    moved = train(W[order], b, u, x[..., order].astype(object), y.astype(object), Fraction(1, 8))
    stayed = train(W, b, u, x[..., order].astype(object), y.astype(object), Fraction(1, 8))
    W32, b32, u32 = (a.astype(np.float32) / np.float32(64) for a in start)
    one = train(W32, b32, u32, x.astype(np.float32), y.astype(np.float32), np.float32(0.125))
    two = train(W32[order], b32, u32, x[..., order].astype(np.float32), y.astype(np.float32), np.float32(0.125))
    return {
        "differ": np.array(_count(plain, moved, order)), "differ_inputs_only": np.array(_count(plain, stayed, order)),
        "parameters": np.array(sum(a.size for a in start)), "moved": np.array(_differ(plain, [W, b, u])),
        "single": np.array(np.abs(one[0][order] - two[0]).max()),
    }  # fmt: skip


def _count(plain: list[Exact], other: list[Exact], order: np.ndarray) -> int:
    return _differ([plain[0][order], *plain[1:]], other)


def _differ(one: list[Exact], other: list[Exact]) -> int:
    return int(sum((a != b).sum() for a, b in zip(one, other, strict=True)))


def times(e: Evidence, id: str, support: int) -> Times:
    """Convergence times of an architecture for one of the two supports."""
    return e[id].times(where=pl.col("task") == support)


def same_law(id: str) -> Callable[[Evidence], Estimate]:
    """p-value of equal laws of t_c for both choices of S."""
    return lambda e: logrank(times(e, id, 0), times(e, id, 1))


class PermutationSymmetry(Experiment):
    """Training does not care which bits are relevant."""

    id = "permutation-symmetry"
    place = Place(PAPER, "appendix B.1.2")
    claims = (
        Claim(
            "permutation-symmetry",
            "permuting inputs and first layer together permutes the whole trajectory: no parameter differs",
            expect=at_most(0),
            why="an identity in exact arithmetic (fractions); sums in floating point depend on their order",
            value=lambda e: e["exact"].max("differ"),
            wrong=lambda e: e["exact"].max("differ_inputs_only"),
        ),
        *(
            Claim(
                "permutation-symmetry",
                f"{NAMES[id]}: t_c has the same law for two random supports S (log-rank p)",
                expect=at_least(0.01),
                why="equal laws give p below 0.01 once in a hundred times or less: both supports see the same seeds",
                value=same_law(id),
            )
            for id in ARCHITECTURES
        ),
    )
    chosen = {
        "exact arithmetic": "n = 6, k = 2, width 4, batch 4, start in units of 1/64, rate 1/8",
        "times": "(20, 3)-parity, B = 32, η = 0.1 for ReLU and 0.05 for PolyNet, 100 % of 8192 points every 10 steps",
    }
    remarks = (
        "'Bit-identical' holds for real numbers. In floating point a permutation changes the order of sums, so "
        "trajectories part at the level of rounding errors."
    )
    shows = "The two curves of each architecture lie within each other's bands: where the relevant bits are does not matter."

    def work(self, scale: Scale) -> dict[str, Calculation | Sweep]:
        size, parts = scale(20, 300, 1000), dict[str, Calculation | Sweep]()
        parts["exact"] = Calculation(trajectories, n=6, k=2, width=4, batch=4, steps=scale(10, 60, 200), seed=0)
        for id, rate in ARCHITECTURES.items():
            p = setting(id, N, K, rate)
            stage = Stage(p.task.replace(hidden=True), p.algorithm, Solved(every=10) | Budget(20_000))
            parts[id] = Sweep(Run(p.model, stage), seed=range(size), task=(0, 1))
        return parts

    def condense(self, e: Evidence) -> Evidence:
        found = {id: Evidence(e[id].runs.select("task", "t", "solved")) for id in ARCHITECTURES}
        return replace(e, parts={**e.parts, **found})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        for i, id in enumerate(ARCHITECTURES):
            p = same_law(id)(e).value
            for support, style in ((0, "-"), (1, "--")):
                found = times(e, id, support)
                curve = kaplan_meier(found)
                ax.step(
                    curve.time,
                    1 - curve.share,
                    style,
                    where="post",
                    color=f"C{i}",
                    label=f"{NAMES[id]}, {'one S' if support == 0 else 'another'}: {found.n} runs",
                )
                ax.fill_between(curve.time, 1 - curve.high, 1 - curve.low, step="post", color=f"C{i}", alpha=0.15, lw=0)
            ax.plot([], [], " ", label=f"same law: p = {p:.2f}")
        ax.set(xlabel="step", ylabel="share of runs that have solved (20, 3)", xscale="log")
        ax.set(ylim=(-0.03, 1.42), yticks=np.linspace(0, 1, 6))
        ax.legend(loc="upper center", ncols=2, fontsize=7)
        return figure
