"""Censored times in one number: medians, other quantiles, and the mean up to a horizon.

The interval of the q-quantile holds every t at which the band of the survival curve still contains 1 - q (Brookmeyer
and Crowley, Biometrics 38, 1982, p. 29). Without censoring the quantile is that of the sorted sample. Where the band
says nothing, before the first event and once all have reached, binomial bounds take its place, as for order statistics:
five runs bound no median from either side.
"""

from math import floor, log, sqrt

import numpy as np
from numpy.typing import NDArray

from elegans.stats.estimate import Estimate
from elegans.stats.intervals import wilson
from elegans.stats.laws import student_quantile, upper_tail
from elegans.stats.times import Survival, Times, kaplan_meier

ROUNDING = 1e-12  # products of fractions miss 1 - q by a few units in the last place


def quantile_time(times: Times, q: float, level: float = 0.95) -> Estimate:
    """The time by which a share q has reached the event; `inf` if fewer than that were seen to."""
    if not 0 < q < 1:
        raise ValueError(f"q = {q} is no quantile: give a share of the runs between 0 and 1, such as 0.1 or 0.5")
    curve, share = kaplan_meier(times, level), 1 - q
    low = min(_first(curve, curve.low <= share + ROUNDING), _watched_well(times, share, level))
    high = _first(curve, curve.high < share - ROUNDING)
    return times.estimate(_crossing(curve, share), low, high, "median time" if q == 0.5 else f"{q:g} quantile of time")


def median_time(times: Times, level: float = 0.95) -> Estimate:
    return quantile_time(times, 0.5, level)


def restricted_mean(times: Times, until: float, level: float = 0.95) -> Estimate:
    """E min(T, until), the area under S: finite whatever was censored, and the plain mean when nothing was.

    Greenwood's variance sum A_i^2 d_i / (n_i (n_i - d_i)), A_i the area from t_i to `until` (Klein and Moeschberger,
    Survival Analysis, section 4.5). The factor n / (n - 1) and Student's law make it the interval of a plain mean then.
    """
    last = times.time.max()
    if until <= 0 or (until > last and not times.seen[times.time == last].all()):
        raise ValueError(f"until = {until:g} must lie in (0, {last:g}]: past {last:g} no run was watched")
    curve = kaplan_meier(times, level)
    inside = curve.time < until
    if not inside.any():
        return times.estimate(until, until * _all_stayed(times, until, level), until, "restricted mean time")
    d, r, edges = curve.events[inside], curve.at_risk[inside], np.append(curve.time[inside], until)
    area = np.cumsum((curve.share[inside] * np.diff(edges))[::-1])[::-1]
    value = float(edges[0] + area[0])
    greenwood = np.sum(area[r > d] ** 2 * d[r > d] / (r * (r - d))[r > d])
    n = times.n
    half = student_quantile(1 - upper_tail(level), n - 1) * sqrt(greenwood * n / (n - 1)) if n > 1 else np.inf
    return times.estimate(value, max(0.0, value - half), min(until, value + half), "restricted mean time")


def _first(curve: Survival, where: NDArray[np.bool_]) -> float:
    return float(curve.time[np.argmax(where)]) if where.any() else np.inf


def _crossing(curve: Survival, share: float) -> float:
    """First time with S <= share; where S rests exactly at `share` until a further event, the middle of that rest."""
    start, end = _first(curve, curve.share <= share + ROUNDING), _first(curve, curve.share < share - ROUNDING)
    return (start + end) / 2 if np.isfinite(end) else start


def _watched_well(times: Times, share: float, level: float) -> float:
    """Time to which m runs were watched: so many, (alpha/2)^(1/m) > share, that had none arrived, S > share."""
    m = floor(log(upper_tail(level)) / log(share)) + 1
    return float(np.sort(times.time)[-m]) if m <= times.n else 0.0


def _all_stayed(times: Times, until: float, level: float) -> float:
    """Lower bound of P(T > until) when no run arrived before: as many successes as runs watched that long."""
    watched = int(np.sum(times.time >= until))
    return wilson(watched, watched, level).low
