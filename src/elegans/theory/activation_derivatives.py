"""Derivatives σ' of activations, and how strongly a neuron's population gradient points at the hidden set.

    softplus of temperature T:  σ(z) = T log(1 + e^{z/T}),   σ' = 1/(1 + e^{-z/T})      ReLU for T → 0, linear for T → ∞
    GELU:  σ(z) = z Φ(z),   σ' = Φ(z) + z φ(z)              leaky ReLU:  σ' = 1 for z > 0, else α
    g_i / E[σ'(w·x)²]^{1/2}  is at most one in size: the gradient in units in which activations can be compared

For a leaky ReLU σ' = α + (1-α) 1[z > 0]. Without a bias, and where no w·x is zero, E 1[z > 0] = ½, so all its gradients
are those of ReLU times (1-α)/√(1+α²), for k ≥ 2. For z^d, σ' has degree d - 1, so g = 0 for k > d.
"""

from collections.abc import Callable, Mapping
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from elegans.theory.boolean import character, cube
from elegans.theory.neuron_gradients import AT_ONCE, step

Floats = NDArray[np.float64]
Derivative = Callable[[Floats], Floats]


def softplus_slope(temperature: float) -> Derivative:
    """σ' of softplus, by tanh, which does not overflow."""
    if not temperature > 0:
        raise ValueError(f"temperature = {temperature}: softplus needs one above zero; its limit at zero is ReLU.")
    return lambda z: 0.5 + 0.5 * np.tanh(z / (2 * temperature))


def leaky_slope(alpha: float) -> Derivative:
    """σ' of a leaky ReLU with slope α on the left."""
    return lambda z: alpha + (1 - alpha) * step(z)


def gelu_slope(z: Floats) -> Floats:
    """Φ(z) + z φ(z)."""
    return special.ndtr(z) + z * np.exp(-(z**2) / 2) / sqrt(2 * pi)


def power_slope(d: int) -> Derivative:
    """σ' of z^d."""
    return lambda z: d * z ** (d - 1)


def sinusoid_slope(k: int) -> Derivative:
    """σ' of cos(π/2 (z - k))."""
    return lambda z: -pi / 2 * np.sin(pi / 2 * (z - k))


def leaky_factor(alpha: float) -> float:
    """(1-α)/√(1+α²): the normalised gap of a leaky ReLU over that of ReLU."""
    return (1 - alpha) / sqrt(1 + alpha**2)


def normalised_gradients(derivatives: Mapping[str, Derivative], W: Floats, k: int) -> dict[str, Floats]:
    """g / E[σ'²]^{1/2} of every row of W for every activation, by enumeration. Shapes (m, n) -> (m, n) each."""
    m, n = W.shape
    x = cube(n).astype(np.float64)
    labelled = x * character(n, range(k))[:, None]
    out = {name: np.empty((m, n)) for name in derivatives}
    for i in range(0, m, max(1, AT_ONCE >> n)):
        rows = slice(i, i + max(1, AT_ONCE >> n))
        z = x @ W[rows].T
        for name, slope in derivatives.items():
            s = slope(z)
            out[name][rows] = s.T @ labelled / len(x) / np.sqrt((s**2).mean(0))[:, None]
    return out
