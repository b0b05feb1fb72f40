"""The network z^k: its formula, its degree, its symmetry and its start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.power_parity import PowerParityNet
from elegans.tasks.base import Signature
from elegans.tasks.parity import SparseParity
from elegans.theory.parity_margins import gamma_star_parity, parity_network
from elegans.theory.power_nets import logits

KEY = stream.key(1, stream.Purpose.INIT)


def outputs(model: PowerParityNet, params: dict[str, jax.Array], x: np.ndarray) -> dict[str, np.ndarray]:
    return {n: np.asarray(a) for n, a in jax.vmap(lambda one: model.trace(params, one))(jnp.asarray(x)).items()}


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_logits_are_those_of_the_formula(k: int) -> None:
    task, model = SparseParity(6, k), PowerParityNet(5, k)
    params, x = model.init(KEY, task.signature), task.enumerate().x
    assert {name: p.shape for name, p in params.items()} == {"U": (5, 6), "W": (5, 2)}
    expected = logits({name: np.asarray(p, np.float64) for name, p in params.items()}, x.astype(np.float64), k)
    got = outputs(model, params, x)
    assert np.allclose(got["logits"], expected, rtol=1e-4, atol=1e-6)
    assert np.allclose(got["out"], expected[:, 0] - expected[:, 1], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_degree_k_plus_one_without_rounding(k: int) -> None:
    task, model = SparseParity(6, k), PowerParityNet(5, k)
    params, x = model.init(KEY, task.signature), task.enumerate().x
    twice = outputs(model, {name: 2 * p for name, p in params.items()}, x)["out"]
    assert np.array_equal(twice, 2 ** (k + 1) * outputs(model, params, x)["out"])


def test_the_construction_computes_the_parity() -> None:
    """K3 gives y γ* on every point, with y = +1 for an even number of -1s."""
    task = SparseParity(7, 4, support=(0, 2, 3, 6))
    params = {name: jnp.asarray(p, jnp.float32) for name, p in parity_network(7, task.canonical).items()}
    batch = task.enumerate()
    assert np.allclose(outputs(PowerParityNet(8, 4), params, batch.x)["out"], gamma_star_parity(4) * batch.y, atol=1e-5)


def test_a_wide_start_fills_its_intervals() -> None:
    params = PowerParityNet(4000, 4).init(KEY, Signature((10,), ()))
    for name, edge in {"U": 10**-0.5, "W": 4000**-0.5}.items():
        p = np.asarray(params[name])
        assert 0.999 * edge < np.abs(p).max() <= edge and abs((p**2).mean() / (edge**2 / 3) - 1) < 0.05


def test_other_tasks_are_refused() -> None:
    with pytest.raises(UsageError, match="PowerParityNet maps one real vector"):
        PowerParityNet(3, 2).init(KEY, Signature((2,), (7,), 7))
