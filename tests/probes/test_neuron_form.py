"""Rank one, balance and stationarity of neurons whose form is known exactly."""

from math import log
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.activations import relu
from elegans.models.base import Model
from elegans.models.group_net import GroupNet
from elegans.models.mlp import MLP
from elegans.models.power_parity import PowerParityNet
from elegans.papers.feature_emergence.at_hand import group as named
from elegans.papers.feature_emergence.at_hand import reps, table
from elegans.papers.feature_emergence.starts import cyclic_start, representation_start
from elegans.probes.balance import Balance
from elegans.probes.base import View
from elegans.probes.rank_one import RankOne
from elegans.probes.stationarity import Stationarity
from elegans.tasks.base import Task
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.tasks.parity import SparseParity
from elegans.tasks.random_label import RandomLabel
from elegans.theory import power_nets, quadratic_nets, relu_nets
from elegans.theory.boolean import cube
from elegans.theory.groups import Group
from elegans.theory.margins import gamma_star_cyclic, group_norm, neuron_norms
from elegans.theory.neuron_optima import best_in, rank_one_score
from elegans.theory.parity_margins import gamma_star_parity, parity_network
from elegans.theory.quadratic_constructions import representation_network
from elegans.theory.regularised_optimum import regularised_optimum
from elegans.theory.representations import power

SEED = 7
S3 = GroupComposition(Symmetric(3))
Network = dict[str, np.ndarray]
Case = tuple[int, Task, Model, Network, Any]


class Named(Alphabet):
    """A group at hand, of any type."""

    label: str = static()

    def group(self) -> Group:
        return named(self.label)


def observed(probe: Any, task: Task, theta: Network, model: Model | None = None) -> dict[str, np.ndarray]:
    model = model or GroupNet(len(theta["U"]))
    params = {name: jnp.asarray(p, jnp.float32) for name, p in theta.items()}
    return {n: np.asarray(a) for n, a in jax.jit(lambda p: probe.observe(View.of(task, model, p)))(params).items()}


def with_norm(theta: Network, norm: float) -> Network:
    factor = norm / group_norm(theta)
    return {name: factor * p for name, p in theta.items()}


def random_network(d: int, m: int = 6, arrays: str = "UVW") -> Network:
    """Gaussian weights, and a last neuron without any."""
    rng = np.random.default_rng(SEED)
    return {name: np.append(rng.normal(size=(m, d)), np.zeros((1, d)), axis=0) for name in arrays}


def changed(theta: Network, **factors: float) -> Network:
    """The first neuron with some of its rows multiplied."""
    out = {name: p.copy() for name, p in theta.items()}
    for name, factor in factors.items():
        out[name][0] *= factor
    return out


# --- rank one ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "width"), [(3, 18), (4, 126)])
def test_neurons_of_the_construction_are_matched(k: int, width: int) -> None:
    found = observed(RankOne(), GroupComposition(Symmetric(k)), representation_start(Symmetric(k), width + 4))
    assert np.allclose(found["rank"][:width], 1, atol=1e-5) and not found["rank"][width:].any()
    assert np.allclose(found["match"][:width], 1, atol=1e-5) and not found["match"][width:].any()
    for name in ("mean", "least_rank", "least_match"):
        assert found[name] == pytest.approx(1, abs=1e-5)


def test_a_wrong_sign_and_a_wrong_order_are_seen() -> None:
    theta = representation_start(Symmetric(3), 18)
    share = (neuron_norms(theta) ** 3)[0]
    for name in "UVW":
        flipped = observed(RankOne(), S3, changed(theta, **{name: -1.0}))
        assert flipped["match"][0] == flipped["least_match"] == pytest.approx(-1, abs=1e-5)
        assert flipped["mean"] == pytest.approx(1 - 2 * share, abs=1e-5)
        assert flipped["least_rank"] == pytest.approx(1, abs=1e-5)
    exchanged = observed(RankOne(), S3, {"U": theta["U"], "V": theta["W"], "W": theta["V"]})
    i, j, _ = np.indices((2, 2, 2)).reshape(3, -1)
    still = np.append(np.tile(i == j, 2), [True, True])  # E_ij E_il E_jlᵀ, and the two neurons of the sign
    assert np.allclose(exchanged["match"], still, atol=1e-5)
    assert exchanged["least_match"] == pytest.approx(0, abs=1e-5) and exchanged["least_rank"] > 0.9999


@pytest.mark.parametrize("label", ["S3", "S4", "D5", "A4", "F21", "Q8", "Dic3", "Z5"])
def test_the_best_neuron_within_an_irrep_of_any_type_is_matched(label: str) -> None:
    group, rng = named(label), np.random.default_rng(SEED)
    tau = rng.random(len(group.classes))
    tau = tau + tau[group.inverse_class]
    tau[0] = 0
    tau /= sum(len(c) * t for c, t in zip(group.classes, tau, strict=True))
    best = [n for rep in reps(label)[1:] if (n := best_in(rep, tau, starts=4, seed=0)).value > 0]
    theta = {name: np.stack([n[i] for n in best]) for i, name in enumerate("UVW")}
    found = observed(RankOne(), GroupComposition(Named(label)), theta)
    assert np.allclose(found["rank"], 1, atol=1e-4)
    assert np.allclose(found["match"], 1, atol=1e-4)
    other = observed(RankOne(), GroupComposition(Named(label)), random_network(group.order))
    assert other["rank"].max() < 1 + 1e-5 and np.abs(other["match"]).max() < 1 + 1e-5
    assert other["mean"] < 0.95


