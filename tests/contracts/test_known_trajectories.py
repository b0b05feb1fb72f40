"""Trainings whose every step is known by hand, run through the whole lab: session, worker, store, table."""

import math
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from elegans.base.config import static
from elegans.lab.results import Result
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Run, Stage, Sweep, given
from elegans.models.attention import AttentionOnly
from elegans.models.group_net import GroupNet
from elegans.models.mlp import MLP
from elegans.models.polynet import DisjointPolyNet
from elegans.probes.accuracy import TrainLoss
from elegans.probes.base import Probe, View
from elegans.tasks.base import Batch, Signature, Task
from elegans.tasks.composition import Cyclic, GroupComposition
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.theory.groups import cyclic
from elegans.theory.quadratic_nets import Network, regularised_gradient, regularised_loss
from elegans.training.algorithms import SGD, Adam
from elegans.training.losses import correlation, cross_entropy
from elegans.training.penalties import NeuronNorm
from elegans.training.regimes import Full, Population
from elegans.training.stops import Steps


class Parameters(Probe):
    """All parameters."""

    def observe(self, view: View) -> dict[str, Array]:
        return dict(view.params)


class OneSymbol(Task):
    """Sequences over an alphabet of one symbol: there is nothing to predict."""

    t: int = static(default=5, low=1)

    @property
    def signature(self) -> Signature:
        return Signature(x=(self.t,), out=(self.t, 1), symbols=1)

    def sample(self, key: Key[Array, ""], n: int, secret: Any = ()) -> Batch:
        return Batch(jnp.zeros((n, self.t), jnp.int32), jnp.zeros((n, self.t), jnp.int32))


def trained(folder: Path, model: Any, stage: Stage, start: Any = None, **axes: Any) -> Result:
    watch = (Parameters(every=1), TrainLoss(every=1))
    return Session(Store.open(folder), 1).sweep(Sweep(Run(model, stage, start=start, watch=watch), **axes))


def path(result: Result, name: str, run: int = 0) -> np.ndarray:
    """A parameter after 0, 1, 2, ... steps."""
    traces = result.traces[run]
    np.testing.assert_array_equal(traces["Parameters.t"], np.arange(len(traces["Parameters.t"])))
    return traces[f"Parameters.{name}"]


def population(lr: float, steps: int, algorithm: Any = SGD, n: int = 1, k: int = 1) -> Stage:
    return Stage(DisjointParity(n, k), algorithm(lr, loss=correlation, regime=Population()), Steps(steps))


def ones(k: int, block: int) -> dict[str, np.ndarray]:
    return {"W": np.ones((k, block))}


def test_one_weight_walks_in_equal_steps(tmp_path: Path) -> None:
    """f = w x and y = x: the loss is -w, so w_t = w_0 + lr t."""
    result = trained(tmp_path, DisjointPolyNet(1), population(0.25, 12), seed=range(6), lr=[0.25, 0.5])
    for i, row in enumerate(result.runs.iter_rows(named=True)):
        w, t = path(result, "W", i)[:, 0, 0], np.arange(13)
        assert abs(w[0]) == 1
        np.testing.assert_array_equal(w, w[0] + row["lr"] * t)
        np.testing.assert_array_equal(result.traces[i]["TrainLoss.loss"][1:], -w[:-1])
        assert (row["outcome"], row["t"]) == ("completed", 12)


def test_two_factors_grow_geometrically(tmp_path: Path) -> None:
    """f = v_1 v_2 plus irrelevant terms: from ones both v_i obey v <- v + lr v, and irrelevant weights stay."""
    result = trained(tmp_path, DisjointPolyNet(2), population(0.5, 12, n=6, k=2), given(ones, k=2, block=3))
    W, t = path(result, "W"), np.arange(13)
    np.testing.assert_array_equal(W[:, :, 0], np.repeat(1.5**t, 2).reshape(13, 2))
    np.testing.assert_array_equal(W[:, :, 1:], np.ones((13, 2, 2)))


