"""First times of which some were not reached before the budget ended.

A run that stopped without the event is known only to need longer: it is censored, neither dropped nor set to the
budget. With d_i events among n_i runs still at risk at time t_i, the share not yet there is (Kaplan and Meier 1958)

    S(t) = prod_{t_i <= t} (1 - d_i / n_i),      Var log S(t) ~ sum_{t_i <= t} d_i / (n_i (n_i - d_i))   (Greenwood).

Bands are taken on the scale log(-log S), so they stay between 0 and 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elegans.stats.estimate import Estimate, p_value
from elegans.stats.intervals import wilson
from elegans.stats.laws import Floats, logrank_p, normal_quantile, survival_at, upper_tail


@dataclass(frozen=True, eq=False)
class Times:
    """`seen[i]` says whether run i reached the event at `time[i]`, or was last watched then without it."""

    time: Floats
    seen: NDArray[np.bool_]

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", np.array(self.time, dtype=np.float64))
        object.__setattr__(self, "seen", np.array(self.seen, dtype=np.bool_))
        if self.time.ndim != 1 or self.time.shape != self.seen.shape or self.time.size == 0:
            raise ValueError(f"time {self.time.shape} and seen {self.seen.shape} must be one row each, one entry a run")
        bad = self.time[~(np.isfinite(self.time) & (self.time >= 0))]
        if bad.size:
            raise ValueError(f"{bad[0]} is no time: a run without the event has its last step and seen=False")

    @property
    def n(self) -> int:
        return self.time.size

    @property
    def censored(self) -> int:
        return self.n - int(self.seen.sum())

    def estimate(self, value: float, low: float, high: float, what: str) -> Estimate:
        """A number computed from these runs, with their n and how many were censored."""
        return Estimate(value, low, high, self.n, self.censored, what=what)


@dataclass(frozen=True, eq=False)
class Survival:
    """S(t) just after each distinct event time, with its pointwise band."""

    time: Floats
    share: Floats
    low: Floats
    high: Floats
    at_risk: Floats
    events: Floats


def first_times(time: ArrayLike, budget: float) -> Times:
    """From a column that holds nan or inf where there was no event. Times beyond `budget` are censored there."""
    raw = np.asarray(time, dtype=np.float64)
    seen = np.isfinite(raw) & (raw <= budget)
    return Times(np.where(seen, raw, budget), seen)


def kaplan_meier(times: Times, level: float = 0.95) -> Survival:
    """The survival curve. Where all n_i runs left reach at once, 1 - (alpha/2)^(1/n_i) bounds S from above."""
    at, events = np.unique(times.time[times.seen], return_counts=True)
    d = events.astype(np.float64)
    r = times.n - np.searchsorted(np.sort(times.time), at, side="left").astype(np.float64)
    share, left = survival_at(times.time, times.seen, at), r > d
    greenwood = np.cumsum(d[left] / (r[left] * (r[left] - d[left])))
    stretch = np.exp(normal_quantile(1 - upper_tail(level)) * np.sqrt(greenwood) / -np.log(share[left]))
    low, high = np.zeros_like(share), np.zeros_like(share)
    low[left], high[left] = share[left] ** stretch, share[left] ** (1 / stretch)
    high[~left] = 1 - upper_tail(level) ** (1 / r[~left])
    return Survival(at, share, low, np.minimum.accumulate(high), r, d)


def reached(times: Times, by: float = np.inf, level: float = 0.95) -> Estimate:
    """Share of the runs that reached the event by the time `by` (or at all), with Wilson's interval."""
    lost = times.time[~times.seen & (times.time < by)]
    if lost.size and np.isfinite(by):
        raise ValueError(f"a run was watched only until {lost.min():g}, before by = {by:g}: use kaplan_meier instead")
    share = wilson(int(np.sum(times.seen & (times.time <= by))), times.n, level)
    return times.estimate(share.value, share.low, share.high, "share reached")


def logrank(a: Times, b: Times) -> Estimate:
    """p-value of "both configurations have the same law of times", against one being faster throughout."""
    p = logrank_p(a.time, a.seen, b.time, b.seen)
    return p_value(p, a.n + b.n, a.censored + b.censored, what="log-rank p")
