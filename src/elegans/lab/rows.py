"""When a stored row answers a request: the one rule that the planner and the workers share."""

from collections.abc import Mapping
from typing import Any


def ends(row: Mapping[str, Any], steps: int, exactly: bool) -> bool:
    """Whether a row says all there is to say about its run up to `steps`; `exactly` if the parameters there are needed."""
    ended = row["outcome"] in ("event", "diverged") and row["t"] <= steps
    return ended or (row["t"] == steps if exactly else row["t"] >= steps)
