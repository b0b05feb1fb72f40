"""The first gradient step of the minimal model for two symbols, in closed form: (E.13)-(E.29) and Lemma 8.4.

    P = [[a, 1-a], [1-b, b]],   λ = a+b-1,   (P^n)_ij = (β_ij λ^n + γ_ij) / (λ-1),   γ_ij = (λ-1) π_j,

margin loss with every hinge active, W = c 1 1^T, v = c 1. All gradients are downhill (-∇) and in units of c:

    -∂L/∂W_ml = π_l (P_m1 - ½) / t · [κ_A Σλ^{p-s} + κ_B Σλ^{p-t'} + κ_C Σλ^{t'-s} + κ_D Σ1]              (E.17)
    -∂L/∂v_j  = 1/t · [N(N+1)/2 (π_1² + π_2² - ½) + 2 π_1 π_2 Σ_{p≥j} Σ_{1≤n≤p-j+1} λ^n],  N = t-j+1      (E.28)

and leading orders, averaged over a, b ~ U(0, 1): (t+1)(t+2)/6 times B on the diagonal of W and A beside it, and
N(N+1)/(2t) D. Gradients are per chain, for a (...), b (...), unless they are called mean; indices of code start at 0.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from elegans.theory.geometric_sums import pair_sums, position_sums, printed_brackets
from elegans.theory.markov import Floats, stationary, transition_matrix, two_state
from elegans.theory.triangle_rule import triangle_mean, triangle_nodes

B = (math.log(256) - 5) / 12
A = (7 - 10 * math.log(2)) / 6
D = 1.5 - math.log(4)


def eigenvalue(a: ArrayLike, b: ArrayLike) -> Floats:
    """λ = a + b - 1, as a difference of what a chain lacks to stay: accurate near 1."""
    return 1 - ((1 - np.asarray(a, np.float64)) + (1 - np.asarray(b, np.float64)))


def beta_gamma(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """β and γ of (E.15), (..., 2, 2) each."""
    u, v = np.broadcast_arrays(1 - np.asarray(a, np.float64), 1 - np.asarray(b, np.float64))
    beta = np.stack([np.stack([-u, u], -1), np.stack([v, -v], -1)], -2)
    return beta, np.stack([np.stack([-v, -u], -1)] * 2, -2)


def eigen_factors(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Vectors, values and inverse vectors (..., 2, 2) that (E.15) multiplies to P; needs b < 1."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    one, lam = np.ones_like(a), a + b - 1
    vectors = np.stack([np.stack([one, (1 - a) / (b - 1)], -1), np.stack([one, one], -1)], -2)
    inverse = np.stack([np.stack([b - 1, a - 1], -1), np.stack([1 - b, b - 1], -1)], -2) / (a + b - 2)[..., None, None]
    return vectors, np.stack([one, lam], -1)[..., None] * np.eye(2), inverse


def weight_gradient_by_powers(P: ArrayLike, t: int) -> Floats:
    """(E.13) for one chain P (k, k), any k: three nested sums over positions of products of matrix powers (k, k)."""
    chain = transition_matrix(P)
    k, pi = len(chain), stationary(chain)
    power = np.stack([np.linalg.matrix_power(chain, n) for n in range(t)])
    total = np.zeros((k, k))
    for p in range(t):
        for t1 in range(p + 1):
            for s in range(t1 + 1):
                total += np.einsum("mi,im,li,l->ml", chain - 1 / k, power[p - t1], power[t1 - s], pi)
    return total / t


def weight_gradient(a: ArrayLike, b: ArrayLike, t: int) -> Floats:
    """(E.17) with the polynomials for the four sums: good for every a, b but a = b = 1, (..., 2, 2)."""
    P, (outer, factors) = two_state(a, b), _coefficients(a, b)
    sums = position_sums(eigenvalue(a, b), t)
    return outer * (P[..., :, :1] - 0.5) * np.einsum("q...ml,q...->...ml", factors, sums) / t


def _coefficients(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """π_l (..., 1, 2) and the four factors κ_ml (4, ..., 2, 2), the brackets of (E.17) over (λ-1)²."""
    beta, gamma = beta_gamma(a, b)
    gap = (eigenvalue(a, b) - 1)[..., None, None]
    x, y = beta / gap, gamma / gap
    pairs = ((x, x), (x, y), (y, x), (y, y))  # which of β, γ stands at (i, m), and which at (l, i)
    return y[..., :1, :], np.stack([_signed(at_im, at_li) for at_im, at_li in pairs])


def _signed(at_im: Floats, at_li: Floats) -> Floats:
    """f_1m g_l1 - f_2m g_l2, (..., m, l)."""
    return np.einsum("i,...im,...li->...ml", [1.0, -1.0], at_im, at_li)


def printed_weight_gradient(a: ArrayLike, b: ArrayLike, t: int) -> Floats:
    """(E.17) letter by letter, with (I)-(IV) as printed: (..., 2, 2). Undefined at λ = 0, inaccurate near λ = 1."""
    beta, gamma = beta_gamma(a, b)
    gap = (eigenvalue(a, b) - 1)[..., None, None]
    one, two, three, four = printed_brackets(eigenvalue(a, b), t)[..., None, None]
    bracket = _signed(beta, beta) / gap * one + _signed(beta, gamma) / gap**2 * two
    bracket += _signed(gamma, beta) / gap * three + _signed(gamma, gamma) * four
    return (gamma / gap)[..., :1, :] * (two_state(a, b)[..., :, :1] - 0.5) / (t * gap**2) * bracket


def weight_gradient_cases(a: ArrayLike, b: ArrayLike, t: int) -> Floats:
    """The four cases (E.19)-(E.22) as printed, (..., 2, 2)."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    L = eigenvalue(a, b) - 1
    one, two, three, four = printed_brackets(eigenvalue(a, b), t)
    x, y, h, g = a - 1, b - 1, a - 0.5, 0.5 - b
    first = y * h * (x * (a - b) / L * one + 2 * x * y / L**2 * two + 2 * x * y / L * three + y * (b - a) * four)
    second = x * h * (-y * (a - b) / L * one + 2 * x * y / L**2 * two - 2 * y**2 / L * three + y * (b - a) * four)
    third = y * g * (-x * (a - b) / L * one - 2 * x * y / L**2 * two + 2 * x**2 / L * three + x * (b - a) * four)
    fourth = x * g * (y * (a - b) / L * one - 2 * x * y / L**2 * two - 2 * x * y / L * three + x * (b - a) * four)
    return np.stack([np.stack([first, second], -1), np.stack([third, fourth], -1)], -2) / (t * L**3)[..., None, None]


