"""Margins of homogeneous networks, and the largest ones on group tasks in closed form.

For a network f(θ, x) = Σ_i φ(ω_i, x) of degree ν in its neurons ω_i,

    g(θ, x, y) = f[y] - max_{y' ≠ y} f[y'],   h(θ) = min_D g,   ‖θ‖_{2,ν} = (Σ_i ‖ω_i‖^ν)^{1/ν},

the normalised margin is h(θ)/‖θ‖^ν, and γ* is its maximum over θ. For quadratic networks (ν = 3)

    Z_p, p odd (theorem 7.7):                          γ* = √(2/27) / (√p (p-1)),
    real-type groups under (H) (theorem 7.9):          γ* = 2/(3√(3|G|)) / Σ_{R≠1} d_R^{5/2},

and both are Σ over complex irreps ρ ≠ 1 of d_ρ^{5/2}/κ_ρ in the denominator: `gamma_formula`. The formula is
a lower bound for every group; it is γ* exactly when Σ_{ρ≠1} (d_ρ^{3/2}/κ_ρ) χ_ρ(C) ≤ 0 on every C ≠ {e}.
"""

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from elegans.theory.character_tables import CharacterTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def neuron_norms(theta: Mapping[str, Floats]) -> Floats:
    """‖ω_i‖ over all weights of neuron i: arrays (m, …) ↦ (m,)."""
    return np.sqrt(sum((np.sum(part.reshape(len(part), -1) ** 2, axis=1) for part in theta.values()), np.zeros(1)))


def group_norm(theta: Mapping[str, Floats], nu: float = 3.0) -> float:
    """‖θ‖_{2,ν}."""
    if nu <= 0:
        raise ValueError(f"the norm L_(2,ν) needs ν > 0, got ν={nu}: pass the degree of homogeneity of a neuron.")
    return float(np.sum(neuron_norms(theta) ** nu) ** (1 / nu))


def point_margins(logits: Floats, labels: Ints) -> Floats:
    """g at every point: logits (…, classes) and labels (…) ↦ (…)."""
    if logits.shape[:-1] != labels.shape or logits.shape[-1] < 2:
        raise ValueError(f"logits {logits.shape} do not match labels {labels.shape}: pass (…, classes ≥ 2) and (…).")
    classes: int = logits.shape[-1]
    right = np.equal(np.arange(classes), labels[..., None])
    return logits[right].reshape(labels.shape) - np.where(right, -np.inf, logits).max(axis=-1)


def dataset_margin(logits: Floats, labels: Ints) -> float:
    """h, the smallest point margin."""
    return float(point_margins(logits, labels).min())


def normalised_margin(theta: Mapping[str, Floats], logits: Floats, labels: Ints, nu: float = 3.0) -> float:
    """h(θ)/‖θ‖_{2,ν}^ν for the logits of the network θ."""
    size = group_norm(theta, nu) ** nu
    if size == 0:
        raise ValueError("the zero network has no normalised margin: give it weights.")
    return dataset_margin(logits, labels) / size


def gamma_star_cyclic(p: int) -> float:
    """γ* of Z_p, p odd (theorem 7.7; primality is not needed)."""
    if p < 3 or p % 2 == 0:
        raise ValueError(f"theorem 7.7 is about odd p ≥ 3, got p={p}: use margin_optima.exact_margin for even orders.")
    return sqrt(2 / 27) / (sqrt(p) * (p - 1))


def gamma_star_real_type(dimensions: Sequence[int], order: int) -> float:
    """The formula of theorem 7.9 from the dimensions of *all* irreps (a trivial one among them) and |G|."""
    if sum(d * d for d in dimensions) != order or 1 not in dimensions or order < 2:
        raise ValueError(f"Σ d² over {list(dimensions)} must be |G| = {order} ≥ 2: list all irreps, all of real type.")
    return 2 / (3 * sqrt(3 * order)) / (sum(d**2.5 for d in dimensions) - 1)


def gamma_formula(table: CharacterTable) -> float:
    """(2/(3√(3|G|))) / Σ_{ρ≠1} d_ρ^{5/2}/κ_ρ, for groups of any type."""
    _check_wrong_answers(table)
    return 2 / (3 * sqrt(3 * table.order)) / float(_weights(table) @ table.dimensions[1:])


def condition_h(table: CharacterTable) -> Floats:
    """Σ_{ρ≠1} (d_ρ^{3/2}/κ_ρ) χ_ρ(C) on the classes C ≠ {e}, shape (K-1,); (H) asks all to be negative."""
    return _weights(table) @ table.values[1:, 1:]


def tau_of_formula(table: CharacterTable) -> Floats:
    """τ of lemma D.14 (signs corrected), shape (K,), 0 at {e}: the weights that make all irreps equally good."""
    _check_wrong_answers(table)
    tau = -condition_h(table) / float(_weights(table) @ table.dimensions[1:])
    return np.concatenate([np.zeros(1), tau])


def tau_uniform(table: CharacterTable) -> Floats:
    """The same weight 1/(|G|-1) on every wrong answer, shape (K,), 0 at {e}."""
    _check_wrong_answers(table)
    return np.where(np.arange(len(table.sizes)) > 0, 1 / max(table.order - 1, 1), 0.0)


def brackets(table: CharacterTable, tau: Floats) -> Floats:
    """1 - Σ_{C≠e} |C| τ_C χ_R(C)/d_R for each irrep, shape (R,)."""
    check_tau(table.sizes, tau)
    return 1 - table.values @ (table.sizes * tau) / table.dimensions


def best_neurons(table: CharacterTable, tau: Floats) -> Floats:
    """Largest expected τ-margin of a unit-norm neuron living in R (twice lemma D.13), shape (R,), 0 for R = 1."""
    gamma_0 = 2 / (3 * table.order) ** 1.5
    return gamma_0 * table.kappa / np.sqrt(table.dimensions) * brackets(table, tau)


def check_tau(sizes: Ints, tau: Floats) -> None:
    """Raise unless τ has one weight a class, none on {e}, and Σ_C |C| τ_C = 1."""
    if tau.shape != sizes.shape or tau[0] != 0 or not np.isclose(sizes @ tau, 1, atol=1e-9):
        raise ValueError(
            f"τ={tau} is no weighting of wrong answers: give ({len(sizes)},) values, τ_e = 0, Σ|C|τ_C = 1."
        )


def _weights(table: CharacterTable) -> Floats:
    """d_ρ^{3/2}/κ_ρ over the non-trivial rows, times the copies of ρ, shape (R-1,)."""
    return (table.copies * table.dimensions**1.5 / table.kappa)[1:]


def _check_wrong_answers(table: CharacterTable) -> None:
    if table.order < 2:
        raise ValueError("a group with one element has no wrong answers, so no margin: use |G| ≥ 2.")
