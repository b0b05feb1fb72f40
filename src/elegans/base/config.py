"""Configuration as frozen dataclasses whose every field says its range and whether it is traced or static.

A *static* field shapes the compiled program (a width, a batch size, an activation). A *traced* field is a knob: one
program serves all its values (a learning rate, a noise level). `digest` turns a configuration into its identity; fields
that have their default value are left out of it, so a later release may add a field without orphaning old results.
"""

import dataclasses
import functools
import hashlib
import inspect
import json
import sys
import textwrap
import types
import typing
from abc import ABC
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING
from functools import cache
from typing import Any, Self, TypeVar, dataclass_transform

from elegans.base import values
from elegans.base.code import plain
from elegans.base.errors import UsageError

C = TypeVar("C")


def static(default: Any = MISSING, *, low: float | None = None, high: float | None = None) -> Any:
    """A field that is part of the compiled program, with its allowed range [low, high]."""
    return dataclasses.field(default=default, metadata={"low": low, "high": high, "traced": False})


def traced(default: Any = MISSING, *, low: float | None = None, high: float | None = None) -> Any:
    """A float field that one compiled program serves at every value, with its allowed range [low, high]."""
    return dataclasses.field(default=default, metadata={"low": low, "high": high, "traced": True})


@dataclass_transform(frozen_default=True, field_specifiers=(static, traced, dataclasses.field))
class Config(ABC):  # noqa: B024 (its subclasses declare the abstract methods)
    """Base of everything that configures: subclasses become frozen dataclasses and are checked when made."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclasses.dataclass(frozen=True, repr=False)(cls)
        cls.__init__ = _explained(cls)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, _checked(self, field))
        self.check()

    def __repr__(self) -> str:
        """The class with the fields that differ from their defaults."""
        shown = [f"{f.name}={_shown(getattr(self, f.name))}" for f in dataclasses.fields(self) if _differs(self, f)]  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(shown)})"

    def check(self) -> None:
        """Refuse combinations of fields that make no sense (raise `UsageError`)."""

    def replace(self, **changes: Any) -> Self:
        """A checked copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


def _shown(value: Any) -> str:
    return getattr(value, "__name__", None) or repr(value)


def _differs(config: "Config", field: dataclasses.Field[Any]) -> bool:
    value, default = getattr(config, field.name), field.default
    return default is MISSING or type(default) is not type(value) or bool(default != value)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _checked(config: Config, field: dataclasses.Field[Any]) -> Any:
    """The field's value with ints and floats normalised, or an error that says what kind and range are allowed."""
    label, hint = f"{type(config).__name__}.{field.name}", _hints(type(config)).get(field.name)
    value = values.brought(label, getattr(config, field.name), hint, field.default)
    return values.within(label, value, field.metadata.get("low"), field.metadata.get("high"))


def _explained(cls: type) -> Callable[..., None]:
    """The `__init__` of a dataclass, which says in one sentence which arguments do not fit its fields."""
    init: Callable[..., None] = cls.__init__
    required = {f.name: f.default is MISSING and f.default_factory is MISSING for f in dataclasses.fields(cls)}

    @functools.wraps(init)
    def explained(self: Any, *args: Any, **named: Any) -> None:
        if error := values.misfit(cls.__name__, required, args, named):
            raise error
        init(self, *args, **named)

    return explained


# --- knobs: the traced fields of a tree of configurations --------------------------------------------------------------


def knobs(config: Any, prefix: str = "") -> dict[str, float]:
    """All traced fields below `config`, by dotted path."""
    found: dict[str, float] = {}
    if isinstance(config, Config):
        for field in dataclasses.fields(config):  # type: ignore[arg-type]
            value, path = getattr(config, field.name), f"{prefix}{field.name}"
            found |= {path: value} if field.metadata.get("traced") else knobs(value, f"{path}.")
    return found


def with_knobs(config: C, values: Mapping[str, Any], prefix: str = "") -> C:
    """A copy whose traced fields hold `values` (possibly tracers), unchecked: for use inside a compiled program."""
    if not isinstance(config, Config):
        return config
    copy = object.__new__(type(config))
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        path, value = f"{prefix}{field.name}", getattr(config, field.name)
        new = values.get(path, value) if field.metadata.get("traced") else with_knobs(value, values, f"{path}.")
        object.__setattr__(copy, field.name, new)
    return copy  # type: ignore[return-value]


# --- identity ----------------------------------------------------------------------------------------------------------


