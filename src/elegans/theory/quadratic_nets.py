"""Quadratic networks on a group task: logits, regularised loss, its gradient, and identities of training.

One neuron is φ({u, v, w}; a, b) = (u_a + v_b)² w ∈ R^d with d = |G|, so ν = 3, and the loss over all d² inputs is

    L_λ(θ) = E_{a,b} [-log softmax(F(a, b))_{ab}] + λ ‖θ‖_{2,3}^r,        F_c(a, b) = Σ_i (u_ia + v_ib)² w_ic.

With Γ_{ab,c} = (P_{ab,c} - 1[c = ab])/d², S = u_a + v_b and Q_{i,ab} = Σ_c w_ic Γ_{ab,c} the first term has gradient

    ∂w_ic = Σ_ab S²Γ_{ab,c},        ∂u_ia = 2 Σ_b S Q,        ∂v_ib = 2 Σ_a S Q.

A network is dict(U=(m, d), V=(m, d), W=(m, d)) in float64. Sums run one value of a at a time: arrays stay of size m·d.
"""

import numpy as np
from numpy.typing import NDArray

from elegans.theory.groups import Group
from elegans.theory.margins import group_norm, neuron_norms

Floats = NDArray[np.float64]
Network = dict[str, Floats]

NU = 3


def logits(theta: Network) -> Floats:
    """F_c(a, b) on all pairs, shape (d, d, d) indexed [a, b, c]."""
    _check(theta)
    return np.stack([_sums(theta, a).T ** 2 @ theta["W"] for a in range(theta["U"].shape[1])])


def cross_entropy(group: Group, theta: Network) -> float:
    """The first term of L_λ."""
    _check(theta, group)
    return float(-np.mean(np.take_along_axis(_log_softmax(logits(theta)), group.table[..., None], axis=-1)))


def regularised_loss(group: Group, theta: Network, lam: float, r: float = NU) -> float:
    """L_λ(θ)."""
    return cross_entropy(group, theta) + lam * group_norm(theta, NU) ** r


def loss_gradient(group: Group, theta: Network) -> Network:
    """Gradient of the cross-entropy, shaped like θ."""
    _check(theta, group)
    gamma = _residual(group, logits(theta))
    grad = {name: np.zeros_like(part) for name, part in theta.items()}
    for a in range(group.order):
        S = _sums(theta, a)
        SQ = 2 * S * (theta["W"] @ gamma[a].T)
        grad["U"][:, a] = SQ.sum(axis=1)
        grad["V"] += SQ
        grad["W"] += S**2 @ gamma[a]
    return grad


def penalty_gradient(theta: Network, lam: float, r: float = NU) -> Network:
    """Gradient of λ‖θ‖^r, that is λ r T^{r/3-1} ‖ω_i‖ ω_i with T = ‖θ‖³; zero at θ = 0."""
    T = group_norm(theta, NU) ** NU
    factor = lam * r * T ** (r / NU - 1) if T > 0 else 0.0
    return {name: factor * neuron_norms(theta)[:, None] * part for name, part in theta.items()}


def regularised_gradient(group: Group, theta: Network, lam: float, r: float = NU) -> Network:
    """Gradient of L_λ."""
    loss, penalty = loss_gradient(group, theta), penalty_gradient(theta, lam, r)
    return {name: loss[name] + penalty[name] for name in theta}


def euler_violation(group: Group, theta: Network, lam: float) -> Floats:
    """|E[Σ_c (1[c = ab] - P_c) φ(ω_i)_c] - λ‖ω_i‖³| / (λ‖θ‖³) per neuron (m,): zero where L_λ (r = 3) is stationary."""
    cubes = neuron_norms(theta) ** NU
    if lam <= 0 or cubes.sum() == 0:
        raise ValueError(f"the identity compares with λ‖θ‖³, got λ={lam}, ‖θ‖³={cubes.sum():g}: both must be positive.")
    gain = -np.sum(theta["W"] * loss_gradient(group, theta)["W"], axis=1)
    return np.abs(gain - lam * cubes) / (lam * cubes.sum())


def balancedness(theta: Network) -> Floats:
    """B_i = ‖u_i‖² + ‖v_i‖² - 2‖w_i‖², shape (m,): constant under gradient flow if λ = 0, decaying if λ > 0."""
    _check(theta)
    U, V, W = (np.sum(theta[name] ** 2, axis=1) for name in "UVW")
    return U + V - 2 * W


def _sums(theta: Network, a: int) -> Floats:
    """S_{i,ab} = u_ia + v_ib for one a, shape (m, d)."""
    return theta["U"][:, a, None] + theta["V"]


def _residual(group: Group, F: Floats) -> Floats:
    """Γ_{ab,c}, shape (d, d, d)."""
    right = np.equal(np.arange(group.order), group.table[..., None])
    return (np.exp(_log_softmax(F)) - right) / group.order**2


def _log_softmax(F: Floats) -> Floats:
    below = F - F.max(axis=-1, keepdims=True)
    return below - np.log(np.sum(np.exp(below), axis=-1, keepdims=True))


def _check(theta: Network, group: Group | None = None) -> None:
    shapes = {name: part.shape for name, part in theta.items()}
    if set(shapes) != {"U", "V", "W"} or len(set(shapes.values())) != 1 or theta["U"].ndim != 2:
        raise ValueError(f"a quadratic network is dict(U, V, W) of one shape (m, d), got {shapes}.")
    if group is not None and theta["U"].shape[1] != group.order:
        raise ValueError(
            f"the network reads {theta['U'].shape[1]} symbols but {group.name} has {group.order}: use its own group."
        )
