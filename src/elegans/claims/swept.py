"""What a sweep left behind, as evidence: the table, the traces, and kept parameters stacked into arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from elegans.base.config import digest
from elegans.claims.evidence import Arrays, Evidence
from elegans.lab.plan import expand
from elegans.lab.results import Result
from elegans.lab.words import Sweep


def evidence(work: Sweep, result: Result) -> Evidence:
    """Runs, traces and kept parameters; `meta` says what code made them and at what cost."""
    runs = result.runs.drop(
        "bits", "machine", "seconds", strict=False
    )  # costly to keep; their digest and their sum say enough
    bits = digest(result.runs["bits"].to_list()) if "bits" in result.runs.columns else ""
    meta = {"fingerprint": fingerprint(work), "bits": bits, "cost": _cost(work, result)}
    return Evidence(runs, tuple(dict(t) for t in result.traces), stacked(result.arrays), meta=meta)


def fingerprint(work: Sweep) -> str:
    """The runs that are asked for, the event that ends them, and the programs that make their steps."""
    from elegans.lab.programs import identity_of

    legs = expand(work).legs
    return digest(
        sorted(
            digest(leg.ids, leg.stop, leg.steps.tolist(), leg.probes, leg.keep, identity_of(leg.blueprint))
            for leg in legs
        )
    )


def _cost(work: Sweep, result: Result) -> dict[str, float]:
    """Core seconds (a lane's time divided by the lanes beside it), steps and runs, whenever they were spent."""
    if "seconds" not in result.runs.columns:
        return {"seconds": float(result.cost.get("seconds", 0.0)), "steps": 0, "runs": len(result.runs)}
    each = result.runs["seconds"].fill_null(0.0).to_numpy()
    seconds = sum(float(each[rows].sum()) / leg.blueprint.tile for rows, leg in expand(work).cells)
    return {"seconds": round(seconds, 3), "steps": int(result.runs["t"].fill_null(0).sum()), "runs": len(result.runs)}


def stacked(arrays: tuple[Mapping[str, Any], ...]) -> Arrays:
    """Kept parameters as "end/W", one row a run; nan where a run has none, and "end/W/3" where shapes differ."""
    names = sorted({f"{when}/{p}" for run in arrays for when, params in run.items() for p in params})
    out: Arrays = {}
    for name in names:
        when, _, p = name.partition("/")
        each = [np.asarray(run[when][p]) if p in run.get(when, {}) else None for run in arrays]
        there = [a for a in each if a is not None]
        if len({a.shape for a in there}) == 1:
            out[name] = np.stack([np.full_like(there[0], np.nan) if a is None else a for a in each])
        else:
            out |= {f"{name}/{i}": a for i, a in enumerate(each) if a is not None}
    return out