def describe(value: Any, *, without_knobs: bool = False) -> Any:
    """`value` as canonical JSON: what its identity is the hash of. Configurations within tuples have no knobs, see `knobs`."""
    if isinstance(value, Config):
        return {"": _kind(type(value)), **_fields(value, without_knobs)}
    if isinstance(value, bool | int | str | None):
        return value
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, Mapping):
        named: Mapping[str, Any] = value
        return {k: describe(named[k]) for k in sorted(named)}
    if isinstance(value, tuple | list | range):
        listed: Iterable[Any] = value
        return [describe(v) for v in listed]
    if isinstance(value, type) or callable(value):
        return _function(value)
    raise UsageError(f"{value!r} cannot be part of a configuration; use numbers, strings, tuples, functions or configs")


def digest(*parts: Any) -> str:
    """The identity of what is given: 16 bytes of BLAKE2b over its canonical form, in hex."""
    text = json.dumps([describe(p) for p in parts], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _kind(cls: type) -> str:
    inside = cls.__module__.partition(".")[0] == "elegans"
    return cls.__qualname__ if inside else f"{cls.__module__}:{cls.__qualname__}"


def _fields(config: Config, without_knobs: bool) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        value = getattr(config, field.name)
        if field.metadata.get("traced") and without_knobs:
            continue
        said = describe(value, without_knobs=without_knobs)
        if field.default is MISSING or said != describe(field.default, without_knobs=without_knobs):
            out[field.name] = said
    return out


def _function(fn: Any) -> str:
    if inspect.ismethod(fn):
        raise UsageError(f"{fn.__qualname__} is a method, whose object has no identity; pass a function instead")
    if is_named(fn):
        return f"{fn.__module__}:{fn.__qualname__}"
    code = getattr(fn, "__code__", None)
    if code is None:
        raise UsageError(f"{fn!r} has no name and no code to identify it by; define it with def or lambda")
    used = [c.cell_contents for c in fn.__closure__ or ()]
    used += [fn.__globals__[n] for n in code.co_names if isinstance(fn.__globals__.get(n), bool | int | float | str)]
    known = json.dumps([_captured(fn, v) for v in (*used, *(fn.__defaults__ or ()))])
    body = repr((code.co_code, _constants(code), code.co_names, known))
    return f"code:{hashlib.blake2b(body.encode(), digest_size=16).hexdigest()}"


def _captured(fn: Any, value: Any) -> Any:
    """What a function carries with it, by content."""
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        return [str(value.dtype), list(value.shape), hashlib.blake2b(value.tobytes(), digest_size=16).hexdigest()]
    try:
        return describe(value)
    except UsageError as error:
        what = f"{fn.__qualname__} uses {type(value).__name__}, which has no identity"
        raise UsageError(f"{what}; let it use numbers, arrays, functions or configurations") from error


def _constants(code: types.CodeType) -> list[Any]:
    return [c.co_code if isinstance(c, types.CodeType) else c for c in code.co_consts]


def is_named(fn: Callable[..., Any]) -> bool:
    """Whether another process can import `fn` by its name (a lambda or a notebook's function cannot be)."""
    module, name = getattr(fn, "__module__", None), getattr(fn, "__qualname__", "<")
    return module not in (None, "__main__") and "<" not in name


def code_of(part: Any) -> str:
    """Hash of the code that stands behind a function or a configuration's class, for code that is not traced into a
    program's hash: its module, without comments and docstrings. What the module imports is not followed."""
    owner = part if isinstance(part, types.FunctionType) else type(part)
    module = sys.modules.get(owner.__module__)
    try:
        text = plain(textwrap.dedent(inspect.getsource(module if is_named(owner) and module else owner)))
    except (OSError, TypeError, SyntaxError):
        functions = [owner] if isinstance(owner, types.FunctionType) else vars(owner).values()
        text = repr([(c.co_code, _constants(c), c.co_names) for f in functions if (c := getattr(f, "__code__", None))])
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def unnamed(value: Any) -> bool:
    """Whether something below `value` is code without an importable name: its results live for a session only."""
    if isinstance(value, Config):
        return not is_named(type(value)) or any(unnamed(getattr(value, f.name)) for f in dataclasses.fields(value))  # type: ignore[arg-type]
    if isinstance(value, tuple | list):
        listed: Iterable[Any] = value
        return any(unnamed(v) for v in listed)
    return callable(value) and not is_named(value)
