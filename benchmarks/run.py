"""`python -m benchmarks.run`: every cell, everybody in turn, several times; prints a table and writes latest.json."""

import argparse
import os
import sys
import time
from pathlib import Path

from rich.console import Console

from benchmarks import crew, report
from benchmarks.cells import CELLS, Cell, contestants
from benchmarks.report import Row, Samples

HERE = Path(__file__).parent
QUIET = 0.5  # load average above which numbers are not to be trusted


def main() -> None:
    """Measure and report."""
    asked = arguments()
    console, began, load = Console(width=None if sys.stdout.isatty() else 150), time.monotonic(), os.getloadavg()[0]
    console.print(f"load average {load:.2f}")
    if load > QUIET:
        console.print("[bold]other work is running: do not trust the numbers[/bold]")
    note = f"measured at a load average of {load:.1f}" if load > QUIET else ""
    rows: list[Row] = []
    for name in asked.cells:
        rows += rows_of(CELLS[name], asked, note)
        report.write(rows, asked.out)
        console.print(f"{name}: done after {time.monotonic() - began:.0f} s")
    console.print(report.table(rows))


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="does everything run? The numbers mean nothing")
    parser.add_argument("--cells", nargs="+", default=list(CELLS), choices=list(CELLS))
    parser.add_argument("--repetitions", type=int, default=0, help="3, or 2 with --quick")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    asked.repetitions = asked.repetitions or (2 if asked.quick else 3)
    asked.out = asked.out or (HERE.parent / ".benchmarks" / "quick.json" if asked.quick else HERE / "latest.json")
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    return asked


def rows_of(cell: Cell, asked: argparse.Namespace, note: str) -> list[Row]:
    """Measure a cell: everybody is warm before anybody is timed, and the lab knows how many runs to ask for."""
    crews = [crew.start(c, cell, cores()) for c in contestants(cell)]
    for c in crews:
        c.ready()
    measure(crews[0], Samples(crews[0].contestant, []), 1.0)
    samples = {c.contestant.name: Samples(c.contestant, [], c.reason) for c in crews}
    try:
        for _ in range(asked.repetitions):
            for c in crews:
                measure(c, samples[c.contestant.name], 0.5 if asked.quick else c.contestant.seconds)
    finally:
        for c in crews:
            c.close()
    return report.rows_of(cell, samples, note)


def measure(c: crew.Crew, samples: Samples, seconds: float) -> None:
    """One repetition of one contestant; who failed stays out."""
    if not c.reason:
        done = c.measure(seconds)
        samples.reason = c.reason
        if done:
            samples.repetitions.append(done)


def cores() -> list[int]:
    """The first two cores that we may use."""
    usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    return usable[:2]


if __name__ == "__main__":
    main()
