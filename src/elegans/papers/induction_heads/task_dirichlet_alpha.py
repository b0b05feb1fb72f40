"""Chains with other concentrations: rows from Dir(α), sparse for small α and nearly uniform for large α.

E p_j = α_j/A,   E p_j² = α_j(α_j+1)/(A(A+1)),   E H = ψ(A+1) - Σ (α_j/A) ψ(α_j+1),   A = Σ α;   best counts start at α  (8.3)
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.deviations import MOST, WHY, farthest, standard_errors
from elegans.stats import Estimate
from elegans.tasks.markov import MarkovChains
from elegans.tasks.markov_priors import DirichletChains
from elegans.theory.chain_priors import dirichlet_entropy, dirichlet_second_moment
from elegans.theory.markov import Floats, entropy, kl
from elegans.theory.strategies import bigram, truth_oracle

SKEWED = (0.5, 1.0, 3.0)


def distances(P: Floats, alpha: np.ndarray) -> np.ndarray:
    """Distances of E p_j, E p_j² and E H over all rows of (n, k, k) from those of Dir(α)."""
    first, second = alpha / alpha.sum(), dirichlet_second_moment(alpha)
    parts = (P, np.tile(first, len(alpha))), (P**2, np.tile(second, len(alpha))), (entropy(P), dirichlet_entropy(alpha))
    return np.concatenate([standard_errors(values, expected) for values, expected in parts])


def table(alphas: tuple[float, ...], k: int, t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Moments for symmetric and for skewed α, and what counting from the right and from the wrong α costs."""
    batches = [MarkovChains(k, t, alpha).numpy(n, seed + i) for i, alpha in enumerate(alphas)]
    batches.append(DirichletChains(SKEWED, t).numpy(n, seed))
    laws = [np.full(k, alpha) for alpha in alphas] + [np.array(SKEWED)]
    P = [b.latent["P"].astype(np.float64) for b in batches]
    risks = [_risks(b.x, p, law) for b, p, law in zip(batches, P, laws, strict=True)]
    return {
        "n": np.array(n), "alphas": np.array(alphas),
        "moments": np.stack([distances(p, law) for p, law in zip(P, laws, strict=True)]),
        "moments_of_flat": np.stack([distances(p, np.ones(len(law))) for p, law in zip(P, laws, strict=True)]),
        "lost": np.array([[d.mean(), d.std(ddof=1) / n**0.5] for d, _ in risks]),
        "right": np.array([r for _, r in risks]),
    }  # fmt: skip


def _risks(x: np.ndarray, P: Floats, law: np.ndarray) -> tuple[np.ndarray, float]:
    """What add-one counts lose against counts that start at α, for each sequence, and the risk of the latter."""
    truth, k = truth_oracle(x, P), len(law)
    right, ones = kl(truth, bigram(x, k, law)), kl(truth, bigram(x, k))
    return ones - right, float(right.mean())


def loss_of_ones(e: Evidence) -> Estimate:
    """The smallest of the losses of add-one counts, in its standard errors."""
    value = float(np.min(e.array("lost")[:, 0] / e.array("lost")[:, 1]))
    return Estimate(value, value, value, int(e.array("n")), what="loss in standard errors")


class Concentrations(Experiment):
    """Sparse, nearly uniform and skewed rows."""

    id = "task-dirichlet-alpha"
    place = Place(PAPER, "section 8.2.1, α, and equation (8.3)")
    claims = (
        Claim("task-dirichlet-alpha", "rows have the first two moments and the entropy of Dir(α), for every α",
              expect=at_most(MOST), why=f"closed forms; {WHY}. The wrong variant expects flat rows",
              value=lambda e: farthest(e, "moments"), wrong=lambda e: farthest(e, "moments_of_flat")),
        Claim("task-dirichlet-alpha", "counting from α beats counting from one whenever α is not one", of="derived",
              expect=at_least(MOST), why=f"(8.3) is the posterior mean; paired differences. {WHY}",
              value=loss_of_ones),
    )  # fmt: skip
    given = {"α": "arbitrary; flat in all figures"}
    chosen = {
        "α": f"0.2, 0.5, 3 and 10 for every symbol, and {SKEWED}",
        "k, t": "3 and 40: a short context, so that the prior matters",
    }
    shows = (
        "Add-one counts (dots above the line) lose most where chains are sparse: they expect rows that do not occur."
    )

    def work(self, scale: Scale) -> Calculation:
        alphas = (0.2, 3.0, 0.5, 10.0)[: scale(2, 4, 4)]
        return Calculation(table, alphas=alphas, k=3, t=40, n=scale(2000, 20_000, 100_000), seed=0)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        right, (lost, error) = e.array("right"), e.array("lost").T
        names = [f"α = {a:g}" for a in e.array("alphas")] + [f"α = {SKEWED}"]
        order = np.argsort([*e.array("alphas"), np.inf])
        ax.bar(range(len(order)), right[order], color="C5", label="counts from α")
        ax.errorbar(
            range(len(order)),
            (right + lost)[order],
            2 * error[order],
            fmt="o",
            ms=4,
            color="C1",
            label="counts from one",
        )
        ax.set_xticks(range(len(order)), [names[i] for i in order])
        ax.set(ylabel="KL(truth ‖ prediction), nats")
        ax.legend()
        return figure
