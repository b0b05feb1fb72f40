"""How long the disjoint PolyNet sits on its plateau before it visibly learns (Theorem 5.7, Corollary B.10).

    1 - T(½-γ)/T(∞) = b^(2-k) ~ n'^(1-k/2)        from v(0) = 1,  b the weight at which the error is ½ - γ

The error stays near ½ until the relevant weights have grown to √n', when most of the time to blow-up T(∞) is over.
"""

from collections.abc import Callable
from math import inf, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elegans.theory.polynet_error import BERRY_ESSEEN, closed_ball, error_normal, open_ball, squared
from elegans.theory.polynet_flow import blow_up_time, check_degree, check_range

Floats = NDArray[np.float64]


def escape_weight(k: int, gamma: float, n_prime: int) -> float:
    """b, the weight beyond which the tie-free error is at most ½ - γ, if all weights started at one.

    It is the smallest c with Pr[|U| <= c] >= (2γ)^(1/k), but not less than the start.
    """
    m, lattice = _lattice(gamma, n_prime)
    enough = closed_ball(lattice, m) >= (2 * gamma) ** (1 / k)
    return max(1.0, float(lattice[enough][0]))


def escape_weight_with_ties(k: int, gamma: float, n_prime: int) -> float:
    """The same b with ties counted as errors: the last lattice value may exceed ½ - γ for an instant only."""
    m, lattice = _lattice(gamma, n_prime)
    inside = open_ball(lattice, m)
    tie = closed_ball(lattice, m) - inside
    wrong = 1 - ((1 - tie / 2) ** k + (inside + tie / 2) ** k) / 2
    last = np.max(lattice[wrong >= 0.5 - gamma], initial=1.0)
    return max(float(last), escape_weight(k, gamma, n_prime))


def escape_weight_bound(k: int, gamma: float, n_prime: int) -> float:
    """Lower bound on b from Berry-Esseen and erf(z) <= 2z/√π: √(π(n'-1)/2) (2γ)^(1/k) - 1.12 √(π/2)."""
    return sqrt(pi * (n_prime - 1) / 2) * (2 * gamma) ** (1 / k) - 2 * BERRY_ESSEEN * sqrt(pi / 2)


def escape_weight_bound_printed(k: int, gamma: float, n_prime: int) -> float:
    """The bound as printed, √(πn'/2) (γ^(1/k) - 0.56 n'^(-3/2)); it can exceed b where b is of order one."""
    return sqrt(pi * n_prime / 2) * (gamma ** (1 / k) - BERRY_ESSEEN * n_prime**-1.5)


def share_after_plateau(k: int, gamma: float, n_prime: int) -> float:
    """1 - T(½-γ)/T(∞) = b^(2-k) for the all-ones start: the share of time in which the net is visibly learning."""
    check_degree(k)
    return escape_weight(k, gamma, n_prime) ** (2 - k)


def share_after_plateau_normal(v: Floats, norm: Floats, gamma: float) -> Floats:
    """1 - T(½-γ)/T(∞) for any starts, by `error_normal`. Shapes (..., k) for v(0) and for ‖u_i‖₂ -> (...).

    The time left after q is the blow-up time from the weights reached at q.
    """
    check_range("gamma", gamma, 0.0, 0.5)
    squares = squared(v)
    low, high = np.full(v.shape[:-1], -80.0), np.full(v.shape[:-1], 80.0)
    for _ in range(60):  # bisection in log q: the error falls as q grows
        middle = (low + high) / 2
        flat = error_normal(np.sqrt(squares + np.exp(middle)[..., None]), norm) > 0.5 - gamma
        low, high = np.where(flat, middle, low), np.where(flat, high, middle)
    return blow_up_time(np.sqrt(squares + np.exp(high)[..., None])) / blow_up_time(v)


def gaussian_starts(rng: np.random.Generator, samples: int, k: int, n_prime: int) -> tuple[Floats, Floats]:
    """v(0) and ‖u_i‖₂ of N(0,1) starts given Π v_i(0) > 0, each of shape (samples, k).

    Only the sizes enter the flow, and they do not depend on the sign of the product, so v(0) is |N(0,1)|.
    """
    return np.abs(rng.standard_normal((samples, k))), np.sqrt(rng.chisquare(n_prime - 1, (samples, k)))


def plateau_slopes(k: tuple[int, ...], gamma: tuple[float, ...], n_prime: tuple[int, ...]) -> dict[str, NDArray[Any]]:
    """Slope of log(1 - T(½-γ)/T(∞)) against log n' for every k and γ, from all-ones starts; theory says 1 - k/2.

    Errors are absolute; counting ties as errors spoils the slope.
    """
    cells = [(d, g) for d in k for g in gamma]
    degree = np.array([d for d, _ in cells], dtype=np.int64)
    slope = np.array([_share_slope(escape_weight, d, g, n_prime) for d, g in cells])
    with_ties = np.array([_share_slope(escape_weight_with_ties, d, g, n_prime) for d, g in cells])
    return {
        "k": degree,
        "gamma": np.array([g for _, g in cells]),
        "slope": slope,
        "predicted": 1 - degree / 2,
        "error": np.abs(slope - (1 - degree / 2)),
        "error_with_ties": np.abs(with_ties - (1 - degree / 2)),
    }


def _share_slope(weight: Callable[[int, float, int], float], k: int, gamma: float, n_prime: tuple[int, ...]) -> float:
    check_degree(k)
    if len(set(n_prime)) < 2:
        raise ValueError(f"n_prime = {n_prime}: a slope needs two different block sizes; add another.")
    logs = np.log([weight(k, gamma, m) for m in n_prime])
    return (2 - k) * float(np.polyfit(np.log(n_prime), logs, 1)[0])


def _lattice(gamma: float, n_prime: int) -> tuple[int, Floats]:
    """The number m = n' - 1 of irrelevant signs in a block and the values >= 0 their sum can take."""
    check_range("gamma", gamma, 0.0, 0.5)
    check_range("n_prime", n_prime, 1, inf)
    return n_prime - 1, np.arange((n_prime - 1) % 2, n_prime, 2, dtype=np.float64)
