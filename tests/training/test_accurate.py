"""The event of a small error: its bound, and that a run stops there."""

import jax.numpy as jnp
import pytest

from elegans.base.errors import UsageError
from elegans.lab.train import train
from elegans.models.mlp import MLP
from elegans.probes.accuracy import Accuracy
from elegans.tasks.base import Batch
from elegans.tasks.parity import SparseParity
from elegans.training.accurate import Accurate
from elegans.training.algorithms import SGD
from elegans.training.stops import Budget


def test_passes_up_to_its_share_of_errors() -> None:
    event, y = Accurate(screen=20, on=20), jnp.ones(20, jnp.float32)
    for wrong in range(5):
        out = jnp.where(jnp.arange(20) < wrong, 0, y)
        assert bool(event.passed(out, Batch(out, y))) == (wrong <= 2)


def test_a_run_stops_at_the_first_look_with_a_small_error() -> None:
    stop = Accurate(every=10, screen=512, on=512) | Budget(2000)
    run = train(MLP(20), SparseParity(8, 2), SGD(0.1), stop=stop, watch=[Accuracy(every=10, on=512)], seed=1)
    accuracy = run.trace("Accuracy")["accuracy"].to_numpy()
    assert run.outcome == "accurate"
    assert accuracy[-1] >= 0.9 > accuracy[:-1].max()


def test_a_short_screen_is_refused() -> None:
    with pytest.raises(UsageError, match="screen=1024"):
        Accurate(on=1024, screen=128)
