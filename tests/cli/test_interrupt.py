"""Ctrl-C at any moment: one sentence that says how to go on, exit code 130, no traceback, and nothing that goes on.

Delays count from the moment at which the command line has control; until then Python itself answers."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from elegans.cli import interrupt
from elegans.cli.main import main
from tests.cli.conftest import SOURCE, TRAIN

PROGRAM = "from elegans.cli.main import main; print('up', flush=True); raise SystemExit(main())"
LONG = (*TRAIN, "--algorithm.lr", "0.001", "--steps", "100000000")
DELAYS = (0.03, 0.1, 0.3, 0.6, 1.0, 1.6, 2.5, 4.0)  # imports, tracing, starting workers, compilation, training


@contextmanager
def running(environment: dict[str, str], *args: str) -> Generator["subprocess.Popen[str]", None, None]:
    """`elegans ...` that has just got control."""
    command = [sys.executable, "-c", PROGRAM, *args]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout and process.stdout.readline() == "up\n"
            yield process
        finally:
            process.kill()


def ended(process: "subprocess.Popen[str]", wait: float = 30) -> str:
    """What an interrupted process said, which is one sentence after its progress."""
    said = process.communicate(timeout=wait)[1]
    assert process.returncode == 130, said
    sentence = said.splitlines()[-1]
    assert sentence.startswith("elegans: stop") and "run the same command again to go on" in sentence, said
    assert said.count("elegans: ") == 1 and "Traceback" not in said and "Error" not in said and "ignored" not in said, (
        said
    )
    return said


@pytest.mark.slow
@pytest.mark.parametrize("delay", DELAYS)
def test_training_ends_whenever_it_is_asked(delay: float, environment: dict[str, str], tmp_path: Path):
    with running(environment, *LONG, "--store", str(tmp_path)) as process:
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        ended(process)
    assert not list(tmp_path.glob("leases/[!.]*"))


@pytest.mark.slow
def test_the_second_ctrl_c_does_not_wait_and_workers_still_write_their_checkpoint(
    environment: dict[str, str], tmp_path: Path
):
    with running(environment, *LONG, "--store", str(tmp_path)) as process:
        within(60, lambda: bool(list(tmp_path.glob("leases/[!.]*"))))
        found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True)
        workers = [int(pid) for pid in found.stdout.split()]
        try:
            for pid in workers:
                os.kill(pid, signal.SIGSTOP)
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.5)
            process.send_signal(signal.SIGINT)
            assert process.wait(1) == 130
            assert not list(tmp_path.glob("checkpoints/*.npz"))
        finally:
            for pid in workers:
                os.kill(pid, signal.SIGCONT)
        ended(process)
        within(10, lambda: bool(list(tmp_path.glob("checkpoints/*.npz"))))
        within(10, lambda: not list(tmp_path.glob("leases/[!.]*")))


def within(seconds: float, found: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < until
        time.sleep(0.02)


DELETED = """
class Slow:
    def __del__(self):
        print("up", flush=True)
        time.sleep(20)

Slow()
"""
COLLECTED = """
import gc
gc.callbacks.append(lambda phase, info: (print("up", flush=True), time.sleep(20)))
gc.collect()
"""
SERVING = """
with interrupt.temporary("elegans-test-") as folder, interrupt.expected():
    print(folder, flush=True)
    time.sleep(20)
"""


def script(code: str, before: str = "") -> "subprocess.Popen[str]":
    whole = f"import signal, time\nfrom elegans.cli import interrupt\n{before}\ninterrupt.install()\n{code}\nprint('went on')"
    return subprocess.Popen(
        [sys.executable, "-c", whole], env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("code", [DELETED, COLLECTED])
def test_where_an_exception_would_be_lost(code: str):
    with script(code) as process:
        assert process.stdout and process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGINT)
        ended(process, 5)


def test_a_server_ends_well_and_leaves_no_folder():
    with script(SERVING) as process:
        assert process.stdout
        folder = Path(process.stdout.readline().strip())
        assert folder.is_dir()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=5) == ("", "") and process.returncode == 0
        assert not folder.exists()


def test_what_ignores_ctrl_c_still_does():
    with script("print('up', flush=True); time.sleep(0.3)", "signal.signal(2, signal.SIG_IGN)") as process:
        assert process.stdout and process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=5) == ("went on\n", "") and process.returncode == 0


def test_in_python_nothing_changes():
    before = signal.getsignal(signal.SIGINT)
    assert main(["--version"]) == 0
    assert signal.getsignal(signal.SIGINT) is before and interrupt.ending.code == interrupt.STOPPED
