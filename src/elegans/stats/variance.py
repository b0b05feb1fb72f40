"""What decides: the share of variance that lies between groups, and how well one number ranks another.

Runs on a grid of g groups (initialisations) by k streams (data seeds). With the mean squares B between and W within
groups, the intra-class correlation ICC(1) and its ends, from F = B/W on (g - 1, g (k - 1)) degrees of freedom, are

    (B - f W) / (B + (k - 1) f W),     f = 1, F_{1-alpha/2}, F_{alpha/2}

(Shrout and Fleiss, Psychological Bulletin 86, 1979, p. 420). Hand in the transposed grid to ask about the streams.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from elegans.stats.estimate import Estimate
from elegans.stats.intervals import bootstrap
from elegans.stats.laws import Floats, f_quantile, ranks, upper_tail
from elegans.stats.times import Times


def icc(values: ArrayLike, level: float = 0.95) -> Estimate:
    """ICC(1) of a (groups, streams) array; 1 where groups explain all, below 0 where they explain less than chance."""
    grid = np.asarray(values, dtype=np.float64)
    if grid.ndim != 2 or min(grid.shape) < 2 or not np.isfinite(grid).all():
        raise ValueError(f"need finite values on a grid of at least 2 groups by 2 streams, got shape {grid.shape}")
    g, k = grid.shape
    between = k * float(grid.mean(axis=1).var(ddof=1))
    within = float(grid.var(axis=1, ddof=1).mean())
    if between + within == 0:
        raise ValueError(f"all {grid.size} values equal {grid[0, 0]:g}: no variance to share out, look more often")
    tail = upper_tail(level)
    ends = [f_quantile(p, g - 1, g * (k - 1)) for p in (1 - tail, tail)]
    low, high = (_share(between, f * within, k) for f in ends)
    return Estimate(_share(between, within, k), low, high, grid.size, what=f"ICC of {g} groups x {k}")


def icc_of_times(times: Times, groups: int, level: float = 0.95) -> Estimate:
    """ICC of log times, listed group by group.

    With censored runs the question is asked of log min(T, c), c the earliest censoring: known for every run.
    """
    if times.n % groups or np.any(times.time <= 0):
        raise ValueError(
            f"{times.n} positive times do not fill {groups} equal groups: list them group by group, none at step 0"
        )
    until = times.time[~times.seen].min() if times.censored else np.inf
    share = icc(np.log(np.minimum(times.time, until)).reshape(groups, -1), level)
    what = share.what + (f", times up to {until:g}" if times.censored else "")
    return times.estimate(share.value, share.low, share.high, what)


def spearman(x: ArrayLike, y: ArrayLike, *, seed: int, draws: int = 2000, level: float = 0.95) -> Estimate:
    """Rank correlation over runs, with a bootstrap interval."""
    return _resampled(
        (x, y), lambda runs: _correlation(ranks(runs[:, 0]), ranks(runs[:, 1])), seed, draws, level, "Spearman"
    )


def partial_spearman(
    x: ArrayLike, y: ArrayLike, given: ArrayLike, *, seed: int, draws: int = 2000, level: float = 0.95
) -> Estimate:
    """Rank correlation of x and y that `given` does not explain: residuals of ranks after a line in its ranks."""
    return _resampled((x, y, given), _partial, seed, draws, level, "partial Spearman")


def _resampled(
    columns: tuple[ArrayLike, ...], statistic: Callable[[Floats], float], seed: int, draws: int, level: float, what: str
) -> Estimate:
    rows = [np.asarray(column, dtype=np.float64) for column in columns]
    for row in rows:
        if row.shape != rows[0].shape or row.size < 3 or np.ptp(row) == 0:
            raise ValueError(f"ranks need as many values of each, at least 3 and not all alike; got shape {row.shape}")
    return bootstrap(np.column_stack(rows), statistic, seed=seed, draws=draws, level=level, what=what)


def _share(between: float, within: float, k: int) -> float:
    return (between - within) / (between + (k - 1) * within)


def _partial(runs: Floats) -> float:
    a, b, c = (ranks(column) for column in runs.T)
    return _correlation(_without(a, c), _without(b, c))


def _without(a: Floats, c: Floats) -> Floats:
    c = c - c.mean()
    power = float(c @ c)
    return a - c * (float(a @ c) / power) if power > 0 else a


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson's coefficient; 0 where one of them does not vary, as it may in a small resample."""
    a, b = a - a.mean(), b - b.mean()
    size = float(a @ a) * float(b @ b)
    return float(np.clip(float(a @ b) / np.sqrt(size), -1, 1)) if size > 1e-18 else 0.0
