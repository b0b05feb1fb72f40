"""Margins on signs and features of theorem 7.8, on networks for which both are known exactly."""

from dataclasses import replace
from itertools import pairwise
from math import sqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base.errors import UsageError
from elegans.models.mlp import MLP
from elegans.models.power_parity import PowerParityNet
from elegans.probes.base import View
from elegans.probes.margins import Margin
from elegans.probes.parity_features import ParityFeatures
from elegans.tasks.composition import Cyclic, GroupComposition
from elegans.tasks.parity import SparseParity
from elegans.theory.margins import group_norm
from elegans.theory.parity_margins import (
    class_masses,
    class_of,
    expected_margin,
    gamma_star_parity,
    parity_network,
)
from elegans.theory.power_nets import cross_entropy, signed_margins

Network = dict[str, np.ndarray]
CELLS = pytest.mark.parametrize(("n", "support"), [(3, (1,)), (4, (0, 3)), (5, (0, 1, 2)), (7, (5, 1, 2, 6))], ids=str)


def view(n: int, support: tuple[int, ...], theta: Network, **task: Any) -> View:
    params = {name: jnp.asarray(p, jnp.float32) for name, p in theta.items()}
    parity = SparseParity(n, len(support), **(task or {"support": support}))
    return View.of(parity, PowerParityNet(len(theta["U"]), k=len(support)), params, seed=2)


def observed(probe: Any, v: View) -> dict[str, np.ndarray]:
    program = jax.jit(lambda params: probe.observe(replace(v, params=params)))
    return {name: np.asarray(a) for name, a in program(v.params).items()}


def features(n: int, support: tuple[int, ...], theta: Network) -> dict[str, np.ndarray]:
    return observed(ParityFeatures(), view(n, support, theta))


def margin(n: int, support: tuple[int, ...], theta: Network) -> dict[str, np.ndarray]:
    return observed(Margin(nu=len(support) + 1), view(n, support, theta))


def random_network(n: int, m: int = 9) -> Network:
    rng = np.random.default_rng(5)
    return {"U": rng.normal(size=(m, n)), "W": rng.normal(size=(m, 2))}


