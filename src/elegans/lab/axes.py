"""Axes of a sweep: which part of a run an axis names, and whether its values share one program.

A seed or traced field gives columns of numbers; a static field or a whole part gives one group of runs a value.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from elegans.base.config import Config
from elegans.base.errors import UsageError, shown, unknown
from elegans.base.values import instance_of
from elegans.lab.words import SEEDS, Run, Stage
from elegans.models.base import Model

PARTS = ("model", "task", "algorithm")


@dataclass(frozen=True)
class Axis:
    """A named list of values and where they go: "seed", "knob", "static", "part" or "steps"."""

    name: str
    values: tuple[Any, ...]
    kind: str
    paths: tuple[str, ...] = ()  # dotted paths such as "algorithm.lr"

    @property
    def groups(self) -> bool:
        """Whether every value is a group of its own (another program)."""
        return self.kind in ("static", "part")


def resolve(run: Run, name: str, values: tuple[Any, ...]) -> Axis:
    """Find what `name` names in the run, and check every value there."""
    integers = all(isinstance(v, int) and not isinstance(v, bool) for v in values)
    if name == "seed" or (name in SEEDS and integers):
        return _seeds(name, values)
    if name in PARTS:
        for v in values if name == "model" else ():  # a Stage checks the others
            if not isinstance(v, Model):
                raise UsageError(f"axis model has the value {shown(v)}, but it must be {instance_of(Model, v)}")
        return _checked(run, Axis(name, values, "part", (name,)))
    if name == "steps":
        return _checked(run, Axis(name, values, "steps"))
    return _checked(run, _field(run, name, values))


def _seeds(name: str, values: tuple[Any, ...]) -> Axis:
    for v in values:
        if not isinstance(v, int) or isinstance(v, bool) or not 0 <= v < 2**32:
            raise UsageError(f"axis {name} has the value {shown(v)}, but seeds are integers between 0 and 2^32 - 1")
    return Axis(name, values, "seed", tuple(SEEDS) if name == "seed" else (name,))


def _field(run: Run, name: str, values: tuple[Any, ...]) -> Axis:
    """The shallowest fields called `name`; the same name in two parts at the same depth is ambiguous."""
    fields = list(_fields(run))
    found = [(path, is_traced) for path, is_traced in fields if path.rpartition(".")[2] == name]
    if not found and name in SEEDS:
        return _seeds(name, values)
    if not found:
        names = sorted({path.rpartition(".")[2] for path, _ in fields} | {"seed", "steps", *PARTS})
        raise unknown("axis", name, names)
    depth = min(path.count(".") for path, _ in found)
    nearest = [(path, is_traced) for path, is_traced in found if path.count(".") == depth]
    if len({path.partition(".")[0] for path, _ in nearest}) > 1:
        places = " and ".join(path for path, _ in nearest)
        raise UsageError(f"axis {name} names {places}; say which by sweeping the whole part, for example model=[...]")
    kind = "knob" if all(is_traced for _, is_traced in nearest) else "static"
    return Axis(name, values, kind, tuple(path for path, _ in nearest))


def _fields(run: Run) -> Iterator[tuple[str, bool]]:
    """Every field below the model and the stages: its path, and whether it is traced."""
    seen: set[str] = set()
    parts = [("model", run.model)] + [(p, getattr(s, p)) for s in run.stages for p in ("task", "algorithm")]
    for name, part in parts:
        for path, is_traced in _below(part, name):
            if path not in seen:
                seen.add(path)
                yield path, is_traced


def _below(config: Config, prefix: str) -> Iterator[tuple[str, bool]]:
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        value = getattr(config, field.name)
        yield f"{prefix}.{field.name}", bool(field.metadata.get("traced"))
        if isinstance(value, Config):
            yield from _below(value, f"{prefix}.{field.name}")


def _checked(run: Run, axis: Axis) -> Axis:
    for value in axis.values:
        apply(run, axis, value)
    return axis


def apply(run: Run, axis: Axis, value: Any) -> Run:
    """The run with one value of an axis put in (checked)."""
    if axis.kind == "seed":
        return _rebuilt(run, seeds=run.seeds.replace(**dict.fromkeys(axis.paths, value)))
    if axis.kind == "steps":
        last = run.stages[-1]
        stages = (*run.stages[:-1], last.replace(stop=last.stop.replace(steps=value)))
        return _rebuilt(run, stages=stages)
    model, stages = run.model, run.stages
    for path in axis.paths:
        part, _, rest = path.partition(".")
        if part == "model":
            model = _put(model, rest, value)
        else:
            stages = tuple(s.replace(**{part: _put(getattr(s, part), rest, value)}) for s in stages)
    return _rebuilt(run, model=model, stages=stages)


def _put(config: Any, path: str, value: Any) -> Any:
    """`config` with the field at `path` replaced, where it has that field."""
    if not path:
        return value
    name, _, rest = path.partition(".")
    if not hasattr(config, name):
        return config
    return config.replace(**{name: _put(getattr(config, name), rest, value)})


def _rebuilt(run: Run, **changes: Any) -> Run:
    fields = {f.name: getattr(run, f.name) for f in dataclasses.fields(run)} | changes
    stages: tuple[Stage, ...] = fields.pop("stages")
    return Run(fields.pop("model"), *stages, **fields)
