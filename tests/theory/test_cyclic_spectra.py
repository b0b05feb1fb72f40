"""Spectra on Z_p: Parseval, the closed forms of theorem 7.7, its chain of bounds, and the transform of all logits."""

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import cyclic_spectra as spectra
from elegans.theory.groups import cyclic
from elegans.theory.margins import gamma_star_cyclic, point_margins
from elegans.theory.quadratic_constructions import cyclic_network, narrow_cyclic_network, single_frequency_network
from elegans.theory.quadratic_nets import logits

ORDERS = st.sampled_from([3, 5, 7, 9, 11, 15])


def neuron(p: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    u, v, w = np.random.default_rng(seed).standard_normal((3, p)) + 0.3
    return u, v, w


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8])
def test_power_is_the_variance(n: int) -> None:
    x = np.random.default_rng(n).standard_normal((5, n))
    assert np.allclose(spectra.power(x).sum(-1), n * np.sum((x - x.mean(-1, keepdims=True)) ** 2, axis=-1))


def test_a_wave_has_one_frequency() -> None:
    a = np.arange(11)
    x = np.stack([np.cos(2 * pi * 4 * a / 11 + 0.3) + 2, np.sin(2 * pi * 9 * a / 11)])
    assert spectra.dominant_frequency(x).tolist() == [4, 2]
    assert np.allclose(spectra.largest_share(x), 1)


@given(ORDERS, st.integers(0, 10**6))
def test_closed_forms_are_the_direct_sums(p: int, seed: int) -> None:
    u, v, w = neuron(p, seed)
    direct = spectra.expected_margin(u, v, w)
    theta = {"U": u[None], "V": v[None], "W": w[None]}
    F, right = logits(theta), np.eye(p, dtype=bool)[cyclic(p).table]
    assert direct == pytest.approx(F[right].mean() - F[~right].mean(), abs=1e-11)
    assert spectra.expected_margin_by_transform(u, v, w) == pytest.approx(direct, abs=1e-11)
    assert spectra.expected_margin_by_phases(u, v, w) == pytest.approx(direct, abs=1e-11)
    products = spectra.shifted_products(u, v, w)
    assert np.allclose(products, spectra.shifted_products_by_transform(u, v, w), atol=1e-12)
    eta = spectra.shifted_squares(u, v, w)
    assert eta[0] - eta.mean() == pytest.approx(2 * (products[0] - products.mean()), abs=1e-11)


@given(ORDERS, st.integers(0, 10**6))
def test_the_chain_increases_to_the_maximum(p: int, seed: int) -> None:
    u, v, w = (part / np.sqrt(sum(x @ x for x in neuron(p, seed))) for part in neuron(p, seed))
    steps = [*spectra.chain_of_bounds(u, v, w), gamma_star_cyclic(p)]
    assert np.all(np.diff(steps) >= -1e-14)


@given(ORDERS, st.floats(0, 6), st.floats(0, 6), st.integers(1, 100))
def test_optimal_neurons_are_optimal(p: int, one: float, other: float, k: int) -> None:
    parts = spectra.optimal_neuron(p, 1 + k % (p // 2), one, other)
    assert sum(float(x @ x) for x in parts) == pytest.approx(1)
    assert np.allclose(spectra.chain_of_bounds(*parts), gamma_star_cyclic(p), rtol=1e-12)
    u, v, w = parts
    assert spectra.expected_margin(u, v, -w) == pytest.approx(-gamma_star_cyclic(p))


@pytest.mark.parametrize("p", [5, 7])
def test_transform_of_the_indicator_and_of_the_rest(p: int) -> None:
    """λ 1[a+b=c] has λp² at j = k = -l; F(a, b) has l = 0 only."""
    right, F = np.eye(p)[cyclic(p).table], np.random.default_rng(p).standard_normal((p, p, 1)) + np.zeros(p)
    j = np.arange(p)
    assert np.allclose(spectra.transform(3 * right)[j, j, -j], 3 * p**2)
    assert np.count_nonzero(np.abs(spectra.transform(right)) > 1e-9) == p
    assert spectra.energy_shares(right + F)[2] < 1e-28
    assert spectra.energy_shares(np.roll(right, 1, axis=2) + right[::-1])[2] > 0.1


@pytest.mark.parametrize("p", [5, 7, 11])
def test_constructions_have_flat_margins_and_one_frequency_has_not(p: int) -> None:
    for theta in (cyclic_network(p), narrow_cyclic_network(p)):
        assert spectra.energy_shares(logits(theta))[2] < 1e-26
        assert np.ptp(point_margins(logits(theta), cyclic(p).table)) < 1e-10
    diagonal = np.abs(spectra.transform(logits(single_frequency_network(p, 1))))[
        range(1, p), range(1, p), range(p - 1, 0, -1)
    ]
    assert np.flatnonzero(diagonal > 1e-9).tolist() == [0, p - 2]


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="odd p"):
        spectra.chain_of_bounds(*np.ones((3, 4)))
    with pytest.raises(ValueError, match="no phase"):
        spectra.optimal_neuron(8, 4, 0, 0)
    with pytest.raises(ValueError, match="one length"):
        spectra.expected_margin(np.ones(3), np.ones(4), np.ones(3))
