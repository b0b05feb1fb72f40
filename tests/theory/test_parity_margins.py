"""The maximum margin of parity: closed form, construction K3, and the masses of sign classes."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import parity_margins as parity
from elegans.theory.boolean import cube
from elegans.theory.margins import group_norm
from elegans.theory.power_nets import logits, signed_margins

STATED = [0.7071068, 0.5443311, 0.5303301, 0.6071573, 0.7856742, 1.1220297, 1.7401456, 2.8969715]


def test_stated_values() -> None:
    assert np.allclose([parity.gamma_star_parity(k) for k in range(1, 9)], STATED, rtol=1e-6)


@given(st.integers(1, 4), st.integers(0, 10**6))
def test_closed_form_is_the_mean_over_the_cube(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, w, support = rng.normal(size=5), rng.normal(size=2), sorted(rng.permutation(5)[:k].tolist())
    direct = parity.expected_margin_enumerated(u, w, support)
    assert parity.expected_margin(u, w, support) == pytest.approx(direct, abs=1e-10)
    unit = np.sqrt(u @ u + w @ w) ** (k + 1)
    assert abs(direct) <= parity.gamma_star_parity(k) * unit * (1 + 1e-12)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (4, 2), (5, 3), (6, 4), (6, 5), (7, 6)])
def test_k3_has_the_maximum_margin_everywhere(n: int, k: int) -> None:
    support = tuple(range(n - k, n))
    theta, x = parity.parity_network(n, support), cube(n).astype(np.float64)
    assert theta["U"].shape == (2 ** (k - 1), n)
    assert group_norm(theta, k + 1) == pytest.approx(1)
    y, gamma = x[:, list(support)].prod(1), parity.gamma_star_parity(k)
    assert np.allclose(signed_margins(theta, x, y, k), gamma, rtol=1e-12)
    assert np.allclose(logits(theta, x, k), np.multiply.outer(y, [gamma / 2, -gamma / 2]), rtol=1e-12)


@given(st.integers(1, 6), st.integers(0, 10**6))
def test_signs_cancel_for_all_real_inputs(k: int, seed: int) -> None:
    sigma, x = cube(k).astype(np.float64), np.random.default_rng(seed).normal(size=k)
    assert np.mean(sigma.prod(1) * (sigma @ x) ** k) == pytest.approx(factorial(k) * x.prod(), abs=1e-9)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_classes_are_recognised_up_to_sign(k: int) -> None:
    support = (0, 2, 3, 5)[:k]
    mu = np.random.default_rng(k).random(2 ** (k - 1))
    theta = parity.parity_network(6, support, mu)
    assert np.allclose(parity.class_masses(theta, support), mu / mu.sum())
    flipped = {"U": -theta["U"], "W": (-1) ** k * theta["W"]}
    assert np.array_equal(parity.class_of(flipped, support), np.arange(2 ** (k - 1)))
    assert np.allclose(parity.class_masses(flipped, support), mu / mu.sum())


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_the_game_is_the_margin_of_networks(k: int) -> None:
    mu = np.random.default_rng(k).random(2 ** (k - 1))
    x, mu = parity.sign_classes(k), mu / mu.sum()
    margins = signed_margins(parity.parity_network(k, range(k), mu), x, x.prod(1), k)
    assert np.allclose(mu @ parity.class_game(k), margins / parity.gamma_star_parity(k), atol=1e-12)
    assert np.linalg.eigvalsh(parity.class_game(k)).min() > 0


@pytest.mark.parametrize(("k", "left"), [(2, 0.0), (3, -1 / 6), (4, -1 / 9)])
def test_no_class_can_be_spared(k: int, left: float) -> None:
    everyone = range(2 ** (k - 1))
    assert parity.best_margin(k, everyone) == pytest.approx(1)
    for dropped in everyone:
        assert parity.best_margin(k, [c for c in everyone if c != dropped]) == pytest.approx(left, abs=1e-9)
        low, high = parity.share_range(k, dropped)
        assert low == pytest.approx(2.0 ** (1 - k), abs=1e-7) and high == pytest.approx(2.0 ** (1 - k), abs=1e-7)
        assert parity.share_range(k, dropped, slack=0.1)[1] > 2.0 ** (1 - k) + 1e-3


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="k=0"):
        parity.gamma_star_parity(0)
    with pytest.raises(ValueError, match="4 sign classes"):
        parity.parity_network(5, (0, 1, 2), np.ones(3))
