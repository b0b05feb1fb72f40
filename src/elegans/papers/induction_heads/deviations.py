"""How far sample means are from what a law says, in standard errors: |mean - expected| / (s / √n).

The largest of m such numbers exceeds 5 with probability below 6e-7 m if the law is right, and grows like √n if not.
"""

import numpy as np
from numpy.typing import ArrayLike

from elegans.claims.evidence import Evidence
from elegans.stats import Estimate

MOST = 5.0
WHY = (
    "standard errors of the largest of fewer than 1000 means; a right law gives more than 5 with probability below 6e-4"
)


def standard_errors(values: ArrayLike, expected: ArrayLike = 0.0) -> np.ndarray:
    """Distances of the means over the first axis from `expected`; a column that never varies must hit it exactly."""
    x = np.asarray(values, np.float64)
    x = x.reshape(len(x), -1)
    away = np.abs(x.mean(0) - np.broadcast_to(np.ravel(expected), x.shape[1]))
    error = x.std(0, ddof=1) / len(x) ** 0.5
    return np.where(error > 0, away / np.where(error > 0, error, 1.0), np.where(away > 1e-7, np.inf, 0.0))


def farthest(e: Evidence, name: str) -> Estimate:
    """The largest entry of an array of distances, seen on `n` sequences."""
    value = float(e.array(name).max())
    return Estimate(value, value, value, int(e.array("n")), what=f"max {name}")
