"""Power laws t = c n^a: the exponent, where it changes, and how far points lie from the line.

Least squares on (log x, log y): a = sum_i w_i log y_i with w_i = (log x_i - mean) / sum_j (log x_j - mean)^2. When only
the points are known their scatter about the line gives the interval (Student, m - 2 degrees of freedom). When every
point is itself an estimate, say a median of 30 runs, the intervals of the points are carried through the same weights,
and two points are enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
from numpy.typing import ArrayLike

from elegans.stats.combine import combine, difference, exponential, logarithm
from elegans.stats.estimate import Estimate
from elegans.stats.laws import Floats, student_quantile, upper_tail


@dataclass(frozen=True)
class PowerLaw:
    """y ~ factor * x^exponent; `within` is the largest ratio between a point and the line, 1 for a perfect fit."""

    exponent: Estimate
    factor: Estimate
    r2: float
    within: float


def power_law(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> PowerLaw:
    """Fit points without error bars; with two points the interval is the whole line."""
    u, v = _logs("x", x), _logs("y", y)
    if len(u) != len(v):
        raise ValueError(f"{len(u)} values of x and {len(v)} of y: a point needs both")
    weights = _weights(u)
    slope = float(weights @ v)
    middle = float(v.mean() - slope * u.mean())
    rest = v - middle - slope * u
    dof = len(u) - 2
    t = student_quantile(1 - upper_tail(level), dof) * sqrt(float(rest @ rest) / dof) if dof > 0 else np.inf
    a, b = t * sqrt(float(weights @ weights)), t * sqrt(1 / len(u) + u.mean() ** 2 * float(weights @ weights))
    exponent = Estimate(slope, slope - a, slope + a, len(u), what="exponent")
    factor = Estimate(middle, middle - b, middle + b, len(u), what="factor").through(exponential)
    return PowerLaw(exponent, factor, _r2(v, rest), exp(float(np.abs(rest).max())))


def local_slopes(x: ArrayLike, y: ArrayLike, window: int = 3, level: float = 0.95) -> list[tuple[float, Estimate]]:
    """Pairs (geometric centre, exponent) for every `window` neighbouring points, from small x to large."""
    u, v = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not 2 <= window <= len(u):
        raise ValueError(f"window = {window} for {len(u)} points: a slope needs at least 2 and at most all of them")
    order = np.argsort(u)
    parts = [order[i : i + window] for i in range(len(u) - window + 1)]
    return [(exp(float(np.log(u[part]).mean())), power_law(u[part], v[part], level).exponent) for part in parts]


def slope_difference(upper: PowerLaw, lower: PowerLaw) -> Estimate:
    """Exponent of the one minus exponent of the other, for fits that share no points."""
    return difference(upper.exponent, lower.exponent)


def exponent_of(x: ArrayLike, points: Sequence[Estimate]) -> Estimate:
    """The exponent through points with intervals of their own, estimated from different runs."""
    return combine(_weights(_logs("x", x)).tolist(), [logarithm(point) for point in points], what="exponent")


def bend(x: ArrayLike, points: Sequence[Estimate]) -> Estimate:
    """Exponent of the upper half minus that of the lower half; with an odd number of points the middle is in both."""
    u = _logs("x", x)
    if len(u) < 3:
        raise ValueError(f"{len(u)} points show no bend: give at least three values of x")
    order, half = np.argsort(u), (len(u) + 1) // 2
    weights = np.zeros(len(u))
    weights[order[-half:]] += _weights(u[order[-half:]])
    weights[order[:half]] -= _weights(u[order[:half]])
    return combine(weights.tolist(), [logarithm(point) for point in points], what="bend")


def _logs(name: str, values: ArrayLike) -> Floats:
    raw = np.asarray(values, dtype=np.float64)
    if raw.ndim != 1 or not np.all(np.isfinite(raw) & (raw > 0)):
        raise ValueError(
            f"{name} = {raw.tolist()} must be positive finite numbers in a row, their logarithms are fitted"
        )
    return np.log(raw)


def _weights(u: Floats) -> Floats:
    away = u - u.mean()
    if len(u) < 2 or not np.ptp(u) > 0:
        raise ValueError(f"no slope through {len(u)} point(s) at one value of x: vary x")
    return away / float(away @ away)


def _r2(v: Floats, rest: Floats) -> float:
    total = float(np.sum((v - v.mean()) ** 2))
    return 1 - float(rest @ rest) / total if np.ptp(v) > 0 else 1.0
