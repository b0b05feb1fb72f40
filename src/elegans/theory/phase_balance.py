"""All networks of maximum margin on Z_p, p odd, described by masses and phases.

Let neurons be optimal (one frequency ζ_i, phases with θ_u + θ_v = θ_w) with shares μ_i ≥ 0 of ‖θ‖³, Σ μ_i = 1. Since
(u + v)² w expands into waves of a, b, c and only those of 1[c = a+b] may stay, the margin is γ* if and only if, for each ζ,

    Σ μ_i = 2/(p-1)        and        Σ μ_i e^{iφ_i} = 0  for  φ = θ_w, 2θ_u, 2θ_v, 2θ_w, 2θ_u ± θ_w, 2θ_v + θ_w.

Sums run over the neurons of frequency ζ. The first kind is mass balance, the second phase balance. An eighth wave,
2θ_v - θ_w, is the negative of 2θ_u - θ_w because θ_u + θ_v = θ_w.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from elegans.theory.cyclic_spectra import optimal_neuron, unit_neurons
from elegans.theory.margins import neuron_norms
from elegans.theory.quadratic_nets import Network

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WAVES = ("θ_w", "2θ_u", "2θ_v", "2θ_w", "2θ_u+θ_w", "2θ_u-θ_w", "2θ_v+θ_w")
_COMBINATIONS = np.array(
    [[0, 0, 1], [2, 0, 0], [0, 2, 0], [0, 0, 2], [2, 0, 1], [2, 0, -1], [0, 2, 1]], dtype=np.float64
)


def waves(theta_u: Floats, theta_v: Floats, theta_w: Floats) -> NDArray[np.complex128]:
    """e^{iφ} for the seven φ, (m,) three times ↦ (m, 7)."""
    return np.exp(1j * np.stack([theta_u, theta_v, theta_w], axis=1) @ _COMBINATIONS.T)


def masses(theta: Network) -> Floats:
    """Share of ‖θ‖³ of each frequency 1 … (p-1)/2, by the dominant frequency of u."""
    cubes, zeta = neuron_norms(theta) ** 3, unit_neurons(theta)[1]
    return np.bincount(zeta, weights=cubes, minlength=theta["U"].shape[1] // 2 + 1)[1:] / cubes.sum()


def mass_imbalance(theta: Network) -> float:
    """Largest |mass of ζ over its due 2/(p-1), less 1|."""
    return float(np.abs(masses(theta) * (theta["U"].shape[1] - 1) / 2 - 1).max())


def phase_imbalance(theta: Network) -> Floats:
    """|Σ μ e^{iφ}| over the mass of the frequency, largest over frequencies, for each of the seven φ, (7,)."""
    amplitudes, zeta = unit_neurons(theta)
    cubes, turned = neuron_norms(theta) ** 3, waves(*np.angle(amplitudes).T)
    present = [zeta == z for z in np.unique(zeta) if cubes[zeta == z].sum() > 0]
    return np.max([np.abs(cubes[own] @ turned[own]) / cubes[own].sum() for own in present], axis=0)


def phase_defects(theta: Network) -> Floats:
    """|θ_u + θ_v - θ_w| modulo 2π in [0, π], (m,)."""
    u, v, w = unit_neurons(theta)[0].T
    return np.abs(np.angle(u * v * w.conj()))


def assembled(p: int, zeta: Ints, theta_u: Floats, theta_v: Floats, mu: Floats) -> Network:
    """The network of norm 1 made of these optimal neurons with shares μ, without those of share 0."""
    keep = np.flatnonzero(mu > 0)
    if not len(keep):
        raise ValueError("all shares are zero: give at least one neuron some mass.")
    neurons = [optimal_neuron(p, int(zeta[i]), float(theta_u[i]), float(theta_v[i])) for i in keep]
    scale = np.cbrt(mu[keep] / mu[keep].sum())[:, None]
    return {name: scale * np.stack([neuron[k] for neuron in neurons]) for k, name in enumerate("UVW")}


def balanced_shares(theta_u: Floats, theta_v: Floats, excess: Floats | None = None) -> Floats | None:
    """Shares μ, Σ μ = 1, with Σ μ cos φ = `excess` (7,) and Σ μ sin φ = 0 for all φ, or None if there are none.

    Without `excess` all seven sums vanish. A vertex of the polytope has at most 15 neurons of positive share."""
    turned = waves(theta_u, theta_v, theta_u + theta_v).T
    equations = np.concatenate([turned.real, turned.imag, np.ones((1, len(theta_u)))])
    wanted = np.concatenate([np.zeros(7) if excess is None else excess, np.zeros(7), [1.0]])
    found = linprog(np.zeros(len(theta_u)), A_eq=equations, b_eq=wanted, method="highs")
    return np.asarray(found.x, dtype=np.float64) if found.status == 0 else None