def test_power_elsewhere_is_seen_wherever_it_is() -> None:
    """u alone names the irrep; what v and w have in another one, or as a constant, must not be lost."""
    theta = representation_start(Symmetric(3), 18)
    sign = next(r.matrices[:, 0, 0] for r in reps("S3")[1:] if r.dimension == 1)
    size = np.linalg.norm(theta["V"], axis=1, keepdims=True)
    for stray in (sign, np.ones(6)):
        mixed = {**theta, "V": 0.6 * theta["V"] + 0.8 * size * stray / 6**0.5}
        found = observed(RankOne(), S3, mixed)
        own = np.linalg.norm(theta["V"] @ np.outer(sign, sign) / 6, axis=1) < 1e-6  # neurons of the standard irrep
        assert own.sum() == 16
        assert np.allclose(found["share"][own, 1], 0.36, atol=1e-5) and np.allclose(
            found["share"][own, 0], 1, atol=1e-5
        )
        assert np.allclose(found["match"][own], 0.6, atol=1e-5)
        assert np.allclose(found["rank"], 1, atol=1e-5)
    nothing = observed(RankOne(), S3, {name: 0 * p for name, p in theta.items()})
    assert nothing["mean"] == nothing["least_match"] == nothing["least_share"] == nothing["least_rank"] == 0


def test_ranks_are_those_of_theory() -> None:
    theta = random_network(24)
    found, home = observed(RankOne(), GroupComposition(Symmetric(4)), theta), power(reps("S4"), theta["U"])[:, 1:]
    for i, r in enumerate(home[:-1].argmax(1)):
        expected = [rank_one_score(reps("S4")[1 + r], theta[name][i]) for name in "UVW"]
        assert np.allclose(found["rank"][i], expected, atol=1e-5)


def test_small_neurons_do_not_matter_for_the_least() -> None:
    theta = representation_start(Symmetric(3), 18)
    small = changed(theta, U=-0.05, V=0.05, W=0.05)
    assert observed(RankOne(alive=0.1), S3, small)["least_match"] == pytest.approx(1, abs=1e-5)
    assert observed(RankOne(alive=0.01), S3, small)["least_match"] == pytest.approx(-1, abs=1e-5)


# --- balance -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [cyclic_start(5, 20), representation_start(Symmetric(4), 126)], ids=["K1", "K4"])
def test_constructions_are_balanced_and_one_row_of_double_length_is_not(start: Network) -> None:
    task = GroupComposition(Cyclic(5) if start["U"].shape[1] == 5 else Symmetric(4))
    assert observed(Balance(), task, start)["worst"] == pytest.approx(0, abs=1e-6)
    for name, expected in {"U": (4 + 1 - 2) / 6, "V": (1 + 4 - 2) / 6, "W": (1 + 1 - 8) / 6}.items():
        found = observed(Balance(), task, changed(start, **{name: 2.0}))
        assert found["balance"][0] == pytest.approx(expected, rel=1e-5)
        assert found["worst"] == pytest.approx(abs(expected), rel=1e-5)
        assert np.allclose(found["balance"][1:], 0, atol=1e-6)


def test_balance_of_the_three_networks_is_that_of_theory() -> None:
    group, parity = random_network(6), random_network(5, arrays="U") | {"W": random_network(2, arrays="W")["W"]}
    cases: tuple[Case, ...] = (
        (3, S3, GroupNet(7), group, quadratic_nets.balancedness(group)),
        (2, S3, GroupNet(7, activation=relu), group, relu_nets.balancedness(group)),
        (5, SparseParity(5, 4), PowerParityNet(7, 4), parity, power_nets.balancedness(parity, 4)),
    )
    for nu, task, model, theta, B in cases:
        found, size = observed(Balance(nu=nu), task, theta, model), neuron_norms(theta) ** 2
        assert np.allclose(found["balance"][:-1], B[:-1] / size[:-1], rtol=1e-4, atol=1e-6)
        assert found["balance"][-1] == 0
        assert np.allclose(found["norm"], np.sqrt(size), rtol=1e-5)
        assert found["mean"] == pytest.approx(np.abs(B).sum() / size.sum(), rel=1e-4)


def test_the_parity_construction_is_balanced() -> None:
    theta, task, model = parity_network(7, (0, 1, 2, 3)), SparseParity(7, 4), PowerParityNet(8, 4)
    assert observed(Balance(nu=5), task, theta, model)["worst"] == pytest.approx(0, abs=1e-6)
    assert observed(Balance(nu=3), task, theta, model)["worst"] == pytest.approx((4 - 2) / 5, rel=1e-5)


