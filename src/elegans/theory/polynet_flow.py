"""The gradient flow of the disjoint PolyNet f(x) = Π_{i≤k} ⟨w_i, x_{P_i}⟩, solved exactly (Lemma B.8).

The population gradient of the correlation loss moves only the relevant weight v_i of each block,

    v̇_i = Π_{j≠i} v_j        v_i(t)² = v_i(0)² + q(t)        t(q) = ½ ∫_0^q Π_i (γ + v_i(0)²)^(-1/2) dγ

so all squared weights grow by the same q, and for k >= 3 they become infinite together at T(∞). Starts with
Π v_i(0) > 0 are meant throughout; from others the weights first shrink towards the saddle at 0.
"""

from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from elegans.theory.polynet_error import squared

Floats = NDArray[np.float64]


def equal_time(k: int, b: float, a: float = 1.0) -> float:
    """Time in which k weights that all start at a > 0 reach b: (a^(2-k) - b^(2-k))/(k-2). b may be infinite."""
    _check_start(a)
    check_range("b", b, a, inf)
    return log(b / a) if k == 2 else (a ** (2 - k) - b ** (2 - k)) / (k - 2)


def equal_weight(k: int, t: float, a: float = 1.0) -> float:
    """The common weight (a^(2-k) - (k-2) t)^(-1/(k-2)) at time t; infinite from the blow-up on."""
    _check_start(a)
    if k == 2:
        return a * exp(t)
    left = a ** (2 - k) - (k - 2) * t
    return left ** (-1 / (k - 2)) if left > 0 else inf


def flow_time(v: Floats, q: Floats | float) -> Floats:
    """t(q), the time at which all squared weights have grown by q. Shapes (..., k), (...) -> (...).

    In s = log γ the integrand is smooth and decays at both ends; the ends cut off weigh less than 1e-16.
    """
    squares, k = squared(v), v.shape[-1]
    low, high = np.log(squares.min(axis=-1)), np.log(squares.max(axis=-1))
    q = np.broadcast_to(np.asarray(q, dtype=np.float64), low.shape)
    check_range("q", float(q.min()), 0.0, inf)
    if np.isinf(q).any():
        check_degree(k)
    end = np.minimum(np.log(np.maximum(q, 1e-300)), high + 80 / (k - 2) if k > 2 else inf)
    start = np.minimum(low, end) - 40
    growth = np.exp(start[..., None] + (end - start)[..., None] * _NODES)
    density = growth / 2 / np.sqrt(np.prod(growth[..., None] + squares[..., None, :], axis=-1))
    return np.where(q > 0, (end - start) * (density @ _WEIGHTS), 0.0)


def blow_up_time(v: Floats) -> Floats:
    """T(∞), when all weights become infinite together; needs k >= 3. Shapes (..., k) -> (...)."""
    check_degree(v.shape[-1])
    return flow_time(v, inf)


def time_lower_bound(v: Floats, q: float) -> float:
    """t(q) is at least the time of an equal start with the same mean square v̄_a. Shape (k,)."""
    a = float(np.mean(squared(v)))
    return equal_time(v.size, sqrt(a + q), sqrt(a))


def time_left_bound(v: Floats, q: float) -> float:
    """T(∞) - t(q) is at most that of an equal start with the same geometric mean v̄_g. q = 0 bounds T(∞)."""
    check_degree(v.size)
    return equal_time(v.size, inf, sqrt(_geometric(v) + q))


def blow_up_bound_printed(v: Floats) -> float:
    """The first printed form of the bound on T(∞), with v̄_g^(-(k/2-1)) in the denominator: the sign is wrong."""
    check_degree(v.size)
    return _geometric(v) ** (v.size / 2 - 1) / (v.size - 2)


def growth_bounds(v: Floats, t: float) -> tuple[float, float]:
    """(B.8): q(t) lies between the growths of equal starts with the means v̄_g and v̄_a. Shape (k,)."""
    means = _geometric(v), float(np.mean(squared(v)))
    lower, upper = (equal_weight(v.size, t, sqrt(a)) ** 2 - a for a in means)
    return lower, upper


def check_degree(k: int) -> None:
    """Refuse k < 3."""
    if k < 3:
        raise ValueError(f"k = {k}: with fewer than three factors the flow never blows up; take k >= 3.")


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Refuse what lies outside [low, high]."""
    if not low <= value <= high:
        raise ValueError(f"{name} = {value}: the value has no meaning here; take {low} <= {name} <= {high}.")


def _panels(count: int, points: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss-Legendre quadrature on [0, 1] cut into equal panels."""
    x, weight = np.polynomial.legendre.leggauss(points)
    nodes = (np.arange(count)[:, None] + (x + 1) / 2) / count
    return nodes.ravel(), np.tile(weight / 2 / count, count)


# Panels about 0.7 wide in log γ, whose integrand is analytic within a distance π
_NODES, _WEIGHTS = _panels(256, 8)


def _geometric(v: Floats) -> float:
    return float(np.exp(np.mean(np.log(squared(v)))))


def _check_start(a: float) -> None:
    if not a > 0:
        raise ValueError(f"a = {a}: an equal start needs a positive common weight; take its absolute value.")
