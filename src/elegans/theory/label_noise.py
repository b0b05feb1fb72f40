"""What label noise does to expectations (section B.3.6). With labels flipped with probability p, for every f,

    E[ỹ f(x)] = (1 - 2p) E[y f(x)]        so every Fourier gap shrinks by 1 - 2p

and the number of examples that tell a mean of size γ from 0, of order 1/γ², grows by (1 - 2p)^{-2}.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def attenuation(p: float) -> float:
    """1 - 2p, the factor on every correlation with the label."""
    _check(p)
    return 1 - 2 * p


def sample_factor(p: float) -> float:
    """(1 - 2p)^{-2}, how many times more examples are needed; infinite at p = 1/2."""
    return float("inf") if p == 0.5 else attenuation(p) ** -2


def noisy_mean(values: NDArray[np.number[Any]], y: NDArray[np.number[Any]], p: float) -> NDArray[np.float64]:
    """E[ỹ f] by weighing both labels of every point: (1-p) y f + p (-y) f. Shapes (..., m), (m,) -> (...,)."""
    _check(p)
    f = np.asarray(values, np.float64)
    return ((1 - p) * y * f + p * (-y) * f).mean(-1)


def _check(p: float) -> None:
    if not 0 <= p <= 0.5:
        raise ValueError(f"p = {p}: a flip probability above 1/2 is a relabelling; take 0 <= p <= 1/2.")
