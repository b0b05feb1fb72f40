"""Values of fields: brought to the kind that the annotation names, or refused with what was given and what to write."""

import dataclasses
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING
from typing import Any

from elegans.base.errors import UsageError, nearest, shown


def brought(label: str, value: Any, hint: Any, default: Any = MISSING) -> Any:
    """`value` as the annotation `hint` wants it: NumPy scalars, ints and lists are converted, another kind is refused."""
    value, origin = plain(value), typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        kinds = [h for h in typing.get_args(hint) if h is not types.NoneType]
        return value if value is None or len(kinds) > 1 else brought(label, value, kinds[0], default)
    if hint in (int, float, bool, str):
        return _number_or_word(label, value, hint)
    if origin is typing.Literal and value not in typing.get_args(hint):
        raise UsageError(f"{label} is {value!r}, but it must be one of {', '.join(map(str, typing.get_args(hint)))}")
    if origin is tuple:
        return _tuple(label, value, typing.get_args(hint))
    if origin is Callable:
        _check_function(label, value, default)
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__") and not isinstance(value, hint):
        raise UsageError(f"{label} is {shown(value)}, but it must be {instance_of(hint, value, default)}")
    return tuple(value) if isinstance(value, list | range) else value


def plain(value: Any) -> Any:
    """Scalars of NumPy and JAX as Python's own."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def within(label: str, value: Any, low: float | None, high: float | None) -> Any:
    """A finite number in [low, high]; anything that is no number passes."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    value = value + 0  # there is one zero
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{label} is {value}, but it must be a finite number")
    if (low is not None and value < low) or (high is not None and value > high):
        raise UsageError(f"{label} is {value}, but it must be {_range(low, high)}")
    return value


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number in [low, high], for what is no field of a configuration."""
    value = plain(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise UsageError(f"{name} is {shown(value)}, but it must be a whole number between {low} and {high}")
    return value


def instance_of(kind: type[Any], value: Any, default: Any = MISSING) -> str:
    """What should stand there instead of `value`, in words: "a Regime; write Full()"."""
    what = f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
    if inspect.isclass(value) and issubclass(value, kind):
        asks = any(f.default is MISSING for f in dataclasses.fields(value))  # type: ignore[arg-type]
        return f"{what}; write {value.__name__}({'...' if asks else ''})"
    if isinstance(value, str) and (near := nearest(value, _final(kind), cutoff=0.6)):
        return f"{what}; write {near[0]}(...), not its name"
    return what if default is MISSING or default is None else f"{what}, such as {default!r}"


def misfit(name: str, fields: Mapping[str, bool], args: tuple[Any, ...], named: Mapping[str, Any]) -> UsageError | None:
    """Why these arguments cannot fill the fields (each with whether it is required), or None if they can."""
    first = list(fields)[: len(args)]
    if len(args) > len(fields):
        return UsageError(f"{name} takes {len(fields)} values ({', '.join(fields)}), but {len(args)} were given")
    for key in named:
        if key not in fields:
            near = nearest(key, list(fields), cutoff=0.6)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(fields)}"
            return UsageError(f"{name} has no field {key!r}; {hint}")
        if key in first:
            return UsageError(f"{name}.{key} is given twice, as {args[first.index(key)]!r} and as {named[key]!r}")
    missing = [n for n, required in fields.items() if required and n not in first and n not in named]
    wanted = ", ".join(f"{n}=..." for n in missing)
    return UsageError(f"{name} needs {' and '.join(missing)}; write {name}({wanted})") if missing else None


def _number_or_word(label: str, value: Any, hint: type) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise UsageError(f"{label} is an integer of {value.bit_length()} bits, too large for a float") from error
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, hint) or (hint in (int, float) and isinstance(value, bool)):
        raise UsageError(f"{label} is {shown(value)}, but it must be of type {hint.__name__}")
    return value


def _tuple(label: str, value: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    if getattr(value, "ndim", None) == 1:
        value = value.tolist()
    if not isinstance(value, tuple | list | range):
        raise UsageError(f"{label} is {shown(value)}, but it must be a tuple, for example ({value!r},)")
    listed: Iterable[Any] = value
    same = len(kinds) == 2 and kinds[1] is Ellipsis
    return tuple(brought(f"{label}[{i}]", v, kinds[0]) if same else v for i, v in enumerate(listed))


def _check_function(label: str, value: Any, default: Any) -> None:
    if callable(value) and not inspect.isclass(value):
        return
    if inspect.isclass(value):
        what = f"write {value.__name__}(...)"
    elif isinstance(value, str):
        near = nearest(value, list(known := _beside(default)), cutoff=0.6)
        what = f'write {known[near[0]]}, not "{value}"' if near else "pass the function itself, not its name"
    else:
        what = "pass one that you defined with def or lambda"
    raise UsageError(f"{label} is {shown(value)}, but it must be a function; {what}")


def _beside(default: Any) -> dict[str, str]:
    """The functions that stand in the module of the default, each with the shortest way to write it."""
    module = getattr(default, "__module__", "")
    own = vars(sys.modules[module]) if module in sys.modules else {}
    root = module.partition(".")[0]
    front = "el" if root == "elegans" else root
    return {
        n: f"{front}.{n}" if getattr(sys.modules.get(root), n, None) is f else f"{module}.{n}"
        for n, f in own.items()
        if inspect.isfunction(f) and f.__module__ == module and not n.startswith("_")
    }


def _final(kind: type) -> list[str]:
    below = kind.__subclasses__()
    return [] if not below else [n for c in below for n in ([c.__name__] if not c.__subclasses__() else _final(c))]


def _range(low: float | None, high: float | None) -> str:
    said = [f"{x:g}" if isinstance(x, float) else str(x) for x in (low, high)]
    if low is None:
        return f"at most {said[1]}"
    return f"at least {said[0]}" if high is None else f"between {said[0]} and {said[1]}"
