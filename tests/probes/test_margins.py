"""Margins and representations of networks whose margin and representations are known exactly."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.lab.words import given
from elegans.models.group_net import GroupNet
from elegans.papers.feature_emergence.starts import cyclic_start, representation_start
from elegans.probes.base import View
from elegans.probes.margins import Margin
from elegans.probes.representations import RepresentationPower, powers
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.theory.margins import gamma_star_cyclic, gamma_star_real_type, group_norm, normalised_margin
from elegans.theory.quadratic_nets import cross_entropy, logits
from elegans.theory.representations import fourier_power, irreps, power

SEED = 5
ALPHABETS = [Cyclic(5), Cyclic(8), Symmetric(3), Symmetric(4)]
ALPHABET = pytest.mark.parametrize("alphabet", ALPHABETS, ids=str)
Network = dict[str, np.ndarray]


def view(alphabet: Alphabet, theta: Network) -> View:
    params = {name: jnp.asarray(p, jnp.float32) for name, p in theta.items()}
    key, zero = stream.key(0, stream.Purpose.EVAL), jnp.zeros((), jnp.float32)
    model = GroupNet(len(theta["U"]))
    step = jnp.zeros((), jnp.int32)
    return View(GroupComposition(alphabet), model, params, (), key, key, step, zero, None, lambda: params)


def observed(probe: Any, alphabet: Alphabet, theta: Network) -> dict[str, np.ndarray]:
    return {name: np.asarray(a) for name, a in jax.jit(lambda: probe.observe(view(alphabet, theta)))().items()}


def random_network(alphabet: Alphabet, m: int = 6) -> Network:
    rng = np.random.default_rng(SEED)
    return {name: rng.normal(size=(m, alphabet.group().order)) for name in "UVW"}


@ALPHABET
def test_a_random_network_is_measured_as_in_theory(alphabet: Alphabet) -> None:
    group, theta = alphabet.group(), random_network(alphabet)
    found, F = observed(Margin(), alphabet, theta), logits(theta)
    assert found["norm"] == pytest.approx(group_norm(theta) ** 3, rel=1e-5)
    assert found["normalised"] == pytest.approx(normalised_margin(theta, F, group.table), rel=1e-4)
    assert found["loss"] == pytest.approx(cross_entropy(group, theta), rel=1e-4)
    assert found["accuracy"] == pytest.approx((F.argmax(-1) == group.table).mean(), abs=1e-6)
    assert found["spread"] == np.inf


@pytest.mark.parametrize("norm", [1.0, 22.9])
@pytest.mark.parametrize("p", [3, 7, 23])
def test_the_cyclic_construction_has_the_largest_margin(p: int, norm: float) -> None:
    found = observed(Margin(), Cyclic(p), cyclic_start(p, width=4 * p, norm=norm))
    assert found["normalised"] == pytest.approx(gamma_star_cyclic(p), rel=1e-4)
    assert found["spread"] == pytest.approx(1, abs=2e-4)
    assert found["norm"] == pytest.approx(norm**3, rel=1e-5)
    assert found["accuracy"] == 1


@pytest.mark.parametrize(("alphabet", "dims"), [(Symmetric(3), [1, 2, 1]), (Symmetric(4), [1, 3, 2, 3, 1])], ids=str)
def test_the_construction_from_representations_has_the_largest_margin(alphabet: Alphabet, dims: list[int]) -> None:
    theta = representation_start(alphabet, width=130, norm=2.0)
    found = observed(Margin(), alphabet, theta)
    assert found["normalised"] == pytest.approx(gamma_star_real_type(dims, alphabet.group().order), rel=1e-4)
    assert found["spread"] == pytest.approx(1, abs=2e-4)
    seen = observed(RepresentationPower(), alphabet, theta)
    d = np.array(dims[1:])
    assert np.allclose(seen["mass"], 8 * d**2.5 / (d**2.5).sum(), rtol=1e-4)
    assert np.array_equal((seen["share"] > 0.9999).sum(0), 2 * d**3)


def test_the_loss_of_the_cyclic_construction_in_closed_form() -> None:
    """Logits 2(p-1) on the right class and -2 on the others, so the loss is log(1 + (p-1) e^{-2p})."""
    p, raw = 3, (8 * 4.5**1.5) ** (1 / 3)
    found = observed(Margin(), Cyclic(p), cyclic_start(p, width=8, norm=raw))
    assert found["normalised"] * found["norm"] == pytest.approx(2 * p, rel=1e-5)
    assert found["loss"] == pytest.approx(np.log1p((p - 1) * np.exp(-2 * p)), rel=1e-3)


def test_margins_change_sign_with_the_network() -> None:
    theta = cyclic_start(5, width=16)
    found = observed(Margin(), Cyclic(5), {name: -p for name, p in theta.items()})
    assert found["normalised"] == pytest.approx(-gamma_star_cyclic(5), rel=1e-4)
    assert (found["accuracy"], found["spread"]) == (0, np.inf)


@pytest.mark.parametrize("scale", [0.25, 8.0])
def test_the_normalised_margin_has_no_scale(scale: float) -> None:
    theta = random_network(Symmetric(3))
    small, large = (observed(Margin(), Symmetric(3), {n: s * p for n, p in theta.items()}) for s in (1.0, scale))
    assert large["normalised"] == pytest.approx(small["normalised"], rel=1e-6)
    assert large["norm"] == pytest.approx(scale**3 * small["norm"], rel=1e-6)


@pytest.mark.parametrize("alphabet", [Cyclic(5), Symmetric(3)], ids=str)
def test_symmetries_of_the_task_change_nothing(alphabet: Alphabet) -> None:
    group, theta = alphabet.group(), random_network(alphabet)
    table, (g1, g2, g3) = group.table, (1, 3, 4)
    to_a, to_b, to_c = table[table[g1], g2], table[table[group.inverse[g2]], g3], table[table[g1], g3]
    moved = {"U": theta["U"][:, to_a], "V": theta["V"][:, to_b], "W": theta["W"][:, to_c]}
    for probe in (Margin(), RepresentationPower()):
        before, after = observed(probe, alphabet, theta), observed(probe, alphabet, moved)
        for name, value in before.items():
            assert np.allclose(after[name], value, rtol=1e-4, atol=1e-6), name


@ALPHABET
def test_powers_sum_to_the_squared_norm(alphabet: Alphabet) -> None:
    group, u = alphabet.group(), random_network(alphabet)["U"]
    found = np.asarray(powers(group, jnp.asarray(u, jnp.float32)))
    assert np.allclose(found.sum(1), (u**2).sum(1), rtol=1e-5)
    assert np.allclose(found, power(irreps(group), u), rtol=1e-4, atol=1e-5)


def test_on_cyclic_groups_shares_are_of_frequencies() -> None:
    theta = random_network(Cyclic(8))
    theta["U"][0] = 5 + np.cos(2 * np.pi * 3 * np.arange(8) / 8 + 0.4)
    found = observed(RepresentationPower(), Cyclic(8), theta)
    fourier = fourier_power(theta["U"])[:, 1:]
    assert np.allclose(found["share"], fourier / fourier.sum(1, keepdims=True), atol=1e-5)
    assert np.allclose(found["share"][0], [0, 0, 1, 0], atol=1e-5)
    cubes = sum((p**2).sum(1) for p in theta.values()) ** 1.5
    expected = [cubes[found["share"].argmax(1) == k].sum() for k in range(4)]
    assert np.allclose(found["mass"], expected, rtol=1e-5)


def test_the_cyclic_construction_has_equal_mass_at_all_frequencies() -> None:
    found = observed(RepresentationPower(), Cyclic(11), cyclic_start(11, width=50))
    assert np.allclose(found["mass"], 1 / 5, rtol=1e-4)
    assert (found["share"][40:] == 0).all()


def test_constructions_are_starts() -> None:
    start = given(representation_start, group=Symmetric(3), width=30, norm=2.0)
    theta = start.function(**dict(start.arguments))
    assert {p.shape for p in theta.values()} == {(30, 6)}
    assert group_norm(theta) == pytest.approx(2, rel=1e-12)
    for width, norm in [(15, 1.0), (16, 0.0)]:
        with pytest.raises(UsageError, match="at least 16"):
            cyclic_start(5, width=width, norm=norm)


def test_other_runs_are_refused() -> None:
    seen = view(Cyclic(5), random_network(Cyclic(5)))
    with pytest.raises(UsageError, match="no rows U"):
        RepresentationPower().observe(replace(seen, params={"W": seen.params["W"]}))
