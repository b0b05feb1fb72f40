"""Remark 8.1: the bigram strategy is not exact Bayes, because the first token is a sign of the chain; the gap vanishes.

E KL(truth ‖ bigram) - E KL(truth ‖ Bayes) = E KL(Bayes ‖ bigram) → 0;   for two flat symbols all three are exact sums
"""

import numpy as np

from elegans.claims.claim import Claim, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.deviations import MOST, WHY, farthest, standard_errors
from elegans.stats import Estimate, exact, power_law
from elegans.tasks.markov import MarkovChains
from elegans.theory.bayes_chains import bayes_by_weights
from elegans.theory.markov import kl
from elegans.theory.strategies import bayes_two_states, bigram
from elegans.theory.two_state_risks import bayes_risk, bigram_gap, bigram_prediction, risk, unigram_prediction

STATED = {3: 0.0114, 5: 0.0073, 10: 0.0031, 20: 0.0011, 50: 0.00026, 100: 0.00008}


def exact_gaps(t: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Gaps and risks for two symbols by summation over classes of contexts."""
    gap = np.array([bigram_gap(s) for s in t])
    bayes, bigrams, unigrams = (np.array([f(s) for s in t]) for f in (bayes_risk, _bigrams, _unigrams))
    return {
        "t": np.array(t), "gap": gap, "bayes": bayes, "gap_of_unigram": unigrams - bayes,
        "identity": np.abs(bigrams - bayes - gap), "identity_of_unigram": np.abs(unigrams - bayes - gap),
    }  # fmt: skip


def _bigrams(t: int) -> float:
    return risk(t, bigram_prediction)


def _unigrams(t: int) -> float:
    return risk(t, unigram_prediction)


def sampled_gaps(k: tuple[int, ...], t: tuple[int, ...], n: int, draws: int, seed: int) -> dict[str, np.ndarray]:
    """Sampled gaps: for two symbols by quadrature of each context, else by weighted draws from its posterior."""
    table = np.array([[_gap(m, s, n, draws, seed) for s in t] for m in k])
    first = MarkovChains(2, t[0]).numpy(4 * n, seed + 1)
    gaps = kl(bayes_two_states(first.x), bigram(first.x, 2))
    return {
        "k": np.array(k), "t": np.array(t), "gap": table[..., 0], "error": table[..., 1], "n": np.array(4 * n),
        "distance": standard_errors(gaps, bigram_gap(t[0])), "distance_of_double": standard_errors(gaps, bigram_gap(2 * t[0])),
    }  # fmt: skip


def _gap(k: int, t: int, n: int, draws: int, seed: int) -> tuple[float, float]:
    x = MarkovChains(k, t).numpy(n, seed).x
    gaps = kl(bayes_by_weights(x, k, draws, seed), bigram(x, k))
    return float(gaps.mean()), float(gaps.std(ddof=1) / n**0.5)


def off_the_table(e: Evidence) -> Estimate:
    """Largest relative distance of the exact gaps from the sampled ones of the specification."""
    t, gap = e.array("t").tolist(), e.array("gap")
    away = [abs(float(gap[t.index(s)]) / told - 1) for s, told in STATED.items() if s in t]
    return exact(max(away), "relative distance")


def exponent(e: Evidence) -> Estimate:
    """The exponent of the gap in t, from t = 10 on; the points are exact, so the largest and smallest local slopes."""
    far = e.array("t") >= 10
    u, v = np.log(e.array("t")[far]), np.log(e.array("gap")[far])
    slopes = np.diff(v) / np.diff(u)
    return Estimate(power_law(np.exp(u), np.exp(v)).exponent.value, slopes.min(), slopes.max(), 0, what="exponent")


def increments(e: Evidence, of: str) -> Estimate:
    """The largest step of a column from one t to the next: negative if it decreases throughout."""
    return exact(float(np.diff(e.array(of)).max()), f"largest step of {of}")


def drop(e: Evidence) -> Estimate:
    """For more than two symbols: largest ratio of the gap at the longest to that at the shortest context."""
    gap, error = e.array("gap"), e.array("error")
    ratio, spread = gap[:, -1] / gap[:, 0], 2 * (error[:, -1] / gap[:, 0] + error[:, 0] * gap[:, -1] / gap[:, 0] ** 2)
    i = int(np.argmax(ratio + spread))
    return Estimate(ratio[i], ratio[i] - spread[i], ratio[i] + spread[i], int(e.array("n")), what="ratio of gaps")


class BigramGap(Experiment):
    """The gap between bigrams and exact Bayes vanishes like t^-1.6."""

    id = "remark-8.1"
    place = Place(PAPER, "remark 8.1")
    claims = (
        Claim("remark-8.1", "two symbols: the gap decreases with every token of context", expect=at_most(-1e-12),
              why="the information in one token is soon outweighed; exact sums. What unigrams miss does not decrease",
              value=lambda e: increments(e["exact"], "gap"), wrong=lambda e: increments(e["exact"], "gap_of_unigram")),
        Claim("remark-8.1", "two symbols: the gap falls faster than 1/t and not faster than 1/t²", of="derived",
              expect=between(-2, -1), why="specification 4.1; all slopes between neighbouring t from 10 on",
              value=lambda e: exponent(e["exact"])),
        Claim("remark-8.1", "two symbols: below 0.0005 nats at t = 50", of="derived", expect=at_most(5e-4),
              why="specification 4.1; exact",
              value=lambda e: exact(float(e["exact"].array("gap")[e["exact"].array("t") == 50][0]), "gap at t = 50")),
        Claim("remark-8.1", "two symbols: the gaps of the specification's table", of="derived", expect=at_most(0.15),
              why="sampled values against exact ones; those of t = 50 and 100 are given to one or two digits",
              value=lambda e: off_the_table(e["exact"])),
        Claim("remark-8.1", "risk of bigrams less risk of Bayes is E KL(Bayes ‖ bigram)", of="derived", expect=at_most(1e-9),
              why="the posterior mean averages log-ratios; all three by summation. Unigrams have another risk",
              value=lambda e: e["exact"].max("identity"), wrong=lambda e: e["exact"].max("identity_of_unigram")),
        Claim("remark-8.1", "sampled sequences of the main task have the exact gap", of="derived", expect=at_most(MOST),
              why=f"so the start of the task is stationary; {WHY}. Twice the context has another gap",
              value=lambda e: farthest(e["sampled"], "distance"), wrong=lambda e: farthest(e["sampled"], "distance_of_double")),
        Claim("remark-8.1", "three symbols and more: from t = 5 to t = 40 the gap falls to less than a third", of="derived",
              expect=at_most(1 / 3), why="a slope of -1/2 would give 0.35; exact Bayes from "
              "weighted draws of the posterior, whose noise adds to the gap",
              value=lambda e: drop(e["sampled"])),
    )  # fmt: skip
    chosen = {
        "exact Bayes": "k = 2: sums over all classes of contexts; k > 2: Dirichlet posterior draws weighted by π(x_1)"
    }
    shows = (
        "The information that the first token gives about the chain is worth 0.01 nats at the start and nothing later."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        t = (3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200)
        return {
            "exact": Calculation(exact_gaps, t=t[: scale(8, 10, 12)]),
            "sampled": Calculation(
                sampled_gaps, k=(3, 5)[: scale(1, 2, 2)], t=(5, 40), n=scale(300, 1500, 6000), draws=scale(500, 4000, 16_000),
                seed=0,
            ),
        }  # fmt: skip

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        part = e["exact"]
        ax.loglog(part.array("t"), part.array("gap"), "o-", ms=4, label="k = 2, exact")
        told = [s for s in STATED if s <= part.array("t").max()]
        ax.loglog(told, [STATED[s] for s in told], "x", color="0.2", label="k = 2, specification (sampled)")
        s = e["sampled"]
        for k, gap, error in zip(s.array("k"), s.array("gap"), s.array("error"), strict=True):
            ax.errorbar(s.array("t"), gap, 2 * error, fmt="s--", ms=4, lw=1, label=f"k = {k}, weighted draws")
        ax.loglog(part.array("t"), part.array("bayes"), color="0.6", lw=1, label="k = 2, risk of exact Bayes")
        ax.set(xlabel="tokens of context", ylabel="KL(Bayes ‖ bigram), nats")
        ax.legend()
        return figure
