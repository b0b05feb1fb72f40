"""Contestants as processes: one a core, pinned, with one thread, that wait to be told how long to work.

`python -m benchmarks.crew MODULE NAME CELL CORE` warms up, says so, and answers every line of seconds with what it did.
Only one contestant works at a time; the others sleep on their standard input.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmarks.cells import CELLS, Cell, Contestant

THREADS = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS"), "1"
)


class Done(NamedTuple):
    """What one process did in one measurement."""

    steps: float  # of unfinished runs; for the peak, operations / 1e9
    seconds: float
    solved: int = 0
    length: float = 0.0  # steps within which 95 % of the runs were solved


Go = Callable[[float], Done]


@dataclass
class Crew:
    """The processes of one contestant, or the reason why there are none."""

    contestant: Contestant
    processes: list[subprocess.Popen[str]] = field(default_factory=list)
    reason: str = ""

    def ready(self) -> None:
        """Wait until all are warm."""
        for process in self.processes:
            answer = _answer(process)
            self.reason = self.reason or answer.get("error", "")
        if self.reason:
            self.close()

    def measure(self, seconds: float) -> list[Done]:
        """All processes work at once; what each did."""
        for process in self.processes:
            assert process.stdin
            process.stdin.write(f"{seconds}\n")
            process.stdin.flush()
        answers = [_answer(p) for p in self.processes]
        self.reason = self.reason or next((a["error"] for a in answers if "error" in a), "")
        return [] if self.reason else [Done(**a) for a in answers]

    def close(self) -> None:
        """End of input is the sign to leave."""
        for process in self.processes:
            assert process.stdin
            process.stdin.close()
        for process in self.processes:
            process.wait()
        self.processes = []


def start(contestant: Contestant, cell: Cell, cores: list[int]) -> Crew:
    """Start a contestant on the given cores."""
    places = [-1] if contestant.whole else cores
    return Crew(contestant, [_spawn(contestant, cell, core) for core in places])


def _spawn(contestant: Contestant, cell: Cell, core: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.crew", contestant.module, contestant.name, cell.name, str(core)]
    env = {**os.environ, **({} if contestant.whole else THREADS)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout
    for line in process.stdout:
        if line.startswith("{"):
            return json.loads(line)
    return {"error": f"the process ended with status {process.wait()}"}


def main() -> None:
    """The process of a contestant."""
    module, name, cell, core = sys.argv[1:]
    try:
        go = _warm(module, name, CELLS[cell], int(core))
        print(json.dumps({"ready": os.getpid()}), flush=True)
        for line in sys.stdin:
            print(json.dumps(go(float(line))._asdict()), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200]}"}), flush=True)


def _warm(module: str, name: str, cell: Cell, core: int) -> Go:
    if core >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    return importlib.import_module(f"benchmarks.{module}").make(name, cell)


if __name__ == "__main__":
    main()
