"""What a probe is: a pure function of a run's state, evaluated between steps at a cadence.

Probes run as programs of their own, outside the training step, so they cannot change the bits of what they watch.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from elegans.base import stream
from elegans.base.config import Config, static
from elegans.base.stream import Purpose
from elegans.models.base import Model, Params
from elegans.tasks.base import Task, noiseless, secret_of


@dataclass(frozen=True)
class View:
    """All that a probe may see of a run after step `t`."""

    task: Task  # without label noise
    model: Model
    params: Params
    secret: Any  # what the task seed drew
    eval: Key[Array, ""]  # key of the run's validation sample
    data: Key[Array, ""]  # key of the run's training data
    t: Int[Array, ""]
    loss: Array  # training loss of the last step
    regime: Any  # the algorithm's data regime
    start: Callable[[], Params]  # the parameters at step 0, recomputed on demand

    @staticmethod
    def of(task: Task, model: Model, params: Params, seed: int = 0, regime: Any = None) -> "View":
        """A view of parameters from anywhere, so that a probe can be used without the lab."""
        secret = secret_of(task, stream.key(seed, Purpose.TASK))
        keys = stream.key(seed, Purpose.EVAL), stream.key(seed, Purpose.DATA)
        zero = jnp.zeros((), jnp.int32)
        return View(noiseless(task), model, params, secret, *keys, zero, jnp.zeros(()), regime, lambda: params)


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
