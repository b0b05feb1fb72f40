"""Mean of the gradient tensor over a law of two-state chains, by quadrature: one pass over (nodes, t), no matrix powers.

With P^n = Π + λ^n (I - Π), Π = 1 π, the tensor of one chain (`induction.gradient_tensor`) is

    t T_mlj = π_l Σ_i (P_mi - ½) (π_i + λ^{j-1} (δ_li - π_i)) (π_m N(N+1)/2 + (δ_im - π_m) σ_N),    N = t - j + 1,
    σ_N = Σ_{r<N} (N-r) λ^r,

so that its mean needs the moments of 1, λ^{j-1}, σ_N and λ^{j-1} σ_N only. A law is (a (n,), b (n,), weights (n,)). The
flat one is discontinuous at a = b = 1; on the triangle v = us, with u = 1-a and v = 1-b, it is smooth (Duffy), and the
other triangle is the same with the two symbols swapped.
"""

from functools import lru_cache

import numpy as np

from elegans.theory.markov import Floats, stationary, two_state

Law = tuple[Floats, Floats, Floats]
BLOCK = 2_000_000  # entries (nodes x t) that are held at a time


def unit_nodes(n: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    if n < 1:
        raise ValueError(f"n = {n} nodes cannot carry a quadrature rule; use n >= 1 (80 reach ten digits).")
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, w / 2


def triangle_law(n: int = 80) -> Law:
    """a, b ~ U(0, 1) where 1-a ≥ 1-b, half of the square: weights sum to ½."""
    x, w = unit_nodes(n)
    u, s = (part.ravel() for part in np.meshgrid(x, x, indexing="ij"))
    return 1 - u, 1 - u * s, np.outer(w, w).ravel() * u


def flat_law(n: int = 80) -> Law:
    """a, b ~ U(0, 1): both triangles."""
    a, b, w = triangle_law(n)
    return np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([w, w])


def symmetric_law(low: float = 0.0, high: float = 1.0, n: int = 200) -> Law:
    """a = b ~ U(low, high), the doubly stochastic chains (E.44)."""
    if not 0 <= low < high <= 1:
        raise ValueError(f"low = {low}, high = {high}: a is a probability; use 0 <= low < high <= 1.")
    x, w = unit_nodes(n)
    a = low + (high - low) * x
    return a, a, w


def law_mean(f: Floats, law: Law) -> Floats:
    """E f for f (n, ...) at the nodes of the law."""
    return np.tensordot(law[2], f, axes=1)


def mean_tensor(law: Law, t: int) -> Floats:
    """E T (2, 2, t) over the law."""
    if t < 1:
        raise ValueError(f"t = {t}, but a context has at least one token; use t >= 1.")
    total, step = np.zeros((2, 2, t)), max(1, BLOCK // t)
    for start in range(0, len(law[0]), step):
        a, b, w = (part[start : start + step] for part in law)
        total += _sum(a, b, w, t)
    return total / t


def _sum(a: Floats, b: Floats, w: Floats, t: int) -> Floats:
    """Σ_nodes w t T (2, 2, t)."""
    P = two_state(a, b)
    pi = stationary(P)
    away = np.eye(2) - pi[:, None, :]  # (I - Π)_li
    gain, N = P - 0.5, np.arange(t, 0, -1.0)
    powers = np.vander(a + b - 1, t, increasing=True)
    sigma = np.cumsum(np.cumsum(powers, axis=1), axis=1)[:, ::-1]
    pairs = N * (N + 1) / 2
    both_far = np.einsum("n,nmi,nl,ni,nm->ml", w, gain, pi, pi, pi, optimize=True)
    near_past = np.einsum("n,nmi,nl,nli,nm->mln", w, gain, pi, away, pi, optimize=True)
    near_end = np.einsum("n,nmi,nl,ni,nim->mln", w, gain, pi, pi, away, optimize=True)
    both_near = np.einsum("n,nmi,nl,nli,nim->mln", w, gain, pi, away, away, optimize=True)
    return both_far[:, :, None] * pairs + near_past @ powers * pairs + near_end @ sigma + both_near @ (powers * sigma)


@lru_cache(maxsize=32)
def flat_tensor(t: int, n: int | None = None) -> Floats:
    """T̄ (2, 2, t) of the flat law, read-only; 80 nodes a side up to t = 800 (twelve digits), 120 beyond."""
    half = mean_tensor(triangle_law(n or (80 if t <= 800 else 120)), t)
    whole = half + half[::-1, ::-1]
    whole.flags.writeable = False
    return whole


def first_step(T: Floats) -> tuple[Floats, Floats]:
    """(Σ_j T_mlj (k, k), Σ_ml T_mlj (t,)): what W and v gain per c η in a step from the constant start."""
    return T.sum(-1), T.sum((0, 1))


def diagonal_part(T: Floats) -> Floats:
    """d_j = Σ_m T_mmj (t,), the gradient of v when W = I."""
    return np.einsum("mmj->j", T)


def push(T: Floats) -> tuple[float, float, Floats, Floats]:
    """(diagonal and off-diagonal of Σ_j T_j, g_j, d_j) of a mean tensor that is symmetric in its two symbols."""
    W, g = first_step(T)
    return float(np.trace(W)) / 2, float(W.sum() - np.trace(W)) / 2, g, diagonal_part(T)
