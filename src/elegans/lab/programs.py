"""Programs of this process: traced and exported once, unless they rest on code that a notebook may redefine."""

from elegans.base.config import describe, digest, unnamed
from elegans.lab.program import Blueprint, Program, build, identity

_IDENTITIES: dict[str, str] = {}
_PROGRAMS: dict[str, Program] = {}


def identity_of(b: Blueprint) -> str:
    """The hash of a blueprint's start and step."""
    if _redefinable(b):
        return identity(b)
    key = _trajectory(b)
    if key not in _IDENTITIES:
        _IDENTITIES[key] = identity(b)
    return _IDENTITIES[key]


def program_of(b: Blueprint) -> Program:
    """The exported program of a blueprint. Knob values do not matter, the length of a block does."""
    if _redefinable(b):
        return build(b)
    key = digest(_trajectory(b), b.stage.stop.event, b.probes, b.every, b.given)
    if key not in _PROGRAMS:
        _PROGRAMS[key] = build(b)
    return _PROGRAMS[key]


def _trajectory(b: Blueprint) -> str:
    static = {"model": b.model, "task": b.stage.task, "algorithm": b.stage.algorithm}
    return digest({n: describe(c, without_knobs=True) for n, c in static.items()}, b.stage.train, b.index)


def _redefinable(b: Blueprint) -> bool:
    """Whether something in the blueprint was defined in a notebook, where its name may come to mean something else."""
    return unnamed(b.model) or unnamed(b.stage) or unnamed(b.probes)
