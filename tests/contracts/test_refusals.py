"""A wrong Python value gives one sentence that says what was given, why it cannot work, and what to write instead."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import elegans as el
from elegans.base.errors import UsageError
from elegans.lab import api
from elegans.lab.program import Blueprint, identity
from elegans.models.activations import Sinusoid
from elegans.models.initialisers import Kaiming
from elegans.probes.accuracy import Accuracy
from elegans.training.stops import Stop

TASK = el.SparseParity(6, 2)
STAGE = el.Stage(TASK, el.SGD(0.1), el.Budget(3))
RUN = el.Run(el.MLP(5), STAGE)


def refused(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(UsageError) as refusal:
        call()
    sentence = str(refusal.value)
    assert said in sentence, sentence
    assert "\n" not in sentence and len(sentence) < 500


def train(**changed: Any) -> Any:
    given: dict[str, Any] = {"model": el.MLP(5), "task": TASK, "algorithm": el.SGD(0.1), "steps": 2} | changed
    return el.train(**given, progress=False)


any_: Any = el  # calls that a type checker refuses, too


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: any_.MLP(10, activation="relu"), 'write elegans.models.activations.relu, not "relu"'),
        (lambda: any_.SGD(0.1, loss="hinge"), 'write el.hinge, not "hinge"'),
        (lambda: any_.SGD(0.1, loss="Hinge"), 'write el.hinge, not "Hinge"'),
        (lambda: any_.SGD(0.1, loss="mse"), "pass the function itself, not its name"),
        (lambda: any_.SGD(0.1, loss=None), "loss is None, but it must be a function"),
        (lambda: any_.MLP(10, activation=Sinusoid), "write Sinusoid(...)"),
        (lambda: any_.MLP(10, widht=3), "MLP has no field 'widht'; did you mean width?"),
        (lambda: el.MLP(10).replace(widht=3), "did you mean width?"),
        (lambda: any_.MLP(), "MLP needs width; write MLP(width=...)"),
        (lambda: any_.MLP(10, width=3), "MLP.width is given twice, as 10 and as 3"),
        (lambda: any_.MLP(1, 2, 3, 4, 5), "MLP takes 4 values (width, activation, initial, output_bias)"),
        (lambda: any_.MLP(5, initial=Kaiming), "write Kaiming()"),
        (lambda: any_.MLP(5, initial="kaiming"), "write Kaiming(...), not its name"),
        (lambda: any_.SGD(0.1, regime=3), "such as Online()"),
        (lambda: any_.SGD("0.1"), "SGD.lr is '0.1', but it must be of type float"),
        (lambda: el.SGD(10**400), "too large for a float"),
        (lambda: any_.SGD(0.1, decays="W"), "for example ('W',)"),
        (lambda: any_.Doubling(5), "for example (5,)"),
        (lambda: any_.Doubling((0.5,)), "Doubling.at[0] is 0.5"),
        (lambda: any_.SparseParity(9, 2, support="01"), "must be a tuple"),
        (lambda: any_.Seeds(-1), "between 0 and 4294967295"),
        (lambda: any_.Seeds(seed=3), "it has task, init, data, eval"),
        (lambda: any_.Stage(TASK, el.SGD(0.1)), "Stage needs stop"),
        (lambda: any_.Stage(el.SGD(0.1), TASK, el.Budget(3)), "Stage.task is SGD(lr=0.1), but it must be a Task"),
        (lambda: any_.Stage(TASK, el.SGD(0.1), el.Solved()), "Solved() | Budget(100_000)"),
        (lambda: any_.Stage(TASK, el.SGD(0.1), 100), "Stage.stop is 100, but it must be a Stop"),
        (lambda: any_.Stage(TASK, el.SGD(0.1), el.Budget(3), train="W"), "for example ('W',)"),
        (lambda: Stop(3, "solved"), "Stop.event is 'solved', but it must be an Event"),  # type: ignore[arg-type]
    ],
)
def test_a_configuration_is_checked_when_it_is_made(call: Callable[[], Any], said: str) -> None:
    refused(call, said)


def test_what_can_be_understood_is_taken() -> None:
    assert el.SparseParity(9, 2, support=np.array([0, 1])).support == (0, 1)  # type: ignore[arg-type]
    assert el.SparseParity(9, 2, support=[0, 1]) == el.SparseParity(9, 2, support=(0, 1))  # type: ignore[arg-type]
    assert el.MLP(5.0) == el.MLP(np.int64(5)) == el.MLP(5)  # type: ignore[arg-type]
    assert len(TASK.numpy(np.int64(3), np.uint32(2**32 - 1)).x) == 3  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [-1, 0, 2.5, "3", None, True, 10**12, 10**40, 2**31 - 1])
def test_a_number_of_examples(n: Any) -> None:
    refused(lambda: el.SparseParity(1000, 2).numpy(n), "draw fewer" if n == 2**31 - 1 else "between 1 and 2147483647")


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, "a", None, True, np.int64(-1), range(3)])
def test_a_seed(seed: Any) -> None:
    refused(lambda: TASK.numpy(3, seed), "whole number between 0 and 4294967295")
    refused(lambda: train(seed=seed), "whole number between 0 and 4294967295")


def fails(out: Any, y: Any) -> Any:
    raise RuntimeError("mine")


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (lambda out, y: jnp.stack([out, out, y]), "gives an array of shape (3,) for one example"),
        (lambda out, y: (out, y), "gives a tuple for one example"),
        (lambda out, y: None, "gives a NoneType for one example"),
        (fails, "the loss fails fails on an output of shape () and a target of shape (): RuntimeError: mine"),
        (lambda out, y: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda out: out, "TypeError"),
        (lambda out, y: out if out > 0 else y, "TracerBoolConversionError"),
        (el.cross_entropy, "the loss cross_entropy fails"),
    ],
)
def test_a_loss_gives_one_number(loss: Any, said: str) -> None:
    refused(lambda: identity(Blueprint(el.MLP(5), STAGE.replace(algorithm=el.SGD(0.1, loss=loss)))), said)


@pytest.mark.parametrize("constant", [1.0, 1, np.float64(1)])
def test_a_loss_may_be_constant(constant: Any) -> None:
    learn = STAGE.replace(algorithm=el.SGD(0.1, loss=lambda out, y: constant))
    assert identity(Blueprint(el.MLP(5), learn))


def test_an_activation_that_raises() -> None:
    model = el.MLP(5, activation=lambda z: fails(z, z))
    refused(lambda: identity(Blueprint(model, STAGE)), "cannot be trained on SparseParity(n=6, k=2)")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model": el.MLP}, "write MLP(...); train takes a model, a task and an algorithm, in this order"),
        ({"model": TASK, "task": el.MLP(5)}, "model is SparseParity(n=6, k=2), but it must be a Model"),
        ({"algorithm": el.hinge}, "algorithm is the function hinge"),
        ({"steps": 0}, "steps is 0, but it must be a whole number between 1 and 2147483647"),
        ({"steps": 1.5}, "steps is 1.5"),
        ({"steps": math.nan}, "steps is nan"),
        ({"steps": "9"}, "steps is '9'"),
        ({"steps": el.Budget(3)}, "say when to end with stop=..."),
        ({"steps": None}, "say how long to train"),
        ({"steps": None, "stop": 5}, "stop is 5, but it must be a Stop"),
        ({"steps": None, "stop": el.Solved()}, "Solved() | Budget(100_000)"),
        ({"watch": Accuracy}, "watch lists the class Accuracy"),
        ({"watch": "Accuracy"}, "watch lists 'Accuracy'"),
        ({"start": RUN}, "given(f) or other_run.then(f)"),
        ({"store": 3}, "store is 3, but it must be the path of a folder"),
        ({"store": 0}, "store is 0"),
    ],
)
def test_train(changed: dict[str, Any], said: str) -> None:
    refused(lambda: train(**changed), said)


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"lr": [0.1, 0.1]}, "axis lr lists 0.1 twice"),
        ({"seed": [1, 1]}, "axis seed lists 1 twice"),
        ({"model": [el.MLP(3), el.MLP(3)]}, "axis model lists MLP(width=3) twice"),
        ({"model": [el.MLP]}, "axis model has the value the class MLP, but it must be a Model; write MLP(...)"),
        ({"lr": [math.nan]}, "SGD.lr is nan"),
        ({"lr": np.ones((2, 2))}, "must be of type float"),
        ({"lr": ["0.1"]}, "must be of type float"),
        ({"widht": [3]}, "did you mean width"),
        ({"init": [0.5]}, "seeds are integers"),
        ({"steps": [1.5]}, "Stop.steps is 1.5"),
    ],
)
def test_a_sweep(axes: dict[str, Any], said: str, tmp_path: Path) -> None:
    refused(lambda: el.Sweep(RUN, **axes).run(store=tmp_path, progress=False), said)


def one(k: int = 1) -> dict[str, Any]:
    return {"k": k}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: any_.Sweep(STAGE, lr=[0.1]), "a Run first, but it is Stage("),
        (lambda: any_.Run(el.MLP, STAGE), "and the class MLP stands among them"),
        (lambda: any_.Run(el.MLP(3)), "and no stage is given"),
        (lambda: any_.Run(el.MLP(3), STAGE, seeds=5), "seeds is 5, but it must be a Seeds, such as Seeds(init=3)"),
        (lambda: any_.Run(el.MLP(3), STAGE, keep="middle"), "only 'start' and 'end' can be kept"),
        (lambda: any_.given("f"), "given needs a function first"),
        (lambda: el.given(one, z=3), "would call the function one with z"),
        (lambda: RUN.then(one), "with start and end parameters"),
        (lambda: el.Calculation(one, z=3), "would call the function one with z"),
        (lambda: api.run(RUN), "write Sweep(run, seed=range(8))"),  # type: ignore[arg-type]
        (lambda: el.Sweep(RUN).run(workers="2"), "workers is '2'"),
        (lambda: el.Sweep(RUN).estimate(store=3), "store is 3"),
        (lambda: any_.Store.open([]), "store is [], but it must be the path of a folder"),
        (lambda: any_.load(5), "there is no experiment named 5"),
    ],
)
def test_the_words_of_the_lab(call: Callable[[], Any], said: str) -> None:
    refused(call, said)


def test_a_step_to_look_at(tmp_path: Path) -> None:
    run = train(store=tmp_path)
    for step in (-1, 3, 1.5, "1", None):
        refused(lambda step=step: run.at(step), "whole number between 0 and 2")


@pytest.mark.parametrize(
    ("room", "name", "said"),
    [
        (el, "MPL", "Did you mean MLP"),
        (el, "sgd", "Did you mean SGD"),
        (el, "Foo", "for example elegans.probes.Accuracy"),
        (el.probes, "Acuracy", "did you mean Accuracy"),
    ],
)
def test_a_name_that_does_not_exist(room: Any, name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=said):
        getattr(room, name)
    assert not hasattr(el, "_repr_html_")
