"""Networks z^k on parity: gradients, degree, and what gradient flow conserves."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import power_nets as nets
from elegans.theory.boolean import cube
from elegans.theory.margins import neuron_norms

X = cube(4).astype(np.float64)


def random_network(seed: int, width: int = 3) -> nets.Network:
    rng = np.random.default_rng(seed)
    return {"U": rng.normal(size=(width, 4)), "W": rng.normal(size=(width, 2))}


def labels(k: int) -> np.ndarray:
    return X[:, :k].prod(1)


def test_by_hand() -> None:
    """u = (1, 2, 0, 0), w = (3, 1), k = 2 at x = (-1, 1, 1, 1): (−1 + 2)² (3, 1)."""
    theta = {"U": np.array([[1.0, 2, 0, 0]]), "W": np.array([[3.0, 1]])}
    x = np.array([[-1.0, 1, 1, 1]])
    assert nets.logits(theta, x, 2).tolist() == [[3, 1]]
    assert nets.signed_margins(theta, x, np.array([-1.0]), 2).tolist() == [-2]
    assert nets.cross_entropy(theta, x, np.array([-1.0]), 2) == pytest.approx(log(1 + np.exp(2)))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_gradient_is_the_central_difference(k: int) -> None:
    theta, y, lam, step = random_network(k), labels(k), 0.2, 1e-6
    gradient = nets.regularised_gradient(theta, X, y, k, lam)
    for name, part in theta.items():
        for index in np.ndindex(*part.shape):
            nudge = np.zeros_like(part)
            nudge[index] = step
            up, down = (nets.regularised_loss({**theta, name: part + s * nudge}, X, y, k, lam) for s in (1, -1))
            assert (up - down) / (2 * step) == pytest.approx(gradient[name][index], rel=1e-6, abs=1e-7)


@given(st.integers(0, 10**6), st.integers(1, 4), st.floats(0, 1))
def test_balancedness_decays(seed: int, k: int, lam: float) -> None:
    theta = random_network(seed)
    flow = {name: -part for name, part in nets.regularised_gradient(theta, X, labels(k), k, lam).items()}
    change = 2 * np.sum(theta["U"] * flow["U"], axis=1) - 2 * k * np.sum(theta["W"] * flow["W"], axis=1)
    rate = 2 * lam * (k + 1) * neuron_norms(theta) ** (k - 1)
    assert np.allclose(change, -rate * nets.balancedness(theta, k), rtol=1e-9, atol=1e-9 * max(1.0, rate.max()))


def test_euler_identity_by_its_definition() -> None:
    theta, y, k, lam = random_network(9), labels(3), 3, 0.01
    f = nets.logits(theta, X, k)
    P = np.exp(f) / np.exp(f).sum(1, keepdims=True)
    right = np.stack([y > 0, y < 0], axis=1)
    for i, violation in enumerate(nets.euler_violation(theta, X, y, k, lam)):
        phi = nets.logits({name: part[i : i + 1] for name, part in theta.items()}, X, k)
        gap = abs(np.mean(np.sum((right - P) * phi, axis=1)) - lam * neuron_norms(theta)[i] ** 4)
        assert violation == pytest.approx(gap / (lam * np.sum(neuron_norms(theta) ** 4)), rel=1e-10)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        nets.logits(random_network(0), X[:, :3], 2)
    with pytest.raises(ValueError, match="both must be positive"):
        nets.euler_violation(random_network(0), X, labels(2), 2, 0.0)
