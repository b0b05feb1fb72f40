"""Discovery: a part is registered by existing. A new file in a room, or an entry point of another package, is enough."""

import importlib
import inspect
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import TypeVar

from elegans.base.config import Config
from elegans.base.errors import UsageError, nearest, unknown

T = TypeVar("T")


@cache
def discover(room: str, kind: type[T]) -> dict[str, type[T]]:
    """All final subclasses of `kind` in the modules of package `room` and in entry points of group `room`."""
    found: dict[str, type[T]] = {}
    for module in [*_modules(importlib.import_module(room)), *_plugins(room)]:
        for name, cls in vars(module).items():
            if not inspect.isclass(cls) or cls.__module__ != module.__name__ or name.startswith("_"):
                continue
            if issubclass(cls, kind) and not inspect.isabstract(cls) and cls is not kind:
                if found.get(name, cls) is not cls:
                    raise UsageError(
                        f"two parts are named {name}: {found[name].__module__} and {module.__name__}; rename one"
                    )
                found[name] = cls
    return dict(sorted(found.items()))


def find(room: str, kind: type[T], name: str) -> type[T]:
    """The part called `name`, or an error that lists the nearest names."""
    parts = discover(room, kind)
    if name not in parts:
        raise unknown(kind.__name__.lower(), name, list(parts))
    return parts[name]


def part(room: str, name: str) -> type:
    """A part as an attribute of its room, such as `elegans.probes.Accuracy`; loads the room when it is first asked."""
    if name.startswith("_") or not name[:1].isupper():
        raise AttributeError(f"module {room!r} has no attribute {name!r}")
    parts = discover(room, Config)
    if name not in parts:
        near = nearest(name, list(parts)) or list(parts)
        raise AttributeError(f"module {room!r} has no attribute {name!r}; did you mean {', '.join(near)}?")
    return parts[name]


def _modules(package: ModuleType) -> list[ModuleType]:
    infos = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [importlib.import_module(i.name) for i in infos if not i.name.rpartition(".")[2].startswith("_")]


def _plugins(room: str) -> list[ModuleType]:
    return [importlib.import_module(e.value) for e in entry_points(group=room)]
