"""From a weak classifier to S: accuracy 1/2 + ε is a Fourier coefficient of 2ε, and the largest one.

Pr[h = χ_S] = 1/2 + ε   <=>   ĥ(S) = 2ε        wrong sets reach about √(2 log 2^n / 2^n) if errors are random
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.learners.fourier_extract import extract
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, wilson
from elegans.theory import boolean

Arrays = dict[str, np.ndarray]
EPSILONS = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)


def weak_classifier(n: int, S: tuple[int, ...], epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """χ_S with its sign changed at a random share 1/2 - ε of the points, rounded to whole points."""
    h = boolean.character(n, S).astype(np.float64)
    h[rng.permutation(h.size)[: round(h.size * (0.5 - epsilon))]] *= -1
    return h


def extraction_table(n: tuple[int, ...], k: int, epsilon: tuple[float, ...], trials: int) -> Arrays:
    """Successes of the argmax by n (rows) and ε (columns), and distances of ĥ(S) from 2ε, where ε is read off h."""
    rng, right, error, half = np.random.default_rng(0), np.zeros((len(n), len(epsilon)), int), [0.0], [0.0]
    lower = np.zeros_like(right)
    for place in np.ndindex(right.shape):
        size = n[place[0]]
        for _ in range(trials):
            S = tuple(sorted(rng.choice(size, k, replace=False).tolist()))
            h = weak_classifier(size, S, epsilon[place[1]], rng)
            advantage = float((h == boolean.character(size, S)).mean()) - 0.5
            error.append(abs(boolean.coefficient(h, S) - 2 * advantage))
            half.append(abs(boolean.coefficient(h, S) - advantage))
            right[place] += extract(h) == S
            lower[place] += extract(h, k - 1) == S
    found = {
        "right": right,
        "right_one_degree_lower": lower,
        "error": np.array(max(error)),
        "error_epsilon": np.array(max(half)),
    }
    return {"n": np.array(n), "epsilon": np.array(epsilon), "trials": np.array(trials), **found}


def recovered(e: Evidence, name: str) -> Estimate:
    """Share of extractions that give S, over the cells in which 2ε is twice what wrong sets reach."""
    enough = 2 * e.array("epsilon")[None] >= 2 * reach(e.array("n"))[:, None]
    return wilson(int(e.array(name)[enough].sum()), int(enough.sum() * e.array("trials")))


def reach(n: np.ndarray) -> np.ndarray:
    """√(2 log 2^n / 2^n): the largest of 2^n coefficients of a random function."""
    return np.sqrt(2 * n * np.log(2) / 2.0**n)


class WeakToStrong(Experiment):
    """A classifier a little better than a coin gives S away."""

    id = "learner-fourier-extract"
    place = Place(PAPER, "section 5.2, remark on weak learners")
    claims = (
        Claim(
            "learner-fourier-extract",
            "a classifier with accuracy 1/2 + ε has ĥ(S) = 2ε",
            expect=at_most(1e-12),
            why="ĥ(S) = Pr[h = χ_S] - Pr[h ≠ χ_S]; over all classifiers of the table, by enumeration",
            value=lambda e: e.max("error"),
            wrong=lambda e: e.max("error_epsilon"),
        ),
        Claim(
            "learner-fourier-extract",
            "the largest coefficient is at S wherever 2ε is twice what wrong sets reach",
            of="derived",
            expect=at_least(0.95),
            why="a union bound over 2^n sets leaves a failure probability below 2^{1-3n}; 100 trials that succeed show 96 %",
            value=lambda e: recovered(e, "right"),
            wrong=lambda e: recovered(e, "right_one_degree_lower"),
        ),
    )
    chosen = {
        "n, k": "8, 11, 14 with k = 3: small enough for one Walsh-Hadamard transform",
        "errors": "at random points",
    }
    shows = "Success jumps from 0 to 1 where 2ε passes the largest coefficient of a random function (dotted)."

    def work(self, scale: Scale) -> Calculation:
        n, trials = scale((8, 11), (8, 11, 14), (8, 11, 14, 17)), scale(60, 100, 1000)
        return Calculation(extraction_table, n=n, k=3, epsilon=EPSILONS, trials=trials)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import COLOURS, axes

        figure, ax = axes()
        trials, epsilon = int(e.array("trials")), e.array("epsilon")
        for n, right, colour in zip(e.array("n"), e.array("right"), COLOURS, strict=False):
            found = [wilson(int(r), trials) for r in right]
            ends = [[abs(getattr(f, end) - f.value) for f in found] for end in ("low", "high")]
            ax.errorbar(epsilon, [f.value for f in found], ends, fmt="o-", ms=3, color=colour, label=f"n = {n}")
            ax.axvline(reach(n) / 2, color=colour, lw=0.8, ls=":")
        ax.plot([], [], color="0.3", lw=0.8, ls=":", label="2ε = √(2 log 2ⁿ / 2ⁿ)")
        ax.set(xlabel="advantage ε of the classifier", ylabel=f"share of {trials} that give S", xscale="log")
        ax.legend()
        return figure
