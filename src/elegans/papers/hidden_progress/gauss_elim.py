"""Gaussian elimination over GF(2): the algorithm that learns parities fast, and what one flipped label does to it.

noiseless    Pr[S found] = Π_{i<n} (1 - 2^{i-m})          m rows of n fair bits have rank n
noisy        Pr[S found] = (1-p)^m Π_{i<n} (1 - 2^{i-m})   one flip makes the system inconsistent or its solution wrong
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.learners.elimination import support
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, wilson
from elegans.theory.random_search import full_rank_probability

Arrays = dict[str, np.ndarray]
EXTRA = (-3, -1, 0, 1, 2, 4, 7, 12, 20)
NOISE = (0.0, 0.01, 0.05)


def successes(n: int, k: int, m: int, p: float, trials: int, seed: int) -> int:
    """How often elimination on m examples with flip probability p gives S, for uniform S."""
    rng, right = np.random.default_rng((seed, n, m, int(1000 * p))), 0
    for _ in range(trials):
        S = np.sort(rng.choice(n, k, replace=False))
        x = rng.choice(np.array([-1, 1], np.int8), (m, n))
        y = x[:, S].prod(1) * np.where(rng.random(m) < p, -1, 1)
        right += support(x, y) == tuple(S.tolist())
    return right


def recovery_table(n: int, k: int, extra: tuple[int, ...], p: tuple[float, ...], trials: int) -> Arrays:
    """Successes by noise (rows) and number of examples beyond n (columns)."""
    counts = [[successes(n, k, n + more, flip, trials, seed=0) for more in extra] for flip in p]
    return {
        "n": np.array(n),
        "extra": np.array(extra),
        "p": np.array(p),
        "right": np.array(counts),
        "trials": np.array(trials),
    }


def share(e: Evidence, p: float, extra: int = 20) -> Estimate:
    """Share of trials that found S."""
    row, column = list(e.array("p")).index(p), list(e.array("extra")).index(extra)
    return wilson(int(e.array("right")[row, column]), int(e.array("trials")))


def failures(e: Evidence, p: float) -> Estimate:
    """Share of trials that did not."""
    return share(e, p).through(lambda s: 1 - s)


class Elimination(Experiment):
    """Elimination needs n examples and no noise."""

    id = "learner-gauss-elim"
    place = Place(PAPER, "sections 5.2 and B.1 (algebraic learners)")
    claims = (
        Claim(
            "learner-gauss-elim",
            "m = n + 20 noiseless examples give S, n = 50, k = 3",
            expect=at_least(0.95),
            why="rank n is missed with probability below 2^{-20}; every trial must succeed, and 100 show at least 96 %",
            value=lambda e: share(e, 0.0),
            wrong=lambda e: share(e, 0.0, extra=-1),
        ),
        Claim(
            "learner-gauss-elim",
            "with 5 % label noise it fails in at least 90 % of trials, n = 50, m = 70",
            expect=at_least(0.9),
            why="it succeeds only where no label is flipped, 0.95^70 = 2.8 %; the specification asks for 90 %",
            value=lambda e: failures(e, 0.05),
            wrong=lambda e: failures(e, 0.0),
        ),
        Claim(
            "learner-gauss-elim",
            "with 1 % label noise it succeeds exactly where no label is flipped: 0.99^70 of the trials",
            of="derived",
            expect=near(0.99**70, 0.12),
            why="if A s' = A s + e had s as a solution, e would be 0; 0.12 is over four standard errors of 300 trials",
            value=lambda e: share(e, 0.01),
            wrong=lambda e: share(e, 0.0),
        ),
    )
    chosen = {"n, k, m": "50, 3, n - 3 to n + 20 (specification: n + 20)", "p": "0, 1 % and 5 % flips"}
    shows = "Without noise success comes within a few examples beyond n. With noise, further examples make it worse."

    def work(self, scale: Scale) -> Calculation:
        trials = scale(120, 1000, 10_000)
        return Calculation(recovery_table, n=50, k=3, extra=scale((-1, 20), EXTRA, EXTRA), p=NOISE, trials=trials)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import COLOURS, axes

        figure, ax = axes()
        n, extra, trials = int(e.array("n")), e.array("extra"), int(e.array("trials"))
        more = np.arange(extra.min(), extra.max() + 1)
        full = np.array([full_rank_probability(n, n + int(i)) for i in more])
        for p, right, colour in zip(e.array("p"), e.array("right"), COLOURS, strict=False):
            found = [wilson(int(r), trials) for r in right]
            low, high = ([abs(getattr(f, end) - f.value) for f in found] for end in ("low", "high"))
            ax.plot(more, full * (1 - p) ** (n + more), color=colour, lw=1)
            ax.errorbar(
                extra,
                [f.value for f in found],
                (low, high),
                fmt="o",
                ms=3,
                color=colour,
                label=f"{p:.0%} of labels flipped",
            )
        ax.plot([], [], color="0.3", lw=1, label=r"$(1-p)^m\,\prod_{i<n}(1-2^{i-m})$")
        ax.set(xlabel=f"examples beyond n = {n}", ylabel=f"share of {trials} trials that find S", ylim=(-0.03, 1.03))
        ax.legend(loc="center right", bbox_to_anchor=(1, 0.77))
        return figure
