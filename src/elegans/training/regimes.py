"""Where the examples of a step come from. `draw` is a pure function of the data key and the run's own step number."""

from abc import abstractmethod
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from elegans.base import stream
from elegans.base.config import Config, static
from elegans.base.errors import UsageError
from elegans.tasks.base import Batch, Finite, Task


class Regime(Config):
    """A way to feed a run. Subclasses are final."""

    @abstractmethod
    def draw(self, task: Task, secret: Any, key: Key[Array, ""], t: Int[Array, ""], batch: int) -> Batch:
        """The examples of step t."""


class Online(Regime):
    """Fresh independent examples every step."""

    def draw(self, task: Task, secret: Any, key: Key[Array, ""], t: Int[Array, ""], batch: int) -> Batch:
        return task.sample(stream.fold(key, t), batch, secret)


class Virtual(Regime):
    """A training set of m examples that is never stored: example i is a function of (key, i), and each step draws
    `batch` indices with replacement."""

    m: int = static(low=1)

    def draw(self, task: Task, secret: Any, key: Key[Array, ""], t: Int[Array, ""], batch: int) -> Batch:
        i = jax.random.randint(stream.fold(stream.fold(key, 0), t), (batch,), 0, self.m, jnp.int32)
        return self.examples(task, secret, key, i)

    def examples(self, task: Task, secret: Any, key: Key[Array, ""], i: Int[Array, "b"]) -> Batch:
        """Examples number i of the virtual training set (also for measuring the training error)."""
        source = stream.fold(key, 1)
        one = jax.vmap(lambda j: task.sample(stream.fold(source, j), 1, secret)._replace(shared=()))(i)
        return jax.tree.map(lambda a: a[:, 0], one)


class Full(Regime):
    """Every example of a finite task, every step: deterministic gradient descent."""

    def draw(self, task: Task, secret: Any, key: Key[Array, ""], t: Int[Array, ""], batch: int) -> Batch:
        if not isinstance(task, Finite):
            raise UsageError(f"{type(task).__name__} cannot be enumerated; train it Online() or on Virtual(m)")
        return task.enumerate(secret)


class Population(Regime):
    """The exact expectation of the loss, where a formula for this (task, model, loss) is known; draws nothing."""

    def draw(self, task: Task, secret: Any, key: Key[Array, ""], t: Int[Array, ""], batch: int) -> Batch:
        return Batch((), ())
