"""The disjoint PolyNet f(x) = Π_{i≤k} ⟨w_i, x_{P_i}⟩, solved exactly (Lemmas B.8 and B.9, Theorem 5.7).

Each of the k blocks has n' coordinates: a relevant one with weight v_i and n' - 1 irrelevant ones with
weights u_i. The population gradient of the correlation loss moves the relevant weights only,

    v̇_i = Π_{j≠i} v_j        v_i(t)² = v_i(0)² + q(t)        t(q) = ½ ∫_0^q Π_i (γ + v_i(0)²)^(-1/2) dγ

and with U_i = Σ_j ±u_ij over fair signs the error is, as long as no block ties,

    err = ½ - ½ Π_i Pr[|U_i| < |v_i|]

so the error stays near ½ until the v_i have grown to √n', when most of the time to blow-up T(∞) is over.
Starts with Π v_i(0) > 0 are meant throughout; from others the weights first shrink towards the saddle at 0.
"""

from collections.abc import Callable
from math import exp, inf, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

LARGEST_LAW = 2**20  # atoms of Σ ±u_j: any 20 weights, or thousands on a common lattice
BERRY_ESSEEN = 0.56


def open_ball(c: Floats | float, m: int) -> Floats:
    """Pr[|U| < c] for U a sum of m fair signs. Shapes (...) -> (...)."""
    return _two_sided(np.floor((m - np.asarray(c, dtype=np.float64)) / 2), m)


def closed_ball(c: Floats | float, m: int) -> Floats:
    """Pr[|U| <= c] for U a sum of m fair signs. Shapes (...) -> (...)."""
    return _two_sided(np.ceil((m - np.asarray(c, dtype=np.float64)) / 2) - 1, m)


def sign_sum(u: Floats) -> tuple[Floats, Floats]:
    """Law of Σ_j ±u_j over fair signs: sorted values and their probabilities. Shapes (m,) -> (atoms,), (atoms,)."""
    values: Floats = np.zeros(1)
    mass: Floats = np.ones(1)
    for a in np.abs(u):
        values, place = np.unique(np.concatenate((values - a, values + a)), return_inverse=True)
        mass = np.bincount(place, weights=np.concatenate((mass, mass)) / 2).astype(np.float64)
        if values.size > LARGEST_LAW:
            raise ValueError(f"u has {u.size} weights: their sum takes too many values to list; use error_normal.")
    return values, mass


def inside_and_tie(v: float, u: Floats) -> tuple[float, float]:
    """Pr[|U| < |v|] and Pr[|U| = |v|] for one block, u of shape (n'-1,); ties are those of float64 arithmetic."""
    c, a = abs(v), np.abs(u)
    if u.size and a.min() == a.max() > 0:
        inside = float(open_ball(c / a[0], u.size))
        return inside, float(closed_ball(c / a[0], u.size)) - inside
    values, mass = sign_sum(u)
    return float(mass[np.abs(values) < c].sum()), float(mass[np.abs(values) == c].sum())


def error(v: Floats, u: Floats) -> float:
    """Exact error when sign(0) counts as wrong, as in the paper. Shapes (k,), (k, n'-1).

    With p_i^± = Pr[±(|v_i| + U_i) > 0] it is 1 - ½ [Π(p_i^+ + p_i^-) + Π(p_i^+ - p_i^-)].
    """
    inside, tie = _blocks(v, u)
    return float(1 - (np.prod(1 - tie / 2) + np.prod(inside + tie / 2)) / 2)


def error_tie_free(v: Floats, u: Floats) -> float:
    """½ - ½ Π Pr[|U_i| < |v_i|]: the error between lattice values of v, continued to them from the left."""
    inside, _ = _blocks(v, u)
    return float(0.5 - np.prod(inside) / 2)


