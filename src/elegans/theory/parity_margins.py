"""The maximum margin of networks z^k on the parity of k bits, and all networks that reach it (theorem 7.8).

    E_x ψ(u, w) = √2 k! (Π_{i∈S} u_i) β,    β = (w_0 - w_1)/√2,        γ* = k! √(2 (k+1)^{-(k+1)})

A neuron of norm 1 is best if |u_i| = |β| = (k+1)^{-1/2} on S, u = 0 elsewhere, w_0 = -w_1 and β Π u_i > 0. It is
given by the signs σ of u on S up to σ ↦ -σ: there are 2^{k-1} classes. Averaged with equal weights they cancel to

    E_σ [(Π σ_i) (σ·x)^k] = k! Π x_i        for all real x,

and only so: shares of the classes give margin γ* exactly when all are 2^{-(k-1)}, because (Π σ)(σ·x)^k is a sum of
c_T χ_{S∖T}(σ) χ_T(x) with c_T > 0 for every T with |T| ≡ k modulo 2.
"""

from collections.abc import Sequence
from math import factorial, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from elegans.theory.boolean import cube
from elegans.theory.margins import neuron_norms
from elegans.theory.power_nets import Network, signed_margins

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def gamma_star_parity(k: int) -> float:
    """γ*, whatever n."""
    if k < 1:
        raise ValueError(f"a parity of k={k} bits is none: take k ≥ 1.")
    return factorial(k) * sqrt(2 * (k + 1.0) ** -(k + 1))


def expected_margin(u: Floats, w: Floats, support: Sequence[int]) -> float:
    """E ψ = √2 k! (Π_{i∈S} u_i) β in closed form, k = |S|."""
    return float(factorial(len(support)) * np.prod(u[list(support)]) * (w[0] - w[1]))


def expected_margin_enumerated(u: Floats, w: Floats, support: Sequence[int]) -> float:
    """E ψ as the mean over the whole cube."""
    x = cube(len(u)).astype(np.float64)
    theta = {"U": u[None], "W": w[None]}
    return float(signed_margins(theta, x, x[:, list(support)].prod(1), len(support)).mean())


def sign_classes(k: int) -> Floats:
    """One σ of each pair ±σ, the one with σ_1 = +1, shape (2^{k-1}, k)."""
    return cube(k).astype(np.float64)[::2]


def optimal_neurons(n: int, support: Sequence[int], sigma: Floats) -> Network:
    """Best neurons of norm 1 with signs σ (m, k) on S."""
    k = len(support)
    U = np.zeros((len(sigma), n))
    U[:, list(support)] = sigma / sqrt(k + 1)
    beta = sigma.prod(1) / sqrt(k + 1)
    return {"U": U, "W": beta[:, None] * np.array([1.0, -1.0]) / sqrt(2)}


def parity_network(n: int, support: Sequence[int], shares: Floats | None = None) -> Network:
    """K3: one best neuron for each sign class, ‖θ‖_{2,k+1} = 1; `shares` of ‖θ‖^{k+1} are equal unless given."""
    sigma = sign_classes(len(support))
    mu = np.full(len(sigma), 1 / len(sigma)) if shares is None else shares
    if mu.shape != (len(sigma),) or mu.min() < 0 or mu.sum() == 0:
        raise ValueError(f"shares {mu} must be one number ≥ 0 for each of {len(sigma)} sign classes, not all 0.")
    scale = (mu / mu.sum()) ** (1 / (len(support) + 1))
    return {name: scale[:, None] * part for name, part in optimal_neurons(n, support, sigma).items()}


def class_of(theta: Network, support: Sequence[int]) -> Ints:
    """Number of the sign class of each neuron in the order of `sign_classes`, (m,)."""
    U = theta["U"][:, list(support)]
    negative = (U * np.where(U[:, :1] < 0, -1, 1))[:, 1:] < 0
    return negative.astype(np.int64) @ (1 << np.arange(len(support) - 1, dtype=np.int64))


def class_masses(theta: Network, support: Sequence[int]) -> Floats:
    """Share of ‖θ‖^{k+1} of each sign class, (2^{k-1},)."""
    k = len(support)
    sizes = neuron_norms(theta) ** (k + 1)
    return np.bincount(class_of(theta, support), weights=sizes, minlength=2 ** (k - 1)) / sizes.sum()


def class_game(k: int) -> Floats:
    """Margin, over γ*, of the best neuron of class σ at the input x: (Π σ)(Π x)(σ·x)^k / k!, both up to sign."""
    sigma = sign_classes(k)
    return np.multiply.outer(sigma.prod(1), sigma.prod(1)) * (sigma @ sigma.T) ** k / factorial(k)


def best_margin(k: int, present: Sequence[int]) -> float:
    """Largest margin, over γ*, with best neurons of the classes `present` only."""
    game = class_game(k)[list(present)]
    count = len(game)
    found = linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.hstack([-game.T, np.ones((game.shape[1], 1))]),
        b_ub=np.zeros(game.shape[1]),
        A_eq=np.append(np.ones(count), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * count + [(None, None)],
        method="highs",
    )
    return _optimum(found, -1.0)


def share_range(k: int, number: int, slack: float = 0.0) -> tuple[float, float]:
    """Smallest and largest share of one class among shares of margin at least (1 - slack) γ*."""
    game, cost = class_game(k), np.eye(2 ** (k - 1))[number]
    margins, at_least = -game.T, -np.full(len(game), 1.0 - slack)
    ends = [
        linprog(sign * cost, A_ub=margins, b_ub=at_least, A_eq=np.ones((1, len(game))), b_eq=[1.0], method="highs")
        for sign in (1.0, -1.0)
    ]
    return _optimum(ends[0], 1.0), _optimum(ends[1], -1.0)


def _optimum(found: object, sign: float) -> float:
    status, value = getattr(found, "status", 1), getattr(found, "fun", None)
    if status != 0 or value is None:
        raise RuntimeError(f"the linear programme was not solved: {getattr(found, 'message', found)}")
    return sign * float(value)
