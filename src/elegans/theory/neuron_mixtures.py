"""Norms ‖θ‖_{a,b} and how many neurons the best network of norm 1 has (lemmas 7.3 and 7.5).

    ‖θ‖_{a,b} = (Σ_i ‖ω_i‖_a^b)^{1/b},        E_q[g'(θ)] = Σ_i ‖ω_i‖_a^ν E_q ψ'(ω_i/‖ω_i‖_a) ≤ γ₁ Σ_i s_i^ν,  s_i = ‖ω_i‖_a

with γ₁ the best of a single neuron of norm 1. Under Σ s_i^b ≤ 1 the last sum is at most 1 if b ≤ ν, and m^{1-ν/b} if b > ν:
one neuron takes all if b < ν, all m are equal if b > ν, and only for b = ν may the s_i be anything.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def lengths(theta: Mapping[str, Floats], a: float = 2.0) -> Floats:
    """‖ω_i‖_a over all weights of neuron i, (m,)."""
    _positive(a)
    rows = np.concatenate([np.abs(part.reshape(len(part), -1)) for part in theta.values()], axis=1)
    return rows.max(axis=1) if np.isinf(a) else np.sum(rows**a, axis=1) ** (1 / a)


def norm(theta: Mapping[str, Floats], a: float, b: float) -> float:
    """‖θ‖_{a,b}."""
    _positive(b)
    s = lengths(theta, a)
    return float(s.max()) if np.isinf(b) else float(np.sum(s**b) ** (1 / b))


def largest_sum(m: int, nu: float, b: float) -> float:
    """max Σ s_i^ν over s ∈ R^m, s ≥ 0, Σ s_i^b ≤ 1."""
    _positive(b)
    return float(m ** max(0.0, 1 - nu / b))


def best_lengths(m: int, nu: float, b: float) -> Floats:
    """Lengths s (m,) that reach `largest_sum`; for b = ν one choice of many."""
    _positive(b)
    return np.full(m, m ** (-1 / b)) if b > nu else np.eye(m)[0]


def _positive(exponent: float) -> None:
    if not exponent > 0:
        raise ValueError(f"a norm needs exponents above 0, got {exponent}: use 2 and the degree ν.")
