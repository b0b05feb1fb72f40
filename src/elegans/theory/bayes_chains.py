"""Exact Bayes prediction on chains with any number of symbols, up to Monte Carlo error: weights on posterior draws.

Without its start a context makes rows independent, P_i ~ Dir(c_i1 + α, ..., c_ik + α)      (8.1). The start x_1 ~ π
multiplies this by π_{x_1}(P), so

    E[P_{x_t} | x_1..x_t] = E[π_{x_1}(P) P_{x_t}] / E[π_{x_1}(P)]      over draws from the Dirichlet posterior.

Half of the weight can be taken exactly: the numerator is E π_{x_1} times the bigram prediction plus a covariance, and
only the covariance is estimated.
"""

import numpy as np

from elegans.theory.markov import Floats
from elegans.theory.strategies import Contexts, one_hot


def transition_counts(x: Contexts, k: int) -> Floats:
    """c[b, i, j], the number of transitions i -> j in each context: (B, k, k)."""
    E = one_hot(x, k)
    return np.einsum("bsi,bsj->bij", E[:, :-1], E[:, 1:])


def bayes_by_weights(x: Contexts, k: int, draws: int, seed: int, alpha: float = 1.0) -> Floats:
    """E[P[x_t, :] | x_1..x_t] for rows from Dir(α, ..., α) and x_1 ~ π: (B, k), with an error of order 1/sqrt(draws)."""
    if draws < 2 or alpha <= 0:
        raise ValueError(f"draws = {draws}, alpha = {alpha}: a weighted mean needs two or more draws, and alpha > 0.")
    rng, out = np.random.default_rng(seed), np.zeros((len(x), k))
    for b, posterior in enumerate(transition_counts(x, k) + alpha):
        P = rng.standard_gamma(posterior, (draws, k, k))
        P /= P.sum(-1, keepdims=True)
        weight = stationary_by_solving(P)[:, x[b, 0]]
        row, exact = P[:, x[b, -1]], posterior[x[b, -1]] / posterior[x[b, -1]].sum()
        out[b] = exact + (weight - weight.mean()) @ (row - exact) / weight.sum()
    return out


def stationary_by_solving(P: Floats) -> Floats:
    """π (..., k) of chains whose entries are all positive, without the checks of `markov.stationary`."""
    k = P.shape[-1]
    system: Floats = np.swapaxes(np.eye(k) - P + 1.0 / k, -1, -2)
    ones: Floats = np.ones((*P.shape[:-1], 1))
    return np.linalg.solve(system, ones)[..., 0] / k
