"""Errors a user can act on: what was given, why it cannot work, what to do instead."""

from collections.abc import Iterable
from types import FunctionType
from typing import Any

LONGEST = 200  # characters of a value that a sentence shows


class ElegansError(Exception):
    """Anything elegans refuses on purpose; the command line prints it as one sentence and exits with 2."""


class UsageError(ElegansError, ValueError):
    """A value, name or combination that cannot be run."""


class StoreError(ElegansError, OSError):
    """A folder or file of the store that cannot be used."""


class Interrupted(ElegansError):
    """The work was stopped by the user; everything finished is kept."""


def unknown(kind: str, given: str, known: list[str]) -> UsageError:
    """The error for a name that does not exist, with the nearest names that do."""
    near = nearest(given, known) or sorted(known)[:8]
    return UsageError(f"there is no {kind} named {given!r}; did you mean {', '.join(near)}?")


def nearest(given: Any, known: Iterable[str], *, cutoff: float = 0.4) -> list[str]:
    """Up to three known names that look like the given one, best first; capitals do not count."""
    from difflib import get_close_matches

    lower = {name.lower(): name for name in known}
    return [lower[n] for n in get_close_matches(str(given).lower(), lower, n=3, cutoff=cutoff)]


def shown(value: Any) -> str:
    """A value in a sentence: classes and functions by name, and what is long is cut."""
    kind = "class" if isinstance(value, type) else "function" if isinstance(value, FunctionType) else ""
    text = f"the {kind} {value.__name__}" if kind else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
