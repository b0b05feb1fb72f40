"""Errors a user can act on: what was given, why it cannot work, what to do instead."""


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
    from difflib import get_close_matches

    near = get_close_matches(given, known, n=3, cutoff=0.4) or sorted(known)[:8]
    return UsageError(f"there is no {kind} named {given!r}; did you mean {', '.join(near)}?")
