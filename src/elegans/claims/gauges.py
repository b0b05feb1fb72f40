"""The figure of an experiment that draws none of its own: every claim's estimate with its interval, on its bound."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from elegans.claims.claim import Claim
from elegans.claims.drawing import COLOURS, COLUMN, panels
from elegans.claims.evidence import Evidence
from elegans.stats.estimate import Estimate

VERDICTS = {"holds": COLOURS[2], "fails": COLOURS[1], "inconclusive": COLOURS[4]}


def drawn(claims: Sequence[Claim], e: Evidence) -> Any:
    """One line a claim, each on an axis of its own: the bound as a band, the estimate as a dot."""
    figure, grid = panels(len(claims), 1, width=COLUMN, height=0.35 + 0.75 * len(claims))
    for ax, claim in zip(grid[:, 0], claims, strict=True):
        _line(ax, claim, claim.value(e))
    return figure


def _line(ax: Any, claim: Claim, found: Estimate) -> None:
    start, end = _domain([found.value, found.low, found.high, claim.expect.low, claim.expect.high])
    low, high = max(claim.expect.low, start), min(claim.expect.high, end)
    ax.axvspan(low, high, color="0.9", lw=0)
    for at in (low, high):
        ax.axvline(at, color="0.6", lw=1 if start < at < end else 0)
    colour = VERDICTS[claim.expect.judge(found)]
    ax.plot([max(found.low, start), min(found.high, end)], [0, 0], color=colour, lw=2.5)
    if math.isfinite(found.value):
        ax.plot(found.value, 0, "o", color=colour)
    said = f"{claim.says}: {found.value:.4g}, expected {claim.expect}"
    ax.set_title("\n".join(textwrap.wrap(said, 88)), loc="left", fontsize=7.5)
    ax.set(xlim=(start, end), ylim=(-1, 1), yticks=[])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)


def _domain(points: Sequence[float]) -> tuple[float, float]:
    """A range that shows all finite points with room on both sides."""
    finite = [x for x in points if math.isfinite(x)] or [0.0]
    low, high = min(finite), max(finite)
    margin = 0.22 * (high - low) or 0.5 * abs(low) or 1.0
    return low - margin, high + margin