def test_decay_alone_shrinks_by_its_factor(tmp_path: Path) -> None:
    """theta <- (1 - decay) theta when lr = 0, whatever the gradients are."""
    stage = Stage(DisjointParity(6, 2), SGD(0.0, batch=4, decay=0.5), Steps(8))
    result = trained(tmp_path, MLP(5), stage, decay=[0.5, 0.25, 1.0])
    for i, decay in enumerate(result.runs["decay"]):
        for name in "Wbuc":
            p = path(result, name, i)
            shrunk = (1 - decay) ** np.arange(9, dtype=np.float32)
            np.testing.assert_allclose(p, shrunk.reshape(-1, *[1] * (p.ndim - 1)) * p[0], rtol=1e-6)


def by_hand(m: int, d: int) -> Network:
    """A start without symmetries, written out."""
    grid = np.arange(3 * m * d, dtype=np.float64).reshape(3, m, d)
    return dict(zip("UVW", np.sin(1 + 2 * grid) / 2, strict=True))


def test_two_element_group_follows_the_written_gradient(tmp_path: Path) -> None:
    """Full-batch gradient descent on Z_2 in double precision, against the gradient of `theory.quadratic_nets`."""
    lr, lam, steps, group = 0.25, 1e-2, 20, cyclic(2)
    algorithm = SGD(lr, loss=cross_entropy, regime=Full(), penalty=NeuronNorm(lam), precision="float64")
    stage = Stage(GroupComposition(Cyclic(2)), algorithm, Steps(steps))
    result = trained(tmp_path, GroupNet(3), stage, given(by_hand, m=3, d=2))
    theta, loss = by_hand(3, 2), result.traces[0]["TrainLoss.loss"]
    for t in range(steps):
        np.testing.assert_allclose(loss[t + 1], regularised_loss(group, theta, lam), rtol=1e-13)
        grad = regularised_gradient(group, theta, lam)
        theta = {name: theta[name] - lr * grad[name] for name in "UVW"}
        for name in "UVW":
            assert path(result, name).dtype == np.float64
            np.testing.assert_allclose(path(result, name)[t + 1], theta[name], rtol=1e-11, atol=1e-14)
    assert (np.diff(loss[1:]) < 0).all()


def test_nothing_to_predict_nothing_moves(tmp_path: Path) -> None:
    """With one symbol the softmax is 1: the loss is exactly 0, and so is every gradient."""
    stage = Stage(OneSymbol(), SGD(1.0, batch=3, loss=cross_entropy), Steps(6))
    result = trained(tmp_path, AttentionOnly(4, layers=1), stage)
    assert result.runs["loss"].item() == 0 and not result.traces[0]["TrainLoss.loss"].any()
    moving = [n for n in result.traces[0] if n.startswith("Parameters.") and n != "Parameters.t"]
    assert len(moving) > 6
    for name in moving:
        p = result.traces[0][name]
        np.testing.assert_array_equal(p, np.broadcast_to(p[0], p.shape))


def test_adam_takes_steps_of_lr_while_the_gradient_keeps_its_sign(tmp_path: Path) -> None:
    """The first step is lr sign(grad); with a constant gradient every step is, and without a gradient there is none."""
    result = trained(tmp_path / "one", DisjointPolyNet(1), population(0.125, 10, Adam))
    w = path(result, "W")[:, 0, 0]
    np.testing.assert_allclose(w, w[0] + 0.125 * np.arange(11), atol=1e-5)
    result = trained(tmp_path / "two", DisjointPolyNet(2), population(0.125, 3, Adam, n=6, k=2), seed=range(4))
    for i in range(4):
        W = path(result, "W", i)
        towards = np.sign(W[0, ::-1, :1])  # the gradient of -v_1 v_2 in one factor is the other, with a minus
        np.testing.assert_allclose(W[1, :, :1] - W[0, :, :1], 0.125 * towards, rtol=1e-5)
        np.testing.assert_array_equal(W[:, :, 1:], np.broadcast_to(W[0, :, 1:], W[:, :, 1:].shape))


def test_the_table_agrees_with_the_trajectory(tmp_path: Path) -> None:
    """The loss of the last step, and a run asked for at several lengths is one trajectory."""
    result = trained(tmp_path, DisjointPolyNet(1), population(0.25, 12), steps=[3, 6, 12])
    w = path(result, "W", 2)[:, 0, 0]
    for i, steps in enumerate((3, 6, 12)):
        np.testing.assert_array_equal(path(result, "W", i)[:, 0, 0], w[: steps + 1])
        assert result.runs["t"][i] == steps
    assert result.runs["loss"][2] == -w[11]
    assert all(math.isfinite(x) for x in result.runs["loss"])
