"""Two-layer networks that compute a parity exactly, as functions of s = Σ_{i∈S} x_i = k - 2m, m relevant -1s.

    ReLU, width k, with output bias     f = (1 - 2k) + 2 ReLU(k - m) + 4 Σ_{j<k} (-1)^{j+1} ReLU(m - j)
    z^k, width k, without               f = Σ_{j≤k} u_j (s + β_j)^k = p(s),  p the interpolant of (-1)^m

The second exists since a binary form of degree k is a sum of k powers of linear forms. With moments M_j = Σ_l u_l β_l^j
it asks M_j = p_{k-j} / C(k, j) for j = 0..k. These k + 1 numbers satisfy a linear recurrence with characteristic roots β if
and only if Σ_j q_j M_j = 0, q(t) = Π_l (t - β_l), which is linear in the last root when the others are chosen.

Whether ReLUs of some width can have the signs of a parity at all is decided by linear programmes, one for each way in
which the neurons can split the cube.
"""

from itertools import combinations_with_replacement, product
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from elegans.theory.boolean import cube

Floats = NDArray[np.float64]
Network = dict[str, Floats]  # a (r,), b (r,), u (r,), c (): f(s) = Σ_j u_j σ(a_j s + b_j) + c


def counts(k: int) -> Floats:
    """s = k - 2m for m = 0..k."""
    return k - 2.0 * np.arange(k + 1, dtype=np.float64)


def alternating(k: int) -> Floats:
    """(-1)^m for m = 0..k."""
    return (-1.0) ** np.arange(k + 1, dtype=np.float64)


def relu_network(k: int) -> Network:
    """k ReLUs and an output bias: one falling ramp that carries the line, and a kink at every inner m."""
    j = np.arange(1, k)
    a = np.concatenate([[0.5], np.full(k - 1, -0.5)])  # k - m = (s + k)/2 and m - j = (k - s)/2 - j
    b, u = np.concatenate([[k / 2], k / 2 - j]), np.concatenate([[2.0], 4.0 * (-1.0) ** (j + 1)])
    return {"a": a, "b": b, "u": u, "c": np.array(1.0 - 2 * k)}


def relu_network_without_bias(k: int) -> Network:
    """k + 1 ReLUs and no output bias: the constant 1 - 2k is carried by two ramps whose sum is k on [-k, k]."""
    net, share = relu_network(k), (1 - 2 * k) / k
    a, b = np.append(net["a"], -0.5), np.append(net["b"], k / 2)
    u = np.append(net["u"], share)
    u[0] += share
    return {"a": a, "b": b, "u": u, "c": np.array(0.0)}


def power_network(k: int, roots: tuple[float, ...] | None = None) -> Network:
    """k powers z^k whose sum is the interpolant; `roots` are the first k - 1 shifts β."""
    M = np.polynomial.polynomial.Polynomial.fit(counts(k), alternating(k), k).convert().coef[::-1]
    M = np.asarray(M / np.array([comb(k, j) for j in range(k + 1)]), np.float64)
    chosen = np.array(_spread(k - 1) if roots is None else roots, np.float64)
    q = np.asarray(np.polynomial.polynomial.polyfromroots(chosen) if k > 1 else np.ones(1), np.float64)
    β = np.append(chosen, _last_root(q, M))
    u = np.asarray(np.linalg.solve(np.vander(β, k, increasing=True).T, M[:k]), np.float64)
    return {"a": np.ones(k), "b": β, "u": u, "c": np.array(0.0)}


def _last_root(q: Floats, M: Floats) -> float:
    """β with Σ_j [q(t)(t - β)]_j M_j = 0, q of degree k - 1 in increasing order."""
    below, above = float(q @ M[: len(q)]), float(q @ M[1 : len(q) + 1])
    if abs(below) < 1e-12:
        raise ValueError("the last root is infinite for these roots: choose others.")
    return above / below