# --- stationarity ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [3, 5, 11])
def test_the_minimiser_on_cyclic_groups_is_stationary(p: int) -> None:
    """K1 with margin M = log((p-1)(γ*/λ - 1)); with another M all violations are γ* q/λ - 1, q the mass on wrong answers."""
    gamma = gamma_star_cyclic(p)
    strength = 0.2 * gamma
    for factor in (1.0, 0.5, 1.5):
        margin = factor * log((p - 1) * (gamma / strength - 1))
        theta = cyclic_start(p, 4 * p, norm=(margin / gamma) ** (1 / 3))
        found = observed(Stationarity(strength=strength), GroupComposition(Cyclic(p)), theta)
        odds = (p - 1) * np.exp(-margin)
        expected = gamma * odds / (1 + odds) / strength - 1
        assert found["total"] == pytest.approx(expected, abs=2e-5)
        assert np.allclose(found["violation"][: 4 * (p - 1)], abs(expected), atol=5e-5)
        assert found["mean"] == pytest.approx(abs(expected), abs=5e-5)
        assert (found["violation"][4 * (p - 1) :] == 0).all()


@pytest.mark.parametrize("label", ["S3", "S4"])
def test_the_minimiser_on_symmetric_groups_is_stationary(label: str) -> None:
    strength = 1e-4
    best = regularised_optimum(table(label), strength)
    theta = with_norm(representation_network(reps(label), best.shares), best.norm_cubed ** (1 / 3))
    task = GroupComposition(Named(label))
    assert observed(Stationarity(strength=strength), task, theta)["worst"] < 2e-3
    assert observed(Stationarity(strength=2 * strength), task, theta)["total"] == pytest.approx(-0.5, abs=1e-3)
    flipped = observed(Stationarity(strength=strength), task, changed(theta, W=-1.0))
    assert flipped["violation"][0] > 1.5


def test_the_minimiser_on_parity_is_stationary() -> None:
    k, strength = 4, 0.01
    gamma, task = gamma_star_parity(k), SparseParity(6, k)
    margin = log(gamma / strength - 1)
    theta = {name: (margin / gamma) ** (1 / (k + 1)) * p for name, p in parity_network(6, task.canonical).items()}
    found = observed(Stationarity(strength=strength, nu=k + 1), task, theta, PowerParityNet(8, k))
    assert found["worst"] < 1e-3


def test_violations_of_the_three_networks_are_those_of_theory() -> None:
    group, parity, lam = random_network(6), random_network(5, arrays="U"), 0.1
    parity["W"] = random_network(2, arrays="W")["W"]
    x = cube(5).astype(np.float64)
    cases: tuple[Case, ...] = (
        (3, S3, GroupNet(7), group, quadratic_nets.loss_gradient(S3.group.group(), group)),
        (2, S3, GroupNet(7, activation=relu), group, relu_nets.loss_gradient(S3.group.group(), group)),
        (5, SparseParity(5, 4), PowerParityNet(7, 4), parity, power_nets.loss_gradient(parity, x, x[:, :4].prod(1), 4)),
    )
    for nu, task, model, theta, gradient in cases:
        found = observed(Stationarity(strength=lam, nu=nu), task, theta, model)
        gain, decay = -np.sum(theta["W"] * gradient["W"], axis=1), lam * neuron_norms(theta) ** nu
        assert np.allclose(found["violation"][:-1], np.abs(gain[:-1] / decay[:-1] - 1), rtol=1e-3, atol=1e-4)
        assert found["violation"][-1] == 0
        assert found["mean"] == pytest.approx(np.abs(gain - decay).sum() / decay.sum(), rel=1e-3)
        assert found["total"] == pytest.approx(gain.sum() / decay.sum() - 1, rel=1e-3, abs=1e-4)


def test_the_mean_violation_is_the_sum_of_euler_violations() -> None:
    theta = random_network(6)
    expected = quadratic_nets.euler_violation(S3.group.group(), theta, 0.1).sum()
    assert observed(Stationarity(strength=0.1), S3, theta)["mean"] == pytest.approx(expected, rel=1e-3)


# --- refusals ----------------------------------------------------------------------------------------------------------


def test_what_does_not_fit_is_refused() -> None:
    mlp, parity = MLP(4), SparseParity(5, 2)
    params = mlp.init(jax.random.key(0), parity.signature)
    for probe in (Balance(), Stationarity()):
        with pytest.raises(UsageError, match="every neuron must own row i"):
            probe.observe(View.of(parity, mlp, params))
    with pytest.raises(UsageError, match="no rows U, V, W over a group"):
        RankOne().observe(View.of(parity, mlp, params))
    with pytest.raises(UsageError, match="strength is 0"):
        Stationarity(strength=0)
    endless = View.of(RandomLabel(5), GroupNet(7), {n: jnp.ones((7, 6)) for n in "UVW"})
    with pytest.raises(UsageError, match="no list of examples"):
        Stationarity().observe(endless)
