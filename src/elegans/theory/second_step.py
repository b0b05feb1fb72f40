"""The second gradient step of the minimal model for two symbols: what a diagonal in W does to v, (E.30)-(E.43).

With W = c' 1 1^T + (ρ - c') I the gradient of v is c' g_j + (ρ - c') d_j. Its second part counts meetings

    C_il(p, j) = Σ_{t'=j}^p P[x_{t'} = i, x_{t'-j+1} = x_p = l] = π_l R_il(p, j) / (λ-1)²,                       (E.32)
    R_il = β_il β_li (λ^p - λ^{j-1})/(λ-1) + β_il γ_li (λ^{p-j+1} - 1)/(λ-1) + (p-j+1)(γ_il β_li λ^{j-1} + γ_il γ_li),
    d_j = 1/t Σ_{p=j}^t E Σ_il (P_li - ½) C_il(p, j) = N(N+1)/(2t) G_j + O(1),   N = t - j + 1.             (E.38, E.40)

Offsets j and positions p are counted from 1. Functions called `printed_...` are the formulas as printed, where they differ.
"""

from itertools import product

import numpy as np

from elegans.theory.induction import minimal_logits_by_offset
from elegans.theory.markov import Floats, stationary, transition_matrix, two_state
from elegans.theory.population_tensor import Law, law_mean
from elegans.theory.strategies import one_hot


