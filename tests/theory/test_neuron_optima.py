"""The best neuron for given weights, the orbit that spreads it over all inputs, and certificates."""

from math import sqrt
from typing import Any

import numpy as np
import pytest

from elegans.theory.certificates import Certificate
from elegans.theory.character_tables import character_table
from elegans.theory.groups import Group, cyclic, symmetric
from elegans.theory.margin_optima import exact_margin
from elegans.theory.margins import best_neurons, group_norm, normalised_margin, tau_uniform
from elegans.theory.named_groups import alternating, dihedral, quaternion
from elegans.theory.neuron_margins import expected_margin
from elegans.theory.neuron_optima import ascend, best_in, best_of, orbit, rank_one_neuron, rank_one_score
from elegans.theory.quadratic_constructions import memorising_network, representation_network
from elegans.theory.quadratic_nets import Network, logits
from elegans.theory.representations import irreps

GROUPS = [cyclic(5), symmetric(3), dihedral(4), quaternion(), alternating(4)]
GROUP = pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)


def random_tau(group: Group, seed: int) -> np.ndarray:
    tau = np.random.default_rng(seed).uniform(0.1, 1, len(group.classes))
    tau = tau + tau[group.inverse_class]
    tau[0] = 0
    return tau / sum(len(c) * t for c, t in zip(group.classes, tau, strict=True))


@GROUP
def test_ascent_reports_the_margin_of_a_unit_neuron(group: Group) -> None:
    tau, rng = random_tau(group, 1), np.random.default_rng(2)
    neuron = ascend(group, tau, *rng.normal(size=(2, group.order)), turns=7)
    assert sum(part @ part for part in neuron[:3]) == pytest.approx(1)
    assert expected_margin(group, *neuron[:3], tau) == pytest.approx(neuron.value, rel=1e-11)


@GROUP
@pytest.mark.parametrize("seed", [3, 4])
def test_lemma_d13_is_the_best_of_many_starts(group: Group, seed: int) -> None:
    reps, tau = irreps(group), random_tau(group, seed)
    values = best_neurons(character_table(reps), tau)
    assert best_of(group, tau, 30, seed).value == pytest.approx(values.max(), rel=1e-9)
    for rep, value in zip(reps[1:], values[1:], strict=True):
        if value > 0:
            assert best_in(rep, tau, 5, seed).value == pytest.approx(value, rel=1e-9)


def test_matched_rank_one_is_optimal_and_unmatched_is_not() -> None:
    group, rng = symmetric(4), np.random.default_rng(5)
    rep, tau = irreps(group)[1], random_tau(group, 6)
    best = best_neurons(character_table(irreps(group)), tau)[1]
    u, v, w = rank_one_neuron(rep, *rng.normal(size=(3, 3)))
    assert u @ u + v @ v + w @ w == pytest.approx(1)
    assert expected_margin(group, u, v, w, tau) == pytest.approx(best, rel=1e-11)
    assert rank_one_score(rep, u) == pytest.approx(1)
    assert expected_margin(group, u, w, v, tau) < 0.99 * best
    assert rank_one_score(rep, rng.normal(size=24)) < 0.99


@GROUP
def test_orbits_of_best_neurons_attain_the_exact_margin(group: Group) -> None:
    reps = irreps(group)
    optimum = exact_margin(character_table(reps))
    parts = [
        orbit(group, np.stack(best_in(rep, optimum.tau, 4, 0)[:3]), float(share))
        for rep, share in zip(reps, optimum.shares, strict=True)
        if share > 0
    ]
    theta = {name: np.concatenate([part[name] for part in parts]) for name in "UVW"}
    assert group_norm(theta) == pytest.approx(1)
    assert normalised_margin(theta, logits(theta), group.table) == pytest.approx(optimum.gamma, rel=1e-10)


def certificate(group: Group, theta: Network) -> Certificate:
    n = group.order
    tau = exact_margin(character_table(irreps(group)))
    wrong = tau.tau[group.class_of][group.table[group.inverse[group.table.ravel()]]]
    return Certificate(
        logits(theta).reshape(n * n, n),
        group.table.ravel(),
        np.full(n * n, 1 / n**2),
        wrong,
        group_norm(theta) ** 3,
        tau.gamma,
    )


def test_certificates_tell_maximisers_from_others() -> None:
    group = symmetric(4)
    best = certificate(group, representation_network(irreps(group)))
    assert best.disagreement() < 1e-10
    assert abs(best.gap()) < 1e-10
    other = certificate(group, memorising_network(group.table))
    four = other.values()
    assert other.disagreement() > 0.5
    assert (np.diff(four) >= -1e-15).all()
    bare = {name: part[:-2] for name, part in representation_network(irreps(group)).items()}
    assert certificate(group, bare).disagreement() > 1e-3


def test_wrong_certificates_are_refused() -> None:
    F, y, q = np.eye(2), np.array([0, 1]), np.array([0.5, 0.5])
    tau = 1 - np.eye(2)
    assert Certificate(F, y, q, tau, 1.0, 1.0).disagreement() == 0
    good: dict[str, Any] = {"logits": F, "labels": y, "q": q, "tau": tau, "size": 1.0, "best_neuron": 1.0}
    changes: list[dict[str, Any]] = [
        {"q": np.array([0.5, 0.6])}, {"q": np.ones(3) / 3}, {"tau": np.eye(2)}, {"tau": tau / 2}, {"size": 0.0},
    ]  # fmt: skip
    for broken in changes:
        with pytest.raises(ValueError, match=r"must|dataset|norm"):
            Certificate(**{**good, **broken})
    with pytest.raises(ValueError, match="real type"):
        rank_one_neuron(irreps(quaternion())[-1], *np.ones((3, 2)))


def test_uniform_weights_favour_the_sign() -> None:
    group = symmetric(4)
    neuron = best_of(group, tau_uniform(character_table(irreps(group))), 20, 0)
    sign = irreps(group)[-1].character
    assert abs(abs(neuron.u @ sign) / sqrt(24) - 1 / sqrt(3)) < 1e-9
