"""Intervals for plain samples: shares, means, quantiles, and by resampling anything else.

Share s = successes / n (Wilson 1927):   (s + z^2/2n +- z sqrt(s (1 - s)/n + z^2/4n^2)) / (1 + z^2/n).
Quantile q: the order statistics x_(l), x_(u) with P(B < l) <= alpha/2 and P(B >= u) <= alpha/2, B ~ Bin(n, q), which
covers with at least the stated probability whatever the law (David and Nagaraja, Order Statistics, section 7.1); an
end that no order statistic can give is infinite. Bootstrap: percentiles over resampled runs (Efron 1979).
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from elegans.stats.estimate import Estimate
from elegans.stats.laws import Floats, binomial_cdf, normal_quantile, student_quantile, upper_tail


def wilson(successes: int, n: int, level: float = 0.95) -> Estimate:
    """Share of successes. Unlike share +- z s.e. it is not empty at 0 of n or n of n."""
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} successes in {n} trials: need 0 <= successes <= n and at least one trial")
    share, z2 = successes / n, normal_quantile(1 - upper_tail(level)) ** 2
    centre, half = share + z2 / (2 * n), sqrt(z2 * share * (1 - share) / n + z2**2 / (4 * n**2))
    low = 0.0 if successes == 0 else (centre - half) / (1 + z2 / n)
    high = 1.0 if successes == n else (centre + half) / (1 + z2 / n)
    return Estimate(share, low, high, n, what="share")


def mean(values: ArrayLike, level: float = 0.95) -> Estimate:
    """Mean with Student's interval; one value alone is bounded by nothing."""
    x = _sample(values)
    value = float(x.mean())
    if x.size == 1:
        return Estimate(value, -np.inf, np.inf, 1, what="mean")
    half = student_quantile(1 - upper_tail(level), x.size - 1) * float(x.std(ddof=1)) / sqrt(x.size)
    return Estimate(value, value - half, value + half, x.size, what="mean")


def quantile(values: ArrayLike, q: float, level: float = 0.95) -> Estimate:
    """The q-quantile (flat stretches of the distribution function give their middle) with order-statistic ends."""
    if not 0 < q < 1:
        raise ValueError(f"q = {q} is no quantile: give a share between 0 and 1, such as 0.1 or 0.5")
    x = np.sort(_sample(values))
    below, tail = binomial_cdf(x.size, q), upper_tail(level)
    padded = np.concatenate([[-np.inf], x, [np.inf]])
    low = padded[np.searchsorted(below, tail, side="right")]
    high = padded[1 + np.searchsorted(below, 1 - tail, side="left")]
    value = float(np.quantile(x, q, method="averaged_inverted_cdf"))
    return Estimate(value, low, high, x.size, what="median" if q == 0.5 else f"{q:g} quantile")


def median(values: ArrayLike, level: float = 0.95) -> Estimate:
    return quantile(values, 0.5, level)


def bootstrap(
    values: ArrayLike,
    statistic: Callable[[Floats], float],
    *,
    seed: int,
    draws: int = 2000,
    level: float = 0.95,
    what: str = "",
) -> Estimate:
    """Percentile interval of `statistic` over resampled runs (rows of `values`), stretched to hold the value itself."""
    x = _rows(values)
    picks = np.random.default_rng(seed).integers(len(x), size=(draws, len(x)))
    again = np.array([statistic(x[pick]) for pick in picks], dtype=np.float64)
    if np.isnan(again).any():
        raise ValueError(
            f"the statistic is nan on {int(np.isnan(again).sum())} of {draws} resamples, probably where all runs drawn "
            "are alike: give it a value there, or use more runs"
        )
    return _percentiles(float(statistic(x)), again, level, len(x), what)


def bootstrap_counts(
    counts: ArrayLike,
    statistic: Callable[[Floats], float],
    *,
    seed: int,
    draws: int = 2000,
    level: float = 0.95,
    what: str = "",
) -> Estimate:
    """The same for runs of which only few kinds differ: `statistic` of how often each occurs, however many runs there are."""
    x = np.asarray(counts, np.float64)
    again = np.random.default_rng(seed).multinomial(int(x.sum()), x / x.sum(), size=draws)
    values = np.array([statistic(row.astype(np.float64)) for row in again])
    return _percentiles(float(statistic(x)), values, level, int(x.sum()), what)


def _percentiles(value: float, again: Floats, level: float, n: int, what: str) -> Estimate:
    low, high = (
        side * np.quantile(side * again, upper_tail(level), method="averaged_inverted_cdf") for side in (1, -1)
    )
    return Estimate(value, min(value, float(low)), max(value, float(high)), n, what=what)


def _sample(values: ArrayLike) -> Floats:
    x = _rows(values)
    if x.ndim != 1:
        raise ValueError(f"one number a run is needed, got shape {x.shape}: choose a column, or use bootstrap")
    return x


def _rows(values: ArrayLike) -> Floats:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim == 0 or len(x) == 0:
        raise ValueError(f"no runs in a sample of shape {x.shape}: an estimate needs at least one")
    if not np.isfinite(x).all():
        raise ValueError(
            f"{int((~np.isfinite(x)).sum())} of {x.size} values are not finite: times that were not reached belong in "
            "Times, and diverged runs are counted, not averaged"
        )
    return x