def error_normal(v: Floats, norm: Floats) -> Floats:
    """The error with each U_i replaced by a normal variable of deviation ‖u_i‖₂. Shapes (..., k), (..., k) -> (...)."""
    return 0.5 - np.prod(_erf(np.abs(v) / norm / sqrt(2)), axis=-1) / 2


def error_bounds(v: Floats, u: Floats) -> tuple[float, float]:
    """Corrected bounds of Lemma B.9: Berry-Esseen at both ends of the interval below, Hoeffding above."""
    z, top = _standardised(v, u)
    lower = 0.5 - np.prod(_erf(z / sqrt(2)) + 2 * BERRY_ESSEEN * top) / 2
    return float(lower), float(np.sum(np.exp(-(z**2) / 2)))


def error_bounds_printed(v: Floats, u: Floats) -> tuple[float, float]:
    """The bounds as printed, ‖u‖_∞/‖u‖₂³ below and 2 Σ exp(-v²/‖u‖₂²) above; both can be violated."""
    z, top = _standardised(v, u)
    square: Floats = np.linalg.norm(u, axis=-1) ** 2
    lower = 0.5 - np.prod(_erf(z / sqrt(2)) + BERRY_ESSEEN * top / square) / 2
    return float(lower), float(2 * np.sum(np.exp(-(z**2))))


def equal_time(k: int, b: float, a: float = 1.0) -> float:
    """Time in which k weights that all start at a > 0 reach b: (a^(2-k) - b^(2-k))/(k-2). b may be infinite."""
    _check_start(a)
    _check_range("b", b, a, inf)
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
    squares, k = _squares(v), v.shape[-1]
    low, high = np.log(squares.min(axis=-1)), np.log(squares.max(axis=-1))
    q = np.broadcast_to(np.asarray(q, dtype=np.float64), low.shape)
    _check_range("q", float(q.min()), 0.0, inf)
    if np.isinf(q).any():
        _check_degree(k)
    end = np.minimum(np.log(np.maximum(q, 1e-300)), high + 80 / (k - 2) if k > 2 else inf)
    start = np.minimum(low, end) - 40
    growth = np.exp(start[..., None] + (end - start)[..., None] * _NODES)
    density = growth / 2 / np.sqrt(np.prod(growth[..., None] + squares[..., None, :], axis=-1))
    return np.where(q > 0, (end - start) * (density @ _WEIGHTS), 0.0)


def blow_up_time(v: Floats) -> Floats:
    """T(∞), when all weights become infinite together; needs k >= 3. Shapes (..., k) -> (...)."""
    _check_degree(v.shape[-1])
    return flow_time(v, inf)


def time_lower_bound(v: Floats, q: float) -> float:
    """t(q) is at least the time of an equal start with the same mean square v̄_a. Shape (k,)."""
    a = float(np.mean(_squares(v)))
    return equal_time(v.size, sqrt(a + q), sqrt(a))


def time_left_bound(v: Floats, q: float) -> float:
    """T(∞) - t(q) is at most that of an equal start with the same geometric mean v̄_g. q = 0 bounds T(∞)."""
    _check_degree(v.size)
    return equal_time(v.size, inf, sqrt(_geometric(v) + q))


def blow_up_bound_printed(v: Floats) -> float:
    """The first printed form of the bound on T(∞), with v̄_g^(-(k/2-1)) in the denominator: the sign is wrong."""
    _check_degree(v.size)
    return _geometric(v) ** (v.size / 2 - 1) / (v.size - 2)


def growth_bounds(v: Floats, t: float) -> tuple[float, float]:
    """(B.8): q(t) lies between the growths of equal starts with the means v̄_g and v̄_a. Shape (k,)."""
    means = _geometric(v), float(np.mean(_squares(v)))
    lower, upper = (equal_weight(v.size, t, sqrt(a)) ** 2 - a for a in means)
    return lower, upper


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
    _check_degree(k)
    return escape_weight(k, gamma, n_prime) ** (2 - k)


