"""The exact minimum of the regularised loss on Z_p, p odd, and the smooth curve through a function on Z_p.

Equal weights on all wrong answers are optimal, so that the minimum over quadratic networks of any width is explicit: it has

    normalised margin γ*,    ‖θ‖³ = M/γ*,    M = log((p-1)(γ*/λ - 1)),    cross-entropy = -log(1 - λ/γ*),

the same mass 2/(p-1) on every frequency, and is the zero network from λ = γ*(p-1)/p on. The interpolant of u is

    g(t) = 1/p Σ_{|j| ≤ p/2} û(j) e^{2πijt/p},    g(a) = u(a) at integers a.
"""

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elegans.theory.margins import gamma_star_cyclic

Floats = NDArray[np.float64]


class CyclicOptimum(NamedTuple):
    """What the global minimum of cross-entropy + λ‖θ‖³ has."""

    normalised_margin: float
    cross_entropy: float
    norm_cubed: float
    share: float  # of ‖θ‖³ on each frequency


def cyclic_optimum(p: int, lam: float) -> CyclicOptimum:
    """The minimum for the penalty λ Σ_i ‖ω_i‖³."""
    gamma = gamma_star_cyclic(p)
    if not 0 < lam < gamma * (p - 1) / p:
        raise ValueError(
            f"λ={lam} must lie between 0 and γ*(p-1)/p = {gamma * (p - 1) / p:g}: else no weights are best."
        )
    margin = log((p - 1) * (gamma / lam - 1))
    return CyclicOptimum(gamma, -log(1 - lam / gamma), margin / gamma, 2 / (p - 1))


def interpolant(u: Floats, t: Floats) -> Floats:
    """g at the real times t, (…, n) and (k,) ↦ (…, k); for even n the frequency n/2 is a cosine."""
    n: int = u.shape[-1]
    j = np.arange(n // 2 + 1)
    copies = np.where((j == 0) | (2 * j == n), 1.0, 2.0)
    waves = copies * np.fft.rfft(u) / n
    return np.asarray((waves @ np.exp(2j * np.pi / n * np.multiply.outer(j, t))).real, dtype=np.float64)
