"""Promise 3, no loss: processes are killed at random moments, and what comes out has the bits of an undisturbed run."""

import functools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from elegans.lab.results import Result
from elegans.lab.session import Session
from elegans.lab.store import Store
from tests.lab.tenants import TENANTS

KILLS, PARTS = 20, 4  # of each tenant; in parts, which can run side by side
Process = subprocess.Popen[str]


class Calm(NamedTuple):
    """What comes out when nobody is killed, and the seconds from the first lease to the end."""

    result: Result
    length: float


def start(tenant: str, folder: Path, workers: int = 1) -> Process:
    command = [sys.executable, "-m", "tests.lab.drive", tenant, str(folder), str(workers)]
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    return subprocess.Popen(command, cwd=root, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True)


def children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def holders(folder: Path) -> set[str]:
    """Who is written into the leases, alive or dead."""
    found: set[str] = set()
    for lease in (folder / "leases").glob("[!.]*"):
        try:
            found.add(lease.read_text())
        except FileNotFoundError:
            continue
    return found


def at_work(process: Process, folder: Path, gone: set[str]) -> bool:
    """Wait until a worker holds a lease that was not seen before; False if the process ended without one."""
    while process.poll() is None:
        if holders(folder) - gone:
            return True
        time.sleep(0.01)
    return False


def kill(process: Process, whom: str) -> None:
    """SIGKILL of the workers, of the parent alone (its workers notice and leave), or of everybody."""
    victims = {"workers": children(process.pid), "parent": [process.pid], "all": [*children(process.pid), process.pid]}
    for pid in victims[whom]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    if whom != "workers":
        process.wait()


def storm(tenant: str, folder: Path, length: float, limit: int, dice: random.Random) -> tuple[int, int | None]:
    """Run the tenant to its end through at most `limit` kills at random moments of its work.

    Returns their number, and the steps of the last process if it found something in the store and was left alone."""
    kills, gone = 0, set[str]()
    while True:
        calm = kills == limit and any([*folder.glob("runs/*/*.parquet"), *folder.glob("checkpoints/*.npz")])
        process = start(tenant, folder)
        while kills < limit and at_work(process, folder, gone):
            try:
                process.wait(dice.uniform(0, length))
            except subprocess.TimeoutExpired:
                gone |= holders(folder)
                kill(process, dice.choice(["workers", "workers", "parent", "all"]))
                kills += 1
        said, _ = process.communicate()
        if process.returncode == 0:
            return kills, int(said) if calm else None
        assert kills, "the process ended badly although nobody was killed"


def collected(tenant: str, folder: Path) -> Result:
    session = Session(Store.open(folder), 1)
    result = session.sweep(TENANTS[tenant]())
    assert session.spent["runs"] == 0, "the store lacked runs although the process had ended well"
    return result


def assert_same(a: Result, b: Result) -> None:
    assert a.runs.drop("seconds").equals(b.runs.drop("seconds"))
    for one, other in zip(a.traces, b.traces, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Calm]:
    """A tenant left alone, once for all its storms."""

    @functools.cache
    def undisturbed(tenant: str) -> Calm:
        folder = tmp_path_factory.mktemp(tenant)
        process = start(tenant, folder)
        assert at_work(process, folder, set())
        began = time.monotonic()
        said, _ = process.communicate()
        length = time.monotonic() - began
        result = collected(tenant, folder)
        assert process.returncode == 0 and int(said) == result.runs["t"].sum()
        assert not list((folder / "aside").glob("*"))
        return Calm(result, length)

    return undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("tenant", TENANTS)
def test_twenty_kills_change_no_bit(tenant: str, part: int, calm: Callable[[str], Calm], tmp_path: Path) -> None:
    result, length = calm(tenant)
    dice, left = random.Random(f"{tenant} {part}"), KILLS // PARTS
    for number in range(4 * KILLS):
        folder = tmp_path / f"storm{number}"
        kills, steps = storm(tenant, folder, length, left, dice)
        assert_same(result, collected(tenant, folder))
        assert steps is None or steps < result.runs["t"].sum(), "nothing is kept between kills"
        left -= kills
        if not left:
            return
        if not kills:  # it outran its kill, with warm caches: the next comes sooner
            length *= 0.7
    pytest.fail("the work outruns its kills")