def share_after_plateau_normal(v: Floats, norm: Floats, gamma: float) -> Floats:
    """1 - T(½-γ)/T(∞) for any starts, by `error_normal`. Shapes (..., k) for v(0) and for ‖u_i‖₂ -> (...).

    The time left after q is the blow-up time from the weights reached at q.
    """
    _check_range("gamma", gamma, 0.0, 0.5)
    squares = _squares(v)
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
    _check_degree(k)
    if len(set(n_prime)) < 2:
        raise ValueError(f"n_prime = {n_prime}: a slope needs two different block sizes; add another.")
    logs = np.log([weight(k, gamma, m) for m in n_prime])
    return (2 - k) * float(np.polyfit(np.log(n_prime), logs, 1)[0])


def _lattice(gamma: float, n_prime: int) -> tuple[int, Floats]:
    """The number m = n' - 1 of irrelevant signs in a block and the values >= 0 their sum can take."""
    _check_range("gamma", gamma, 0.0, 0.5)
    _check_range("n_prime", n_prime, 1, inf)
    return n_prime - 1, np.arange((n_prime - 1) % 2, n_prime, 2, dtype=np.float64)


def _panels(count: int, points: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss-Legendre quadrature on [0, 1] cut into equal panels."""
    x, weight = np.polynomial.legendre.leggauss(points)
    nodes = (np.arange(count)[:, None] + (x + 1) / 2) / count
    return nodes.ravel(), np.tile(weight / 2 / count, count)


# Panels about 0.7 wide in log γ, whose integrand is analytic within a distance π
_NODES, _WEIGHTS = _panels(256, 8)


def _erf(z: Floats) -> Floats:
    return np.asarray(special.erf(z), dtype=np.float64)


def _two_sided(last: Floats, m: int) -> Floats:
    """1 - 2 Pr[B <= last] for B binomial(m, ½), clipped to probabilities."""
    tail = special.betainc(m - np.clip(last, 0, m - 1), np.maximum(last, 0) + 1, 0.5) if m else np.zeros_like(last)
    return np.clip(np.where(last < 0, 1.0, 1 - 2 * tail), 0, 1)


def _blocks(v: Floats, u: Floats) -> tuple[Floats, Floats]:
    _squares(v)
    if u.ndim != 2 or v.shape != u.shape[:1]:
        raise ValueError(
            f"v has shape {v.shape}, u {u.shape}: pass the relevant weights (k,) and the others (k, n'-1)."
        )
    pairs = np.array([inside_and_tie(float(a), b) for a, b in zip(v, u, strict=True)])
    return pairs[:, 0], pairs[:, 1]


def _standardised(v: Floats, u: Floats) -> tuple[Floats, Floats]:
    """|v_i|/‖u_i‖₂ and ‖u_i‖_∞/‖u_i‖₂."""
    norm = np.linalg.norm(u, axis=-1)
    if not np.all(norm > 0):
        raise ValueError("u: a block without irrelevant weights has no scale; its probability is exactly 1, use error.")
    return np.abs(v) / norm, np.abs(u).max(axis=-1) / norm


def _squares(v: Floats) -> Floats:
    if not np.all(np.prod(np.sign(v), axis=-1) > 0):
        raise ValueError(
            "v: the formulas hold for a positive product of the relevant weights; flip the sign of one of them."
        )
    return v**2


def _geometric(v: Floats) -> float:
    return float(np.exp(np.mean(np.log(_squares(v)))))


def _check_degree(k: int) -> None:
    if k < 3:
        raise ValueError(f"k = {k}: with fewer than three factors the flow never blows up; take k >= 3.")


def _check_start(a: float) -> None:
    if not a > 0:
        raise ValueError(f"a = {a}: an equal start needs a positive common weight; take its absolute value.")


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ValueError(f"{name} = {value}: the value has no meaning here; take {low} <= {name} <= {high}.")