def _spread(m: int) -> tuple[float, ...]:
    """m shifts without symmetry, so that the last one is finite and differs from them."""
    return tuple(np.linspace(-1.0, 1.0, m) * m + 0.37) if m > 1 else (1.0,) * m


def evaluate(net: Network, s: Floats, power: int | None = None) -> Floats:
    """f(s), with σ = ReLU or z^power. Shapes (b,) -> (b,)."""
    z = s[:, None] * net["a"] + net["b"]
    return (z**power if power else np.maximum(z, 0)) @ net["u"] + net["c"]


def as_mlp(net: Network, n: int, k: int) -> Network:
    """The same network on n inputs of which the first k are relevant: W (n, r), b, u and c."""
    W = np.zeros((n, len(net["a"])))
    W[:k] = net["a"]
    return {"W": W, "b": net["b"], "u": net["u"], "c": net["c"]}


def separable_patterns(x: Floats) -> list[tuple[bool, ...]]:
    """The sets {x: w·x + b > 0} that half spaces cut out of these points, by linear programmes."""
    return [p for p in product((False, True), repeat=len(x)) if _separable(x, np.array(p))]


def _separable(x: Floats, inside: NDArray[np.bool_]) -> bool:
    signs = np.where(inside, -1.0, 1.0)
    rows = signs[:, None] * np.hstack([x, np.ones((len(x), 1))])
    found = linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(x)), bounds=(None, None), method="highs")
    return found.status == 0


def largest_margin(k: int, width: int, output_bias: bool) -> float:
    """Largest t <= 1 with χ(x) f(x) >= t on all of {±1}^k, over all ReLU networks of this width; 0 if none classifies.

    Irrelevant inputs only shift biases, so k inputs are enough. |u_i| is absorbed in the neuron; what remains of u_i is a
    sign. For given signs and given sets on which the neurons are active the problem is linear.
    """
    x = cube(k).astype(np.float64)
    y, patterns, best = x.prod(1), separable_patterns(x), 0.0
    signs = range(width + 1) if output_bias else range(1, width)  # without bias, f of equal signs has one sign
    for negative in signs:
        for active in _assignments(patterns, width - negative, negative):
            best = max(best, _margin(x, y, np.array(active).T, negative, output_bias))
            if best > 1 - 1e-9:
                return best
    return best


def _assignments(patterns: list[tuple[bool, ...]], positive: int, negative: int) -> list[tuple[tuple[bool, ...], ...]]:
    """Active sets for interchangeable neurons of either sign."""
    pairs = product(
        combinations_with_replacement(patterns, positive), combinations_with_replacement(patterns, negative)
    )
    return [(*p, *q) for p, q in pairs]


def _margin(x: Floats, y: Floats, active: NDArray[np.bool_], negative: int, output_bias: bool) -> float:
    """The linear programme for active sets (points, r) whose last `negative` neurons are subtracted."""
    points, r = active.shape
    affine = np.hstack([x, np.ones((points, 1))])
    size, total = affine.shape[1], r * affine.shape[1] + 2  # r neurons, c, t
    sign = np.where(np.arange(r, dtype=np.int64) < r - negative, 1.0, -1.0)
    rows = np.zeros((points * (r + 1), total))
    for i in range(r):
        block = slice(i * size, (i + 1) * size)
        rows[i * points : (i + 1) * points, block] = np.where(active[:, i], -1.0, 1.0)[:, None] * affine
        rows[r * points :, block] = -y[:, None] * sign[i] * active[:, i, None] * affine
    rows[r * points :, -2], rows[r * points :, -1] = -y * output_bias, 1.0
    bounds = [(None, None)] * (total - 1) + [(0, 1)]
    found = linprog(-np.eye(total)[-1], A_ub=rows, b_ub=np.zeros(len(rows)), bounds=bounds, method="highs")
    return float(found.x[-1]) if found.status == 0 and found.x is not None else 0.0
