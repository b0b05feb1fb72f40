"""Where training on a finite group should end, in one call: γ*(G) and the exact minimum of the regularised loss (ours).

    min_θ E[-log softmax(F(a, b))_{ab}] + λ Σ_i ‖ω_i‖₂³        over quadratic networks of any width

Everything follows from the characters of the real irreps: a linear programme for γ*, a convex one for the minimum.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from elegans.theory.character_tables import CharacterTable, character_table
from elegans.theory.groups import Group
from elegans.theory.margin_optima import exact_margin
from elegans.theory.regularised_optimum import regularised_optimum
from elegans.theory.representations import irreps


@dataclass(frozen=True)
class Prediction:
    """The best network at λ: its loss with and without the penalty, ‖θ‖³, normalised margin, and where its mass lies."""

    gamma: float  # the largest normalised margin that any network has
    loss: float
    cross_entropy: float
    norm_cubed: float
    margin: float  # at most gamma
    shares: Mapping[str, float]  # of ‖θ‖³ in each non-trivial irrep


def prediction(group: Group, lam: float) -> Prediction:
    """The end of training on `group` with penalty λ, if training finds the best place."""
    reps = irreps(_group(group))
    table = character_table(reps)
    if not 0 < lam < collapse(table):
        raise ValueError(
            f"lam={lam} on {group.name}: at λ ≥ {collapse(table):.3g} the zero network is best, and at λ = 0 there is no best "
            "one; pass a λ in between."
        )
    best = regularised_optimum(table, lam)
    shares = {rep.label: float(share) for rep, share in zip(reps[1:], best.shares[1:], strict=True)}
    return Prediction(
        exact_margin(table).gamma, best.loss, best.cross_entropy, best.norm_cubed, best.normalised_margin, shares
    )


def largest_margin(group: Group) -> float:
    """γ*(G), which no network on `group` exceeds."""
    return exact_margin(character_table(irreps(_group(group)))).gamma


def collapse(table: CharacterTable) -> float:
    """The λ from which on the zero network is best: max_R 2κ_R/((3|G|)^{3/2} √d_R), the slope of the loss at zero."""
    return float((2 * table.kappa[1:] / (3 * table.order) ** 1.5 / table.dimensions[1:] ** 0.5).max())


def _group(group: Group) -> Group:
    if not isinstance(group, Group):
        raise ValueError(
            f"{group!r} is no group with a table: pass one of elegans.theory, or the .group() of an alphabet."
        )
    return group
