"""From measurements to rows: medians over repetitions, their ratio, and an interval of the ratio.

    ratio = median(ours) / median(peer),    interval: 2.5 % and 97.5 % of the same over resampled repetitions

Repetitions are interleaved, so that one repetition of everybody saw the same state of the machine; they are resampled
together. With three repetitions the interval is the range of what was seen, and no more than that.

Runs per second are steps per second with the stop test over the mean number of steps of a run, which is one number for
everybody, from our own runs: the laws are the same, and few runs of a slow peer would be counted badly. Who has no stop
test takes the length within which 95 % of our runs are solved, the best that one could have known.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.cells import Cell, Contestant
from benchmarks.crew import Done

SOLVED = 0.95


@dataclass(frozen=True)
class Row:
    """One comparison. Peer, ratio and interval are None where the peer could not run, and `note` says why."""

    name: str
    setting: str
    ours: float
    peer: float | None
    peer_name: str
    ratio: float | None
    ci_low: float | None
    ci_high: float | None
    unit: str
    note: str = ""


@dataclass
class Samples:
    """All measurements of a contestant: a list of what its processes did for each repetition."""

    contestant: Contestant
    repetitions: list[list[Done]]
    reason: str = ""

    @property
    def rates(self) -> np.ndarray:
        """Steps per second on all cores, for each repetition."""
        return np.array([sum(d.steps / d.seconds for d in done) for done in self.repetitions])

    def total(self, name: str) -> float:
        """Sum of a field of Done over everything."""
        return sum(getattr(d, name) for done in self.repetitions for d in done)


def interval(ours: ArrayLike, peer: ArrayLike, draws: int = 10_000) -> tuple[float, float]:
    """Percentile interval of the ratio of medians; exact for up to five repetitions."""
    a, b = np.asarray(ours), np.asarray(peer)
    n = len(a)
    index = np.array(list(itertools.product(range(n), repeat=n))) if n <= 5 else _resampled(n, draws)
    low, high = np.quantile(np.median(a[index], 1) / np.median(b[index], 1), [0.025, 0.975])
    return float(low), float(high)


def _resampled(n: int, draws: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, n, (draws, n))


def compare(name: str, setting: str, ours: np.ndarray, peer: Samples, scale: float, unit: str, note: str = "") -> Row:
    """Our values against a peer's rates times `scale`."""
    mine = float(np.median(ours))
    if peer.reason or not peer.repetitions:
        return Row(
            name, setting, mine, None, peer.contestant.says, None, None, None, unit, peer.reason or "not measured"
        )
    theirs = peer.rates * scale
    low, high = interval(ours, theirs)
    value = float(np.median(theirs))
    return Row(name, setting, mine, value, peer.contestant.says, mine / value, low, high, unit, note)


def rows_of(cell: Cell, samples: Mapping[str, Samples], note: str = "") -> list[Row]:
    """All comparisons of a cell that were asked for."""
    lab = samples["lab"]
    if lab.reason or not lab.repetitions:
        raise RuntimeError(f"{cell.name}: the lab could not be measured: {lab.reason}")
    return [
        *_steps(cell, samples, lab.rates, note),
        *(_runs(cell, samples, lab, note) if cell.width else ()),
        *_inner(cell, samples, lab.rates, note),
    ]


def _steps(cell: Cell, samples: Mapping[str, Samples], lab: np.ndarray, note: str) -> list[Row]:
    mine = "lab with the stop test" if cell.width else "lab"
    found = []
    for name in ("loop", "loop_data", "vmap", "scan", "while"):
        if name in samples:
            theirs = "with a stop test, steps of unfinished runs" if samples[name].contestant.stops else "without"
            setting = f"{cell.says}; {mine}" + (f", peer {theirs}" if cell.width else "")
            found.append(compare(f"{cell.name} steps", setting, lab, samples[name], 1, "steps/s", note))
    return found


def _runs(cell: Cell, samples: Mapping[str, Samples], lab: Samples, note: str) -> list[Row]:
    mean = lab.total("steps") / max(lab.total("solved"), 1)
    length = float(np.median([d.length for done in lab.repetitions for d in done]))
    found = []
    for name in ("loop_stop", "vmap", "scan", "while"):
        if name in samples:
            stops = samples[name].contestant.stops
            scale = 1 / mean if stops else SOLVED / length
            theirs = (
                f"with the stop test, {mean:.0f} steps a run" if stops else f"with a fixed length of {length:.0f} steps"
            )
            setting = f"{cell.says}; lab with the stop test, peer {theirs}"
            found.append(compare(f"{cell.name} runs", setting, lab.rates / mean, samples[name], scale, "runs/s", note))
    return found


def _inner(cell: Cell, samples: Mapping[str, Samples], lab: np.ndarray, note: str) -> list[Row]:
    """The engine against the loop and against the lab around it, and both against the machine's peak."""
    found, work = [], cell.flops / 1e9
    engine, peak, loop, torch = (samples.get(name) for name in ("engine", "peak", "loop", "peak_torch"))
    if engine and engine.repetitions:
        if loop:
            setting = f"{cell.says}; tile.advance alone, without a stop test, peer without"
            found.append(compare(f"{cell.name} engine", setting, engine.rates, loop, 1, "steps/s", note))
        setting = f"{cell.says}; whole lab as a share of its engine"
        found.append(compare(f"{cell.name} lab", setting, lab, engine, 1, "steps/s", note))
        if peak:
            setting = f"{cell.says}; engine, {work * 1e3:.3g} MFLOP a step"
            found.append(compare(f"{cell.name} peak", setting, engine.rates * work, peak, 1, "GFLOP/s", note))
    if peak:
        setting = f"{cell.says}; lab, {work * 1e3:.3g} MFLOP a step"
        found.append(compare(f"{cell.name} peak", setting, lab * work, peak, 1, "GFLOP/s", note))
    if peak and peak.repetitions and torch:
        setting = "square matrices; XLA, which we use, against PyTorch's library"
        found.append(compare(f"{cell.name} matmul", setting, peak.rates, torch, 1, "GFLOP/s", note))
    return found


def write(rows: Sequence[Row], file: Path) -> None:
    """The list of rows as JSON."""
    file.write_text(json.dumps([asdict(r) for r in rows], indent=1, ensure_ascii=False) + "\n")


def table(rows: Sequence[Row]) -> Any:
    """The rows for people."""
    from rich.table import Table

    said = Table(title="elegans against others")
    for column in ("cell", "peer", "setting"):
        said.add_column(column)
    for column in ("ours", "peer", "ratio", "interval"):
        said.add_column(column, justify="right", no_wrap=True)
    for r in rows:
        setting = r.setting.partition("; ")[2] or r.setting
        numbers = (
            (f"{r.peer:.4g}", f"{r.ratio:.2f}", f"{r.ci_low:.2f} to {r.ci_high:.2f}") if r.peer else ("-", "-", "-")
        )
        said.add_row(r.name, r.peer_name, setting if r.peer else r.note, f"{r.ours:.4g} {r.unit}", *numbers)
    return said
