"""When a run ends: an event that is screened inside the compiled loop and confirmed outside, and a number of steps.

Screening looks at a short prefix of the run's validation sample; only a pass is confirmed on the whole of it, so the event
is exactly "the first check at which the whole sample passes" at a small part of the cost.
"""

from abc import abstractmethod

from jaxtyping import Array, Bool, Float

from elegans.base.config import Config, static
from elegans.base.errors import UsageError
from elegans.tasks.base import Batch


class Event(Config):
    """A named first time, checked every `every` steps. Subclasses are final.

    Every event must be monotone in its sample: the screen may reject only what the whole sample would reject."""

    every: int = static(default=10, low=1)
    screen: int = static(default=128, low=1)
    on: int = static(default=8192, low=1)

    @property
    @abstractmethod
    def name(self) -> str:
        """What the event is called in tables."""

    @abstractmethod
    def passed(self, out: Array, batch: Batch) -> Bool[Array, ""]:
        """Whether the outputs on this part of the validation sample satisfy the event."""

    def check(self) -> None:
        if self.on % self.screen:
            fit = -(-self.on // self.screen) * self.screen
            raise UsageError(f"on={self.on} must be a multiple of screen={self.screen}; take on={fit}")

    def __or__(self, budget: "Stop") -> "Stop":
        """The event, or the end of the budget."""
        if budget.event is not None or budget.prescribed:
            raise UsageError("an event is combined with a Budget(n), for example Solved() | Budget(100_000)")
        return Stop(budget.steps, self)


class Solved(Event):
    """Every example of the validation sample is classified correctly (a zero output counts as an error)."""

    @property
    def name(self) -> str:
        return "solved"

    def passed(self, out: Array, batch: Batch) -> Bool[Array, ""]:
        return correct(out, batch.y).all()


def correct(out: Float[Array, "b ..."], y: Array) -> Bool[Array, "b ..."]:
    """Which examples are classified correctly: by sign for ±1 targets, by the largest logit for classes."""
    return y * out > 0 if out.ndim == y.ndim else out.argmax(-1) == y


class Stop(Config):
    """Steps to take at most, with an optional event that ends the run earlier. Built with `|`, or as `Steps(n)`."""

    steps: int = static(low=1)
    event: Event | None = static(default=None)
    prescribed: bool = static(
        default=False
    )  # True: reaching `steps` completes the run; False: the event is then censored


def Budget(steps: int) -> "Stop":
    """At most this many steps; a run that gets there is censored."""
    return Stop(steps)


def Steps(steps: int) -> "Stop":
    """Exactly this many steps; a run that gets there is complete."""
    return Stop(steps, prescribed=True)
