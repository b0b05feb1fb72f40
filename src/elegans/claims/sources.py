"""Fingerprints of source code: what a stored calculation depends on, found by reading imports and running nothing.

The fingerprint of a function is the hash of its module and of every module of the same package, or of elegans, that is
imported from there, directly or not. What only arranges and judges work does not enter it (the rooms claims and lab, the
paper's checklist, experiments' classes), nor what only carries values and refuses bad ones, nor comments, docstrings and
layout. What is asked of the function, its arguments, is part of the work's identity already.
"""

import ast
import hashlib
import importlib.util
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from elegans.base.code import plain

ASIDE = (
    "elegans.claims", "elegans.lab", "elegans.atlas", "elegans.cli",
    "elegans.base.code", "elegans.base.config", "elegans.base.discovery", "elegans.base.errors", "elegans.base.values",
)  # fmt: skip


def fingerprint(function: Callable[..., Any]) -> str:
    """The hash of the code that `function` may reach; empty if its module has no file (a notebook)."""
    modules = sorted(closure(function.__module__))
    if not modules:
        return ""
    h = hashlib.blake2b(digest_size=16)
    for name in modules:
        h.update(f"{name}\n{_code(name)}\n".encode())
    return h.hexdigest()


@cache
def closure(module: str) -> frozenset[str]:
    """`module` and all modules of interest that it imports, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or _file(name) is None:
            continue
        found.add(name)
        checklist = f"{name.rpartition('.')[0]}.checklist"
        waiting += [n for n in _imports(name) if _of_interest(n, module) and n != checklist]
    return frozenset(found)


def _of_interest(name: str, start: str) -> bool:
    root = name.partition(".")[0]
    aside = any(name == a or name.startswith(f"{a}.") for a in ASIDE)
    return root in ("elegans", start.partition(".")[0]) and not aside


def _imports(module: str) -> Iterator[str]:
    """Every module named in an import of `module`, except those for type checkers only."""
    package = module if _is_package(module) else module.rpartition(".")[0]
    for node in _statements(_tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            target = importlib.util.resolve_name(base, package) if node.level else base
            yield target
            yield from (f"{target}.{alias.name}" for alias in node.names)
            if target == "elegans":
                yield from _public(alias.name for alias in node.names)


def _public(names: Iterator[str]) -> Iterator[str]:
    """The modules behind names that `elegans` itself offers."""
    import elegans

    where: dict[str, str] = getattr(elegans, "_WHERE", {})
    yield from (where[n] for n in names if n in where)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from _statements(node)


@cache
def _file(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _is_package(module: str) -> bool:
    file = _file(module)
    return file is not None and file.name == "__init__.py"


@cache
def _text(module: str) -> str:
    file = _file(module)
    return file.read_text(encoding="utf-8") if file else ""


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_text(module))


@cache
def _code(module: str) -> str:
    """The module without the classes of its experiments, as far as it decides what is computed."""
    lines = _text(module).splitlines()
    for node in _tree(module).body:
        if isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id == "Experiment" for b in node.bases):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            lines[first - 1 : node.end_lineno] = [""] * (node.end_lineno - first + 1 if node.end_lineno else 0)
    return plain("\n".join(lines) + "\n")
