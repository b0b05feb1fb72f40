"""What a probe is: a pure function of a run's state, evaluated between steps at a cadence.

Probes run as programs of their own, outside the training step, so they cannot change the bits of what they watch.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jaxtyping import Array, Int, Key

from elegans.base.config import Config, static
from elegans.models.base import Model, Params
from elegans.tasks.base import Task


@dataclass(frozen=True)
class View:
    """All that a probe may see of a run after step `t`."""

    task: Task
    model: Model
    params: Params
    secret: Any  # what the task seed drew
    eval: Key[Array, ""]  # key of the run's validation sample
    data: Key[Array, ""]  # key of the run's training data
    t: Int[Array, ""]
    loss: Array  # training loss of the last step
    regime: Any  # the algorithm's data regime
    start: Callable[[], Params]  # the parameters at step 0, recomputed on demand


class Probe(Config):
    """A named observation at a cadence. Subclasses are final."""

    every: int = static(default=100, low=1)

    @property
    def name(self) -> str:
        """The prefix of what it records."""
        return type(self).__name__

    @abstractmethod
    def observe(self, view: View) -> dict[str, Array]:
        """Named arrays of fixed shapes."""
