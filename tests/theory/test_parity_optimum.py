"""The minimum of the regularised loss on parity: construction K3 attains it, and no network is below."""

import numpy as np
import pytest

from elegans.theory.boolean import cube
from elegans.theory.margins import group_norm
from elegans.theory.parity_margins import class_masses, gamma_star_parity, parity_network
from elegans.theory.parity_optimum import parity_optimum
from elegans.theory.power_nets import Network, cross_entropy, regularised_gradient, regularised_loss, signed_margins

CASES = pytest.mark.parametrize(
    ("n", "k", "lam"), [(2, 1, 0.1), (4, 2, 0.01), (4, 2, 0.25), (5, 3, 1e-6), (5, 4, 1e-3)]
)


def minimiser(n: int, k: int, lam: float) -> Network:
    scale = parity_optimum(k, lam).norm ** (1 / (k + 1))
    return {name: scale * part for name, part in parity_network(n, range(k)).items()}


def points(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    x = cube(n).astype(np.float64)
    return x, x[:, :k].prod(1)


def test_stated_values() -> None:
    best = parity_optimum(4, 1e-3)
    assert best.cross_entropy == pytest.approx(1.64837e-3, rel=1e-5)
    assert best.norm == pytest.approx(10.553, rel=1e-4)
    assert best.share == 1 / 8


@CASES
def test_the_construction_attains_it_and_is_stationary(n: int, k: int, lam: float) -> None:
    theta, (x, y), best = minimiser(n, k, lam), points(n, k), parity_optimum(k, lam)
    assert regularised_loss(theta, x, y, k, lam) == pytest.approx(best.loss, rel=1e-10)
    assert cross_entropy(theta, x, y, k) == pytest.approx(best.cross_entropy, rel=1e-8)
    assert group_norm(theta, k + 1) ** (k + 1) == pytest.approx(best.norm, rel=1e-12)
    assert np.allclose(signed_margins(theta, x, y, k), best.margin, rtol=1e-10)
    assert best.normalised_margin == gamma_star_parity(k)
    assert np.allclose(class_masses(theta, range(k)), best.share, rtol=1e-12)
    gradient = regularised_gradient(theta, x, y, k, lam)
    assert all(np.abs(part).max() < 1e-9 * lam * best.norm for part in gradient.values())


@CASES
def test_no_network_is_below(n: int, k: int, lam: float) -> None:
    rng, (x, y), best = np.random.default_rng(3), points(n, k), parity_optimum(k, lam)
    near = minimiser(n, k, lam)
    for i in range(200):
        size = 10 ** rng.uniform(-6, 0)
        theta = {name: (i % 2) * part + size * rng.standard_normal(part.shape) for name, part in near.items()}
        assert regularised_loss(theta, x, y, k, lam) >= best.loss * (1 - 1e-12)


@pytest.mark.parametrize("lam", [0.0, -1e-3])
def test_without_a_penalty_there_is_none(lam: float) -> None:
    with pytest.raises(ValueError, match="λ"):
        parity_optimum(4, lam)


def test_beyond_half_the_margin_the_zero_network_is_best() -> None:
    gamma = gamma_star_parity(4)
    assert parity_optimum(4, gamma / 2 * (1 - 1e-9)).loss == pytest.approx(np.log(2), rel=1e-8)
    with pytest.raises(ValueError, match="γ"):
        parity_optimum(4, gamma / 2)
