"""The words of the lab: Stage, Run, Sweep, Calculation. Pure data; nothing here runs anything.

    Run(model, stage, ..., start=..., seeds=...)     one training, in one or several stages
    Sweep(run, lr=[...], seed=range(1000))           a set of runs: the product of its axes
    Calculation(fn, n=(9, 11))                       a pure named function of frozen arguments

An axis is named after a field of the task, the model or the algorithm, or is a seed: `seed` sets all four of task, init,
data and eval, each of which can also be named. `model=`, `task=` and `algorithm=` axes replace the whole part.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from elegans.base.config import Config, static
from elegans.base.errors import UsageError, shown
from elegans.base.values import instance_of, plain
from elegans.models.base import Model
from elegans.probes.base import Probe
from elegans.tasks.base import Task
from elegans.training.algorithms import Algorithm
from elegans.training.stops import Event, Stop

if TYPE_CHECKING:
    import polars as pl

    from elegans.lab.estimate import Estimate

SEEDS = ("task", "init", "data", "eval")
_RUN = "a Run is Run(model, stage, ...): a model first, then one or more Stage(task, algorithm, stop)"
Keep = Literal["start", "end"]


class Stage(Config):
    """One piece of a run: what is learned, how, which parameters train (all by default), and when it stops."""

    task: Task = static()
    algorithm: Algorithm = static()
    stop: Stop = static()
    train: tuple[str, ...] = static(default=())  # names of the parameters that train; () means all

    def __post_init__(self) -> None:
        check_stop("Stage.stop", self.stop)
        super().__post_init__()

    def check(self) -> None:
        if self.stop.steps >= 2**31:
            raise UsageError(
                f"Stop.steps is {self.stop.steps}, but a program counts steps in 32 bits; take at most {2**31 - 1}"
            )


class Seeds(Config):
    """The four seeds of a run."""

    task: int = static(default=0, low=0, high=2**32 - 1)
    init: int = static(default=0, low=0, high=2**32 - 1)
    data: int = static(default=0, low=0, high=2**32 - 1)
    eval: int = static(default=0, low=0, high=2**32 - 1)


@dataclass(frozen=True)
class Then:
    """A start made from the end of another run: `function(start_params, end_params, **arguments) -> params`."""

    run: "Run"
    function: Callable[..., Mapping[str, Any]]
    arguments: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Given:
    """A start from an explicit construction: `function(**arguments) -> params`, NumPy in double precision."""

    function: Callable[..., Mapping[str, Any]]
    arguments: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, init=False)
class Run:
    """One training: a model, one or more stages, where it starts, its seeds, what is watched and what is kept."""

    model: Model
    stages: tuple[Stage, ...]
    start: Then | Given | None = None
    seeds: Seeds = field(default_factory=Seeds)
    watch: tuple[Probe, ...] = ()
    keep: tuple[Keep, ...] = ()

    def __init__(
        self,
        model: Model,
        *stages: Stage,
        start: Then | Given | None = None,
        seeds: Seeds | None = None,
        watch: Iterable[Probe] = (),
        keep: Iterable[Keep] = (),
    ) -> None:
        for what in (w for w, kind in ((model, Model), *((s, Stage) for s in stages)) if not isinstance(w, kind)):
            raise UsageError(f"{_RUN}, and {shown(what)} stands among them")
        if not stages:
            raise UsageError(f"{_RUN}, and no stage is given")
        watched, kept = _probes(watch), _kept(keep)
        if seeds is not None and not isinstance(seeds, Seeds):
            raise UsageError(f"seeds is {shown(seeds)}, but it must be {instance_of(Seeds, seeds, Seeds(init=3))}")
        if not isinstance(start, Then | Given | None):
            raise UsageError(f"start is {shown(start)}, but it must be given(f) or other_run.then(f)")
        names = [p.name for p in watched]
        if len(set(names)) < len(names):
            raise UsageError(f"watch lists {', '.join(names)}; every probe may be there once, give each its own class")
        values: dict[str, Any] = {
            "model": model, "stages": stages, "start": start, "seeds": seeds or Seeds(),
            "watch": watched, "keep": kept,
        }  # fmt: skip
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def then(self, function: Callable[..., Mapping[str, Any]], **arguments: Any) -> Then:
        """A start for another run: `function(start_params, end_params, **arguments)` applied to this run's parameters.

        In a sweep, seeds that are axes of the child are also the seeds of this run."""
        return Then(self, _callable("then", function, 2, arguments), tuple(sorted(arguments.items())))


def given(function: Callable[..., Mapping[str, Any]], **arguments: Any) -> Given:
    """A start from an explicit construction."""
    return Given(_callable("given", function, 0, arguments), tuple(sorted(arguments.items())))


@dataclass(frozen=True, init=False)
class Sweep:
    """The product of its axes over one run. `axes` keeps the order in which they were named."""

    run_: Run
    axes: tuple[tuple[str, tuple[Any, ...]], ...]

    def __init__(self, run: Run, **axes: Iterable[Any]) -> None:
        if not isinstance(run, Run):
            raise UsageError(f"a Sweep is Sweep(run, lr=[...], seed=range(8)): a Run first, but it is {shown(run)}")
        object.__setattr__(self, "run_", run)
        listed = tuple((name, _values(name, values)) for name, values in axes.items())
        object.__setattr__(self, "axes", listed)

    def __len__(self) -> int:
        size = 1
        for _, values in self.axes:
            size *= len(values)
        return size

    def run(self, **options: Any) -> "pl.DataFrame":
        """Train what the store does not have and return one row a run (options: store, workers, progress)."""
        from elegans.lab.api import run

        return run(self, **options)

    def estimate(self, **options: Any) -> "Estimate":
        """What running it would take: runs, programs, time, memory, disk."""
        from elegans.lab.api import cost

        return cost(self, **options)


@dataclass(frozen=True, init=False)
class Calculation:
    """A pure named function of frozen arguments that returns named numbers and arrays; nothing is trained."""

    function: Callable[..., Mapping[str, Any]]
    arguments: tuple[tuple[str, Any], ...]

    def __init__(self, function: Callable[..., Mapping[str, Any]], **arguments: Any) -> None:
        object.__setattr__(self, "function", _callable("Calculation", function, 0, arguments))
        object.__setattr__(self, "arguments", tuple(sorted(arguments.items())))


Work = Sweep | Calculation | Mapping[str, "Sweep | Calculation"]


def _values(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise UsageError(f"axis {name} is {values!r}, but it must list its values, for example {name}=[{values!r}]")
    listed = tuple(plain(v) for v in values)
    if not listed:
        raise UsageError(f"axis {name} is empty; give it at least one value")
    if twice := _twice(listed):
        raise UsageError(f"axis {name} lists {twice[0]!r} twice; list it once, so that no run is counted twice")
    return listed


def _twice(values: tuple[Any, ...]) -> list[Any]:
    """Values that stand more than once in the list."""
    seen: set[Any] = set()
    try:
        return [v for v in values if v in seen or seen.add(v)]
    except TypeError:  # lists and arrays: whether the axis takes them is asked later
        return []


def _probes(watch: Iterable[Probe]) -> tuple[Probe, ...]:
    listed: tuple[Any, ...] = (watch,) if isinstance(watch, str) or not isinstance(watch, Iterable) else tuple(watch)
    for p in listed:
        if not isinstance(p, Probe):
            raise UsageError(
                f"watch lists {shown(p)}, but it must list probes, for example watch=[Accuracy(every=100)]"
            )
    return listed


def _kept(keep: Iterable[Keep]) -> tuple[Keep, ...]:
    listed: tuple[Any, ...] = (keep,) if isinstance(keep, str) or not isinstance(keep, Iterable) else tuple(keep)
    for k in listed:
        if k not in get_args(Keep):
            raise UsageError(f"keep lists {k!r}, but only 'start' and 'end' can be kept, for example keep=['end']")
    return listed


def check_stop(name: str, stop: Any) -> None:
    """A number of steps or an event alone is no stop; say how to make one of it."""
    if isinstance(stop, Event):
        raise UsageError(f"{name} is {stop!r}, which may never happen; give it a budget: {stop!r} | Budget(100_000)")
    if not isinstance(stop, Stop):
        raise UsageError(f"{name} is {shown(stop)}, but it must be a Stop, for example Solved() | Budget(20_000)")


def _callable(word: str, function: Callable[..., Any], first: int, named: Mapping[str, Any]) -> Callable[..., Any]:
    """A function that can be called with `first` values and the named arguments."""
    if not callable(function):
        raise UsageError(f"{word} needs a function first, and {shown(function)} is none")
    try:
        inspect.signature(function).bind(*range(first), **named)
    except TypeError as error:
        what = " and ".join([*("start and end parameters",)[:first], *named]) or "no arguments"
        raise UsageError(f"{word} would call {shown(function)} with {what}, which does not fit: {error}") from error
    except ValueError:
        pass  # built-in functions do not say what they take
    return function
