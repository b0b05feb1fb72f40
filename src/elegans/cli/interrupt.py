"""Ctrl-C on the command line: one sentence and exit code 130, whatever the process is doing.

An exception that a signal handler raises can be lost: JAX runs Python whenever garbage is collected, and what is raised
there, in a `__del__` or while an extension is loaded is discarded or becomes something else. So nothing is raised. While
workers have a job, the handler leaves a request, which `elegans.lab.pool` finds within a moment; it asks them to write a
checkpoint. Everywhere else nothing is open that could be lost, and the process ends in the handler. A second Ctrl-C ends it
in any case; workers that have lost their parent write their checkpoint too.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

STOPPED = 130
ENDED = "stopped; what is finished is in the store: run the same command again to go on"
STOPPING = (
    "stopping: the workers write checkpoints; run the same command again to go on (Ctrl-C once more does not wait)"
)
CLEAR = "\r\x1b[2K\x1b[?25h"  # the line of a progress bar; the cursor that it hid


class Ending:
    """How the process ends on Ctrl-C, and whether the user has been told."""

    def __init__(self) -> None:
        self.code, self.told = STOPPED, False
        self.undo: list[Callable[[], object]] = []


ending = Ending()


def install() -> None:
    """Answer Ctrl-C from now on; where it is ignored (nohup) or answered by somebody else, it stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with contextlib.suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, _answer)


def _answer(*_: Any) -> None:
    job = getattr(sys.modules.get("elegans.lab.pool"), "request", None)
    if job is not None and job.heeded and not job.made:
        job.made = True
        _tell(STOPPING)
        return
    for undo in ending.undo:
        with contextlib.suppress(Exception):
            undo()
    with contextlib.suppress(Exception):  # a reader who left, or a print that we interrupted
        sys.stdout.flush()
    _tell(ENDED)
    os._exit(ending.code)


def _tell(text: str) -> None:
    """One line on standard error as it was at the start, past all buffers; a progress bar and a hidden cursor are undone."""
    if ending.told or ending.code != STOPPED or sys.__stderr__ is None:
        return
    ending.told = True
    with contextlib.suppress(OSError, ValueError):
        out = sys.__stderr__.fileno()
        terminal = os.isatty(out) and os.environ.get("TERM", "dumb") != "dumb"
        os.write(out, (CLEAR * terminal + f"elegans: {text}\n").encode())


@contextlib.contextmanager
def expected() -> Generator[None, None, None]:
    """Ctrl-C is how this ends: nothing is said, and the exit code is 0."""
    ending.code = 0
    try:
        yield
    finally:
        ending.code = STOPPED


@contextlib.contextmanager
def temporary(prefix: str) -> Generator[Path, None, None]:
    """A folder that is gone afterwards, also after Ctrl-C."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder, _undone(folder):
        yield Path(folder)


@contextlib.contextmanager
def _undone(folder: str) -> Generator[None, None, None]:
    import shutil

    def undo() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    ending.undo.append(undo)
    try:
        yield
    finally:
        ending.undo.remove(undo)
