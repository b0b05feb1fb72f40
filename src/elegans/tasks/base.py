"""What a task is: a distribution over examples, sampled as a pure function of a key.

A task may also be `Hidden` (something is drawn once per run from the task seed, such as the relevant bits), `Finite` (all its
examples can be listed), `Solvable` (the best possible prediction is known) or `Noisy` (runs are judged without its noise).
"""

import os
from abc import abstractmethod
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Key

from elegans.base import stream
from elegans.base.config import Config
from elegans.base.errors import UsageError
from elegans.base.values import whole


class Batch(NamedTuple):
    """Examples stacked along the first axis of `x`, `y` and `latent`; `shared` has no batch axis."""

    x: Any
    y: Any
    latent: Any = ()  # what an oracle may see, such as the chain behind a sequence
    shared: Any = ()  # what all examples of a step share, such as positions resampled every step


class Sizes(NamedTuple):
    """True sizes of a task whose inputs are padded to a constant shape; inside a program they are tracers."""

    inputs: Any
    degree: Any


class Signature(NamedTuple):
    """Shapes that a model must fit: of one input, of one output, and the number of symbols (0 for real inputs).

    A padded task says its true sizes, too, and only models that know how to be padded accept them."""

    x: tuple[int, ...]
    out: tuple[int, ...]
    symbols: int = 0
    sizes: Sizes | None = None


class Task(Config):
    """A distribution. Subclasses are final and declare the range of every parameter."""

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """The shapes of one example."""

    @abstractmethod
    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        """`n` independent examples; the first m of n are the same as m drawn alone. `()` means the canonical secret."""

    def numpy(self, n: int, seed: int = 0) -> Batch:
        """`n` examples as NumPy arrays, for use without the lab."""
        n = whole("n", n, 1, 2**31 - 1)
        secret = secret_of(self, stream.key(seed, stream.Purpose.TASK))
        draw, key = jax.jit(lambda key: self.sample(key, n, secret)), stream.key(seed, stream.Purpose.DATA)
        size = sum(a.size * a.dtype.itemsize for a in jax.tree.leaves(jax.eval_shape(draw, key)))
        if size > _memory():
            raise UsageError(f"n is {n}, but so many examples would take {size / 1e9:.0f} GB; draw fewer at a time")
        return jax.tree.map(np.asarray, draw(key))


class Hidden(Task):
    """A task in which the task seed draws something once per run."""

    @abstractmethod
    def secret(self, key: Key[Array, ""]) -> Any:
        """What is drawn, as a tree of arrays of fixed shapes."""


class Finite(Task):
    """A task whose examples can all be listed; they are equally likely."""

    @abstractmethod
    def enumerate(self, secret: Any = ()) -> Batch:
        """Every example once, as NumPy arrays where the secret is canonical."""


class Solvable(Task):
    """A task whose best possible prediction is known."""

    @abstractmethod
    def bayes(self, batch: Batch) -> Array:
        """The optimal output for each example, of shape (n, *signature.out), from x (never from latent)."""


class Noisy(Task):
    """A task with noise in its labels: `sample` is what training sees, and a run is judged and watched without it."""

    @property
    @abstractmethod
    def noiseless(self) -> Task:
        """The same task without noise, with the same secret."""


def _memory() -> int:
    """Bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def noiseless(task: Task) -> Task:
    """What a run is judged on and watched with: the task itself, or what it is without its noise."""
    return task.noiseless if isinstance(task, Noisy) else task


def secret_of(task: Task, key: Key[Array, ""]) -> Any:
    """The task's secret for a key, or `()` when it hides nothing."""
    return task.secret(key) if isinstance(task, Hidden) else ()
