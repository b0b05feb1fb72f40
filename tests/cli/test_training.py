"""`elegans train`: flags for whatever is registered, and refusals before anything is trained."""

import inspect
from dataclasses import fields
from pathlib import Path

import pytest

from elegans.base.errors import UsageError
from elegans.cli.parts import chosen, part, registered
from elegans.cli.training import Train
from elegans.cli.words import Words, dashed
from elegans.models.base import Model
from elegans.probes.base import Probe
from elegans.tasks.base import Task
from elegans.training.algorithms import SGD, Algorithm
from elegans.training.losses import square
from elegans.training.regimes import Virtual
from tests.cli.conftest import TRAIN, Call
from tests.cli.test_front_door import refused

START = list(TRAIN[1:])


def test_a_run_from_the_command_line(trained: Path, home: Path):
    lines = (home / "run.csv").read_text().splitlines()
    assert lines[0] == "t,Accuracy.accuracy,TrainLoss.loss"
    assert [int(line.partition(",")[0]) for line in lines[1:]] == list(range(0, 21, 2))


def test_a_learning_rate_that_is_no_number(elegans: Call):
    refused(elegans(*TRAIN, "--algorithm.lr", "nan", "--steps", "5"), "SGD.lr is nan, but it must be a finite number")


def test_more_steps_than_can_be_counted(elegans: Call):
    refused(elegans(*TRAIN, "--algorithm.lr", "0.1", "--steps", str(2**31)), f"take at most {2**31 - 1}")


def test_a_learning_rate_beyond_single_precision_diverges_quietly(elegans: Call):
    done = elegans(*TRAIN, "--algorithm.lr", "1e300", "--steps", "5")
    assert done.returncode == 0 and done.stdout.startswith("diverged at step")
    assert len(done.stderr.splitlines()) == 1 and "1 of 1 run missing, 1 program" in done.stderr


@pytest.mark.parametrize("flag", ["--save", "--csv"])
def test_a_file_that_cannot_be_written_is_found_out_before(elegans: Call, flag: str):
    done = elegans(*TRAIN, "--algorithm.lr", "0.1", "--steps", "5", flag, "/proc/x")
    refused(done, "/proc/x cannot be written")
    assert "name a file in another folder" in done.stderr


def test_a_file_that_cannot_be_written_in_the_end(elegans: Call, trained: Path):
    line = (*TRAIN, "--algorithm.lr", "0.1", "--steps", "20", "--store", str(trained))
    refused(elegans(*line, "--csv", "/dev/full"), "name another file")


def test_nested_parts_and_their_flags():
    nested = ["algorithm.loss:square", "--algorithm.regime", "Virtual", "--algorithm.regime.m", "100"]
    train = Train.read(
        [*START, "--algorithm.lr", "0.5", "--steps", "5", *nested, "watch:accuracy", "--watch.accuracy.every", "3"]
    )
    assert train is not None
    assert train.parts["algorithm"] == SGD(0.5, loss=square, regime=Virtual(100))
    assert [(type(p).__name__, p.every) for p in train.watch] == [("Accuracy", 3)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--steps", "5"], "missing --algorithm.lr"),
        (["--steps", "5", "--algorithm.lr", "-1"], "must be at least 0"),
        (["--steps", "5", "--algorithm.lr", "1", "--task.k", "11"], "only n=10 coordinates"),
        (["--steps", "5", "--algorithm.lr", "1", "--algorithm.batsh", "1"], "did you mean --algorithm.batch?"),
        (["--steps", "5", "--algorithm.lr", "1", "algorithm.loss:squar"], "did you mean square"),
        (["--steps", "5", "--algorithm.lr", "1", "algorithm.los:square"], "can be chosen here"),
        (["--steps", "5", "--algorithm.lr", "1", "watch:acuracy"], "did you mean accuracy"),
        (["--steps", "5", "--algorithm.lr", "1", "task:disjoint-parity"], "task is given 2 times"),
    ],
)
def test_refusals(more: list[str], said: str):
    with pytest.raises(UsageError) as refusal:
        Train.read([*START, *more])
    assert said in str(refusal.value)


def test_what_must_be_named_is_listed():
    with pytest.raises(UsageError, match=r"task:NAME.*sparse-parity"):
        Train.read(["model:mlp"])


@pytest.mark.parametrize("kind", [Task, Model, Algorithm, Probe])
def test_every_registered_part_has_flags(kind: type):
    for cls in registered(kind).values():
        words = Words(inner_parts(cls))
        flag = part(cls, "it", words)
        assert {f.name for f in fields(flag.type)} <= {f.name for f in fields(cls)}
    assert {dashed(name) for name in registered(kind)}


def inner_parts(cls: type) -> list[str]:
    """Names for the parts that a class has no default for."""
    found: list[str] = []
    while True:
        try:
            part(cls, "it", Words(list(found)))
            return found
        except UsageError as error:
            path, _, names = str(error).partition("say which ")[2].partition(": ")
            if not names:
                raise
            found.append(f"{path}:{names.rpartition('one of ')[2].partition(',')[0]}")


def test_chosen_parts_are_final():
    assert not inspect.isabstract(chosen(Task, "task", Words(["task:sparse-parity"])).type)
