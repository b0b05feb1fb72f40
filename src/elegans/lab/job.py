"""What a worker is handed: programs, the blocks of runs that go through them, and where results live."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from elegans.lab.program import Program


@dataclass(frozen=True)
class Block:
    """Runs of one group that are leased together. Arrays have one row a run."""

    id: str
    group: str
    stop: str  # digest of the event; the number of steps is not part of a trajectory
    runs: list[str]
    seeds: np.ndarray  # (n, 4) uint32
    knobs: np.ndarray  # (n, knobs) float64
    steps: np.ndarray  # (n,) int32
    starts: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)  # given parameters, by run
    states: dict[str, dict[str, Any]] = field(default_factory=dict)  # lanes to continue, by run


@dataclass(frozen=True)
class Load:
    """One program and its blocks, most expensive runs first."""

    program: Program
    blocks: list[Block]
    probes: dict[str, int] = field(default_factory=dict)  # name -> cadence
    probe_ids: str = ""
    keep: tuple[str, ...] = ()
    event: bool = False
    outcome: str = "budget"  # of a run that reaches its steps
    stop: str = ""  # digest of the event

    @property
    def key(self) -> str:
        """What a checkpointed lane must have been made for, to be continued under this load."""
        return "/".join((self.program.identity, self.stop, self.probe_ids, ",".join(self.keep)))


@dataclass(frozen=True)
class Job:
    """All loads of one precision, and the folder of the store."""

    store: Path
    loads: list[Load]
    workers: int = 1
    checkpoint_every: float = 30.0
    flush_every: float = 2.0

    def order(self, worker: int) -> list[Load]:
        """The loads, each worker beginning elsewhere, so that they compile different programs first."""
        first = worker * len(self.loads) // self.workers
        return [*self.loads[first:], *self.loads[:first]]
