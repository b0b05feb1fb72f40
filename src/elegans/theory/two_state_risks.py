"""Exact risks of counting predictors on two-state chains, flat or with a = b, for any context length, without sampling.

What the context x_1..x_t (say x_1 = 0) tells about (a, b) is how often it made each transition and where it ended. With
u = 1-a, v = 1-b and x_1 ~ π its probability is

    ∫∫ v/(u+v) (1-u)^{n00} u^{n01} v^{n10} (1-v)^{n11} du dv,

and the number of contexts with these counts is that of splitting the visits to each state into its runs,

    C(n00 + n10, n10) C(n11 + n01 - 1, n01 - 1)  if it ends in 0,    C(n00 + n10, n10) C(n11 + n10, n10)  if in 1.

For chains that stay with one probability a = b ~ U(0, 1) the integral is B(n00+n11+1, n01+n10+1) / 2, and the posterior
mean of a is (n00+n11+1)/(t+1): both in closed form, since π tells nothing there.

A risk is E KL(P_{x_t} || q) = E_x H(p_x, q_x) - E H(P_{x_t}), p_x being the exact posterior mean. So bigram minus exact
Bayes is E KL(p_x || q_x), the gap of Remark 8.1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from elegans.theory.markov import Floats, flat_nodes, kl, uniform_risk


@dataclass(frozen=True)
class Contexts:
    """All classes of equivalent contexts that begin with 0: counts (m,), last symbol, probability and exact posterior."""

    stay_first: Floats
    leave_first: Floats
    leave_second: Floats
    stay_second: Floats
    last: Floats
    probability: Floats  # of the class, given x_1 = 0; sums to one
    posterior: Floats  # (m, 2): the exact Bayes prediction


def contexts(t: int, nodes: int | None = None) -> Contexts:
    """The classes of contexts of length t with their probabilities, by quadrature on nodes x nodes points."""
    if t < 1:
        raise ValueError(f"t = {t}, but a context has at least one token; use t >= 1.")
    n00, n01, n10, n11 = _classes(t)
    last = n01 - n10
    u, w = flat_nodes(max(80 + t // 2, 140) if nodes is None else nodes)
    log_u, log_v, shift = _log_likelihood(n01, n00, u), _log_likelihood(n10, n11, u), _log_number(n00, n01, n10, n11)
    top = log_u.max(1) + log_v.max(1)
    row_u, row_v = _weighted(w, log_u), _weighted(w, log_v)
    kernel = u / (u + u[:, None])
    ends_second = last[:, None] == 1
    evidence = np.sum((row_u @ kernel) * row_v, 1)
    going_u, going_v = np.where(ends_second, row_u, row_u * (1 - u)), np.where(ends_second, row_v * u, row_v)
    to_first = np.sum((going_u @ kernel) * going_v, 1)
    p = to_first / evidence
    probability = 2 * evidence * np.exp(top + shift)  # x_1 = 0 has probability 1/2
    return Contexts(n00, n01, n10, n11, last, probability, np.stack([p, 1 - p], 1))


def equal_contexts(t: int) -> Contexts:
    """The same for chains with a = b ~ U(0, 1)."""
    n00, n01, n10, n11 = _classes(t)
    last, stay, leave = n01 - n10, n00 + n11 + 1, n01 + n10 + 1
    probability = np.exp(_log_number(n00, n01, n10, n11) + betaln(stay, leave))
    first = np.where(last == 0, stay, leave) / (stay + leave)
    return Contexts(n00, n01, n10, n11, last, probability, np.stack([first, 1 - first], 1))


def _classes(t: int) -> tuple[Floats, Floats, Floats, Floats]:
    """n00, n01, n10, n11 with sum t-1 and n01 - n10 in {0, 1}; symbol 1 is stayed in only if it is visited."""
    cells = [
        (n00, n10 + end, n10, t - 1 - n00 - 2 * n10 - end)
        for end in (0, 1)
        for n10 in range(t)
        for n00 in range(t - 2 * n10 - end)
    ]
    n00, n01, n10, n11 = np.array([c for c in cells if c[1] > 0 or c[3] == 0], np.float64).T
    return n00, n01, n10, n11


def _log_number(n00: Floats, n01: Floats, n10: Floats, n11: Floats) -> Floats:
    """Log of the number of contexts: runs of 0 are n10 + 1, runs of 1 are n01."""
    second = np.where(n01 > 0, _log_choose(n11 + n01 - 1, n01 - 1), 0.0)
    return _log_choose(n00 + n10, n10) + second


def _log_choose(n: Floats, k: Floats) -> Floats:
    n, k = np.maximum(n, 0), np.maximum(k, 0)
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _log_likelihood(leave: Floats, stay: Floats, u: Floats) -> Floats:
    return leave[:, None] * np.log(u) + stay[:, None] * np.log1p(-u)


def _weighted(w: Floats, log: Floats) -> Floats:
    """Likelihoods times quadrature weights, each row divided by its largest likelihood."""
    return w * np.exp(log - log.max(1, keepdims=True))


def unigram_prediction(c: Contexts) -> Floats:
    """Add-one frequencies of the symbols: (m, 2)."""
    zeros = 1 + c.stay_first + c.leave_second
    ones = c.leave_first + c.stay_second
    return _add_one(zeros, ones)


def bigram_prediction(c: Contexts) -> Floats:
    """Add-one frequencies of what followed the last symbol: (m, 2)."""
    second = c.last == 1
    return _add_one(np.where(second, c.leave_second, c.stay_first), np.where(second, c.stay_second, c.leave_first))


def uniform_prediction(c: Contexts) -> Floats:
    """One half for either symbol: (m, 2)."""
    return np.full((len(c.last), 2), 0.5)


def _add_one(zeros: Floats, ones: Floats) -> Floats:
    return np.stack([zeros + 1, ones + 1], 1) / (zeros + ones + 2)[:, None]


def risk(t: int, predict: Callable[[Contexts], Floats]) -> float:
    """E KL(P_{x_t} || prediction) for the flat prior and contexts of length t."""
    return cross_entropy(contexts(t), predict) - (math.log(2.0) - uniform_risk())


def equal_risk(t: int, predict: Callable[[Contexts], Floats]) -> float:
    """The same for a = b ~ U(0, 1), where E H(P_{x_t}) = 1/2."""
    return cross_entropy(equal_contexts(t), predict) - 0.5


def cross_entropy(c: Contexts, predict: Callable[[Contexts], Floats]) -> float:
    """E H(p_x, prediction) over contexts, p_x being the exact posterior mean."""
    return float(np.sum(c.probability * -np.sum(c.posterior * np.log(predict(c)), 1)))


def bayes_risk(t: int) -> float:
    """The same for the exact posterior mean: no predictor does better."""
    return risk(t, lambda c: c.posterior)


def bigram_gap(t: int) -> float:
    """E KL(exact Bayes || bigram), by which the bigram strategy misses the optimum (Remark 8.1)."""
    c = contexts(t)
    return float(np.sum(c.probability * kl(c.posterior, bigram_prediction(c))))
