"""Proposition E.3: one step on flat chains, one with full weight decay on chains near ½, and the model counts bigrams.

    W¹ = w 1 1^T + κ₁/t² v Σ_j T̄_j,          v¹ = v 1 + κ₁/t² w Σ_ml T̄_ml          (flat a, b; η₁ = κ₁/t²)
    W² = κ₂/t Σ_j v¹_j T̄^ε_j,                v²_j = κ₂/t Σ_ml W¹_ml T̄^ε_mlj          (a = b ~ U(½-ε, ½+ε); η₂ = κ₂/t)

As t grows W² → κ₂ v/8 (artanh(2ε)/(2ε) - 1) I and v²_j → κ₂ (ρ-c') (2ε)^j / (8 (j+1)) for even j, 0 for odd j, at
fixed j, where ρ - c' = κ₁ v (B-A)/6. But every v²_j is O(1/t), and t of them make a background that stays.
"""

from dataclasses import dataclass
from math import atanh, log

import numpy as np

from elegans.theory.markov import Floats
from elegans.theory.population_tensor import first_step, flat_tensor, mean_tensor, symmetric_law

B, A = (8 * log(2) - 5) / 12, (7 - 10 * log(2)) / 6  # (E.24), (E.25)


@dataclass(frozen=True)
class Curriculum:
    """What both steps leave: W1 (2, 2), v1 (t,), W2 (2, 2), v2 (t,)."""

    W1: Floats
    v1: Floats
    W2: Floats
    v2: Floats


def two_steps(t: int, eps: float, k1: float, k2: float = 1.0, w: float = 1.0, v: float = 1.0) -> Curriculum:
    """Both steps by exact gradients, from W = w 1 1^T and v = v 1, decay acting on W and on v."""
    gain_W, gain_v = first_step(flat_tensor(t))
    W1, v1 = w + k1 / t**2 * v * gain_W, v + k1 / t**2 * w * gain_v
    T = mean_tensor(symmetric_law(0.5 - eps, 0.5 + eps), t)
    return Curriculum(W1, v1, k2 / t * np.einsum("mlj,j->ml", T, v1), k2 / t * np.einsum("mlj,ml->j", T, W1))


def limit_w(eps: float, k2: float = 1.0, v: float = 1.0) -> float:
    """The diagonal of W² as t grows, κ₂ v/8 (artanh(2ε)/(2ε) - 1)."""
    return k2 * v / 8 * (atanh(2 * eps) / (2 * eps) - 1)


def printed_limit_w(eps: float, k2: float = 1.0, v: float = 1.0) -> float:
    """The same by (E.53) as printed: κ₂ v (2ε + ½ ln((½-ε)/(½+ε))), negative."""
    return k2 * v * (2 * eps + 0.5 * log((0.5 - eps) / (0.5 + eps)))


def limit_v(eps: float, j: int, k1: float, k2: float = 1.0, v: float = 1.0) -> float:
    """v²_j at a fixed even offset j as t grows, 0 at an odd one."""
    return k2 * k1 * v * (B - A) / 6 * (2 * eps) ** j / (8 * (j + 1)) if j % 2 == 0 else 0.0


def limit_share(eps: float, k1: float, w: float = 1.0, v: float = 1.0) -> float:
    """v²_2 / Σ_j v²_j as t grows.

    For a = b, v²_j = κ₂/t ((ρ+c')/2 g_j + (ρ-c') N(N+1)/(8t) E λ^j), so that Σ_j v²_j → κ₂ m/8 ((ρ+c') + (ρ-c')) with
    m = E λ/(1-λ) = artanh(2ε)/(2ε) - 1: the background and the even offsets together.
    """
    rho, off, m = w + k1 * v * B / 6, w + k1 * v * A / 6, atanh(2 * eps) / (2 * eps) - 1
    return (rho - off) / (2 * rho) * (4 * eps**2 / 3) / m
