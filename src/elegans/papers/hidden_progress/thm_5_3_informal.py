"""Informal Theorem 5.3: on disjoint PolyNets SGD with any batch size B >= 1 converges in n^O(k) log(1/ε) steps, and the
gradient flow spends a share 1 - o(1) of its time before convergence with error of at least 49 %.
"""

from collections.abc import Callable
from math import log

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.learners.polynet_runs import adaptive_runs
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact, wilson
from elegans.theory import adaptive_schedule as schedule
from elegans.theory.plateau import share_after_plateau

ROW = "thm-5.3-informal"
EPSILON = DELTA = 0.1
BATCHES = (1, 8, 64)
KS = (3, 4, 5, 6)
SIZES = (100, 1000, 10_000, 100_000, 1_000_000)


def budgets(k: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Slope of log T in log n' for long blocks, and the growth of T when ε is squared."""
    constants, (low, high) = schedule.CONSTANTS["printed"], (10**4, 10**6)
    steps = [[schedule.steps_needed(d, m, EPSILON, DELTA, constants) for m in (low, high)] for d in k]
    finer = [schedule.steps_needed(d, low, EPSILON**2, DELTA, constants) for d in k]
    slope = np.array([log(b / a) / log(high / low) for a, b in steps])
    return {
        "slope": slope - (2 * np.array(k) - 1),
        "finer": np.array([f / a for f, (a, _) in zip(finer, steps, strict=True)]),
    }


def plateaus(k: tuple[int, ...], n_prime: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Share of the flow's time after error 0.49, from all-ones starts. Shape (k, n')."""
    return {"after": np.array([[share_after_plateau(d, 0.01, m) for m in n_prime] for d in k])}


def solved(batch: int) -> Callable[[Evidence], Estimate]:
    """Share of the trials with error ε or less after T steps."""

    def value(e: Evidence) -> Estimate:
        final = e[f"B = {batch}"].array("final")
        return wilson(int((final <= EPSILON).sum()), final.size)

    return value


class AnyBatch(Experiment):
    """Disjoint PolyNets: every batch size learns, after a long plateau."""

    id = ROW
    place = Place(PAPER, "informal theorem 5.3")
    claims = (
        *(
            Claim(ROW, f"B = {b}: error ε or less within the T steps of theorem 5.8, with probability 1 - δ",
                  expect=at_least(1 - DELTA), why="any batch size; δ = 0.1", value=solved(b))
            for b in BATCHES
        ),
        Claim(ROW, "T grows like n'^(2k-1) up to logarithms: excess of its exponent, k = 2 to 5", expect=at_most(0.15),
              why="n^O(k); a logarithm of n'^(2k-1) adds 1/log(T) ≈ 0.1 to a local exponent",
              value=lambda e: e["budgets"].max("slope")),
        Claim(ROW, "squaring ε takes at most twice the steps, up to logarithms", expect=at_most(2.0),
              why="log(1/ε) doubles; log(2k/ε) and the other logarithm together grow by less",
              value=lambda e: e["budgets"].max("finer")),
        Claim(ROW, "phase transition: blocks of 10^6 spend at least 99 % of the time at error 0.49 or more, k = 3 to 6",
              expect=at_least(0.99), why="1 - o(1): theorem 5.7 leaves a share of order n'^(1-k/2) <= 10^-3",
              value=lambda e: exact(1 - float(e["plateaus"].array("after")[:, -1].max()), "share on the plateau")),
        Claim(ROW, "the share of time after the plateau falls with every tenfold n'", expect=at_most(1.0),
              why="o(1): largest ratio of consecutive shares", value=lambda e: exact(falling(e.parts["plateaus"]), "ratio")),
    )  # fmt: skip
    given = {"algorithm": "theorem 5.8 with its printed constants; flow from all-ones weights"}
    chosen = {"k, n'": "2 and 3 for SGD, because T = 1.3e5 there", "ε, δ": "0.1 each", "B": "1, 8, 64"}
    shows = "Left: all batch sizes reach error 0 well before T. Right: the longer the blocks, the more of the time is plateau."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        k, n_prime = scale((1, 2), (2, 3), (2, 4))
        runs = {
            f"B = {b}": Calculation(
                adaptive_runs, k=k, n_prime=n_prime, constants="printed", batch=b, positive=scale(5, 50, 50), seed=b
            )
            for b in BATCHES
        }
        return {
            **runs,
            "budgets": Calculation(budgets, k=(2, 3, 4, 5)),
            "plateaus": Calculation(plateaus, k=KS, n_prime=scale(SIZES[:-1], SIZES, SIZES)),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (row,) = panels(1, 2, height=2.7)
        for b, style in zip(BATCHES, ("-", "--", ":"), strict=True):
            part = e[f"B = {b}"]
            at = part.array("t") / part.array("steps")
            row[0].fill_between(at, part.array("error_low"), part.array("error_high"), alpha=0.25, lw=0)
            row[0].plot(at, part.array("error"), style, label=f"B = {b}, {part.array('final').size} runs")
        row[0].axhline(EPSILON, lw=0.8, ls="--", color="0.3", label="ε")
        row[0].set(xlabel="t / T, theorem 5.8", ylabel="error", xlim=(0, 0.2), title="SGD, k = 2, n' = 3")
        row[0].legend(fontsize=7, title="median, 5 to 95 %", title_fontsize=7)
        for k, after in zip(KS, e["plateaus"].array("after"), strict=True):
            row[1].plot(SIZES[: len(after)], after, "o-", ms=3, label=f"k = {k}")
        row[1].axhline(0.01, lw=0.8, ls="--", color="0.3", label="1 %")
        row[1].set(
            xlabel="block length n'",
            ylabel="share of time with error < 0.49",
            xscale="log",
            yscale="log",
            title="gradient flow",
        )
        row[1].legend(fontsize=7)
        return figure


def falling(part: Evidence) -> float:
    """The largest ratio of the shares at consecutive sizes."""
    after = part.array("after")
    return float((after[:, 1:] / after[:, :-1]).max())
