"""Networks of maximum margin as starts of a run: constructions K1 (Z_p, p odd) and K4 (groups of real type).

Each is scaled to ‖θ‖_{2,3} = `norm` and padded with zero neurons to `width`. A zero neuron has zero gradient, so
gradient descent leaves it alone and the network stays as wide as the construction.

    Run(model, stage, start=given(cyclic_start, p=71, width=500, norm=22.9))
"""

import numpy as np

from elegans.base.errors import UsageError
from elegans.tasks.composition import Alphabet
from elegans.theory.margins import group_norm
from elegans.theory.quadratic_constructions import cyclic_network, representation_network
from elegans.theory.quadratic_nets import Network
from elegans.theory.representations import irreps


def cyclic_start(p: int, width: int, norm: float = 1.0) -> Network:
    """K1: 4(p-1) neurons, eight for each frequency."""
    return _fitted(cyclic_network(p), width, norm)


def representation_start(group: Alphabet, width: int, norm: float = 1.0) -> Network:
    """K4: 2d³ neurons for each irrep R ≠ 1 of dimension d."""
    return _fitted(representation_network(irreps(group.group())), width, norm)


def _fitted(theta: Network, width: int, norm: float) -> Network:
    m = len(theta["U"])
    if width < m or norm <= 0:
        raise UsageError(
            f"the construction has {m} neurons and some weights, but width={width} and norm={norm} were asked for; "
            f"take width at least {m} and norm above 0"
        )
    scale = norm / group_norm(theta)
    return {name: np.pad(scale * part, ((0, width - m), (0, 0))) for name, part in theta.items()}
