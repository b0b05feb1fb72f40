"""Lemma D.11: what a single neuron {u, v, w} adds to the expected margin, on both sides of the equation.

Directly, with class-constant weights τ on the wrong answers ab·c and a, b uniform,

    h(c) = E_{a,b} [(u(a) + v(b))² w(abc)],        E ψ' = h(e) - Σ_{c≠e} τ_c h(c).

In the basis of representation matrices the squares drop out and the irreps separate,

    E ψ' = 2 Σ_{R≠1} (1 - Σ_{C≠e} |C| τ_C χ_R(C)/d_R) tr(α_R β_R γ_Rᵀ)/d_R².

The paper states the lemma for u(a) v(b) in place of the square (h̃ here) and omits the 2 when it returns to
the margin. With δ_R for d_R in the last denominator it holds for irreps of every type.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elegans.theory.character_tables import character_table
from elegans.theory.groups import Group
from elegans.theory.margins import brackets, check_tau
from elegans.theory.representations import Irrep, coefficients

Floats = NDArray[np.float64]


def shifted_squares(group: Group, u: Floats, v: Floats, w: Floats) -> Floats:
    """h(c) = E_{a,b} [(u(a) + v(b))² w(abc)], shape (|G|,)."""
    return _correlate(group, np.add.outer(u, v) ** 2, w)


def shifted_products(group: Group, u: Floats, v: Floats, w: Floats) -> Floats:
    """h̃(c) = E_{a,b} [u(a) v(b) w(abc)], shape (|G|,)."""
    return _correlate(group, np.multiply.outer(u, v), w)


def contrast(group: Group, h: Floats, tau: Floats) -> float:
    """h(e) - Σ_{c≠e} τ_c h(c) for τ given per conjugacy class, shape (K,)."""
    check_tau(np.array([len(members) for members in group.classes]), tau)
    return float(h[group.identity] - tau[group.class_of] @ h)


def expected_margin(group: Group, u: Floats, v: Floats, w: Floats, tau: Floats) -> float:
    """E ψ' as the direct sum over all inputs and wrong answers."""
    return contrast(group, shifted_squares(group, u, v, w), tau)


def expected_margin_by_irreps(reps: Sequence[Irrep], u: Floats, v: Floats, w: Floats, tau: Floats) -> float:
    """E ψ' as the sum over irreps; τ must agree on C and C⁻¹."""
    return 2 * _sum_over_irreps(reps, u, v, w, tau)


def expected_margin_without_the_two(reps: Sequence[Irrep], u: Floats, v: Floats, w: Floats, tau: Floats) -> float:
    """The lemma's expression as printed, which is right for h̃ and half of E ψ' (erratum E8)."""
    return _sum_over_irreps(reps, u, v, w, tau)


def _sum_over_irreps(reps: Sequence[Irrep], u: Floats, v: Floats, w: Floats, tau: Floats) -> float:
    inverse = reps[0].group.inverse_class
    if tau.shape == inverse.shape and not np.allclose(tau, tau[inverse]):
        raise ValueError("τ differs between a class and the class of inverses: average it over the two.")
    traces = [np.trace(coefficients(R, u) @ coefficients(R, v) @ coefficients(R, w).T) / R.delta**2 for R in reps]
    return float(brackets(character_table(reps), tau)[1:] @ np.array(traces)[1:])


def _correlate(group: Group, pairs: Floats, w: Floats) -> Floats:
    """c ↦ E_{a,b} [pairs(a, b) w(abc)], summing first over the pairs with one product."""
    if not pairs.shape[0] == pairs.shape[1] == len(w) == group.order:
        raise ValueError(f"u, v, w must each have the {group.order} values of a function on {group.name}.")
    by_product = np.bincount(group.table.ravel(), weights=pairs.ravel(), minlength=group.order)
    return by_product @ w[group.table] / group.order**2
