"""Help comes at once; mistakes become one sentence and exit code 2."""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest

from elegans.base.errors import StoreError
from elegans.cli import main as front_door
from elegans.cli.commands import COMMANDS
from elegans.cli.main import main
from tests.cli.conftest import Call

HEAVY = ("jax", "numpy", "polars", "scipy", "tyro", "rich", "elegans.papers")


def test_help_is_quick(elegans: Call):
    def seconds() -> float:
        began = time.perf_counter()
        assert elegans("--help").returncode == 0
        return time.perf_counter() - began

    assert median(seconds() for _ in range(3)) < 0.5


def test_help_imports_nothing_heavy(environment: dict[str, str]):
    code = f"""
import sys
from elegans.cli.main import main
assert main(["--help"]) == 0
print([m for m in {HEAVY} if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_package_is_the_command_too(environment: dict[str, str]):
    done = subprocess.run(
        [sys.executable, "-m", "elegans", "--version"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.startswith("elegans ")


def test_every_command_has_help_with_its_example(capsys: pytest.CaptureFixture[str]):
    overview = front_door.overview()
    assert all(name in overview and about.says in overview for name, about in COMMANDS.items())
    for name, about in COMMANDS.items():
        assert main([name, "--help"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert about.example in said and about.says.split()[0] in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("trian", "did you mean train"),
        ("store foo", "'du', 'merge', 'prune'"),
        ("store merge", "store merge SRC"),
        ("store du --stor x", "did you mean --store?"),
        ("store prune --days nan", "must be at least 0"),
        ("show", "missing ID"),
        ("show feature-emergence/fig-7.1a", "which feature-emergence/fig-7.1 judges"),
        ("show fig-7.2", "cannot be checked: a drawing without data"),
        ("show feature-emergence", "is a paper, not an experiment"),
        ("run", "--all"),
        ("run x --shard 5/4", "for example 1/4"),
        ("run x --workers two", "'two' is not a whole number"),
        ("run x --scale huge", "'smoke', 'laptop', 'paper'"),
        ("verify --budget soon", "90s, 60m or 2h"),
    ],
)
def test_mistakes_are_one_sentence(capsys: pytest.CaptureFixture[str], line: str, said: str):
    code = main(line.split())
    refused(subprocess.CompletedProcess(line, code, *capsys.readouterr()), said)


@pytest.mark.parametrize("command", ["show", "run", "load", "cite", "verify"])
def test_unknown_experiments_bring_the_nearest_names(capsys: pytest.CaptureFixture[str], command: str):
    code = main([command, "hidden-progress/eq-B.55"])
    refused(subprocess.CompletedProcess(command, code, *capsys.readouterr()), "hidden-progress/eq-B.5")


@pytest.mark.parametrize("command", ["show", "run", "load", "cite"])
def test_an_id_without_its_paper_brings_the_nearest_ids(capsys: pytest.CaptureFixture[str], command: str):
    code = main([command, "eq-B.55"])
    refused(subprocess.CompletedProcess(command, code, *capsys.readouterr()), "did you mean eq-B.5")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
def test_closed_outputs_are_no_error(environment: dict[str, str], closed: str):
    command = f'exec "{sys.executable}" -m elegans list {closed}'
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_atlas_that_cannot_be_written(elegans: Call, home: Path):
    (home / "taken").write_text("mine")
    refused(elegans("atlas", "--out", "taken"), "not a folder; choose another one with --out")
    assert (home / "taken").read_text() == "mine"


def test_an_unknown_name_from_another_process(elegans: Call):
    refused(elegans("trian"), "did you mean train")
    refused(elegans("list", "hiden-progress"), "hidden-progress")


def test_ctrl_c_says_how_to_go_on(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    def stop(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(front_door, "dispatch", stop)
    assert main([]) == 130
    assert "run the same command again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (PermissionError(13, "Permission denied", "/a/b"), "could not use /a/b: Permission denied"),
        (MemoryError(), "not enough memory"),
        (StoreError("a\nlong\nstory"), "a long story"),
    ],
)
def test_what_the_system_refuses_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
):
    def fail(_: list[str]) -> int:
        raise error

    monkeypatch.setattr(front_door, "dispatch", fail)
    code = main([])
    refused(subprocess.CompletedProcess("", code, *capsys.readouterr()), said)


def test_terminals_without_unicode(elegans: Call):
    shown = elegans("show", "hidden-progress/eq-B.5", PYTHONIOENCODING="ascii")
    assert shown.returncode == 0 and "eq-B.5" in shown.stdout
    refused(elegans("store", "foo", PYTHONIOENCODING="ascii"), "invalid choice 'foo'")


def test_nobody_listening_is_no_error(environment: dict[str, str]):
    command = [sys.executable, "-m", "elegans", "list", "hidden-progress"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as talking:
        assert talking.stdout and talking.stderr
        talking.stdout.close()
        assert talking.stderr.read() == b""
    assert talking.returncode == 141


def refused(done: "subprocess.CompletedProcess[str]", said: str) -> None:
    """One sentence on stderr, nothing of Python's."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.startswith("elegans: ") and done.stderr.count("\n") == 1
