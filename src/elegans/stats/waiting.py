"""Did the runs find the answer by luck? Waiting times against the geometric law of a search without memory.

A search that succeeds with the same probability at every try waits geometrically long, and its most likely time is the
first. Times are looked at every `every` steps; the numbers of looks G = T / every are then geometric too. Given their
sum s, all ways to write s as n positive whole numbers are equally likely whatever the rate, so that (C: binomials)

    P(min G >= m | sum G = s) = C(s - n (m - 1) - 1, n - 1) / C(s - 1, n - 1),

an exact test that fits nothing. Of a geometric law whose median is many looks, 1 - 2^{-f} lies below f medians.
"""

from math import exp, floor

import numpy as np
from numpy.typing import NDArray

from elegans.stats.estimate import Estimate, p_value
from elegans.stats.laws import binomial_cdf, kolmogorov_tail, log_choose
from elegans.stats.summaries import median_time
from elegans.stats.times import Times, reached


def geometric_early_mass(fraction: float) -> float:
    """Mass of a geometric law below `fraction` of its median: 0.242 at 0.4."""
    return 1 - 2**-fraction


def early_mass(times: Times, fraction: float = 0.4, level: float = 0.95) -> Estimate:
    """Share of the runs that needed at most `fraction` of the median time."""
    share = reached(times, fraction * _median(times), level)
    return times.estimate(share.value, share.low, share.high, f"share within {fraction:g} of the median")


def too_few_early(times: Times, every: int, fraction: float = 0.4) -> Estimate:
    """p-value of at most this many early runs if times were geometric, from Bin(n, 1 - 2^-f).

    Here f is `fraction`, rounded down to whole looks. As the median is taken from the same runs their count varies less
    than the binomial law says: p is an upper bound.
    """
    looks = _median(times) / every
    cut = floor(fraction * looks + 1e-9)
    early = round(reached(times, (cut + 0.5) * every).value * times.n)
    p = float(binomial_cdf(times.n, geometric_early_mass(cut / looks))[early])
    return p_value(p, times.n, times.censored, what="p of so few early runs")


def too_late_first(times: Times, every: int) -> Estimate:
    """Exact p-value of the fastest run being this slow, if times were geometric with whatever rate."""
    looks = _looks(times, every)
    n, total, first = len(looks), int(looks.sum()), int(looks.min())
    p = exp(log_choose(total - n * (first - 1) - 1, n - 1) - log_choose(total - 1, n - 1))
    return p_value(min(p, 1.0), n, what="p of so late a first run")


def geometric_distance(times: Times, every: int) -> Estimate:
    """Kolmogorov-Smirnov p-value against the geometric law of the same mean.

    Steps in the law and the fitted rate both make the distance smaller than the table assumes: p is an upper bound.
    """
    looks = np.sort(_looks(times, every))
    grid = np.unique(np.concatenate([looks - 1, looks]))
    law = 1 - (1 - 1 / looks.mean()) ** grid
    share = np.searchsorted(looks, grid, side="right") / len(looks)
    p = kolmogorov_tail(float(np.abs(share - law).max()), len(looks))
    return p_value(p, len(looks), what="p of a geometric law")


def _median(times: Times) -> float:
    middle = median_time(times).value
    if not np.isfinite(middle):
        raise ValueError(f"{times.censored} of {times.n} runs are censored, too many for a median: raise the budget")
    return middle


def _looks(times: Times, every: int) -> NDArray[np.int64]:
    if times.censored:
        raise ValueError(f"{times.censored} of {times.n} times are censored: raise the budget, or use too_few_early")
    looks = np.rint(times.time / every).astype(np.int64)
    if np.any(looks < 1) or not np.allclose(looks * every, times.time, rtol=0, atol=1e-6 * every):
        raise ValueError(f"times are not positive multiples of every = {every}: give the steps between two looks")
    return looks
