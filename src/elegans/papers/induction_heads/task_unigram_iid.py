"""Independent tokens: every row of the chain is the same, so counting symbols is all that can be done.

P = 1 rᵀ,   π = r,   λ = 0,   E[r_y | x_1..x_t] = (n_y + 1)/(t + k) exactly,   E KL(r ‖ that) = add-one risk of t draws
"""

from itertools import product
from typing import Any

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.deviations import MOST, WHY, farthest, standard_errors
from elegans.tasks.base import Batch
from elegans.tasks.markov import MarkovChains
from elegans.tasks.markov_priors import IndependentTokens
from elegans.theory.markov import add_one_risk, kl
from elegans.theory.strategies import bigram, truth_oracle, unigram

NODES = 60


def posterior(t: int) -> dict[str, np.ndarray]:
    """The task's prediction for all 2^t contexts of two symbols, against an integral over r; and the bigram strategy."""
    x = np.array(list(product((0, 1), repeat=t)), np.int32)
    nodes, w = np.polynomial.legendre.leggauss(NODES)
    r, zeros = (nodes + 1) / 2, (x == 0).sum(1)[:, None]
    likelihood = w * r**zeros * (1 - r) ** (t - zeros)
    first = likelihood @ r / likelihood.sum(1)
    expected = np.stack([first, 1 - first], 1)
    answer = np.asarray(IndependentTokens(2, t).bayes(Batch(x, ())), np.float64)[:, -1]
    return {"error": np.abs(answer - expected), "error_of_bigram": np.abs(bigram(x, 2) - expected)}


def sampled(k: tuple[int, ...], t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Rows, stationary laws and risks of sampled sequences, with flat chains for comparison."""
    rows = [_sampled(m, t, n, seed) for m in k]
    return {key: np.concatenate([np.ravel(row[key]) for row in rows]) for key in rows[0]} | {
        "n": np.array(n),
        "k": np.array(k),
    }


def _sampled(k: int, t: int, n: int, seed: int) -> dict[str, Any]:
    batch, flat = (task.numpy(n, seed) for task in (IndependentTokens(k, t), MarkovChains(k, t)))
    truth, of_flat = (truth_oracle(b.x, b.latent["P"]) for b in (batch, flat))
    risks = kl(truth, unigram(batch.x, k))
    counted, told = np.stack([risks, kl(truth, bigram(batch.x, k))]).mean(1), add_one_risk(t, k)
    return {
        "rows": _rows(batch), "rows_of_flat": _rows(flat), "exact": told, "risks": counted,
        "distance": standard_errors(risks, told), "distance_of_flat": standard_errors(kl(of_flat, unigram(flat.x, k)), told),
    }  # fmt: skip


def _rows(batch: Batch) -> np.ndarray:
    """Largest difference between a row of P and the stationary law."""
    return np.abs(batch.latent["P"] - batch.latent["pi"][:, None]).max()


class Independent(Experiment):
    """Without a bigram signal the unigram strategy is exactly optimal."""

    id = "task-unigram-iid"
    place = Place(PAPER, "section 8.3.1 and figures 8.4 (a), E.6")
    claims = (
        Claim("task-unigram-iid", "every row of P is the stationary law", expect=at_most(0),
              why="P = 1 rᵀ; rows of flat chains differ",
              value=lambda e: e["sampled"].max("rows"), wrong=lambda e: e["sampled"].max("rows_of_flat")),
        Claim("task-unigram-iid", "add-one frequencies are the exact posterior mean, for all 256 contexts of 8 tokens",
              of="derived", expect=at_most(1e-6),
              why="an integral over r, exact up to the single precision of the task; bigram counts are not",
              value=lambda e: e["posterior"].max("error"), wrong=lambda e: e["posterior"].max("error_of_bigram")),
        Claim("task-unigram-iid", "the unigram strategy has the risk of add-one smoothing after t draws", of="derived",
              expect=at_most(MOST), why=f"a finite sum over counts, 0.0048, 0.0096, 0.0142 for k = 2, 3, 4 at t = 100; {WHY}. "
              "On flat chains its risk is ten times larger",
              value=lambda e: farthest(e["sampled"], "distance"), wrong=lambda e: farthest(e["sampled"], "distance_of_flat")),
    )  # fmt: skip
    given = {"law": "every token from a distribution that is drawn once per sequence"}
    chosen = {"r": "flat Dirichlet, like the rows of the main task", "k, t": "2, 3 and 4 symbols, 100 tokens"}
    shows = "Bigram counts spread the same tokens over k rows, so they cost about k times as much."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        n = scale(2000, 20_000, 100_000)
        return {
            "posterior": Calculation(posterior, t=8),
            "sampled": Calculation(sampled, k=(2, 3, 4)[: scale(1, 3, 3)], t=100, n=n, seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        s = e["sampled"]
        k, (unigrams, bigrams) = s.array("k"), s.array("risks").reshape(-1, 2).T
        ax.plot(k, unigrams, "o", label="unigram strategy")
        ax.plot(k, s.array("exact"), "_", ms=18, color="0.3", label="exact: add-one risk of 100 draws")
        ax.plot(k, bigrams, "s", label="bigram strategy")
        ax.set(xlabel="symbols", ylabel="KL(truth ‖ strategy), nats", ylim=(0, None), xticks=k)
        ax.legend()
        return figure
