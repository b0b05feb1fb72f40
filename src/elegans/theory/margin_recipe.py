"""The paper's recipe for maximum margins (section 7.3.3) as a computation, for any homogeneous network and finite task.

    1. guess a distribution q on inputs and weights τ on wrong answers
    2. solve for one neuron:  γ₁ = max_{‖ω‖≤1} E_q ψ'(ω),  by ascent from many random starts
    3. combine:  a linear programme finds shares μ_i ≥ 0, Σ μ_i = 1, of ‖θ‖^ν for the best neurons that were met,
       max_μ min_{x,y'} Σ_i μ_i (φ(ω_i, x)[y] - φ(ω_i, x)[y'])

Any network's normalised margin is at most γ₁. If step 3 reaches it, the guess was right, q and τ are a certificate and θ
has maximum margin. If step 3 stays below, either the guess is wrong or too few neurons were met.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Neurons:
    """One kind of neuron on all inputs: `outputs` maps ω (size,) to φ(ω, ·), (points, classes), of degree `nu`;
    `pull` maps ω and weights M (points, classes) to the gradient of Σ M φ(ω), (size,)."""

    size: int
    nu: int
    labels: Ints
    outputs: Callable[[Floats], Floats]
    pull: Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Recipe:
    """What the recipe came to: the bound γ₁, the margin of the combined network, its neurons (norm 1) and shares;
    `values` are the local maxima that the starts reached."""

    bound: float
    margin: float
    neurons: Floats
    shares: Floats
    values: Floats


def quadratic_neurons(table: Ints) -> Neurons:
    """ω = (u, v, w) with φ = (u_a + v_b)² w, on any table of answers [d]² → [d]."""
    d = len(table)

    def outputs(omega: Floats) -> Floats:
        u, v, w = omega.reshape(3, d)
        return np.multiply.outer(np.add.outer(u, v).ravel() ** 2, w)

    def pull(omega: Floats, M: Floats) -> Floats:
        u, v, w = omega.reshape(3, d)
        S = np.add.outer(u, v)
        SQ = 2 * S * (M @ w).reshape(d, d)
        return np.concatenate([SQ.sum(1), SQ.sum(0), S.ravel() ** 2 @ M])

    return Neurons(3 * d, 3, table.ravel(), outputs, pull)


def power_neurons(x: Floats, y: Floats, k: int) -> Neurons:
    """ω = (u, w) with φ = (u·x)^k w ∈ R², answer 0 for y = +1 and 1 for y = -1."""
    n: int = x.shape[1]

    def outputs(omega: Floats) -> Floats:
        return np.multiply.outer((x @ omega[:n]) ** k, omega[n:])

    def pull(omega: Floats, M: Floats) -> Floats:
        z, u_part = x @ omega[:n], M @ omega[n:]
        return np.concatenate([(k * z ** (k - 1) * u_part) @ x, z**k @ M])

    return Neurons(n + 2, k + 1, (y < 0).astype(np.int64), outputs, pull)


def weights(labels: Ints, q: Floats, tau: Floats) -> Floats:
    """M with Σ M f = E_q[f(x)[y] - Σ τ(x)[y'] f(x)[y']]; q (points,), τ (points, classes) without weight on the answer."""
    classes: int = tau.shape[1]
    right = np.equal.outer(labels, np.arange(classes))
    if not np.isclose(q.sum(), 1) or not np.allclose(tau.sum(1), 1) or np.abs(tau[right]).max() > 0:
        raise ValueError("q and each τ(x) must add up to 1, and τ must leave out the right answer: normalise them.")
    return q[:, None] * (right - tau)


def uniform_weights(labels: Ints, classes: int) -> Floats:
    """M of the plainest guess: all inputs alike, all wrong answers alike."""
    wrong = np.not_equal(np.arange(classes), labels[:, None])
    return weights(labels, np.full(len(labels), 1 / len(labels)), wrong / (classes - 1))


def best_neurons(kind: Neurons, M: Floats, starts: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Local maxima of E_q ψ' on the unit sphere: neurons (starts, size) and their values."""

    def negative(omega: Floats) -> tuple[float, Floats]:
        size = float(np.linalg.norm(omega))
        unit = omega / size
        slope = kind.pull(unit, M)
        value = float(slope @ unit) / kind.nu  # Euler
        return -value, -(slope - kind.nu * value * unit) / size

    begun = [_start(kind.size, rng) for _ in range(starts)]
    found: list[Any] = [minimize(negative, omega, jac=True, method="L-BFGS-B", options=_FINE) for omega in begun]
    ends = np.array([f.x for f in found], dtype=np.float64)
    neurons = ends / np.linalg.norm(ends, axis=1, keepdims=True)
    return neurons, np.array([-float(f.fun) for f in found])


def combine(kind: Neurons, neurons: Floats) -> tuple[float, Floats]:
    """The largest normalised margin of networks made of these neurons (norm 1), and their shares of ‖θ‖^ν."""
    margins = np.stack([_margins(kind, omega) for omega in neurons])
    (count, points), scale = margins.shape, np.abs(margins).max()
    found = linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.hstack([-margins.T / scale, np.ones((points, 1))]),
        b_ub=np.zeros(points),
        A_eq=np.append(np.ones(count), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * count + [(None, None)],
        method="highs",
    )
    if found.x is None:
        raise RuntimeError(f"the linear programme over {count} neurons was not solved: {found.message}")
    shares = np.clip(np.asarray(found.x[:-1], dtype=np.float64), 0, None)
    shares /= shares.sum()
    return float((shares @ margins).min()), shares


def recipe(kind: Neurons, M: Floats, starts: int, seed: int, tolerance: float = 1e-9) -> Recipe:
    """Steps 2 and 3 for the guess M; neurons within the relative `tolerance` of the best are combined."""
    neurons, values = best_neurons(kind, M, starts, np.random.default_rng(seed))
    bound = float(values.max())
    chosen = neurons[values >= bound * (1 - tolerance)]
    margin, shares = combine(kind, chosen)
    return Recipe(bound, margin, chosen[shares > 0], shares[shares > 0], values)


_FINE: Any = {"ftol": 0.0, "gtol": 1e-9, "maxiter": 500}


def _start(size: int, rng: np.random.Generator) -> Floats:
    omega = rng.standard_normal(size)
    return omega / np.linalg.norm(omega)


def _margins(kind: Neurons, omega: Floats) -> Floats:
    """φ[y] - φ[y'] for every input and wrong answer, (points · (classes - 1),)."""
    phi = kind.outputs(omega)
    classes: int = phi.shape[1]
    right = np.equal.outer(kind.labels, np.arange(classes))
    answer, others = phi[right].reshape(-1, 1), phi[~right].reshape(len(phi), -1)
    return np.subtract(answer, others).ravel()
