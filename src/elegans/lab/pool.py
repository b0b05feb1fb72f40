"""The parent's side of workers: processes that stay alive between jobs, one core each, one set per precision."""

import atexit
import contextlib
import itertools
import json
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elegans.base.errors import ElegansError, Interrupted, StoreError
from elegans.lab import files
from elegans.lab.job import Job
from elegans.lab.machine import cores

Message = dict[str, Any]
Report = Callable[[list[Message]], None]
PATIENCE = 3  # deaths of a worker without a finished run in between, after which we give up
GRACE = 60.0  # seconds a worker may take to checkpoint when asked to stop
STOPPED = "stopped; finished runs and checkpoints are in the store: run the same command to go on"
TEMPORARY = f"free space there or let TMPDIR name another folder, {files.AGAIN}"


@dataclass
class Worker:
    """A worker process and the last thing it said."""

    process: subprocess.Popen[str]
    index: int
    inbox: "queue.Queue[dict[str, Any]]" = field(default_factory=queue.Queue)
    ready: bool = False  # it has loaded JAX and listens
    progress: dict[str, Any] = field(default_factory=dict)
    earlier: dict[str, Any] = field(default_factory=dict)  # tally of predecessors that died
    deaths: int = 0

    def send(self, line: str) -> None:
        """Write one line to the worker; a dead one is noticed elsewhere."""
        with contextlib.suppress(BrokenPipeError, OSError):
            assert self.process.stdin
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()


@dataclass
class Request:
    """To stop: made by whoever answers Ctrl-C without raising `KeyboardInterrupt`, as the command line does."""

    heeded: bool = False  # a job is under way, which looks for it
    made: bool = False


_POOLS: dict[str, list[Worker]] = {}
request = Request()


def run(job: Job, precision: str, workers: int, report: Report) -> None:
    """Serve a job on `workers` processes; returns when every run is on disk."""
    crew = _crew(precision, workers)
    with _heeding(), _handed_over(job) as path:
        waiting = set(range(len(crew)))
        try:
            for worker in crew:
                worker.progress, worker.earlier, worker.deaths = {}, {}, 0
                worker.send(str(path))
            _wait(crew, waiting, str(path), precision, report)
        except KeyboardInterrupt:
            _stop([crew[i] for i in waiting])
            raise Interrupted(STOPPED) from None


@contextlib.contextmanager
def _heeding() -> Generator[None, None, None]:
    """A request is seen while the job is under way; one that came at its very end is not forgotten."""
    request.heeded = True
    try:
        yield
    finally:
        request.heeded = False
    if request.made:
        raise Interrupted(STOPPED)


@contextlib.contextmanager
def _handed_over(job: Job) -> Generator[Path, None, None]:
    """The job as a file from which workers read it."""
    path = Path(tempfile.gettempdir()) / f"elegans-{uuid.uuid4().hex}.job"
    try:
        files.write(path, pickle.dumps(job), TEMPORARY)
        yield path
    finally:
        path.unlink(missing_ok=True)


def _wait(crew: list[Worker], waiting: set[int], job: str, precision: str, report: Report) -> None:
    errors: list[Message] = []
    while waiting:
        if request.made:
            raise KeyboardInterrupt
        for i in sorted(waiting):
            if _listen(crew[i], errors):
                waiting.discard(i)
            elif crew[i].process.poll() is not None:
                _replace(crew, i, job, precision, errors)
                if errors:
                    waiting.discard(i)
        if errors:
            _stop([crew[i] for i in waiting])
            raise _failure(errors[0])
        report([_sum(w.earlier, w.progress) for w in crew])
        time.sleep(0.02)


def _listen(worker: Worker, errors: list[Message]) -> bool:
    """Take in what a worker said; True when it is through with the job."""
    while True:
        try:
            message = worker.inbox.get_nowait()
        except queue.Empty:
            return False
        worker.ready = worker.ready or "ready" in message
        worker.progress = message.get("progress", worker.progress)
        if "error" in message:
            errors.append(message)
        if "done" in message or "error" in message:
            return True


