"""Estimates over few trainings: what every run does, with the range as its interval.

Two or three seeds give a median no finite interval of the usual kind. A bound on `each` therefore holds if it holds in every
run, fails if it fails in every run, and is inconclusive otherwise.
"""

import numpy as np
from numpy.typing import ArrayLike

from elegans.stats import Estimate


def each(values: ArrayLike, what: str) -> Estimate:
    """The median over runs, from the smallest to the largest. A run for which there is no number must have an infinite one."""
    x = np.asarray(values, np.float64)
    return Estimate(float(np.median(x)), float(x.min()), float(x.max()), len(x), what=f"{what}, all runs")
