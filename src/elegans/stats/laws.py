"""The few laws and tests this room borrows from SciPy, each behind a typed line.

SciPy answers in whatever NumPy scalar it likes; from here on everything is a float or an array of float64.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Floats = NDArray[np.float64]


def upper_tail(level: float) -> float:
    """alpha/2, the mass an interval of this level leaves above itself."""
    if not 0 < level < 1:
        raise ValueError(f"level = {level} is no confidence level: give a number between 0 and 1, such as 0.95")
    return (1 - level) / 2


def normal_quantile(p: float) -> float:
    return float(special.ndtri(p))


def student_quantile(p: float, dof: int) -> float:
    return float(special.stdtrit(dof, p))


def f_quantile(p: float, dof_above: int, dof_below: int) -> float:
    return float(special.fdtri(dof_above, dof_below, p))


def binomial_cdf(n: int, p: float) -> Floats:
    """P(B <= j) for j = 0, ..., n, where B counts successes in n trials."""
    return np.asarray(special.bdtr(np.arange(n + 1), n, p), dtype=np.float64)


def log_choose(n: int, k: int) -> float:
    return float(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))


def kolmogorov_tail(distance: float, n: int) -> float:
    """P(D_n >= distance) for the two-sided one-sample Kolmogorov-Smirnov distance of a continuous law."""
    return float(stats.kstwo.sf(distance, n))


def ranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean."""
    return np.asarray(stats.rankdata(values), dtype=np.float64)


def survival_at(time: Floats, seen: NDArray[np.bool_], grid: Floats) -> Floats:
    """Kaplan-Meier estimate of P(T > t) at the points of `grid`."""
    data = stats.CensoredData.right_censored(time, ~seen)
    return np.asarray(stats.ecdf(data).sf.evaluate(grid), dtype=np.float64)


def logrank_p(time_a: Floats, seen_a: NDArray[np.bool_], time_b: Floats, seen_b: NDArray[np.bool_]) -> float:
    """Two-sided p-value of the log-rank test."""
    a = stats.CensoredData.right_censored(time_a, ~seen_a)
    b = stats.CensoredData.right_censored(time_b, ~seen_b)
    return float(stats.logrank(a, b).pvalue)
