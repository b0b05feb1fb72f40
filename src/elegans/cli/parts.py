"""Registered parts as flags: whatever is discovered can be named, and its fields become typed flags.

A part is chosen with `path:name`, such as `task:sparse-parity` or `algorithm.regime:virtual`; its fields are flags such
as `--task.n 50`. A new file in a room is enough for its part to appear here.
"""

import dataclasses
import importlib
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Annotated, Any, Literal, NamedTuple, Union

from tyro.conf import arg

from elegans.base.config import Config
from elegans.base.discovery import discover
from elegans.base.errors import UsageError
from elegans.cli.words import Words, pick

SIMPLE = (int, float, bool, str, type(None))


class Flag(NamedTuple):
    """A type for tyro to fill (None: nothing to fill), its default, and what is made of what was filled in."""

    type: Any
    default: Any
    make: Callable[[Any], Any]


def registered(kind: type[Any]) -> dict[str, Any]:
    """All parts of a kind, from the room it lives in and from plugins."""
    return dict(discover(".".join(kind.__module__.split(".")[:2]), kind))


def chosen(kind: type[Any], path: str, words: Words) -> Flag:
    """The part that must be named for `path`, as flags."""
    return _one_of(registered(kind), MISSING, path, words)


def part(cls: type[Any], path: str, words: Words, given: Any = None) -> Flag:
    """The fields of a configuration as flags; `given` is an instance whose values are the defaults."""
    hints = typing.get_type_hints(cls)
    fields: dict[str, Flag] = {}
    for field in dataclasses.fields(cls):
        default = field.default if given is None else getattr(given, field.name)
        fields[field.name] = _field(cls, field, hints[field.name], default, f"{path}.{field.name}", words)
    made = record(cls.__name__, fields, (cls.__doc__ or "").strip().partition("\n")[0])
    free = all(f.default is not MISSING for f in fields.values())
    fill = filled_in(fields)
    return Flag(made, made() if free else MISSING, lambda filled: cls(**fill(filled)))


def record(name: str, flags: Mapping[str, Flag], says: str) -> Any:
    """A dataclass with a field for every flag that has something to fill in."""
    fields: list[Any] = []
    for field, flag in flags.items():
        if flag.type is not None:
            default = () if flag.default is MISSING else (dataclasses.field(default=flag.default),)
            fields.append((field, flag.type, *default))
    made = dataclasses.make_dataclass(name, fields, frozen=True, kw_only=True)
    made.__doc__ = says
    return made


def filled_in(flags: Mapping[str, Flag]) -> Callable[[Any], dict[str, Any]]:
    """From a filled record to the values of its fields."""
    return lambda filled: {name: flag.make(getattr(filled, name, None)) for name, flag in flags.items()}


def _field(cls: type[Any], field: Any, hint: Any, default: Any, path: str, words: Words) -> Flag:
    choices = _choices(cls, field.name, hint)
    if choices is not None:
        return _one_of(choices, default, path, words)
    if _simple(hint):
        return Flag(Annotated[hint, arg(help=_range(field.metadata))], default, lambda value: value)
    if default is MISSING:
        raise UsageError(f"{path} cannot be given on the command line; train this in Python with elegans.train")
    return _fixed(default)


def _one_of(choices: Mapping[str, Any], default: Any, path: str, words: Words) -> Flag:
    """The named choice, or the default: a class or an instance has flags of its own, a function has none."""
    name = words.one(path, choices)
    if not name and default is MISSING:
        raise UsageError(f"say which {path}: {path}:NAME, where NAME is one of {words.offered[path]}")
    choice = default if name is None else pick(choices, path, name)
    if isinstance(choice, Config):
        return part(type(choice), path, words, choice)
    return part(choice, path, words) if inspect.isclass(choice) else _fixed(choice)


def _fixed(value: Any) -> Flag:
    return Flag(None, None, lambda _: value)


def _choices(cls: type[Any], name: str, hint: Any) -> Mapping[str, Any] | None:
    """What a field may hold, if it holds a part: a registered configuration, or a function of the room."""
    if inspect.isclass(hint) and issubclass(hint, Config):
        return registered(hint)
    if typing.get_origin(hint) is not Callable:
        return None
    room = ".".join(cls.__module__.split(".")[:2])
    return _functions(f"{room}.{name}{'es' if name.endswith('s') else 's'}")


def _functions(module: str) -> Mapping[str, Any] | None:
    """Public functions and callable configurations of a module such as `elegans.training.losses`, if there is one."""
    try:
        everything = vars(importlib.import_module(module))
    except ModuleNotFoundError:
        return None
    own = {n: v for n, v in everything.items() if getattr(v, "__module__", "") == module and not n.startswith("_")}
    return {n: v for n, v in own.items() if inspect.isfunction(v) or _is_part(v)}


def _is_part(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, Config) and not inspect.isabstract(value)


def _simple(hint: Any) -> bool:
    """Numbers, words, choices, and tuples or unions of them."""
    origin = typing.get_origin(hint)
    if origin in (tuple, Union, types.UnionType):
        return all(_simple(h) for h in typing.get_args(hint) if h is not Ellipsis)
    return hint in SIMPLE or origin is Literal


def _range(metadata: Mapping[str, Any]) -> str:
    ends = (("at least", metadata.get("low")), ("at most", metadata.get("high")))
    return ", ".join(f"{words} {end:g}" for words, end in ends if end is not None)
