"""Where training on sparse parity should end: γ* and the exact minimum of the regularised loss, as named numbers."""

import numpy as np

from elegans.theory.parity_optimum import parity_optimum


def predictions(k: int, strength: float) -> dict[str, np.ndarray]:
    """γ*; cross-entropy, ‖θ‖^{k+1}, share of a sign class and regularised loss at the minimum; that loss at 2λ; λ itself."""
    best, other = parity_optimum(k, strength), parity_optimum(k, 2 * strength)
    return {
        "gamma": np.array(best.normalised_margin), "loss": np.array(best.cross_entropy), "norm": np.array(best.norm),
        "share": np.array(best.share), "total": np.array(best.loss), "total_at_2λ": np.array(other.loss),
        "strength": np.array(strength),
    }  # fmt: skip
