"""Losses by number are the losses by name."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array

from elegans.base.config import knobs
from elegans.training.algorithms import SGD
from elegans.training.losses import hinge, logistic, square
from elegans.training.margin_loss import MarginLoss


@pytest.mark.parametrize(("objective", "loss"), [(0, hinge), (1, square), (2, logistic)])
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_values_and_slopes(objective: int, loss: Callable[[Array, Array], Array], y: float):
    for out in (-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 1e10):
        point = jnp.float32(out), jnp.float32(y)
        found = jax.value_and_grad(MarginLoss(objective))(*point)
        np.testing.assert_array_equal(found, jax.value_and_grad(loss)(*point))


def test_the_choice_is_a_knob_of_the_algorithm():
    assert knobs(SGD(0.1, loss=MarginLoss(2)))["loss.objective"] == 2.0
