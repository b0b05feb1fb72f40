"""What is known while workers work; shown to people and written to the store for `elegans status`."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Progress:
    """What is known while workers work; written to the store for `elegans status`."""

    runs: int
    steps: int
    began: float
    folder: Path
    tally: dict[str, Any] = field(default_factory=dict)
    occupancy: float = 0.0

    def take(self, tallies: Iterable[Mapping[str, Any]]) -> None:
        """Add up what the workers said."""
        rows = list(tallies)
        self.tally = {
            n: sum(r.get(n, 0) for r in rows) for n in ("runs", "steps", "event", "diverged", "budget", "completed")
        }
        lanes = [r.get("lanes", [0, 0]) for r in rows]
        width = sum(w for _, w in lanes)
        self.occupancy = sum(o for o, _ in lanes) / width if width else 0.0

    @property
    def seconds(self) -> float:
        """Since the job began."""
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds left if the rest goes like what is done; None before anything is known."""
        share = max(self.tally.get("runs", 0) / max(self.runs, 1), self.tally.get("steps", 0) / max(self.steps, 1))
        return self.seconds * (1 - share) / share if share > 0 else None
