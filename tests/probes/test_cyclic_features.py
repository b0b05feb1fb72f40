"""Frequencies, phases and masses of networks on Z_n where they are known exactly, against theory in double precision."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base.errors import UsageError
from elegans.lab.program import precision
from elegans.models.group_net import GroupNet
from elegans.probes.base import Probe, View
from elegans.probes.cyclic_features import WAVES, CyclicFrequencies, CyclicNeurons, CyclicSpectra
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.tasks.finite_groups import Alternating
from elegans.theory import phase_balance
from elegans.theory.cyclic_spectra import dominant_frequency, largest_share, optimal_neuron, power
from elegans.theory.margins import neuron_norms
from elegans.theory.quadratic_constructions import cyclic_network, narrow_cyclic_network
from elegans.theory.quadratic_nets import Network

SIZES = pytest.mark.parametrize("n", [3, 8, 11, 12])


def view(theta: Mapping[str, np.ndarray], alphabet: Alphabet | None = None) -> View:
    m, n = theta["U"].shape
    params = {name: jnp.asarray(p) for name, p in theta.items()}
    return View.of(GroupComposition(alphabet or Cyclic(n)), GroupNet(m), params)


def observed(probe: Probe, theta: Mapping[str, np.ndarray], alphabet: Alphabet | None = None) -> dict[str, np.ndarray]:
    with precision("float64"):
        seen = jax.jit(lambda: probe.observe(view(theta, alphabet)))()
        return {name: np.asarray(a) for name, a in seen.items()}


def random_network(n: int, m: int = 40, seed: int = 5) -> Network:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=(m, n)) for name in "UVW"}


def one_neuron(p: int, zeta: int, theta_u: float, theta_v: float, excess: float = 0.0) -> Network:
    """A neuron of norm 1 whose θ_w exceeds θ_u + θ_v."""
    u, v, _ = optimal_neuron(p, zeta, theta_u, theta_v)
    w = optimal_neuron(p, zeta, theta_u + theta_v + excess, 0.0)[0]
    return {"U": u[None], "V": v[None], "W": w[None]}


@pytest.mark.parametrize("p", [3, 5, 11])
@pytest.mark.parametrize(("network", "each"), [(cyclic_network, 8), (narrow_cyclic_network, 6)], ids=["K1", "K2"])
def test_the_constructions_are_pure_and_balanced(network: Any, each: int, p: int) -> None:
    theta, half = network(p), (p - 1) // 2
    found = observed(CyclicNeurons(), theta)
    assert np.allclose(found["power"], 1, atol=1e-12)
    assert np.array_equal(found["frequency"], np.repeat(np.arange(1, half + 1), each)[:, None].repeat(3, 1))
    assert np.allclose(found["defect"], 0, atol=1e-12)
    assert np.allclose(found["sizes"], 1, atol=1e-12)
    assert np.allclose(found["mass"], 1 / (each * half), rtol=1e-12)
    found = observed(CyclicFrequencies(), theta)
    assert np.array_equal(found["count"], np.full(half, each))
    assert np.allclose(found["mass"], 2 / (p - 1), rtol=1e-12)
    assert np.allclose(found["phases"], 0, atol=1e-12)
    assert found["imbalance"] == found["phases"].max()


@SIZES
def test_a_random_network_is_measured_as_in_theory(n: int) -> None:
    theta = random_network(n)
    found = observed(CyclicNeurons(), theta)
    for k, name in enumerate("UVW"):
        assert np.allclose(found["power"][:, k], largest_share(theta[name]), rtol=1e-12)
        assert np.array_equal(found["frequency"][:, k], dominant_frequency(theta[name]))
        norms = np.linalg.norm(theta[name], axis=1)
        assert np.allclose(found["sizes"][:, k], 3**0.5 * norms / neuron_norms(theta), rtol=1e-12)
    assert np.allclose(found["defect"], phase_balance.phase_defects(theta), atol=1e-12)
    cubes = neuron_norms(theta) ** 3
    assert np.allclose(found["mass"], cubes / cubes.sum(), rtol=1e-12)


@SIZES
def test_frequencies_are_measured_as_in_theory(n: int) -> None:
    theta = random_network(n)
    found = observed(CyclicFrequencies(alive=0.0), theta)
    assert np.allclose(found["mass"], phase_balance.masses(theta), rtol=1e-12)
    assert np.array_equal(found["count"], np.bincount(dominant_frequency(theta["U"]), minlength=n // 2 + 1)[1:])
    assert WAVES[:7] == phase_balance.WAVES
    assert np.allclose(found["phases"][:, :7].max(0), phase_balance.phase_imbalance(theta), rtol=1e-12)
    assert found["imbalance"] == found["phases"][: (n - 1) // 2].max()


@SIZES
def test_spectra_are_those_of_the_first_neurons(n: int) -> None:
    theta = random_network(n)
    found = observed(CyclicSpectra(first=5), theta)["power"]
    expected = power(theta["U"][:5])
    assert np.allclose(found, expected / expected.sum(1, keepdims=True), rtol=1e-12)
    assert observed(CyclicSpectra(first=99), theta)["power"].shape == (40, n // 2)


@pytest.mark.parametrize("excess", [0.3, -0.3, 3.0, -3.0, np.pi])
def test_the_defect_is_the_distance_from_the_sum_of_phases(excess: float) -> None:
    """With a wrong sign in front of any phase this would be something else."""
    found = observed(CyclicNeurons(), one_neuron(11, 3, 2.5, 1.1, excess))
    assert found["defect"] == pytest.approx(abs(excess), abs=1e-12)
    assert np.array_equal(found["frequency"], [[3, 3, 3]])


@pytest.mark.parametrize("broken", range(7))
def test_one_sum_off_balance_is_seen_where_it_is(broken: int) -> None:
    """Shares that a linear programme makes miss one sum of frequency 2 by 0.2, such as 2θ_u+θ_w but not 2θ_u-θ_w."""
    rng = np.random.default_rng(broken)
    u, v = rng.uniform(0, 2 * np.pi, (2, 200))
    shares = phase_balance.balanced_shares(u, v, 0.2 * (np.arange(7) == broken))
    assert shares is not None
    off = phase_balance.assembled(7, np.full(200, 2), u, v, shares)
    rest = cyclic_network(7)
    theta = {name: np.concatenate([off[name], rest[name][:8], rest[name][16:]]) for name in "UVW"}
    found = observed(CyclicFrequencies(), theta)
    expected = 0.2 * (np.arange(8) == broken)
    expected[7] = expected[5]  # 2θ_v - θ_w = -(2θ_u - θ_w) where θ_u + θ_v = θ_w
    assert np.allclose(found["phases"], [np.zeros(8), expected, np.zeros(8)], atol=1e-6)
    assert found["imbalance"] == pytest.approx(0.2, abs=1e-6)


def test_the_last_two_sums_part_where_phases_do_not_add_up() -> None:
    pair = [one_neuron(11, 3, 0.0, 0.0), one_neuron(11, 3, np.pi / 2, 0.0, excess=np.pi / 2)]
    theta = {name: np.concatenate([neuron[name] for neuron in pair]) for name in "UVW"}
    found = observed(CyclicFrequencies(), theta)["phases"][2]
    assert found[5] == pytest.approx(1, abs=1e-12)  # 2θ_u - θ_w is 0 and 0
    assert found[7] == pytest.approx(0, abs=1e-12)  # 2θ_v - θ_w is 0 and -π


@SIZES
@pytest.mark.parametrize("probe", [CyclicNeurons(), CyclicFrequencies(), CyclicSpectra()], ids=repr)
def test_translations_and_scale_change_nothing(probe: Probe, n: int) -> None:
    theta = random_network(n)
    moved = {name: 3.7 * np.roll(theta[name], -s, axis=1) for name, s in zip("UVW", (2, 4, 6), strict=True)}
    before, after = observed(probe, theta), observed(probe, moved)
    for name, value in before.items():
        assert np.allclose(after[name], value, rtol=1e-9, atol=1e-9), name


def test_a_multiplied_alphabet_permutes_the_frequencies() -> None:
    theta = cyclic_network(7)
    theta["U"][:3] *= 1.5
    moved = {name: p[:, 3 * np.arange(7) % 7] for name, p in theta.items()}  # frequencies 1, 2, 3 become 3, 1, 2
    before, after = observed(CyclicFrequencies(), theta), observed(CyclicFrequencies(), moved)
    assert before["mass"][0] > before["mass"][1]
    for name in ("count", "mass", "phases"):
        assert np.allclose(after[name], before[name][[1, 2, 0]], atol=1e-12), name
    assert after["imbalance"] == pytest.approx(before["imbalance"], abs=1e-12)


def test_the_frequency_of_order_two_stands_alone() -> None:
    """u = (-1)^a has n‖u‖² in one coefficient; its phases can never balance, so they do not count."""
    theta = {name: 1.0 * (-1.0) ** np.arange(8)[None] for name in "UVW"}
    assert np.allclose(observed(CyclicNeurons(), theta)["power"], 1, atol=1e-12)
    mixed = {name: p + np.sqrt(2) * np.cos(np.pi * np.arange(8) / 2) for name, p in theta.items()}
    assert np.allclose(observed(CyclicSpectra(), mixed)["power"], [[0, 0.5, 0, 0.5]], atol=1e-12)
    found = observed(CyclicFrequencies(), theta)
    assert np.allclose(found["phases"][3], 1, atol=1e-12)
    assert found["imbalance"] == 0
    assert observed(CyclicFrequencies(), {name: np.ones((1, 2)) for name in "UVW"})["imbalance"] == 0


def test_neurons_without_frequency_or_norm_are_left_out() -> None:
    theta = cyclic_network(5)
    theta = {name: np.concatenate([p, np.zeros((2, 5)), 0.005 * p[:1]]) for name, p in theta.items()}
    assert np.array_equal(observed(CyclicNeurons(), theta)["frequency"][16:], [[0] * 3, [0] * 3, [1] * 3])
    for alive, expected in ((0.01, [8, 8]), (0.001, [9, 8])):
        assert np.array_equal(observed(CyclicFrequencies(alive=alive), theta)["count"], expected)


def test_masses_have_the_degree_of_the_network() -> None:
    theta = cyclic_network(5)
    theta = {name: p * np.repeat([1, 3], 8)[:, None] for name, p in theta.items()}
    for nu, share in ((2, 0.1), (3, 1 / 28)):
        assert observed(CyclicFrequencies(nu=nu), theta)["mass"][0] == pytest.approx(share, rel=1e-12)
        assert observed(CyclicNeurons(nu=nu), theta)["mass"][:8].sum() == pytest.approx(share, rel=1e-12)


def test_the_group_may_have_another_name() -> None:
    found = observed(CyclicFrequencies(), cyclic_network(3), Alternating(3))
    assert np.array_equal(found["count"], [8])


@pytest.mark.parametrize("probe", [CyclicNeurons(), CyclicFrequencies(), CyclicSpectra()], ids=repr)
def test_other_runs_are_refused(probe: Probe) -> None:
    seen = view(random_network(6))
    for other in (replace(seen, task=GroupComposition(Symmetric(3))), replace(seen, params={"W": seen.params["W"]})):
        with pytest.raises(UsageError, match="no rows U, V, W over Z_n"):
            probe.observe(other)
