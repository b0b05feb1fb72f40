"""Random and exhaustive search: what guessing costs, and what a trivial progress measure looks like.

random        Pr[T > t] = (1 - 1/C(n,k))^{rt}        E T = 1/(1 - (1 - 1/C(n,k))^r)
exhaustive    T = place of S in lexicographic order   E T = (C(n,k) + 1)/2
"""

from itertools import combinations

import numpy as np

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.learners.search import exhaustive, random_search
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact, mean, ratio, spearman
from elegans.theory.random_search import cdf, lexicographic_rank, mean_time, subsets, success_probability

Arrays = dict[str, np.ndarray]
COPIES = (1, 10, 100)
WIDTHS = (1, 10, 100, 1000)  # copies at (40, 3), as many as neurons in figure 5.4


def random_table(n: int, k: int, copies: tuple[int, ...], searches: int) -> Arrays:
    """Times of simulated searches for each number of copies, and the mean of the law summed term by term."""
    found: Arrays = {"n": np.array(n), "k": np.array(k)}
    for r in copies:
        found[f"times/{r}"] = random_search(n, k, r, searches, seed=r)
    for r in WIDTHS:
        p = success_probability(40, 3, r)
        tail = (1 - 1 / subsets(40, 3)) ** (r * np.arange(400_000 // r, dtype=np.float64))
        found[f"mean/{r}"] = np.array([mean_time(p), tail.sum(), subsets(40, 3) / r])
    return found


def ordered_table(n: int, k: int) -> Arrays:
    """Steps of the enumeration against the place of S, for every S; sorting by the last elements is another order."""
    sets = list(combinations(range(n), k))
    steps = np.array([exhaustive(S, n) for S in sets])
    place = np.array([lexicographic_rank(S, n) for S in sets])
    last_first = np.array([1 + len(sets) - lexicographic_rank(tuple(n - 1 - i for i in S), n) for S in sets])
    return {"steps": steps, "error": np.abs(steps - place), "error_last_first": np.abs(steps - last_first)}


def mean_error(e: Evidence, column: int) -> Estimate:
    """Largest relative distance of a formula for E T from the sum of Pr[T > t]."""
    rows = np.array([e["random"].array(f"mean/{r}") for r in WIDTHS])
    return exact(float(np.abs(rows[:, column] / rows[:, 1] - 1).max()), "relative error of E T")


def speed(e: Evidence, linear: bool) -> Estimate:
    """Mean time of 100 copies over what the law, or a linear speed-up, predicts for them."""
    table, r = e["random"], COPIES[-1]
    n, k = int(table.array("n")), int(table.array("k"))
    expected = subsets(n, k) / r if linear else mean_time(success_probability(n, k, r))
    return ratio(mean(table.array(f"times/{r}")), exact(expected))


def memory(times: np.ndarray) -> Estimate:
    """Spearman correlation between the steps taken at a random moment before success and the steps still to come."""
    rng = np.random.default_rng(0)
    elapsed = rng.integers(0, np.quantile(times, 0.5), size=times.size)
    waiting = elapsed < times
    return spearman(elapsed[waiting], (times - elapsed)[waiting], seed=0, draws=400)


class Searches(Experiment):
    """Random search forgets, exhaustive search counts: the two trivial learners."""

    id = "learner-random-search"
    place = Place(PAPER, "sections 5.3.2 and B.4.1 (baselines)")
    claims = (
        Claim(
            "learner-random-search",
            "r copies need 1/(1 - (1 - 1/C(n,k))^r) steps in the mean, for (40, 3) and r = 1 to 1000",
            expect=at_most(1e-9),
            why="E T = Σ_t Pr[T > t], summed term by term; a speed-up of exactly r is wrong by 5 % at r = 1000",
            value=lambda e: mean_error(e, 0),
            wrong=lambda e: mean_error(e, 2),
        ),
        Claim(
            "learner-random-search",
            "simulated searches of 100 copies take the mean time of the law at (10, 3)",
            of="derived",
            expect=near(1, 0.1),
            why="the geometric law; a speed-up of exactly 100 would be 1.2 steps where at least one is needed",
            value=lambda e: speed(e, linear=False),
            wrong=lambda e: speed(e, linear=True),
        ),
        Claim(
            "learner-random-search",
            "random search has no progress: the steps still to come do not depend on the steps taken",
            of="derived",
            expect=near(0, 0.1),
            why="the geometric law has no memory; 0.1 is over four standard errors of 2000 searches",
            value=lambda e: memory(e["random"].array("times/1")),
            wrong=lambda e: memory(np.tile(e["ordered"].array("steps"), 20)),
        ),
        Claim(
            "learner-exhaustive",
            "the enumeration finds S at its place in lexicographic order, for all 120 sets of (10, 3)",
            expect=at_most(0),
            why="the place has a closed form; in colexicographic order it is another one",
            value=lambda e: e["ordered"].max("error"),
            wrong=lambda e: e["ordered"].max("error_last_first"),
        ),
        Claim(
            "learner-exhaustive",
            "it takes (C(n,k) + 1)/2 steps in the mean: half of what random search takes",
            of="derived",
            expect=near(0.5 * (1 + 1 / 120), 1e-12),
            why="places are 1 to C(n,k), once each; in units of C(n,k) = 120",
            value=lambda e: exact(float(e["ordered"].array("steps").mean()) / subsets(10, 3), "mean steps / C(n,k)"),
            wrong=lambda e: exact(mean_time(success_probability(10, 3)) / subsets(10, 3), "mean steps / C(n,k)"),
        ),
    )
    given = {"(40, 3)": "the baseline's instance in figure 5.4"}
    chosen = {"(10, 3)": "small enough to simulate every guess"}
    shows = (
        "Random search follows its law (dashed), with one copy, 10 or 100: the first step is the likeliest. Exhaustive search "
        "(grey) finds S at every step with equal chance and ends after C steps."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        random = Calculation(random_table, n=10, k=3, copies=COPIES, searches=scale(2000, 4000, 100_000))
        return {"random": random, "ordered": Calculation(ordered_table, n=10, k=3)}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        table = e["random"]
        n, k = int(table.array("n")), int(table.array("k"))
        grid = np.arange(0, 5 * subsets(n, k))
        for r in COPIES:
            times = np.sort(table.array(f"times/{r}"))
            ax.step(
                times,
                np.arange(1, times.size + 1) / times.size,
                where="post",
                label=f"random, {r} at a time" if r > 1 else "random search",
            )
            law = [cdf(int(t), success_probability(n, k, r)) for t in grid]
            name = r"law $1-(1-1/C)^{rt}$" if r == 1 else None
            ax.step(grid, law, where="post", lw=0.8, ls="--", color="0.3", label=name)
        steps = np.sort(e["ordered"].array("steps"))
        ax.plot(steps, np.arange(1, steps.size + 1) / steps.size, color="0.5", label="exhaustive search")
        ax.set(
            xlabel=f"steps t (n = {n}, k = {k}: C = {subsets(n, k)} sets)",
            ylabel="share found by step t",
            xscale="log",
            xlim=(1, grid.size),
        )
        ax.legend()
        return figure
