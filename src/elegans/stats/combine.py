"""Differences, ratios and other linear combinations of independent estimates.

Only the intervals of the parts are needed, so medians of censored times combine as easily as means. For
sum_i c_i theta_i the ends are found by recovering each part's variance at the side that matters,

    low = sum c_i v_i - sqrt(sum d_i^2),    d_i = c_i (v_i - low_i)  where c_i > 0,   c_i (v_i - high_i)  where c_i < 0,

and likewise above (Zou and Donner, Statistics in Medicine 27, 2008, p. 1693, "MOVER"). Skewed intervals stay skewed.
"""

import math
from collections.abc import Sequence

from elegans.stats.estimate import Estimate


def combine(weights: Sequence[float], parts: Sequence[Estimate], what: str = "") -> Estimate:
    """sum_i weights[i] * parts[i], for parts estimated from different runs."""
    pairs = [(c, part) for c, part in zip(weights, parts, strict=True) if c != 0]
    _refuse_infinite([part for _, part in pairs])
    value = math.fsum(c * part.value for c, part in pairs)
    down = math.hypot(*(c * (part.value - (part.low if c > 0 else part.high)) for c, part in pairs))
    up = math.hypot(*(c * ((part.high if c > 0 else part.low) - part.value) for c, part in pairs))
    n, censored = sum(part.n for _, part in pairs), sum(part.censored for _, part in pairs)
    return Estimate(value, value - down, value + up, n, censored, all(part.exact for _, part in pairs), what)


def difference(a: Estimate, b: Estimate) -> Estimate:
    """The difference a - b. For paired runs take the mean of the differences instead: it is sharper."""
    return combine((1.0, -1.0), (a, b), what="difference")


def ratio(a: Estimate, b: Estimate) -> Estimate:
    """The quotient a / b of positive quantities, combined on the logarithmic scale: ratio(b, a) mirrors it."""
    return combine((1.0, -1.0), (logarithm(a), logarithm(b)), what="ratio").through(exponential)


def logarithm(a: Estimate) -> Estimate:
    """Natural logarithm, where an end of the interval at or below zero becomes -inf."""
    if a.value <= 0:
        raise ValueError(f"no logarithm of {a}: ratios and slopes are taken of positive quantities")
    return a.through(lambda x: math.log(x) if x > 0 else -math.inf)


def exponential(x: float) -> float:
    return math.exp(x) if x < 709 else math.inf


def _refuse_infinite(parts: Sequence[Estimate]) -> None:
    for part in parts:
        if math.isinf(part.value):
            raise ValueError(f"cannot combine {part}: too few runs reached it, raise the budget or leave it out")
