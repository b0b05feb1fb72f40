"""The command line as a user meets it: a process with its own store and cache."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = str(Path(__file__).parents[2] / "src")
TRAIN = (
    "train",
    "task:sparse-parity",
    "--task.n",
    "10",
    "--task.k",
    "2",
    "model:mlp",
    "--model.width",
    "5",
    "algorithm:sgd",
)
Call = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cli")


@pytest.fixture(scope="session")
def environment(home: Path) -> dict[str, str]:
    folders = {"ELEGANS_STORE": str(home / "store"), "ELEGANS_CACHE": str(home / "cache")}
    return {**os.environ, **folders, "PYTHONPATH": SOURCE, "COLUMNS": "100"}


@pytest.fixture(scope="session")
def elegans(environment: dict[str, str], home: Path) -> Call:
    """Run `elegans ...` and return what it printed and how it ended."""

    def call(*args: str, largest_file: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "elegans.cli.main", *args]
        limited = ["sh", "-c", f'ulimit -f {largest_file}; exec "$@"', "sh"] if largest_file else []  # in blocks of 512
        return subprocess.run([*limited, *command], env={**environment, **more}, cwd=home, text=True,
                              capture_output=True, timeout=120, check=False)  # fmt: skip

    return call


@pytest.fixture(scope="session")
def trained(elegans: Call, home: Path) -> Path:
    """A store with one finished run, made by `elegans train`."""
    store = home / "trained"
    done = elegans(*TRAIN, "--algorithm.lr", "0.1", "--steps", "20", "--store", str(store), "--csv", "run.csv")
    assert done.returncode == 0, done.stderr
    return store