def beta_gamma(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """β and γ (..., 2, 2) of (E.15), (P^n)_ij = (β_ij λ^n + γ_ij) / (λ-1)."""
    beta = np.stack([np.stack([a - 1, 1 - a], -1), np.stack([1 - b, b - 1], -1)], -2)
    return beta, np.stack([np.stack([b - 1, a - 1], -1)] * 2, -2)


def meetings(a: float, b: float, p: int, j: int) -> Floats:
    """C_il(p, j) (2, 2) by the closed form (E.32), for 1 ≤ j ≤ p."""
    P, lam = two_state(a, b), a + b - 1
    beta, gamma = beta_gamma(np.asarray(a), np.asarray(b))
    far = (p - j + 1) * (gamma * beta.T * lam ** (j - 1) + gamma * gamma.T)
    near = beta * beta.T * (lam**p - lam ** (j - 1)) + beta * gamma.T * (lam ** (p - j + 1) - 1)
    return stationary(P) * (near / (lam - 1) + far) / (lam - 1) ** 2


def meetings_without_parentheses(a: float, b: float, p: int, j: int) -> Floats:
    """C_il(p, j) (2, 2) by the third line of (E.32) as printed: (β_il λ^{p-t'} + γ_il β_li λ^{j-1} + γ_li) / (λ-1)."""
    P, lam = two_state(a, b), a + b - 1
    beta, gamma = beta_gamma(np.asarray(a), np.asarray(b))
    terms = [beta * lam ** (p - s) + gamma * beta.T * lam ** (j - 1) + gamma.T for s in range(j, p + 1)]
    return stationary(P) * np.sum(terms, axis=0) / (lam - 1)


def meetings_by_powers(a: float, b: float, p: int, j: int) -> Floats:
    """C_il(p, j) (2, 2) term by term: Σ_{t'=j}^p π_l (P^{j-1})_li (P^{p-t'})_il."""
    P = two_state(a, b)
    past, power = stationary(P) * np.linalg.matrix_power(P, j - 1).T, np.linalg.matrix_power
    return past * np.sum([power(P, p - s) for s in range(j, p + 1)], axis=0)


def first_offset(a: float, b: float, p: int) -> tuple[Floats, float]:
    """Second sums of (E.31), one number for each i (2,), and of (E.34): the case j = 1."""
    P, lam = two_state(a, b), a + b - 1
    beta, gamma = (np.diag(part) for part in beta_gamma(np.asarray(a), np.asarray(b)))
    each = stationary(P) / (lam - 1) * (beta * (lam**p - 1) / (lam - 1) + p * gamma)
    return each, float(np.diag(P) @ each)


def repeats(a: float, b: float, p: int, j: int) -> float:
    """Σ_{t'=j}^p P[x_{t'} = x_{p+1}] by (E.27), the first sum of (E.33)."""
    lam, u, v = a + b - 1, a - 1, b - 1
    near = 2 * u * v * lam * (lam ** (p + 1 - j) - 1) / (lam - 1)
    return (near + (u * u + v * v) * (p - j + 1)) / (lam - 1) ** 2


def logit_gradients(a: float, b: float, W: Floats, p: int, j: int) -> tuple[Floats, float]:
    """E ∂f_{p,i}/∂v_j (2,) by (E.30) and E ∂f_{p,x_{p+1}}/∂v_j by (E.33), for W = c' 1 1^T + (ρ - c') I."""
    P, off, diagonal = two_state(a, b), W[0, 1], W[0, 0] - W[0, 1]
    C = meetings(a, b, p, j)
    logits = off * stationary(P) * (p - j + 1) + diagonal * C.sum(1)
    return logits, off * repeats(a, b, p, j) + diagonal * float(np.sum(P.T * C))


def printed_true_meetings(a: float, b: float, p: int, j: int) -> float:
    """(E.36) as printed, with π_i in place of π_l."""
    P = two_state(a, b)
    pi = stationary(P)
    return float(np.sum(P.T * meetings(a, b, p, j) / pi * pi[:, None]))


def logit_gradients_by_enumeration(P: Floats, W: Floats, p: int) -> tuple[Floats, Floats]:
    """The same two means over all k^p contexts of a chain P (k, k) for every offset j = 1..p: (p, k), (p,)."""
    chain = transition_matrix(P)
    x = np.array(list(product(range(len(chain)), repeat=p)))
    chance = stationary(chain)[x[:, 0]] * np.prod(chain[x[:, :-1], x[:, 1:]], axis=1)
    last = np.stack([minimal_logits_by_offset(x, W, unit)[:, -1] for unit in np.eye(p)])
    following = one_hot(x, len(chain))[:, -1] @ chain
    return np.einsum("b,jbi->ji", chance, last), np.einsum("b,jbi,bi->j", chance, last, following)


def diagonal_gradient(a: Floats, b: Floats, t: int) -> Floats:
    """d_j of every chain (n, t): (E.37) and (E.38), corrected; one formula for all j ≥ 1."""
    return _diagonal_gradient(a, b, t, 1.0)


def printed_diagonal_gradient(a: Floats, b: Floats, t: int) -> Floats:
    """d_j of every chain (n, t) as printed: (E.38) with λ - 1 for 1 - λ in its second sum, and (E.37) at j = 1."""
    lam, u, v = a + b - 1, a - 1, b - 1
    d = _diagonal_gradient(a, b, t, -1.0)
    near = ((lam - lam ** (t + 1)) / (1 - lam) - t) * u * v / (lam - 1) ** 2
    far = (v * v * (a - 0.5) + u * u * (b - 0.5)) / (lam - 1) ** 2
    d[:, 0] = (near + far * t * (t - 1) / 2) / t
    return d


def _diagonal_gradient(a: Floats, b: Floats, t: int, sign: float) -> Floats:
    """(E.38) for every j (n, t), the fraction in its second sum over `sign` times 1 - λ."""
    P, (beta, gamma) = two_state(a, b), beta_gamma(a, b)
    lam, N, j = (a + b - 1)[:, None], np.arange(t, 0, -1.0), np.arange(1, t + 1)
    swapped = (np.swapaxes(part, -1, -2) for part in (beta, gamma, P - 0.5))
    beta_li, gamma_li, gain = swapped
    weight = stationary(P)[:, None, :] * gain / ((lam - 1) ** 2)[:, :, None]
    near_near, near_far, far_near, far_far = (
        np.sum(weight * x * y, axis=(1, 2))[:, None]
        for x, y in ((beta, beta_li), (beta, gamma_li), (gamma, beta_li), (gamma, gamma_li))
    )
    first = (lam**j - lam ** (t + 1)) / (1 - lam) - N * lam ** (j - 1)
    second = sign * (lam - lam ** (N + 1)) / (1 - lam) - N
    near = (near_near * first + near_far * second) / (lam - 1)
    return (near + N * (N + 1) / 2 * (far_near * lam ** (j - 1) + far_far)) / t


def leading_summands(law: Law, offsets: int) -> tuple[Floats, float]:
    """The two expectations of (E.40) as integrated in (E.43), the first for j = 1..offsets; G_j is their sum.

    4 E[(a-1)(b-1)² (a-½)/(λ-1)³ λ^{j-1}]   and   2 E[(b-a)(b-1)² (a-½)/(λ-1)³].
    """
    a, b, _ = law
    lam, core = a + b - 1, (b - 1) ** 2 * (a - 0.5)
    powers = np.vander(lam, offsets, increasing=True)
    first = law_mean((4 * (a - 1) * core / (lam - 1) ** 3)[:, None] * powers, law)
    return first, float(law_mean(2 * (b - a) * core / (lam - 1) ** 3, law))


def leading_factors(P: Floats, offsets: int) -> Floats:
    """Σ_l π_l² (⟨P_l, (P^{j-1})_l⟩ - 1/k) for j = 1..offsets and chains P (n, k, k): (n, offsets), with mean G_j."""
    squares, out = stationary(P) ** 2, np.empty((len(P), offsets))
    power = np.broadcast_to(np.eye(P.shape[-1]), P.shape)
    for j in range(offsets):
        out[:, j] = np.sum(squares * (np.sum(P * power, axis=-1) - 1 / P.shape[-1]), axis=-1)
        power = power @ P
    return out


def rate_for_offset_two(diagonal: float, off: float, g: Floats, d: Floats) -> tuple[float, float]:
    """Rates η between which v_2 is the largest after two steps from W = c 1 1^T, v = c 1 (any c); inf if there is none.

    v_j = c (1 + 2 η g_j + η² (off g_j + (diagonal - off) d_j)), so that each comparison with v_2 is linear in η.
    """
    others = np.arange(len(g)) != 1
    fixed = 2 * (g[1] - g)[others]
    rising = (off * (g[1] - g) + (diagonal - off) * (d[1] - d))[others]
    with np.errstate(divide="ignore"):
        crossing = np.abs(fixed) / np.abs(rising)
    if np.any((fixed <= 0) & (rising <= 0)):
        return np.inf, np.inf
    low = float(np.max(crossing[fixed < 0], initial=0.0))
    return low, float(np.min(crossing[rising < 0], initial=np.inf))
