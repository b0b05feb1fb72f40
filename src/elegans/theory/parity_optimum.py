"""The exact minimum of the regularised loss on the parity of k bits, over networks z^k of any width ≥ 2^{k-1}.

    min_θ  E log(1 + e^{-g}) + λ ‖θ‖^{k+1}        at   g = M everywhere,   M = γ* ‖θ‖^{k+1} = log(γ*/λ - 1)

E g ≤ γ* ‖θ‖^{k+1} for every network, the loss is convex in g, and construction K3 has all margins equal. So every λ < γ*/2 gives
a normalised margin of exactly γ* and a cross-entropy of -log(1 - λ/γ*); from λ = γ*/2 on the zero network is best.
"""

from dataclasses import dataclass
from math import log, log1p

from elegans.theory.parity_margins import gamma_star_parity


@dataclass(frozen=True)
class ParityOptimum:
    """The minimum of cross-entropy + λ‖θ‖^{k+1}; `norm` is ‖θ‖^{k+1}, `share` what each of the 2^{k-1} sign classes has of it."""

    loss: float
    cross_entropy: float
    margin: float
    norm: float
    normalised_margin: float
    share: float


def parity_optimum(k: int, lam: float) -> ParityOptimum:
    """The minimum over all networks of any width, and where it is."""
    gamma = gamma_star_parity(k)
    if not 0 < lam < gamma / 2:
        raise ValueError(f"λ={lam} has no minimiser with a margin: take 0 < λ < γ*/2 = {gamma / 2:.4g}.")
    margin, cross_entropy = log(gamma / lam - 1), -log1p(-lam / gamma)
    return ParityOptimum(
        loss=cross_entropy + lam * margin / gamma,
        cross_entropy=cross_entropy,
        margin=margin,
        norm=margin / gamma,
        normalised_margin=gamma,
        share=2.0 ** (1 - k),
    )
