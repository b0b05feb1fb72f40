"""Doubly stochastic chains, uniform on the Birkhoff polytope: symbols are equally frequent whatever the chain is.

rows and columns of P sum to one,   π = (1/k, ..., 1/k),   vol = 1, 1/8, 11/11340 for k = 2, 3, 4 over the upper left block
"""

from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.deviations import MOST, WHY, farthest, standard_errors
from elegans.stats import Estimate, exact
from elegans.tasks.markov import MarkovChains
from elegans.tasks.markov_priors import DoublyStochasticChains
from elegans.theory.birkhoff import acceptance_of_block, acceptance_of_rows, moments
from elegans.theory.markov import Floats, kl
from elegans.theory.strategies import truth_oracle, uniform, unigram
from elegans.theory.two_state_risks import equal_risk, risk, uniform_prediction, unigram_prediction

STATED = {2: Fraction(1), 3: Fraction(1, 8), 4: Fraction(11, 11340)}


def volumes(k: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Acceptances by counting lattice points, exactly, and how far the stated ones are; and of blocks with rows alone."""
    rows = [Fraction(1, factorial(m - 1)) ** (m - 1) for m in k]  # every row of the block sums to at most one
    return {
        "k": np.array(k), "block": np.array([float(acceptance_of_block(m)) for m in k]),
        "rows": np.array([float(acceptance_of_rows(m)) for m in k]),
        "different": np.array([acceptance_of_block(m) != STATED[m] for m in k]),
        "different_without_columns": np.array([r != STATED[m] for r, m in zip(rows, k, strict=True)]),
    }  # fmt: skip


def second_moments(P: Floats) -> np.ndarray:
    """p_ij², p_ij p_il and p_ij p_ml for neighbouring cells, all positions: (n, 3 k²)."""
    right, down = np.roll(P, -1, 2), np.roll(np.roll(P, -1, 1), -1, 2)
    return np.concatenate([(P * other).reshape(len(P), -1) for other in (P, right, down)], 1)


def mixed_permutations(k: int, n: int, seed: int) -> Floats:
    """Flat mixtures of all permutation matrices: doubly stochastic, but for k > 2 not uniform."""
    matrices = np.array([np.eye(k)[list(p)] for p in permutations(range(k))])
    return np.einsum("np,pij->nij", np.random.default_rng(seed).dirichlet(np.ones(len(matrices)), n), matrices)


def sampled(k: tuple[int, ...], t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Invariants, second moments and risks for every k, with flat chains for comparison."""
    rows = [_sampled(m, t, n, seed) for m in k]
    return {key: np.concatenate([np.ravel(row[key]) for row in rows]) for key in rows[0]} | {
        "n": np.array(n),
        "k": np.array(k),
    }


def _sampled(k: int, t: int, n: int, seed: int) -> dict[str, Any]:
    batch, flat = DoublyStochasticChains(k, t).numpy(n, seed), MarkovChains(k, t).numpy(n, seed)
    P, Q = (b.latent["P"].astype(np.float64) for b in (batch, flat))
    law = moments(k)
    expected = np.repeat([float(law[name]) for name in ("p11 p11", "p11 p12", "p11 p22")], k * k)
    truth = truth_oracle(batch.x, P)
    lost = kl(truth, unigram(batch.x, k)) - kl(truth, uniform(batch.x, k))
    return {
        "sums": _sums(P), "sums_of_flat": _sums(Q), "smallest": P.min(), "pi": np.abs(batch.latent["pi"] - 1 / k).max(),
        "moments": standard_errors(second_moments(P), expected),
        "moments_of_mixtures": standard_errors(second_moments(mixed_permutations(k, n, seed)), expected),
        "places": _places(batch.x, P), "places_of_flat": _places(flat.x, Q),
        "lost": np.array([lost.mean(), lost.std(ddof=1) / n**0.5]), "risk": kl(truth, uniform(batch.x, k)).mean(),
        "histogram": np.histogram(P[:, 0, 0], 30, (0, 1))[0] * 30 / n,
    }  # fmt: skip


def _sums(P: Floats) -> float:
    return float(max(np.abs(P.sum(axis) - 1).max() for axis in (1, 2)))


def _places(x: np.ndarray, P: Floats) -> np.ndarray:
    """Uniformity of the first, the middle and the last token, weighed by the chance that the chain stays there."""
    k, t = P.shape[-1], x.shape[1]
    return standard_errors((np.eye(k)[x[:, [0, t // 2, t - 1]]] - 1 / k) * np.einsum("nii->ni", P)[:, None])


def risks(t: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Exact risks for two symbols, doubly stochastic and flat."""
    predictions = uniform_prediction, unigram_prediction
    equal, flat = (np.array([[f(s, p) for s in t] for p in predictions]) for f in (equal_risk, risk))
    return {"t": np.array(t), "gain": equal[0] - equal[1], "gain_of_flat": flat[0] - flat[1]}


def cost_of_counting(e: Evidence) -> Estimate:
    """The smallest loss of the unigram strategy against uniform guesses for k > 2, in its standard errors."""
    lost, error = e.array("lost").reshape(-1, 2)[e.array("k") > 2].T
    value = float((lost / error).min())
    return Estimate(value, value, value, int(e.array("n")), what="loss in standard errors")


class DoublyStochastic(Experiment):
    """No symbol is more frequent than another, so counting symbols is useless."""

    id = "task-doubly-stochastic"
    place = Place(PAPER, "section 8.3.1 and figure 8.4 (a)")
    claims = (
        Claim("task-doubly-stochastic", "a uniform block can be completed with probability 1, 1/8, 11/11340 for k = 2, 3, 4",
              of="derived", expect=at_most(0),
              why="volumes as leading coefficients of the number of magic squares, in exact fractions; without the "
              "condition on columns they are 1, 1/4, 1/216",
              value=lambda e: e["volumes"].max("different"), wrong=lambda e: e["volumes"].max("different_without_columns")),
        Claim("task-doubly-stochastic", "rows and columns of every sampled matrix sum to one", expect=at_most(2e-6),
              why="the definition, in single precision; flat chains miss it",
              value=lambda e: e["sampled"].max("sums"), wrong=lambda e: e["sampled"].max("sums_of_flat")),
        Claim("task-doubly-stochastic", "E p_ij², E p_ij p_il and E p_ij p_ml are those of the uniform law", of="derived",
              expect=at_most(MOST), why=f"exact fractions, such as 7/45 and 893/9680 for E p²; {WHY}. Flat "
              "mixtures of permutation matrices are doubly stochastic, too, but not uniform",
              value=lambda e: farthest(e["sampled"], "moments"), wrong=lambda e: farthest(e["sampled"], "moments_of_mixtures")),
        Claim("task-doubly-stochastic", "every token is uniform, whatever the chain", expect=at_most(MOST),
              why=f"π = (1/k, ..., 1/k); {WHY}. Weighed by p_ii: flat chains are more often where they stay longer",
              value=lambda e: farthest(e["sampled"], "places"), wrong=lambda e: farthest(e["sampled"], "places_of_flat")),
        Claim("task-doubly-stochastic", "for three and four symbols the unigram strategy is worse than uniform guesses",
              expect=at_least(MOST),
              why="counts carry no signal but noise; paired differences in standard errors, the smaller of the two",
              value=lambda e: cost_of_counting(e["sampled"])),
        Claim("task-doubly-stochastic", "for two symbols it is better, but from t = 100 on by less than 0.001 nats",
              of="corrected", expect=between(1e-5, 1e-3),
              why="exact risks: recent tokens are among those that are counted, and they do tell about the current row. "
              "Flat chains have a unigram signal of 0.12 nats",
              value=lambda e: exact(float(e["risks"].array("gain")[0]), "gain at t = 100"),
              wrong=lambda e: exact(float(e["risks"].array("gain_of_flat")[0]), "gain at t = 100")),
    )  # fmt: skip
    chosen = {
        "sampler": "k-1 rows from the simplex, the last completes the columns, repeated until it is not negative: exact, "
        "and 216 times as many are accepted at k = 4 as with a block of uniform numbers",
        "k": "2, 3 and 4 (the figure has 4); five symbols and more are refused",
    }
    remarks = (
        "No unigram signal does not mean that counting symbols is useless: with two symbols it gains 0.0003 nats at t = 100 "
        "and 0.008 at t = 10, because a chain that stays makes the current symbol frequent in a short context."
    )
    shows = "The law of one entry: uniform for two symbols, and the closer to zero the more symbols there are."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        n = scale(2000, 20_000, 100_000)
        return {
            "risks": Calculation(risks, t=(100, 200, 10)),
            "volumes": Calculation(volumes, k=(2, 3, 4)),
            "sampled": Calculation(sampled, k=(4, 2, 3)[: scale(1, 3, 3)], t=50, n=n, seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        s = e["sampled"]
        for k, heights in sorted(zip(s.array("k").tolist(), s.array("histogram").reshape(-1, 30), strict=True)):
            ax.stairs(heights, np.linspace(0, 1, 31), lw=1.4, label=f"k = {k}")
            ax.axvline(1 / k, color="0.6", lw=0.6, ls=":")
        ax.set(xlabel="an entry of P", ylabel="density", xlim=(0, 1))
        ax.legend()
        return figure
