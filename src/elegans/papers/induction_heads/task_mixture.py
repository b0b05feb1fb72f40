"""Doubly stochastic chains mixed with independent tokens: a sequence is of one kind or of the other.

with probability q: columns of P sum to one, π uniform        with probability 1-q: every row of P is π
"""

import numpy as np

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, wilson
from elegans.tasks.base import Batch
from elegans.tasks.markov_priors import DoublyStochasticChains, IndependentTokens, MixedChains
from elegans.theory.markov import kl
from elegans.theory.strategies import bigram, truth_oracle, unigram

Q, K, T = 0.3, 3, 50


def mixed(k: int, t: int, q: float, n: int, seed: int) -> dict[str, np.ndarray]:
    """Which sequences are of which kind, what breaks the kind's law, and how they compare with the pure tasks."""
    batch = MixedChains(k, t, q).numpy(n, seed)
    doubly, P, pi = batch.latent["doubly"], batch.latent["P"].astype(np.float64), batch.latent["pi"]
    columns, rows = np.abs(P.sum(1) - 1).max(-1), np.abs(P - pi[:, None]).max((1, 2))
    pure = {
        kind: task.numpy(n, seed)
        for kind, task in ((True, DoublyStochasticChains(k, t)), (False, IndependentTokens(k, t)))
    }
    truth = truth_oracle(batch.x, P)
    risks = [kl(truth, f(batch.x, k))[doubly == kind].mean() for f in (unigram, bigram) for kind in (True, False)]
    return {
        "doubly": np.array(doubly.sum()), "n": np.array(n),
        "law": np.where(doubly, columns, rows).max(), "law_of_other": np.where(doubly, rows, columns).max(),
        "different": np.array(sum(_different(batch, pure[kind], doubly == kind) for kind in (True, False))),
        "different_exchanged": np.array(sum(_different(batch, pure[not kind], doubly == kind) for kind in (True, False))),
        "risks": np.array(risks),
    }  # fmt: skip


def _different(a: Batch, b: Batch, where: np.ndarray) -> int:
    """Chosen sequences whose tokens differ in two samples from the same key."""
    return int((a.x[where] != b.x[where]).any(1).sum())


def share(e: Evidence) -> Estimate:
    """Share of doubly stochastic sequences, with an interval that is right in all but one of 10⁶ samples."""
    return wilson(int(e.array("doubly")), int(e.array("n")), level=1 - 1e-6)


class Mixture(Experiment):
    """One kind of sequence or the other, and the latent says which."""

    id = "task-mixture"
    place = Place(PAPER, "figure 8.4 (a)")
    claims = (
        Claim("task-mixture", "a share q = 0.3 of the sequences is doubly stochastic", expect=near(Q, 0.15),
              why="binomial; the interval misses the truth once in 10⁶, and is narrower than half of the bound from 2000 "
              "sequences on. The wrong variant counts the others",
              value=share, wrong=lambda e: share(e).through(lambda s: 1 - s)),
        Claim("task-mixture", "sequences of either kind have the matrix of their kind", expect=at_most(2e-6),
              why="columns that sum to one, or rows that are equal, in single precision",
              value=lambda e: e.max("law"), wrong=lambda e: e.max("law_of_other")),
        Claim("task-mixture", "sequences of either kind are those of the pure task with the same key", of="derived",
              expect=at_most(0), why="the three tasks share their streams; sequences with another token are counted",
              value=lambda e: e.max("different"), wrong=lambda e: e.max("different_exchanged")),
    )  # fmt: skip
    given = {"parts": "doubly stochastic chains, and independent tokens"}
    chosen = {
        "q": "0.3 here, so that the parts cannot be exchanged unnoticed; 1/2 in figure 8.4 (a)",
        "k, t": "3 and 50",
    }
    remarks = (
        "The mixing weight is not given. The caption of figure 8.4 (a) names two training distributions, doubly stochastic "
        "chains and their mixture with independent tokens; the text of the section says instead that one interpolates."
    )
    shows = (
        "Each strategy is good on one kind: what a network gains by counting symbols it gains on the other kind only."
    )

    def work(self, scale: Scale) -> Calculation:
        return Calculation(mixed, k=K, t=T, q=Q, n=scale(2000, 20_000, 100_000), seed=0)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        risks = e.array("risks").reshape(2, 2)
        for i, name in enumerate(("unigram strategy", "bigram strategy")):
            ax.bar(np.arange(2) + 0.36 * i, risks[i], width=0.34, label=name)
        ax.set_xticks([0.18, 1.18], ["doubly stochastic", "independent tokens"])
        ax.set(ylabel="KL(truth ‖ strategy), nats")
        ax.legend()
        return figure