def points(n: int, support: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    batch = SparseParity(n, len(support), support=support).enumerate()
    return np.asarray(batch.x, np.float64), np.asarray(batch.y, np.float64)


# --- margins -----------------------------------------------------------------------------------------------------------


@CELLS
def test_a_random_network_is_measured_as_in_theory(n: int, support: tuple[int, ...]) -> None:
    theta, k, (x, y) = random_network(n), len(support), points(n, support)
    found, g = margin(n, support, theta), signed_margins(theta, x, y, k)
    assert found["norm"] == pytest.approx(group_norm(theta, k + 1) ** (k + 1), rel=1e-5)
    assert found["normalised"] == pytest.approx(g.min() / group_norm(theta, k + 1) ** (k + 1), rel=1e-4)
    assert found["loss"] == pytest.approx(cross_entropy(theta, x, y, k), rel=1e-4)
    assert found["accuracy"] == pytest.approx((g > 0).mean())
    assert found["spread"] == np.inf


@pytest.mark.parametrize("scale", [0.5, 3.0])
@CELLS
def test_the_construction_has_the_largest_margin(n: int, support: tuple[int, ...], scale: float) -> None:
    k, theta = len(support), {name: scale * p for name, p in parity_network(n, support).items()}
    found, gamma = margin(n, support, theta), gamma_star_parity(k)
    assert found["normalised"] == pytest.approx(gamma, rel=1e-5)
    assert found["norm"] == pytest.approx(scale ** (k + 1), rel=1e-5)
    assert found["loss"] == pytest.approx(np.log1p(np.exp(-gamma * scale ** (k + 1))), rel=1e-4)
    assert found["spread"] == pytest.approx(1, abs=1e-4)
    assert found["accuracy"] == 1


def test_margins_change_sign_with_the_second_layer() -> None:
    theta = parity_network(5, (0, 1, 2))
    found = margin(5, (0, 1, 2), {**theta, "W": -theta["W"]})
    assert found["normalised"] == pytest.approx(-gamma_star_parity(3), rel=1e-5)
    assert (found["accuracy"], found["spread"]) == (0, np.inf)


def test_two_logits_make_the_margin_of_classes() -> None:
    """f[y] - f[y'] with f_0 the logit of y = +1."""
    n, support, theta = 5, (0, 4), random_network(5)
    x, y = points(n, support)
    f = (x @ theta["U"].T) ** 2 @ theta["W"]
    right, wrong = np.where(y > 0, f.T, f.T[::-1])
    found = margin(n, support, theta)
    assert found["normalised"] * found["norm"] == pytest.approx((right - wrong).min(), rel=1e-4)
    assert found["loss"] == pytest.approx((np.logaddexp(right, wrong) - right).mean(), rel=1e-4)


def test_margins_of_other_networks_on_signs_are_refused() -> None:
    task, model = SparseParity(5, 2), MLP(5)
    with pytest.raises(UsageError, match="no rows U"):
        Margin().observe(View.of(task, model, {"W": jnp.zeros((5, 5), jnp.float32)}))


# --- features ----------------------------------------------------------------------------------------------------------


@CELLS
def test_the_construction_has_every_feature(n: int, support: tuple[int, ...]) -> None:
    k = len(support)
    found = features(n, support, parity_network(n, support))
    assert np.allclose(found["norm"], 2.0 ** (-(k - 1) / (k + 1)), rtol=1e-5)
    for name in ("support", "opposite", "gain", "ratio"):
        assert np.allclose(found[name], 1, atol=1e-5), name
    assert np.allclose(found["spread"], 0, atol=1e-5)
    assert np.allclose(found["mass"], 2.0 ** (1 - k), rtol=1e-5)


@CELLS
def test_random_neurons_are_measured_as_in_theory(n: int, support: tuple[int, ...]) -> None:
    theta, k, inside = random_network(n), len(support), list(support)
    U, W, found = theta["U"], theta["W"], features(n, support, random_network(n))
    size, norm = np.abs(U[:, inside]), np.sqrt((U**2).sum(1) + (W**2).sum(1))
    gain = [expected_margin(u / r, w / r, support) for u, w, r in zip(U, W, norm, strict=True)]
    assert np.allclose(found["gain"], np.array(gain) / gamma_star_parity(k), rtol=1e-4, atol=1e-6)
    assert np.allclose(found["norm"], norm, rtol=1e-5)
    assert np.allclose(found["support"], (size**2).sum(1) / (U**2).sum(1), rtol=1e-5)
    assert np.allclose(found["spread"], size.std(1) / size.mean(1), rtol=1e-4, atol=1e-6)
    assert np.allclose(found["opposite"], (W[:, 0] - W[:, 1]) ** 2 / 2 / (W**2).sum(1), rtol=1e-4, atol=1e-6)
    ordered = np.abs(U[:, sorted(inside)]) / np.sqrt((W**2).sum(1))[:, None]
    assert np.allclose(found["ratio"], ordered, rtol=1e-4)
    assert np.allclose(found["mass"], class_masses(theta, sorted(inside)), rtol=1e-4)


@CELLS
def test_mean_gain_is_the_mean_margin(n: int, support: tuple[int, ...]) -> None:
    """Weighted by mass; so the normalised margin over γ* cannot exceed it."""
    theta, k = random_network(n), len(support)
    found, (x, y) = features(n, support, theta), points(n, support)
    mass = found["norm"] ** (k + 1)
    mean = signed_margins(theta, x, y, k).mean() / gamma_star_parity(k)
    assert (mass * found["gain"]).sum() == pytest.approx(mean, rel=1e-3)


def test_one_wrong_sign_is_seen_in_its_neuron_alone() -> None:
    n, support = 6, (0, 1, 2, 3)
    good = parity_network(n, support)
    for name, column in (("U", 2), ("W", slice(None))):
        bad = {**good, name: good[name].copy()}
        bad[name][5, column] *= -1
        found = features(n, support, bad)
        assert np.allclose(found["gain"], np.where(np.arange(8) == 5, -1, 1), atol=1e-5)
        for feature in ("support", "opposite", "ratio"):
            assert np.allclose(found[feature], 1, atol=1e-5), "the sizes are as before"


def test_the_sign_of_the_whole_neuron_belongs_to_it() -> None:
    """σ and -σ are one class; for odd k the second layer changes its sign with the first."""
    for k in (3, 4):
        support = tuple(range(k))
        theta = parity_network(5, support)
        turned = {"U": -theta["U"], "W": (-1) ** k * theta["W"]}
        for name, value in features(5, support, theta).items():
            assert np.allclose(features(5, support, turned)[name], value, atol=1e-6), name


def test_logits_that_agree_are_no_feature() -> None:
    """w = (1, 1)/√2 has no part in b, w = (1, 0) half of its square."""
    theta = parity_network(4, (0, 1))
    found = features(4, (0, 1), {**theta, "W": np.array([[1.0, 1.0], [1.0, 0.0]])})
    assert np.allclose(found["opposite"], [0, 0.5], atol=1e-6)
    assert found["gain"][0] == pytest.approx(0, abs=1e-6)


def test_weights_beside_the_support_are_seen() -> None:
    theta = parity_network(6, (1, 4))
    theta["U"][:, 2] = theta["U"][:, 1]
    found = features(6, (1, 4), theta)
    assert np.allclose(found["support"], 2 / 3, atol=1e-6)
    assert np.allclose(found["gain"], (3 / 4) ** 1.5, atol=1e-5)
    assert np.allclose(found["spread"], 0, atol=1e-6)
    moved = features(6, (2, 4), theta)
    assert np.allclose(moved["support"], 2 / 3, atol=1e-6)
    assert np.allclose(features(6, (0, 3), theta)["support"], 0)


def test_unequal_sizes_are_seen() -> None:
    """Sizes 1 and 3 of ‖w‖: mean 2, deviation 1."""
    theta = {"U": np.array([[1.0, -3.0, 0.0]]), "W": np.array([[-1.0, 1.0]]) / sqrt(2)}
    found = features(3, (0, 1), theta)
    assert found["spread"] == pytest.approx(0.5)
    assert np.allclose(found["ratio"], [[1, 3]], atol=1e-6)
    assert found["gain"] == pytest.approx(3 * 3**1.5 / 11**1.5, rel=1e-5)


def test_masses_are_shares_of_the_classes() -> None:
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    theta = parity_network(5, (0, 2, 3), shares)
    order = np.random.default_rng(1).permutation(4)
    split = {name: np.concatenate([p[order], -p[order]]) * 0.5**0.25 for name, p in theta.items()}
    assert np.allclose(features(5, (0, 2, 3), theta)["mass"], shares, rtol=1e-5)
    assert np.allclose(features(5, (0, 2, 3), {"U": split["U"], "W": -split["W"]})["mass"], shares, rtol=1e-5)
    numbers = class_of(theta, (0, 2, 3))
    assert all(a < b for a, b in pairwise(numbers)), "one neuron a class, in the order of sign_classes"


def test_dead_neurons_have_no_features() -> None:
    theta = {name: np.pad(p, ((0, 3), (0, 0))) for name, p in parity_network(4, (0, 1)).items()}
    found = features(4, (0, 1), theta)
    for name, value in found.items():
        assert np.isfinite(value).all(), name
        assert name == "mass" or np.allclose(value[2:], 0), name
    assert np.allclose(found["mass"], 0.5, rtol=1e-5)


def test_a_hidden_support_is_found() -> None:
    n, k = 7, 3
    v = view(n, (0, 1, 2), parity_network(n, (0, 1, 2)), hidden=True)
    assert isinstance(v.task, SparseParity)
    support = tuple(int(i) for i in v.task.support_of(v.secret))
    assert support != (0, 1, 2)
    seen = replace(v, params={name: jnp.asarray(p, jnp.float32) for name, p in parity_network(n, support).items()})
    assert np.allclose(observed(ParityFeatures(), seen)["gain"], 1, atol=1e-5)
    assert observed(Margin(nu=k + 1), seen)["normalised"] == pytest.approx(gamma_star_parity(k), rel=1e-5)
    assert not np.allclose(observed(ParityFeatures(), v)["gain"], 1, atol=1e-2)


def test_other_runs_are_refused() -> None:
    seen = view(4, (0, 1), parity_network(4, (0, 1)))
    for other in (
        replace(seen, model=PowerParityNet(2, k=3)),
        replace(seen, model=MLP(2)),
        replace(seen, task=GroupComposition(Cyclic(3))),
    ):
        with pytest.raises(UsageError, match=r"theorem 7\.8"):
            ParityFeatures().observe(other)
