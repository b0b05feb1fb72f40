"""A worker: one process, one core, one precision. It leases blocks, moves tiles, and writes what is finished.

It talks to its parent through lines of JSON: jobs come in on standard input ("stop" or the end of input asks it to
checkpoint and leave), progress goes out. It needs nobody's code: programs arrive serialised.
"""

import json
import os
import pickle
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from elegans.base.errors import ElegansError

MEMORY = "there is not enough memory for this; take a smaller batch, width or scale, or fewer --workers"


def main() -> None:
    """Entry point of `python -m elegans.lab.worker PRECISION CORE INDEX`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    configure(sys.argv[1], int(sys.argv[2]))
    inbox = Inbox()
    say({"ready": os.getpid()})
    while (path := inbox.next()) is not None:
        try:
            from elegans.lab.serve import Service

            done = Service(pickle.loads(Path(path).read_bytes()), inbox, int(sys.argv[3])).run()
            say({"done": path, "complete": done})
        except (ElegansError, OSError, MemoryError) as error:
            message = MEMORY if isinstance(error, MemoryError) else str(error) or type(error).__name__
            say({"error": message, "store": isinstance(error, OSError)})
        except Exception as error:
            say({"error": unexpected(error)})


def unexpected(error: Exception) -> str:
    """One sentence; the traceback is for those who ask for it."""
    if "RESOURCE_EXHAUSTED" in str(error):
        return MEMORY
    if os.environ.get("ELEGANS_DEBUG"):
        traceback.print_exc()
    said = " ".join(str(error).split())
    return f"a worker failed unexpectedly ({type(error).__name__}: {said}); ELEGANS_DEBUG=1 shows where"


def configure(precision: str, core: int) -> None:
    """One core and one thread pool of size one, whatever the machine; the compilation cache; the precision."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[core % len(allowed)]})
    import jax

    from elegans.lab.machine import use_compilation_cache

    use_compilation_cache()
    jax.config.update("jax_enable_x64", precision == "float64")
    jax.devices()


class Inbox:
    """Lines from the parent, read by a thread so that a request to stop is seen between two calls."""

    def __init__(self) -> None:
        self.jobs: list[str] = []
        self.stopping = self.closed = False
        self.changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            with self.changed:
                if line.strip() == "stop":
                    self.stopping = True
                else:
                    self.stopping = False
                    self.jobs.append(line.strip())
                self.changed.notify()
        with self.changed:
            self.stopping = self.closed = True
            self.changed.notify()

    def next(self) -> str | None:
        """The next job, or None when the parent is gone."""
        with self.changed:
            self.changed.wait_for(lambda: self.jobs or self.closed)
            return self.jobs.pop(0) if self.jobs and not self.closed else None


def say(message: dict[str, Any]) -> None:
    """One line to the parent."""
    try:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        return


if __name__ == "__main__":
    main()
