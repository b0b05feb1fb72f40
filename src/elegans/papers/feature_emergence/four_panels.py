"""What figures D.2, D.3 and 7.6 share: networks trained on a symmetric group, watched and held against the exact optimum.

    μ_i = ‖ω_i‖³,    γ_λ(θ) = h(θ)/Σ_i μ_i ≤ γ*,    share of R = Σ_{i: R_i = R} μ_i / Σ_i μ_i

where R_i is the irrep in which u_i has most power. Neurons count as alive if ‖ω_i‖ is over a hundredth of the largest.
"""

import numpy as np

from elegans.probes.balance import Balance
from elegans.probes.base import Probe
from elegans.probes.margins import Margin
from elegans.probes.rank_one import RankOne
from elegans.probes.representations import RepresentationPower
from elegans.probes.stationarity import Stationarity
from elegans.tasks.composition import Alphabet
from elegans.theory.character_tables import character_table
from elegans.theory.margin_optima import exact_margin
from elegans.theory.regularised_optimum import regularised_optimum
from elegans.theory.representations import irreps


def watched(strength: float, often: int, rarely: int) -> tuple[Probe, ...]:
    """Margins at a fine cadence, neurons one by one at a coarse one."""
    return (
        Margin(every=often),
        RepresentationPower(every=rarely),
        RankOne(every=rarely),
        Balance(every=rarely),
        Stationarity(every=rarely, strength=strength),
    )


def predictions(group: Alphabet, strength: float) -> dict[str, np.ndarray]:
    """γ* and the exact minimiser of the regularised loss (the programme F2), for the irreps R ≠ 1."""
    table = character_table(irreps(group.group()))
    best = regularised_optimum(table, strength)
    return {
        "strength": np.array(strength), "gamma": np.array(exact_margin(table).gamma), "objective": np.array(best.loss),
        "loss": np.array(best.cross_entropy), "norm": np.array(best.norm_cubed), "normalised": np.array(best.normalised_margin),
        "shares": np.asarray(best.shares)[1:], "dims": table.dimensions[1:],
    }  # fmt: skip
