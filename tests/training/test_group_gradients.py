"""Gradients of the regularised loss in double precision, against the closed form and the identities of training.

Double precision is a property of a process, so this file is also a script that measures all errors in one.
"""

import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.models.base import Params
from elegans.models.group_net import GroupNet
from elegans.papers.feature_emergence import presets
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.theory.margins import neuron_norms
from elegans.theory.quadratic_nets import balancedness, regularised_gradient, regularised_loss
from elegans.training.losses import cross_entropy
from elegans.training.penalties import NeuronNorm
from elegans.training.population import objective
from elegans.training.regimes import Full

SEED, NU = 11, 3
CASES = [(Cyclic(5), 4, 0.0), (Cyclic(5), 4, 0.02), (Symmetric(3), 7, 0.02)]
Network = dict[str, np.ndarray]


def value_and_gradient(alphabet: Alphabet, theta: Network, lam: float) -> tuple[float, Network]:
    """What training sees: the mean of the loss over all pairs plus the penalty, differentiated by JAX. The formula over
    the whole table, which training uses, must agree with the mean of the loss of each pair."""
    model, task = GroupNet(len(theta["U"])), GroupComposition(alphabet)
    batch, formula = task.enumerate(), objective(task, model, cross_entropy)

    def pair_by_pair(params: Params) -> jax.Array:
        out = jax.vmap(lambda x: model(params, x))(jnp.asarray(batch.x))
        return jax.vmap(cross_entropy)(out, jnp.asarray(batch.y)).mean() + NeuronNorm(lam).value(params)

    def as_table(params: Params) -> jax.Array:
        return formula(task, model, params, ()) + NeuronNorm(lam).value(params)

    start = {name: jnp.asarray(p) for name, p in theta.items()}
    (value, grads), (mean, slopes) = (jax.jit(jax.value_and_grad(f))(start) for f in (as_table, pair_by_pair))
    assert value.dtype == jnp.float64
    assert abs(value - mean) < 1e-12
    assert all(np.abs(grads[name] - slopes[name]).max() < 1e-12 for name in theta)
    return float(value), {name: np.asarray(g) for name, g in grads.items()}


def random_network(alphabet: Alphabet, m: int) -> Network:
    """Gaussian weights, and a last neuron without any."""
    rng = np.random.default_rng(SEED)
    theta = {name: rng.normal(size=(m, alphabet.group().order)) for name in "UVW"}
    return {name: np.append(p, np.zeros((1, p.shape[1])), axis=0) for name, p in theta.items()}


def distance(found: Network, expected: Network) -> float:
    """The largest difference of two sets of arrays, relative to the largest entry expected."""
    largest = max(np.abs(p).max() for p in expected.values())
    return float(max(np.abs(found[name] - expected[name]).max() for name in expected) / largest)


def errors(alphabet: Alphabet, m: int, lam: float) -> dict[str, float]:
    """Distances from the closed form, and from d/dt B = -2λν‖ω‖ B and d/dt Σ_c w = -λν‖ω‖ Σ_c w along -gradient."""
    group, theta = alphabet.group(), random_network(alphabet, m)
    value, grad = value_and_gradient(alphabet, theta, lam)
    u, v, w = (np.sum(theta[name] * -grad[name], axis=1) for name in "UVW")
    decay = lam * NU * neuron_norms(theta)
    balance = 2 * u + 2 * v - 4 * w + 2 * decay * balancedness(theta)
    return {
        "value": abs(value / regularised_loss(group, theta, lam) - 1),
        "gradient": distance(grad, regularised_gradient(group, theta, lam)),
        "balance": float(np.abs(balance).max() / np.abs(u).max()),
        "row sums": float(np.abs(-grad["W"].sum(1) + decay * theta["W"].sum(1)).max() / np.abs(grad["W"]).max()),
        "zero neuron": float(max(np.abs(g[-1]).max() for g in grad.values())),
    }


def error_of_a_step() -> float:
    """One step of the preset for S_3, at a step with six doublings behind it, against the closed form."""
    p, t = presets.s3(), 1200
    task = p.task
    assert isinstance(task, GroupComposition)
    params = p.model.init(stream.key(SEED, stream.Purpose.INIT), p.task.signature, p.algorithm.dtype)
    theta = {name: np.asarray(a) for name, a in params.items()}
    _, grads = value_and_gradient(task.group, theta, 1e-7)
    after, _ = p.algorithm.update(params, {}, {n: jnp.asarray(g) for n, g in grads.items()}, jnp.asarray(t, jnp.int32))
    gradient = regularised_gradient(task.group.group(), theta, 1e-7)
    expected = {name: -0.05 * 2**6 * g for name, g in gradient.items()}
    return distance({name: np.asarray(after[name]) - theta[name] for name in theta}, expected)


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, float]]:
    command = [sys.executable, __file__]
    env = os.environ | {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", [f"{alphabet} {lam}" for alphabet, _, lam in CASES])
def test_gradients_and_identities(measured: dict[str, dict[str, float]], case: str) -> None:
    found = measured[case]
    assert found.pop("zero neuron") == 0
    assert max(found.values()) < 1e-10, found


def test_a_step_of_the_preset(measured: dict[str, dict[str, float]]) -> None:
    assert measured["preset"]["step"] < 1e-10


@pytest.mark.parametrize(
    ("preset", "pairs", "width", "steps", "rates"),
    [
        (presets.s3(), 36, 30, 50_000, {0: 0.05, 199: 0.05, 200: 0.1, 2600: 409.6, 9999: 819.2, 49_999: 1638.4}),
        (presets.s4(), 576, 200, 50_000, {0: 0.05, 400: 0.2, 2599: 204.8, 5000: 819.2, 49_999: 1638.4}),
        (presets.z71(), 5041, 500, 40_000, {0: 0.05, 999: 0.05, 1000: 0.1, 9999: 25.6, 39_999: 51.2}),
    ],
)
def test_presets_are_the_papers_table(
    preset: presets.Preset, pairs: int, width: int, steps: int, rates: dict[int, float]
) -> None:
    algorithm, model = preset.algorithm, preset.model
    assert isinstance(model, GroupNet)
    assert (model.width, preset.stop.steps, preset.stop.prescribed) == (width, steps, True)
    assert len(Full().draw(preset.task, (), jax.random.key(0), jnp.int32(0), 1).y) == algorithm.batch == pairs
    for t, rate in rates.items():
        factor = algorithm.schedule.factor(jnp.asarray(t, jnp.int32), jnp.dtype(jnp.float32))
        assert algorithm.lr * float(factor) == pytest.approx(rate, rel=1e-12)


if __name__ == "__main__":
    report = {f"{alphabet} {lam}": errors(alphabet, m, lam) for alphabet, m, lam in CASES}
    print(json.dumps(report | {"preset": {"step": error_of_a_step()}}))
