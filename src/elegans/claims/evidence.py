"""Evidence: what the work of an experiment left behind, and the only input of its figure and its claims.

A table of runs, the traces of probes, named arrays, and parts for experiments with several works. It is saved as one
small `.npz` file whose bytes depend on its content only, so that it can be committed (`elegans.claims.packing`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from elegans.base.errors import StoreError, UsageError
from elegans.lab import files
from elegans.stats.estimate import Estimate, exact
from elegans.stats.times import Times

Arrays = dict[str, np.ndarray]
LIMIT = 50_000  # bytes that the evidence of one experiment may take in the repository


@dataclass(frozen=True)
class Evidence:
    """`runs` has one row a run; `traces[i]` maps "Probe.name" to run i's array over time; "Probe.t" holds its steps."""

    runs: pl.DataFrame = field(default_factory=pl.DataFrame)
    traces: tuple[Mapping[str, np.ndarray], ...] = ()
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    parts: Mapping[str, "Evidence"] = field(default_factory=dict[str, "Evidence"])
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __getitem__(self, name: str) -> "Evidence":
        """The part called `name`, for work that is a dictionary."""
        if name not in self.parts:
            raise UsageError(f"this evidence has no part {name!r}; it has {', '.join(self.parts) or 'no parts'}")
        return self.parts[name]

    def array(self, name: str) -> np.ndarray:
        """A named array of a calculation, or parameters that were kept ("end/W": one row per run)."""
        if name not in self.arrays:
            raise UsageError(f"this evidence has no array {name!r}; it has {', '.join(self.arrays) or 'none'}")
        return self.arrays[name]

    def max(self, name: str) -> Estimate:
        """The largest entry of a named array, as an exact estimate."""
        return exact(float(np.max(self.array(name))), f"max {name}")

    def times(self, event: str = "solved", where: pl.Expr | None = None) -> Times:
        """First times of an event over the runs, censored where a run ended without it."""
        runs = self.runs if where is None else self.runs.filter(where)
        seen = runs[event].is_not_null().to_numpy()
        time = runs.select(pl.coalesce(event, "t").cast(pl.Float64)).to_series().to_numpy()
        return Times(time, seen)

    def to_bytes(self) -> bytes:
        """The file's content: equal evidence, equal bytes."""
        from elegans.claims.packing import pack

        return pack(self)

    def save(self, path: Path) -> int:
        """Write atomically; returns the number of bytes."""
        content = self.to_bytes()
        files.write(path, content)
        return len(content)

    @staticmethod
    def load(path: Path) -> "Evidence":
        """Read what `save` wrote; a torn or foreign file is an error that names it."""
        from elegans.claims.packing import unpack

        try:
            return unpack(path.read_bytes())
        except FileNotFoundError:
            raise
        except Exception as error:
            raise StoreError(
                f"{path} is not readable evidence ({error}); delete it and run the experiment again"
            ) from error