def leading_weight_gradient(a: ArrayLike, b: ArrayLike) -> Floats:
    """π_m π_l (b-a) (P_m1 - ½) / (λ-1), the bracket of (E.23): (..., 2, 2)."""
    pi, chain = stationary(two_state(a, b)), two_state(a, b)
    lean = (pi[..., 0] - pi[..., 1])[..., None, None]  # (b-a) / (λ-1)
    return pi[..., :, None] * pi[..., None, :] * lean * (chain[..., :, :1] - 0.5)


def next_weight_gradient(a: ArrayLike, b: ArrayLike) -> Floats:
    """The limit of (-∂L/∂W - leading order) / t as t grows, from (B) and (C) ~ t²/2(1-λ): (..., 2, 2)."""
    pi, factors = _coefficients(a, b)
    P, gap = two_state(a, b), 1 - eigenvalue(a, b)
    return pi * (P[..., :, :1] - 0.5) * (factors[1] + factors[2]) / (2 * gap)[..., None, None]


def leading_of_many(P: ArrayLike) -> Floats:
    """π_m π_l (Σ_i P_mi π_i - 1/k), the leading order for any number of symbols: (..., k, k)."""
    chain = transition_matrix(P)
    pi = stationary(chain)
    lean = np.einsum("...mi,...i->...m", chain, pi) - 1 / chain.shape[-1]
    return (pi * lean)[..., :, None] * pi[..., None, :]


def offset_gradient(a: ArrayLike, b: ArrayLike, t: int) -> Floats:
    """(E.28) with its sum over λ^n term by term: (..., t)."""
    pi = stationary(two_state(a, b))
    N = t - np.arange(t, dtype=np.float64)
    agree = np.sum(pi**2, -1)[..., None] - 0.5
    return (N * (N + 1) / 2 * agree + 2 * np.prod(pi, -1)[..., None] * pair_sums(eigenvalue(a, b), t)) / t


