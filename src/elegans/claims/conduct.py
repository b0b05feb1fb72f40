"""Conduct an experiment: execute its work, or find it in the store, and build its evidence.

A sweep goes to the lab. A calculation runs in this process and is kept under the hash of its function, its arguments
and the code that it may reach. What comes out says at what scale, on what machine, by what code and at what cost.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import elegans
from elegans.base.config import digest, unnamed
from elegans.base.errors import UsageError
from elegans.claims import sources, swept
from elegans.claims.evidence import LIMIT, Arrays, Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.library import committed, evidence_path
from elegans.claims.scale import Scale
from elegans.lab import machine
from elegans.lab.results import Result
from elegans.lab.store import Store, as_arrays
from elegans.lab.words import Calculation, Sweep, Work

COSTS = ("seconds", "steps", "runs")


class Lab(Protocol):
    """What executes sweeps: `elegans.lab.session.Session`."""

    store: Store

    def sweep(self, sweep: Sweep) -> Result:
        """Run what is missing and return the whole table."""
        ...

    def sweeps(self, sweeps: Sequence[Sweep]) -> list[Result]:
        """The same for several sweeps as one piece of work."""
        ...


def conduct(experiment: Experiment, scale: Scale, session: Lab) -> Evidence:
    """The condensed evidence of an experiment at a scale."""
    raw = _evidence(experiment.work(scale), session)
    meta = {
        "experiment": experiment.name(), "scale": scale.value, "version": elegans.__version__,
        "machine": machine.facts(), "date": date.today().isoformat(), **raw.meta, "works": works(raw),
    }  # fmt: skip
    return replace(experiment.condense(replace(raw, meta=meta)), meta=meta)


def works(e: Evidence) -> dict[str, Any]:
    """The cost of every piece of work behind evidence, by its fingerprint: what experiments share is counted once."""
    if not e.parts:
        return {e.meta["fingerprint"]: e.meta["cost"]} if "cost" in e.meta else {}
    return {name: cost for part in e.parts.values() for name, cost in works(part).items()}


def publish(experiment: Experiment, evidence: Evidence, path: Path | None = None) -> Path:
    """Save the evidence where it is committed, if it is small enough for that."""
    size = len(evidence.to_bytes())
    if size > LIMIT:
        raise UsageError(
            f"the evidence of {experiment.name()} takes {size / 1000:.0f} kB, but at most {LIMIT // 1000} kB may be "
            f"committed; keep less in its condense(), {_largest(evidence)}"
        )
    target = path or evidence_path(experiment)
    evidence.save(target)
    return target


def outranked(experiment: Experiment, evidence: Evidence) -> Evidence | None:
    """The committed evidence, if it is of a larger scale than this one and still up to date: then it stays."""
    there = committed(experiment)
    if there is None or Scale(there.meta["scale"]).size <= Scale(evidence.meta["scale"]).size:
        return None
    return None if stale(experiment, there) else there


def stale(experiment: Experiment, evidence: Evidence) -> bool:
    """Whether the code or the work has changed since the evidence was made."""
    scale = Scale(evidence.meta["scale"])
    return fingerprint(experiment.work(scale)) != evidence.meta.get("fingerprint")


def fingerprint(work: Work) -> str:
    """The identity of work: what is asked for, and the code that answers."""
    if isinstance(work, Sweep):
        return swept.fingerprint(work)
    if isinstance(work, Calculation):
        return _calculation_id(work)
    return digest({name: fingerprint(part) for name, part in work.items()})


def _evidence(work: Work, session: Lab) -> Evidence:
    if isinstance(work, Sweep):
        return swept.evidence(work, session.sweep(work))
    if isinstance(work, Calculation):
        return _of_calculation(work, session.store)
    if not isinstance(work, Mapping):
        raise UsageError(f"work is {work!r}, but it must be a Sweep, a Calculation or a dictionary of these")
    trained = {name: part for name, part in work.items() if isinstance(part, Sweep)}
    results = dict(zip(trained, session.sweeps(list(trained.values())), strict=True)) if trained else {}
    parts = {
        name: swept.evidence(part, results[name]) if isinstance(part, Sweep) else _evidence(part, session)
        for name, part in work.items()
    }
    cost = {c: sum(p.meta["cost"][c] for p in parts.values()) for c in COSTS}
    return Evidence(parts=parts, meta={"fingerprint": fingerprint(work), "cost": cost})


def _of_calculation(work: Calculation, store: Store) -> Evidence:
    name = _calculation_id(work)
    keeps = not unnamed(work.function)
    found = store.calculation(name) if keeps else None
    if found is None:
        found = _calculated(work)
        if keeps:
            store.write_calculation(name, found, work.function.__qualname__)
    cost = {"seconds": round(float(found["seconds"]), 3), "steps": 0, "runs": 0}
    return Evidence(arrays=found["result"], meta={"fingerprint": name, "cost": cost})


def _calculated(work: Calculation) -> dict[str, Any]:
    """The named arrays, and the seconds that they took."""
    began = time.perf_counter()
    arrays = _checked(work, as_arrays(work.function(**dict(work.arguments))))
    return {"result": arrays, "seconds": np.float64(time.perf_counter() - began)}


def _calculation_id(work: Calculation) -> str:
    return digest("calculation", work.function, work.arguments, sources.fingerprint(work.function))


def _checked(work: Calculation, arrays: Arrays) -> Arrays:
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise UsageError(
                f"{work.function.__qualname__} returns {name!r} as Python objects; return numbers, strings or arrays"
            )
    return arrays


def _largest(e: Evidence) -> str:
    """What takes the most room, in words."""
    sizes = {f"array {n}": a.nbytes for n, a in e.arrays.items()}
    for trace in e.traces:
        for n, a in trace.items():
            sizes[f"trace {n}"] = sizes.get(f"trace {n}", 0) + a.nbytes
    sizes |= {f"runs of {n}": p.runs.estimated_size() for n, p in e.parts.items()}
    sizes |= {f"arrays of {n}": sum(a.nbytes for a in p.arrays.values()) for n, p in e.parts.items()}
    sizes |= {f"traces of {n}": sum(a.nbytes for t in p.traces for a in t.values()) for n, p in e.parts.items()}
    sizes["the table of runs"] = int(e.runs.estimated_size())
    return f"where {max(sizes, key=lambda n: sizes[n])} is the largest"
