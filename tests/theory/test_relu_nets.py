"""ReLU networks on groups: gradient, degree, conservation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import relu_nets as nets
from elegans.theory.groups import symmetric

S3 = symmetric(3)


def random_network(seed: int) -> nets.Network:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=(4, 6)) for name in "UVW"}


def test_logits_are_the_defining_sum() -> None:
    theta = random_network(0)
    for a, b, c in [(0, 0, 0), (1, 4, 2), (5, 3, 1)]:
        expected = sum(max(theta["U"][i, a] + theta["V"][i, b], 0) * theta["W"][i, c] for i in range(4))
        assert nets.logits(theta)[a, b, c] == pytest.approx(expected)
    assert np.allclose(nets.logits({n: 3 * p for n, p in theta.items()}), 9 * nets.logits(theta))


def test_gradient_is_the_central_difference() -> None:
    theta, lam, step = random_network(1), 0.1, 1e-6
    gradient = nets.regularised_gradient(S3, theta, lam)
    for name, part in theta.items():
        for index in np.ndindex(*part.shape):
            nudge = np.zeros_like(part)
            nudge[index] = step
            up, down = (nets.regularised_loss(S3, {**theta, name: part + s * nudge}, lam) for s in (1, -1))
            assert (up - down) / (2 * step) == pytest.approx(gradient[name][index], rel=1e-6, abs=1e-8)


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_balancedness_decays(seed: int, lam: float) -> None:
    """dB/dt = -4λB along -∇L_λ."""
    theta = random_network(seed)
    gradient = nets.regularised_gradient(S3, theta, lam)
    change = sum(-2 * s * np.sum(theta[n] * gradient[n], axis=1) for n, s in zip("UVW", (1, 1, -1), strict=True))
    assert np.allclose(change, -4 * lam * nets.balancedness(theta), atol=1e-10)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="one shape"):
        nets.logits({"U": np.ones((2, 3))})