def printed_offset_gradient(a: ArrayLike, b: ArrayLike, t: int) -> Floats:
    """The last line of (E.28) as printed, for a + b < 2: (..., t)."""
    x, y = (np.asarray(z, np.float64)[..., None] - 1 for z in (a, b))
    L, N = x + y, t - np.arange(t, dtype=np.float64)
    lam = L + 1
    quadratic = N * (N + 1) / 2 * ((x**2 + y**2) / L**2 - 0.5)
    return (quadratic + 2 * lam * x * y / L**3 * ((lam - lam ** (N + 1)) / (1 - lam) - N)) / t


def logit_slope(P: ArrayLike, p: int) -> tuple[Floats, Floats]:
    """E ∂f_{p,i}/∂v_j (p, k) and E ∂f_{p,x_{p+1}}/∂v_j (p,), for j = 1..p, from powers of one chain P (k, k)."""
    chain = transition_matrix(P)
    pi, power = stationary(chain), [np.linalg.matrix_power(chain, n) for n in range(p + 2)]
    agree = np.array([pi @ power[p + 1 - t1].diagonal() for t1 in range(1, p + 1)])
    return np.outer(np.arange(p, 0, -1), pi), np.cumsum(agree[::-1])[::-1]


def printed_logit_slope(a: float, b: float, p: int) -> tuple[Floats, Floats]:
    """The same by the last lines of (E.26) and (E.27)."""
    x, y, L, left = a - 1, b - 1, a + b - 2, np.arange(p, 0, -1, dtype=np.float64)
    geometric = ((L + 1) ** left - 1) / (1 - 1 / (L + 1))
    return np.outer(left, [y / L, x / L]), 2 * x * y / L**2 * geometric + (x**2 + y**2) / L**2 * left


def offset_gradient_of_tokens(P: ArrayLike, t: int) -> Floats:
    """The second line of (E.28) as printed, where 1/k Σ_i runs over the tokens x_i with i = 1..k ≤ t: (t,)."""
    chain = transition_matrix(P)
    k, pi = len(chain), stationary(chain)
    power = [np.linalg.matrix_power(chain, n) for n in range(t + 1)]
    agree = np.array([pi @ q.diagonal() for q in power])  # of two tokens n positions apart
    total = np.zeros(t)
    for p in range(1, t + 1):
        for t1 in range(1, p + 1):
            total[:t1] += agree[p + 1 - t1] - np.mean([agree[abs(t1 - i)] for i in range(1, k + 1)])
    return total / t


def mean_weight_gradient(t: int, n: int = 80) -> Floats:
    """E of (E.17) over the flat prior, (2, 2)."""
    return triangle_mean(lambda a, b: weight_gradient(a, b, t), n)


def mean_offset_gradient(t: int, n: int = 80) -> Floats:
    """E of (E.28) over the flat prior, (t,): N(N+1)/2 D + 2 Σ_{r≤N} (N-r+1) E π_1 π_2 λ^r, over t."""
    a, b, weight = triangle_nodes(n)
    lam, carried = eigenvalue(a, b), weight * np.prod(stationary(two_state(a, b)), -1)
    moments = np.zeros(t)
    for r in range(t):
        carried = carried * lam
        moments[r] = carried.sum()
    return leading_offsets(t) + 2 * np.cumsum(np.cumsum(moments))[::-1] / t


def leading_weights(t: int) -> Floats:
    """(t+1)(t+2)/6 times B on the diagonal and A beside it, (2, 2): the bracket of Lemma 8.4."""
    return (t + 1) * (t + 2) / 6 * np.array([[B, A], [A, B]])


def leading_offsets(t: int) -> Floats:
    """N(N+1)/(2t) D for N = t-j+1, (t,)."""
    N = t - np.arange(t, dtype=np.float64)
    return N * (N + 1) / (2 * t) * D


def next_weights(t: int) -> Floats:
    """The term of order t in W: 1/24 on the diagonal, (2 - 3 ln 2) / 6 beside it, (2, 2)."""
    beside = (2 - 3 * math.log(2)) / 6
    return t * np.array([[1 / 24, beside], [beside, 1 / 24]])


def next_offsets(t: int) -> Floats:
    """The next term in v: 2N/t E π_1 π_2 λ/(1-λ) = D N/t, (t,)."""
    return (t - np.arange(t)) * D / t
