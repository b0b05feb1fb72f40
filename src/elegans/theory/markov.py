"""Finite Markov chains with a random transition matrix: what a sequence task can know before anything is trained.

A chain is a matrix P (k, k) whose rows sum to one; it starts in its stationary row vector, π P = π. The flat prior
draws every row uniformly from the simplex, which for k = 2 means a, b ~ U(0, 1) in

    P = [[a, 1-a], [1-b, b]],   λ = a + b - 1,   π = (1-b, 1-a) / (2-a-b),                 (E.14)
    (P^n)_ij = (β_ij λ^n + γ_ij) / (λ - 1).                                                     (E.15)

Averages over that prior are integrals over the unit square and are computed here by quadrature, not by sampling.
All logarithms are natural, so every risk is in nats.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MEAN_SQUARED_PI = 2.0 - math.log(4.0)
"""E[π_1^2 + π_2^2] for k = 2 under the flat prior: the chance that two far tokens of one sequence agree."""

ROW_SUM_TOLERANCE = 1e-6  # matrices sampled in float32 are welcome
LARGEST_CONDITION = 1e13


def transition_matrix(P: ArrayLike) -> Floats:
    """P (..., k, k) as float64, or ValueError if it is not row-stochastic."""
    chain = np.asarray(P, np.float64)
    if chain.ndim < 2 or chain.shape[-1] != chain.shape[-2]:
        raise ValueError(f"P has shape {chain.shape}, but a transition matrix is square; pass an array (..., k, k).")
    worst = float(np.max(np.abs(chain.sum(-1) - 1.0), initial=0.0))
    if not (worst <= ROW_SUM_TOLERANCE and np.all(chain >= 0)):
        raise ValueError(
            f"P has smallest entry {chain.min()} and a row sum off by {worst}, but rows are probabilities; "
            "divide non-negative rows by their sums."
        )
    return chain


def stationary(P: ArrayLike) -> Floats:
    """π (..., k) with π P = π and Σ π = 1, for P (..., k, k).

    With J all ones, π J is the row of ones, so π solves π (I - P + J/k) = 1/k.
    """
    chain = transition_matrix(P)
    k = chain.shape[-1]
    system: Floats = np.eye(k) - chain + 1.0 / k
    if np.any(np.linalg.cond(system) > LARGEST_CONDITION):
        raise ValueError("P has more than one stationary distribution, so π is undefined; let its classes communicate.")
    return np.linalg.inv(system).mean(axis=-2)


def entropy(p: ArrayLike) -> Floats:
    """H(p) = -Σ_i p_i log p_i over the last axis, with 0 log 0 = 0: (..., k) -> (...)."""
    p = np.asarray(p, np.float64)
    return -np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=-1)


def kl(p: ArrayLike, q: ArrayLike) -> Floats:
    """KL(p || q) = Σ_i p_i log(p_i / q_i) over the last axis; infinite where q excludes what p allows."""
    p, q = np.broadcast_arrays(np.asarray(p, np.float64), np.asarray(q, np.float64))
    with np.errstate(divide="ignore"):
        cross = -np.sum(p * np.log(np.where(p > 0, q, 1.0)), axis=-1)
    return cross - entropy(p)


def two_state(a: ArrayLike, b: ArrayLike) -> Floats:
    """P (..., 2, 2) of (E.14) from the probabilities a, b (...) of staying in the first and the second state."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    return np.stack([np.stack([a, 1 - a], -1), np.stack([1 - b, b], -1)], -2)


