"""When a stored row answers a request: the one rule that the planner, the workers and the tables share."""

import math
from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]


def ended(row: Row, steps: int) -> bool:
    """Whether the run had come to its own end by `steps`: its event, or a step that was not finite.

    A loss that is not finite at step t takes more than t steps to see. A run whose last update left parameters that are
    not finite has diverged after t steps, with a finite loss."""
    t, outcome = row["t"], row["outcome"]
    seen = t < steps or (t == steps and math.isfinite(row["loss"]))
    return (outcome == "event" and t <= steps) or (outcome == "diverged" and seen)


def ends(row: Row, steps: int, exactly: bool) -> bool:
    """Whether a row says all there is to say about its run up to `steps`; `exactly` if its last state is needed too."""
    same = row["t"] == steps and row["outcome"] != "diverged"
    return ended(row, steps) or same or (not exactly and row["t"] > steps)
