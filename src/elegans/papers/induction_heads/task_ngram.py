"""n-grams: the law of a token depends on the n-1 tokens before it, and the sequence starts stationary.

x_s ~ P(. | x_{s-n+1}, ..., x_{s-1}),   rows from Dir(1, ..., 1);   n = 2 is the main task
"""

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
from elegans.tasks.ngrams import NGrams
from elegans.theory.markov import Floats, kl
from elegans.theory.strategies import mgram

STRATEGIES = 4  # uniform, unigram, bigram, trigram


def numbers(x: np.ndarray, k: int, m: int) -> np.ndarray:
    """Numbers in base k of the m tokens that end at each position from the m-th on: (n, t-m+1)."""
    windows = np.lib.stride_tricks.sliding_window_view(x, m, axis=1)
    return windows @ np.array([k ** (m - 1 - i) for i in range(m)])


def residuals(batch: Batch, k: int, order: int, table: Floats) -> np.ndarray:
    """Distances of Σ_s 1{tuple} (1{x_{s+1} = y} - table[tuple, y]) from zero, over all tuples and symbols."""
    m = order - 1
    tuples, following = numbers(batch.x, k, m), np.eye(k)[batch.y[:, m - 1 :]]
    S = np.eye(k**m)[tuples]
    seen, visits = np.einsum("nts,nty->nsy", S, following, optimize=True), S.sum(1)
    return standard_errors(seen - visits[..., None] * table)


def start(batch: Batch, k: int, order: int, law: Floats) -> np.ndarray:
    """Distances of E (1{tuple} - law) law from zero for the first, the middle and the last tuple."""
    tuples = numbers(batch.x, k, order - 1)
    S = np.eye(law.shape[1])[tuples[:, [0, tuples.shape[1] // 2, -1]]]
    return standard_errors((S - law[:, None]) * batch.latent["pi"][:, None])


def sampled(k: int, t: int, order: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Agreement with the table, the start, the case n = 2, and risks of the strategies."""
    batch = NGrams(k, t, order).numpy(n, seed)
    table, pi = (batch.latent[name].astype(np.float64) for name in ("table", "pi"))
    two, chain = NGrams(k, t, 2).numpy(500, seed), MarkovChains(k, t).numpy(500, seed)
    truth = table[np.arange(n), numbers(batch.x, k, order - 1)[:, -1]]
    answers = [np.full((n, k), 1 / k), *(mgram(batch.x, k, m) for m in range(1, STRATEGIES))]
    risks = np.array([kl(truth, a) for a in answers])
    return {
        "n": np.array(n), "follows": residuals(batch, k, order, table),
        "follows_reversed": residuals(batch, k, order, table.reshape(n, *[k] * order).swapaxes(1, 2).reshape(n, -1, k)),
        "start": start(batch, k, order, pi), "start_uniform": start(batch, k, order, np.full_like(pi, 1 / pi.shape[1])),
        "different": np.array(np.sum(two.x != chain.x)), "different_of_order_3": np.array(np.sum(batch.x[:500] != chain.x)),
        "risks": risks.mean(1), "errors": risks.std(1, ddof=1) / n**0.5,
    }  # fmt: skip


class Ngrams(Experiment):
    """Every tuple of tokens has its own law of the next token."""

    id = "task-ngram"
    place = Place(PAPER, "section 8.2.1 and section 8.3.3")
    claims = (
        Claim("task-ngram", "symbols follow tuples with the probabilities of the table", expect=at_most(MOST),
              why=f"sums over each sequence of 1[next = y] less its probability have mean zero; {WHY}. The wrong variant "
              "reads the two tokens of a tuple in the wrong order",
              value=lambda e: farthest(e, "follows"), wrong=lambda e: farthest(e, "follows_reversed")),
        Claim("task-ngram", "tuples have the stationary law of the lifted chain from the start", of="derived",
              expect=at_most(MOST), why=f"our choice of start; {WHY}. The wrong variant is a uniform tuple",
              value=lambda e: farthest(e, "start"), wrong=lambda e: farthest(e, "start_uniform")),
        Claim("task-ngram", "for n = 2 the sequences are those of the main task with the same key", of="derived",
              expect=at_most(0), why="the same streams; differing tokens are counted. Trigrams differ",
              value=lambda e: e.max("different"), wrong=lambda e: e.max("different_of_order_3")),
    )  # fmt: skip
    given = {"n": "3", "t": "200", "rows": "flat Dirichlet, one for every tuple of n-1 tokens"}
    chosen = {"k": "2, the smallest; not given", "start": "stationary law of tuples; not given"}
    shows = "Each strategy that looks one token further back is better; the trigram strategy is the last that helps."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(sampled, k=2, t=scale(100, 200, 200), order=3, n=scale(2000, 20_000, 100_000), seed=0)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(3.6, 2.8)
        ax.bar(range(STRATEGIES), e.array("risks"), yerr=2 * e.array("errors"), color="C5", ecolor="0.3")
        ax.set_xticks(range(STRATEGIES), ["uniform", "unigram", "bigram", "trigram"])
        ax.set(ylabel="KL(truth ‖ strategy), nats")
        return figure
