"""Networks z^k on parity: logits, regularised loss, its gradient, and identities of training.

    f(x) = Σ_i (u_i·x)^k w_i ∈ R²,   ν = k + 1,        f_0 is the logit of y = +1, f_1 that of y = -1
    L_λ(θ) = E_x log(1 + e^{-yδ(x)}) + λ Σ_i ‖ω_i‖^{k+1},        δ = f_0 - f_1

With g(x) = -y σ(-yδ)/2^n the first term has gradient ∂w_0 = Σ_x (u·x)^k g = -∂w_1, ∂u = Σ_x k (u·x)^{k-1} (w_0 - w_1) g x.
A network is dict(U=(m, n), W=(m, 2)) in float64, x are (points, n), y (points,).
"""

import numpy as np
from numpy.typing import NDArray

from elegans.theory.margins import neuron_norms

Floats = NDArray[np.float64]
Network = dict[str, Floats]


def logits(theta: Network, x: Floats, k: int) -> Floats:
    """f(x), shape (points, 2)."""
    _check(theta, x, k)
    return (x @ theta["U"].T) ** k @ theta["W"]


def signed_margins(theta: Network, x: Floats, y: Floats, k: int) -> Floats:
    """g = f[y] - f[-y] = yδ at every point."""
    f = logits(theta, x, k)
    return y * (f[:, 0] - f[:, 1])


def cross_entropy(theta: Network, x: Floats, y: Floats, k: int) -> float:
    """E log(1 + e^{-yδ})."""
    return float(np.logaddexp(0, -signed_margins(theta, x, y, k)).mean())


def regularised_loss(theta: Network, x: Floats, y: Floats, k: int, lam: float) -> float:
    """L_λ(θ)."""
    return cross_entropy(theta, x, y, k) + lam * float(np.sum(neuron_norms(theta) ** (k + 1)))


def loss_gradient(theta: Network, x: Floats, y: Floats, k: int) -> Network:
    """Gradient of the cross-entropy, shaped like θ."""
    z, w = x @ theta["U"].T, theta["W"]
    g = -y * np.exp(-np.logaddexp(0, signed_margins(theta, x, y, k))) / len(y)
    up = (z**k).T @ g
    return {
        "U": (k * z ** (k - 1) * (w[:, 0] - w[:, 1]) * g[:, None]).T @ x,
        "W": np.stack([up, -up], axis=1),
    }


def regularised_gradient(theta: Network, x: Floats, y: Floats, k: int, lam: float) -> Network:
    """Gradient of L_λ: the penalty adds λ(k+1) ‖ω_i‖^{k-1} ω_i."""
    factor = lam * (k + 1) * neuron_norms(theta)[:, None] ** (k - 1)
    return {name: part + factor * theta[name] for name, part in loss_gradient(theta, x, y, k).items()}


def balancedness(theta: Network, k: int) -> Floats:
    """B_i = ‖u_i‖² - k‖w_i‖², (m,): dB/dt = -2λ(k+1)‖ω‖^{k-1} B under gradient flow."""
    return np.sum(theta["U"] ** 2, axis=1) - k * np.sum(theta["W"] ** 2, axis=1)


def euler_violation(theta: Network, x: Floats, y: Floats, k: int, lam: float) -> Floats:
    """|E[(1[y] - P)·φ(ω_i)] - λ‖ω_i‖^{k+1}| / (λ‖θ‖^{k+1}) per neuron: zero where L_λ is stationary."""
    size = neuron_norms(theta) ** (k + 1)
    if lam <= 0 or size.sum() == 0:
        raise ValueError(
            f"the identity compares with λ‖θ‖^ν, got λ={lam}, ‖θ‖^ν={size.sum():g}: both must be positive."
        )
    gain = -np.sum(theta["W"] * loss_gradient(theta, x, y, k)["W"], axis=1)
    return np.abs(gain - lam * size) / (lam * size.sum())


def _check(theta: Network, x: Floats, k: int) -> None:
    U, W = theta["U"], theta["W"]
    if U.ndim != 2 or W.shape != (len(U), 2) or x.shape[1:] != U.shape[1:] or k < 1:
        raise ValueError(
            f"U (m, n), W (m, 2), x (points, n) and k ≥ 1 do not fit: {U.shape}, {W.shape}, {x.shape}, {k}."
        )