def two_state_power(a: ArrayLike, b: ArrayLike, n: int) -> Floats:
    """P^n (..., 2, 2) by the closed form (E.15)."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    if n < 0:
        raise ValueError(f"n = {n} is negative, but (E.15) is a power of a matrix that may be singular; use n >= 0.")
    if np.any(a + b >= 2):
        raise ValueError(
            "a = b = 1 makes lambda = 1, where (E.15) divides by zero; there P is the identity, and so is P^n."
        )
    beta = np.stack([np.stack([a - 1, 1 - a], -1), np.stack([1 - b, b - 1], -1)], -2)
    gamma = np.stack([np.stack([b - 1, a - 1], -1)] * 2, -2)
    lam = (a + b - 1)[..., None, None]
    return (beta * lam**n + gamma) / (lam - 1)


def flat_nodes(n: int = 80) -> tuple[Floats, Floats]:
    """Nodes u (n,) and weights w (n,) with Σ_i w_i f(u_i) = ∫_0^1 f, for f with mild end-point singularities.

    Gauss-Legendre in s after u = s^2 (3 - 2s): the map is flat at both ends, which tames x log x there and, in a
    product rule, the corner a = b = 1 where π is discontinuous.
    """
    if n < 1:
        raise ValueError(f"n = {n} nodes cannot carry a quadrature rule; use n >= 1 (80 reach ten digits).")
    x, w = np.polynomial.legendre.leggauss(n)
    s = (x + 1) / 2
    return s**2 * (3 - 2 * s), 3 * w * s * (1 - s)


def flat_mean(f: Callable[[Floats, Floats], Floats], n: int = 80) -> Floats:
    """E f(a, b) for a, b ~ U(0, 1), where f maps a (n*n,), b (n*n,) to (n*n, ...)."""
    u, w = flat_nodes(n)
    a, b = np.meshgrid(1 - u, 1 - u, indexing="ij")
    return np.tensordot(np.outer(w, w).ravel(), f(a.ravel(), b.ravel()), axes=1)


def uniform_risk(n: int = 160) -> float:
    """E KL(P_x || 1/2), x ~ π, for k = 2 and the flat prior: 0.2122579."""
    return math.log(2.0) - float(flat_mean(lambda a, b: _entropy_rate(two_state(a, b)), n))


def stationary_risk(n: int = 160) -> float:
    """E KL(P_x || π), x ~ π, for k = 2 and the flat prior: 0.0829381. No predictor blind to order does better."""
    return float(flat_mean(lambda a, b: entropy(stationary(two_state(a, b))) - _entropy_rate(two_state(a, b)), n))


def _entropy_rate(P: Floats) -> Floats:
    return np.sum(stationary(P) * entropy(P), axis=-1)


def posterior_mean(counts: ArrayLike, alpha: ArrayLike = 1.0) -> Floats:
    """(c_j + α_j) / (N + Σ α), the mean (8.3) of a row with prior Dir(α) after counts (..., k)."""
    counts, alpha = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(alpha, np.float64))
    if np.any(alpha <= 0) or np.any(counts < 0):
        raise ValueError(f"smallest alpha {alpha.min()}, smallest count {counts.min()}: use alpha > 0 and counts >= 0.")
    return (counts + alpha) / np.sum(counts + alpha, axis=-1, keepdims=True)


def add_one_risk(n: int, k: int = 2, beta: float = 1.0) -> float:
    """E KL(p || p_hat) for p flat on k symbols and p_hat_j = (c_j + beta) / (n + k beta) after n draws from p.

    Every composition of n is equally likely, so one count is c with weight C(n-c+k-2, k-2) / C(n+k-1, k-1), and given
    c the mean of p_j is (c+1) / (n+k). For beta = 1, k = 2 this is Σ_c h((c+1)/(n+2)) / (n+1) - 1/2.
    """
    if n < 0 or k < 2 or beta <= 0:
        raise ValueError(f"n = {n}, k = {k}, beta = {beta}: use n >= 0 draws, k >= 2 symbols and smoothing beta > 0.")
    c = np.arange(n + 1)
    weight = np.array([math.comb(n - int(i) + k - 2, k - 2) / math.comb(n + k - 1, k - 1) for i in c])
    cross = -k * np.sum(weight * (c + 1) / (n + k) * np.log((c + beta) / (n + k * beta)))
    return float(cross) - sum(1.0 / i for i in range(2, k + 1))