def _failure(message: Message) -> ElegansError:
    return (StoreError if message.get("store") else ElegansError)(message["error"])


def _replace(crew: list[Worker], i: int, job: str, precision: str, errors: list[Message]) -> None:
    """A worker died: start another one, which resumes from the checkpoint; give up when it keeps dying."""
    old = crew[i]
    progressed = old.progress.get("runs", 0) > 0
    deaths = 0 if progressed else old.deaths + 1
    if deaths >= PATIENCE:
        errors.append(
            {
                "error": f"a worker died {deaths} times in a row (exit status {old.process.returncode}); is there enough memory?"
            }
        )
        return
    new = crew[i] = _spawn(precision, old.index)
    new.earlier, new.deaths = _sum(old.earlier, old.progress), deaths
    new.send(job)


def _sum(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    numbers = {n: a.get(n, 0) + b.get(n, 0) for n in {*a, *b} if n not in ("lanes", "pid")}
    return {**numbers, "lanes": b.get("lanes", [0, 0]), "pid": b.get("pid", 0)}


def _stop(crew: list[Worker]) -> None:
    """Ask workers to checkpoint and leave; kill those that do not, and at once those that have not begun to listen."""
    crew = [worker for worker in crew if not _listen(worker, [])]
    for worker in crew:
        if worker.ready:
            worker.send("stop")
        else:
            worker.process.kill()
    deadline = time.monotonic() + GRACE
    for worker in crew:
        while worker.process.poll() is None and time.monotonic() < deadline and not _listen(worker, []):
            time.sleep(0.02)
        if worker.process.poll() is None and time.monotonic() >= deadline:
            worker.process.kill()


# --- processes ---------------------------------------------------------------------------------------------------------


def warm(precision: str, workers: int) -> None:
    """Start workers that will be needed soon, so that they import JAX while the programs are traced."""
    _crew(precision, workers)


def _crew(precision: str, workers: int) -> list[Worker]:
    crew = _POOLS.setdefault(precision, [])
    crew[:] = [w for w in crew if w.process.poll() is None]
    while len(crew) < workers:
        taken = {w.index for w in crew}
        crew.append(_spawn(precision, next(i for i in itertools.count() if i not in taken)))
    return crew[:workers]


def _spawn(precision: str, index: int) -> Worker:
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
    core = (index + _offset()) % cores()
    process = subprocess.Popen(
        [sys.executable, "-m", "elegans.lab.worker", precision, str(core), str(index)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path, **_device(index)},
        start_new_session=True,
    )  # fmt: skip
    worker = Worker(process, index)
    threading.Thread(target=_pump, args=(worker,), daemon=True).start()
    return worker


def _device(index: int) -> dict[str, str]:
    """On a machine with several GPUs every worker sees one of them."""
    import jax

    if jax.default_backend() == "cpu" or len(jax.devices()) == 1:
        return {}
    visible = os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(str(d.id) for d in jax.devices())
    names = visible.split(",")
    return {"CUDA_VISIBLE_DEVICES": names[index % len(names)]}


def _offset() -> int:
    """Processes that run side by side (test workers, notebooks) start on different cores."""
    name = os.environ.get("PYTEST_XDIST_WORKER", "")
    return int("".join(itertools.filterfalse(str.isalpha, name)) or 0)


def _pump(worker: Worker) -> None:
    assert worker.process.stdout
    for line in worker.process.stdout:
        with contextlib.suppress(json.JSONDecodeError):
            worker.inbox.put(json.loads(line))


@atexit.register
def close() -> None:
    """Let all workers go: end of input is their sign."""
    for worker in itertools.chain.from_iterable(_POOLS.values()):
        with contextlib.suppress(OSError):
            assert worker.process.stdin
            worker.process.stdin.close()
    for worker in itertools.chain.from_iterable(_POOLS.values()):
        with contextlib.suppress(subprocess.TimeoutExpired):
            worker.process.wait(5)
    _POOLS.clear()
