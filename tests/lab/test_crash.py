"""Promise 3, no loss: processes are killed at random moments, and what comes out has the bits of an undisturbed run."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from elegans.lab.results import Result
from elegans.lab.session import Session
from elegans.lab.store import Store
from tests.lab.tenants import TENANTS

KILLS = 20


def start(tenant: str, folder: Path, workers: int = 1) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.lab.drive", tenant, str(folder), str(workers)]
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    return subprocess.Popen(command, cwd=root, env=env, stdout=subprocess.DEVNULL, start_new_session=True)


def children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def at_work(process: subprocess.Popen[bytes], folder: Path) -> bool:
    """Wait until a worker holds a lease; False if the process ended without one."""
    while process.poll() is None:
        if any((folder / "leases").glob("[!.]*")):
            return True
        time.sleep(0.01)
    return False


def kill(process: subprocess.Popen[bytes], whom: str) -> None:
    """SIGKILL of the workers, of the parent alone (its workers notice and leave), or of everybody."""
    victims = {"workers": children(process.pid), "parent": [process.pid], "all": [*children(process.pid), process.pid]}
    for pid in victims[whom]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def collected(tenant: str, folder: Path) -> tuple[Result, int]:
    session = Session(Store.open(folder), 1)
    result = session.sweep(TENANTS[tenant]())
    return result, int(session.spent["runs"])


def assert_same(a: Result, b: Result) -> None:
    assert a.runs.drop("seconds").equals(b.runs.drop("seconds"))
    for one, other in zip(a.traces, b.traces, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("tenant", TENANTS)
def test_twenty_kills_change_no_bit(tenant: str, tmp_path: Path) -> None:
    first = start(tenant, tmp_path / "calm")
    assert at_work(first, tmp_path / "calm")
    began = time.monotonic()
    assert first.wait() == 0
    length = time.monotonic() - began
    calm, extra = collected(tenant, tmp_path / "calm")
    assert extra == 0
    dice, kills, rounds = random.Random(tenant), 0, 0
    while kills < KILLS:
        rounds += 1
        folder, struck = tmp_path / f"stormy{rounds}", False
        while True:
            process = start(tenant, folder)
            working, began = at_work(process, folder), time.monotonic()
            try:
                process.wait(dice.uniform(0, length) if working else None)
                if not struck:  # it outran the kill, with warm caches: the next comes sooner
                    length = min(length, time.monotonic() - began)
                break
            except subprocess.TimeoutExpired:
                whom = dice.choice(["workers", "parent", "all"])
                kill(process, whom)
                kills, struck = kills + 1, True
                if whom != "workers":
                    process.wait()
                elif process.wait() == 0:  # the parent replaced its worker and went on
                    break
            assert kills < 6 * KILLS, "the work never ends: nothing is kept between kills"
        stormy, extra = collected(tenant, folder)
        assert extra == 0, "the store lacked runs although the process had ended well"
        assert_same(calm, stormy)
    assert not list((tmp_path / "calm" / "aside").glob("*"))
