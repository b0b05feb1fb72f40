"""Networks of maximum margin on Z_p are those with balanced masses and phases."""

import numpy as np
import pytest

from elegans.theory import phase_balance as balance
from elegans.theory.groups import cyclic
from elegans.theory.margins import gamma_star_cyclic, group_norm, normalised_margin
from elegans.theory.quadratic_constructions import cyclic_network, narrow_cyclic_network, single_frequency_network
from elegans.theory.quadratic_nets import Network, logits


def ratio(theta: Network) -> float:
    p = theta["U"].shape[1]
    return normalised_margin(theta, logits(theta), cyclic(p).table) / gamma_star_cyclic(p)


def network(p: int, seed: int, count: int = 120, excess: np.ndarray | None = None) -> Network:
    """Random phases at each frequency with shares from the linear programme."""
    rng, half = np.random.default_rng(seed), (p - 1) // 2
    u, v = rng.uniform(0, 2 * np.pi, (2, half, count))
    shares = [balance.balanced_shares(u[i], v[i], excess if i == 0 else None) for i in range(half)]
    mu = np.concatenate([s for s in shares if s is not None])
    assert len(mu) == half * count
    return balance.assembled(p, np.repeat(np.arange(1, half + 1), count), u.ravel(), v.ravel(), mu)


@pytest.mark.parametrize("p", [3, 5, 7, 9, 11, 15])
def test_constructions_are_balanced(p: int) -> None:
    for theta in (cyclic_network(p), narrow_cyclic_network(p)):
        assert balance.mass_imbalance(theta) < 1e-12
        assert balance.phase_imbalance(theta).max() < 1e-12
        assert balance.phase_defects(theta).max() < 1e-12


@pytest.mark.parametrize("p", [3, 5, 7, 9])
def test_balanced_means_maximal(p: int) -> None:
    theta = network(p, p)
    assert group_norm(theta) == pytest.approx(1)
    assert balance.phase_imbalance(theta).max() < 1e-7
    assert ratio(theta) == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("broken", range(7), ids=balance.WAVES)
def test_one_sum_off_balance_costs_margin(broken: int) -> None:
    theta = network(5, 1, excess=0.1 * np.eye(7)[broken])
    assert balance.phase_imbalance(theta)[broken] == pytest.approx(0.1, abs=1e-6)
    assert np.delete(balance.phase_imbalance(theta), broken).max() < 1e-6
    assert balance.mass_imbalance(theta) < 1e-12
    assert ratio(theta) < 1 - 0.01


def test_unequal_masses_cost_margin() -> None:
    theta = cyclic_network(7)
    heavier = {name: part * np.where(np.arange(24) < 8, 1.01, 1)[:, None] for name, part in theta.items()}
    assert balance.mass_imbalance(heavier) == pytest.approx(1.01**3 * 3 / (1.01**3 + 2) - 1)
    assert ratio(heavier) < 1 - 1e-4
    assert balance.masses(single_frequency_network(7, 2)).tolist() == pytest.approx([0, 1, 0])


def test_phase_defect_is_an_angle() -> None:
    theta = cyclic_network(7)
    assert np.allclose(balance.phase_defects({**theta, "W": -theta["W"]}), np.pi)
    assert np.allclose(balance.phase_defects({**theta, "W": np.roll(theta["W"], 1, axis=1)})[:8], 2 * np.pi / 7)
