"""A claim at a glance: the expected bound as a band, the estimate as a dot with its interval, on one line."""

import math
from typing import Any

from elegans.atlas.page import number

WIDTH, HEIGHT = 300, 34


def gauge(estimate: dict[str, Any], bound: tuple[float | str, float | str]) -> str:
    """The drawing as SVG; infinite ends run off the edge."""
    low, high = (float(b) for b in bound)
    value, left, right = (float(estimate[n]) for n in ("value", "low", "high"))
    start, end = _domain([low, high, value, left, right])

    def at(x: float) -> float:
        return min(max((x - start) / (end - start) * WIDTH, 0.0), float(WIDTH))

    ends = [(at(x), number(x)) for x in (low, high) if math.isfinite(x)]
    if len(ends) == 2 and ends[1][0] - ends[0][0] < 60:  # too close for two labels
        ends = [((ends[0][0] + ends[1][0]) / 2, f"{ends[0][1]} … {ends[1][1]}" if low < high else ends[0][1])]
    labels = "".join(f'<text x="{min(max(x, 30), WIDTH - 30):.1f}" y="32">{said}</text>' for x, said in ends)
    return (
        f'<svg class="gauge" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">'
        f'<line class="axis" x1="0" x2="{WIDTH}" y1="11" y2="11"/>'
        f'<rect class="bound" x="{at(low):.1f}" y="3" width="{max(at(high) - at(low), 2):.1f}" height="16"/>'
        f'<line class="interval" x1="{at(left):.1f}" x2="{at(right):.1f}" y1="11" y2="11"/>'
        f'<circle cx="{at(value):.1f}" cy="11" r="4.5"/>{labels}</svg>'
    )


def _domain(points: list[float]) -> tuple[float, float]:
    """A range that shows all finite points with room on both sides."""
    finite = [x for x in points if math.isfinite(x)] or [0.0]
    low, high = min(finite), max(finite)
    margin = 0.22 * (high - low) or 0.5 * abs(low) or 1.0
    return low - margin, high + margin
