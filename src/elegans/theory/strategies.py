"""Reference predictors for in-context Markov chains: what a network that guesses, counts, or knows would answer.

A context is a row of x (B, t) with symbols 0..k-1; a strategy returns the probabilities (B, k) of the token after it:

    uniform 1/k;   unigram (n_y + 1) / (t + k);   bigram (c_{x_t y} + 1) / (N_{x_t} + k),                         (8.3)

n_y counting symbols and c_iy transitions i -> y inside the context. The m-gram counts what followed earlier occurrences
of the last m-1 tokens. Two oracles see the chain itself, and `bayes_two_states` is the exact posterior mean for k = 2:
it also uses that x_1 ~ π carries information about P (Remark 8.1), which the bigram strategy ignores.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elegans.theory.markov import Floats, flat_nodes, posterior_mean, stationary, transition_matrix

Contexts = NDArray[np.integer[Any]]


def one_hot(x: Contexts, k: int) -> Floats:
    """E (B, t, k) with E[b, s, i] = 1{x_s = i}, or ValueError if x is not a batch of contexts over 0..k-1."""
    if x.ndim != 2 or x.shape[1] < 1 or not np.issubdtype(x.dtype, np.integer):
        raise ValueError(
            f"x is {x.dtype}{x.shape}, but contexts are integers (B, t) with t >= 1; add or cast the axes."
        )
    if np.any(x < 0) or np.any(x >= k):
        raise ValueError(f"x has symbols {x.min()}..{x.max()}, but k = {k} allows 0..{k - 1}; relabel them or raise k.")
    return np.eye(k)[x]


def unigram_counts(x: Contexts, k: int) -> Floats:
    """n[b, p, i] = #{t' ≤ p: x_t' = i} for every position p: (B, t, k)."""
    return np.cumsum(one_hot(x, k), axis=1)


def bigram_counts(x: Contexts, k: int) -> Floats:
    """c[b, p, i] = #{2 ≤ t' ≤ p: x_{t'-1} = x_p, x_t' = i} for every position p: (B, t, k)."""
    E = one_hot(x, k)
    counts = np.zeros_like(E)
    for m in range(k):
        after_m = np.cumsum(E[:, 1:] * E[:, :-1, m, None], axis=1)
        counts[:, 1:] += E[:, 1:, m, None] * after_m
    return counts


def unigram_at_all_positions(x: Contexts, k: int) -> Floats:
    """Unigram prediction of x_{p+1} from x_1..x_p for every p: (B, t, k)."""
    return posterior_mean(unigram_counts(x, k))


def bigram_at_all_positions(x: Contexts, k: int, alpha: ArrayLike = 1.0) -> Floats:
    """Bigram prediction of x_{p+1} from x_1..x_p for every p, under rows from Dir(α): (B, t, k)."""
    return posterior_mean(bigram_counts(x, k), alpha)


def uniform(x: Contexts, k: int) -> Floats:
    """1/k for every symbol: (B, k)."""
    return np.full((one_hot(x, k).shape[0], k), 1.0 / k)


def mgram(x: Contexts, k: int, m: int, alpha: ArrayLike = 1.0) -> Floats:
    """Posterior mean from the symbols that followed earlier occurrences of the last m-1 tokens: (B, k).

    m = 1 is the unigram, m = 2 the bigram strategy; a context of fewer than m tokens has no such occurrence.
    """
    if m < 1:
        raise ValueError(f"m = {m}, but an m-gram has at least the predicted token; use m >= 1.")
    E, t = one_hot(x, k), x.shape[1]
    if t < m:
        return posterior_mean(np.zeros((x.shape[0], k)), alpha)
    windows = np.lib.stride_tricks.sliding_window_view(x, m, axis=1)
    match = np.all(windows[..., :-1] == x[:, None, t - m + 1 :], axis=-1)
    return posterior_mean(np.einsum("bs,bsk->bk", match.astype(np.float64), E[:, m - 1 :]), alpha)


def unigram(x: Contexts, k: int) -> Floats:
    """Add-one frequencies of the symbols: (B, k)."""
    return mgram(x, k, 1)


def bigram(x: Contexts, k: int, alpha: ArrayLike = 1.0) -> Floats:
    """Posterior mean (8.3) of the row of the current symbol: (B, k)."""
    return mgram(x, k, 2, alpha)


def truth_oracle(x: Contexts, P: ArrayLike) -> Floats:
    """The true conditional P[x_t, :], for one chain P (k, k) or a chain per context (B, k, k): (B, k)."""
    chain = transition_matrix(P)
    last = one_hot(x, chain.shape[-1])[:, -1]
    return np.einsum("bi,bij->bj", last, np.broadcast_to(chain, (len(last), *chain.shape[-2:])))


def stationary_oracle(x: Contexts, P: ArrayLike) -> Floats:
    """The true stationary distribution π, for one chain P (k, k) or a chain per context (B, k, k): (B, k)."""
    pi = stationary(P)
    return np.broadcast_to(pi, (one_hot(x, pi.shape[-1]).shape[0], pi.shape[-1])).copy()


def bayes_two_states(x: Contexts, n: int | None = None) -> Floats:
    """E[P[x_t, :] | x_1..x_t] for k = 2, flat prior and x_1 ~ π, by quadrature on n x n nodes: (B, 2).

    Symbols are named so that x_1 = 0, where π_0 = v / (u + v) with u = 1-a, v = 1-b. Apart from that kernel the
    posterior is a function of u times one of v, so the double sum is a matrix product. By default n grows with t.
    """
    first = one_hot(x, 2)[:, 0]
    y = x ^ x[:, :1]
    u, w = flat_nodes(80 + x.shape[1] // 2 if n is None else n)
    kernel = u / (u + u[:, None])
    stay_first, leave_first, leave_second, stay_second = _transitions(y)
    row_u = w * _likelihood(stay_first, leave_first, u)
    row_v = w * _likelihood(stay_second, leave_second, u)
    second = y[:, -1:] == 1
    evidence = np.sum((row_u @ kernel) * row_v, axis=1)
    to_first = np.sum((np.where(second, row_u, row_u * (1 - u)) @ kernel) * np.where(second, row_v * u, row_v), axis=1)
    p = (to_first / evidence)[:, None]
    return p * first + (1 - p) * (1 - first)


def _transitions(y: Contexts) -> list[Floats]:
    """Counts c_00, c_01, c_10, c_11 of the transitions in y (B, t), each (B, 1)."""
    pairs = one_hot(2 * y[:, :-1] + y[:, 1:], 4) if y.shape[1] > 1 else np.zeros((len(y), 1, 4))
    return list(np.moveaxis(pairs.sum(axis=1), -1, 0)[..., None])


def _likelihood(stay: Floats, leave: Floats, u: Floats) -> Floats:
    """u^leave (1-u)^stay at the nodes, each row divided by its maximum: (B, n)."""
    log = leave * np.log(u) + stay * np.log1p(-u)
    return np.exp(log - log.max(axis=1, keepdims=True))
