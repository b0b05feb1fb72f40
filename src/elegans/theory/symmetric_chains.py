"""First gradient step on doubly stochastic two-state chains, a = b: corollary E.2, corrected.

With x_s = ±1 and E[x_s x_s'] = λ^|s-s'|, λ = 2a - 1, one chain pushes, per c η,

    W_mm by λ/(4t) Σ_{r<t} λ^r (t-r)(t-r+1)/2,   W_12 = W_21 by 0,   v_j by 1/(2t) Σ_{n=1}^N (N-n+1) λ^n,   N = t-j+1,

and for a ~ U(0, 1), where E λ^n = 1/(n+1) for even n and 0 for odd n, the means grow like t ln t / 16 and N ln N / (4t).
"""

from math import log

import numpy as np

from elegans.theory.markov import Floats


def w_push(a: Floats, t: int) -> Floats:
    """-∇_W / c on the diagonal for every a (n,)."""
    lam, r = 2 * a - 1, np.arange(t)
    return lam * (np.vander(lam, t, increasing=True) @ ((t - r) * (t - r + 1) / 2)) / (4 * t)


def v_push(a: Floats, t: int) -> Floats:
    """-∂_{v_j} / c for every a (n,) and offset: (n, t)."""
    lam = (2 * a - 1)[:, None]
    sums = np.cumsum(np.cumsum(lam * np.vander(lam[:, 0], t, increasing=True), axis=1), axis=1)
    return sums[:, ::-1] / (2 * t)


def mean_w_push(t: int) -> float:
    """E of `w_push` for a ~ U(0, 1): a sum over odd r."""
    r = np.arange(1, t, 2)
    return float(np.sum((t - r) * (t - r + 1) / (2 * (r + 2)))) / (4 * t)


def mean_v_push(t: int) -> Floats:
    """E of `v_push` for a ~ U(0, 1): a sum over even n ≤ N, for every offset (t,)."""
    terms = np.where(np.arange(1, t + 1) % 2 == 0, 1 / (np.arange(1, t + 1) + 1.0), 0.0)
    return np.cumsum(np.cumsum(terms))[::-1] / (2 * t)


def printed_w_push(a: Floats, t: int) -> tuple[Floats, Floats]:
    """(E.46) and the first line of (E.48), diagonal and off-diagonal over c η, for every a < 1 (n,)."""
    lam = 2 * a - 1
    second = lam**2 * (1 - lam**t) / (1 - lam) - lam * t * (t + 3) / 2 + t * (t + 1) / 2
    third = t * lam / (1 - lam) - (lam**2 - lam ** (t + 2)) / (1 - lam) ** 2 - t * (t + 1) / 2
    front, square = (a - 1) * (a - 0.5) / (2 * a - 2) ** 3 / t, 2 * (a - 1) ** 2
    one, other = square / (2 * a - 2) ** 2 * second, square / (2 * a - 2) * third
    return front * (one + other), front * (one - other)


def leading_w_push(a: Floats, t: int) -> Floats:
    """(E.47): -t (a-½) / (8 (a-1)), the diagonal in leading order for a fixed chain a < 1 (n,)."""
    return -t * (a - 0.5) / (8 * (a - 1))


def printed_v_push(t: int) -> Floats:
    """(E.49) as printed: -N/(2t) for every offset (t,)."""
    return -np.arange(t, 0, -1.0) / (2 * t)


W_GROWTH, V_GROWTH = log(2) / 16, log(2) / 4  # of the means of W_mm / t and of v_1, when t doubles
