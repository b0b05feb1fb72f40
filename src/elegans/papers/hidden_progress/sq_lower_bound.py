"""The lower bound for statistical queries: one query rules out at most 1/τ² sets, so T >= τ² (C(n,k) - 1) are needed."""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.learners.statistical_queries import majority_vote, play, strategies
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory import boolean
from elegans.theory.statistical_queries import answers, distinguished, of_size, sq_lower_bound, survivors_bound

Arrays = dict[str, np.ndarray]


def queries(n: int, k: int, count: int) -> list[np.ndarray]:
    """The label parts g of many kinds of queries: random, majority votes of parities, clipped sums."""
    rng, sets = np.random.default_rng(0), of_size(n, k)
    found = [rng.uniform(-1, 1, 2**n) for _ in range(count)]
    found += [rng.choice((-1.0, 1.0), 2**n) for _ in range(count)]
    found += [np.sign(boolean.cube(n).sum(1) + 0.5)]
    for size in (1, 2, 3, 5, 9, 15, 25, 45, min(sets.size, 99)):
        found.append(majority_vote(n, size)(rng.permutation(sets), 0))
    return found


def answer_error(n: int, k: int) -> tuple[float, float]:
    """Distance of the formula for E_{D_S} q from the mean over labelled points, and of the formula without q's mean."""
    rng, worst, worst_without = np.random.default_rng(1), 0.0, 0.0
    plus, minus = rng.uniform(-1, 1, (2, 2**n))
    formula = answers(plus, minus)
    for j in of_size(n, k):
        y = boolean.character(n, boolean.subset(int(j)))
        direct = np.where(y > 0, plus, minus).mean()
        worst = max(worst, abs(formula[j] - direct))
        worst_without = max(worst_without, abs(formula[j] - np.mean(plus + minus) / 2 - direct))
    return worst, worst_without


def lemma_table(n: int, k: int, tau: tuple[float, ...], count: int) -> Arrays:
    """For each query and τ: how many k-sets it can tell from no label at all, times τ² and times τ."""
    sets, asked = of_size(n, k), queries(n, k, count)
    counts = np.array([[distinguished(g, t)[sets].sum() for t in tau] for g in asked])
    found, without = answer_error(n, k)
    return {
        "per_square": counts * np.square(tau),
        "per_tau": counts * np.array(tau),
        "answer": np.array(found),
        "answer_without_mean": np.array(without),
    }


def game_table(n: int, k: int, tau: tuple[float, ...], rounds: int) -> Arrays:
    """Sets left after each query, for every strategy, above the bound C(n,k) - T/τ²."""
    found: Arrays = {"tau": np.array(tau), "n": np.array(n), "k": np.array(k)}
    for t in tau:
        for name, strategy in strategies(n, t).items():
            found[f"{name}/{t}"] = play(strategy, n, k, t, rounds)
    return found


def slack(e: Evidence, power: int) -> Estimate:
    """Smallest (sets left) - (C(n,k) - T/τ^power) over all games and rounds."""
    game = e["game"]
    n, k, least = int(game.array("n")), int(game.array("k")), float("inf")
    for t in game.array("tau"):
        for name in strategies(n, float(t)):
            left = game.array(f"{name}/{t}")
            bound = [survivors_bound(n, k, float(t) ** (power / 2), i) for i in range(left.size)]
            least = min(least, float((left - bound).min()))
    return exact(least, "sets above the bound")


def fewest(e: Evidence, divide: float = 1.0) -> Estimate:
    """Queries of the fastest game that leaves one set, divided by the lower bound; infinite if none does."""
    game, ratios = e["game"], [float("inf")]
    n, k = int(game.array("n")), int(game.array("k"))
    for t in game.array("tau"):
        for name in strategies(n, float(t)):
            left = game.array(f"{name}/{t}")
            if (left <= 1).any():
                ratios.append(float(np.argmax(left <= 1)) / sq_lower_bound(n, k, float(t)))
    return exact(min(ratios) / divide, "queries / bound")


class StatisticalQueries(Experiment):
    """Statistical queries rule out at most 1/τ² sets at a time."""

    id = "sq-lower-bound"
    place = Place(PAPER, "section 5.2 and appendix B.1 (statistical queries)")
    claims = (
        Claim(
            "sq-lower-bound",
            "an answer depends on S through one coefficient: E_{D_S} q = mean part + ĝ(S)",
            expect=at_most(1e-12),
            why="q(x, y) is a mean part plus y g(x); compared with labelled enumeration for all S at (10, 3)",
            value=lambda e: e["lemma"].max("answer"),
            wrong=lambda e: e["lemma"].max("answer_without_mean"),
        ),
        Claim(
            "sq-lower-bound",
            "one query tells at most 1/τ² sets apart (largest count times τ², over all queries and τ)",
            expect=at_most(1),
            why="Σ_S ĝ(S)² <= 1; votes of parities come close and break a bound of 1/τ",
            value=lambda e: e["lemma"].max("per_square"),
            wrong=lambda e: e["lemma"].max("per_tau"),
        ),
        Claim(
            "sq-lower-bound",
            "against the oracle that tells nothing, T queries leave at least C(n,k) - T/τ² sets",
            expect=at_least(0),
            why="1/τ² sets a query; four strategies, among them greedy votes; 1/τ a query would be too few",
            value=lambda e: slack(e, 2),
            wrong=lambda e: slack(e, 1),
        ),
        Claim(
            "sq-lower-bound",
            "the best strategy comes within a factor of 4 of the bound τ² (C(n,k) - 1)",
            of="derived",
            expect=near(2.5, 1.5),
            why="votes of a sets have coefficients √(2/(πa)) and rule out 2/(πτ²) sets: a factor of π/2; few sets overlap",
            value=fewest,
            wrong=lambda e: fewest(e, divide=1 / float(e["game"].array("tau").min()) ** 2),
        ),
    )
    chosen = {"n, k": "10, 3 as in the specification", "τ": "0.05 to 0.5 for the lemma, 0.1 and 0.2 for the games"}
    shows = "Every strategy stays above its line C(n,k) - T/τ². Greedy votes are within a factor of 4 of it."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        lemma = Calculation(lemma_table, n=10, k=3, tau=(0.05, 0.1, 0.2, 0.3, 0.5), count=scale(10, 100, 1000))
        return {"lemma": lemma, "game": Calculation(game_table, n=10, k=3, tau=(0.1, 0.2), rounds=20)}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        game = e["game"]
        n, k = int(game.array("n")), int(game.array("k"))
        figure, grid = panels(1, 2, height=2.9, sharey=True)
        for ax, t in zip(grid[0], game.array("tau"), strict=True):
            rounds = np.arange(0)
            for name in strategies(n, float(t)):
                left = game.array(f"{name}/{t}")
                rounds = np.arange(left.size)
                ax.plot(rounds, left, ".-", ms=3, label=name)
            bound = [max(0.0, survivors_bound(n, k, float(t), int(i))) for i in rounds]
            ax.plot(rounds, bound, color="0.3", lw=1, ls="--", label="C(n,k) - T/τ²")
            ax.set(xlabel="queries T", title=f"tolerance τ = {t:g}", xticks=range(0, 21, 5))
        grid[0, 0].set(ylabel="3-subsets of 10 bits left")
        grid[0, 0].legend(loc=(0.35, 0.22))
        return figure
