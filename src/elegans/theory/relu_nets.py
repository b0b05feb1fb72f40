"""ReLU networks on a group task: logits, cross-entropy with its gradient, and what gradient flow conserves.

    F_c(a, b) = Σ_i (u_ia + v_ib)_+ w_ic,   ν = 2,        L_λ(θ) = E_{a,b} [-log softmax(F(a, b))_{ab}] + λ ‖θ‖₂²

With Γ_{ab,c} = (P_{ab,c} - 1[c = ab])/d² and Q = Γ Wᵀ: ∂w = Σ_ab (S)_+ Γ, ∂u_a = Σ_b 1[S > 0] Q, ∂v_b = Σ_a 1[S > 0] Q.
Under the flow of L_λ, B = ‖u‖² + ‖v‖² - ‖w‖² obeys dB/dt = -4λB. A network is dict(U, V, W), each (m, d), in float64.
"""

import numpy as np
from numpy.typing import NDArray

from elegans.theory.groups import Group

Floats = NDArray[np.float64]
Network = dict[str, Floats]


def logits(theta: Network) -> Floats:
    """F_c(a, b) on all pairs, shape (d, d, d) indexed [a, b, c]."""
    return np.einsum("iab,ic->abc", np.maximum(_sums(theta), 0), theta["W"])


def cross_entropy(group: Group, theta: Network) -> float:
    """The first term of L_λ."""
    return float(-np.mean(np.take_along_axis(_log_softmax(logits(theta)), group.table[..., None], axis=-1)))


def regularised_loss(group: Group, theta: Network, lam: float) -> float:
    """L_λ(θ)."""
    return cross_entropy(group, theta) + lam * sum(float(np.sum(part**2)) for part in theta.values())


def loss_gradient(group: Group, theta: Network) -> Network:
    """Gradient of the cross-entropy, shaped like θ; at a kink the derivative 0 is taken."""
    S, right = _sums(theta), np.equal(np.arange(group.order), group.table[..., None])
    gamma = (np.exp(_log_softmax(logits(theta))) - right) / group.order**2
    Q = np.where(S > 0, np.einsum("abc,ic->iab", gamma, theta["W"]), 0)
    return {"U": Q.sum(2), "V": Q.sum(1), "W": np.einsum("iab,abc->ic", np.maximum(S, 0), gamma)}


def regularised_gradient(group: Group, theta: Network, lam: float) -> Network:
    """Gradient of L_λ."""
    return {name: part + 2 * lam * theta[name] for name, part in loss_gradient(group, theta).items()}


def balancedness(theta: Network) -> Floats:
    """B_i = ‖u_i‖² + ‖v_i‖² - ‖w_i‖², (m,)."""
    U, V, W = (np.sum(theta[name] ** 2, axis=1) for name in "UVW")
    return U + V - W


def _sums(theta: Network) -> Floats:
    """u_ia + v_ib, shape (m, d, d)."""
    shapes = {name: part.shape for name, part in theta.items()}
    if set(shapes) != {"U", "V", "W"} or len(set(shapes.values())) != 1 or theta["U"].ndim != 2:
        raise ValueError(f"a ReLU network is dict(U, V, W) of one shape (m, d), got {shapes}.")
    return theta["U"][:, :, None] + theta["V"][:, None, :]


def _log_softmax(F: Floats) -> Floats:
    below = F - F.max(axis=-1, keepdims=True)
    return below - np.log(np.sum(np.exp(below), axis=-1, keepdims=True))
