"""Quadratic networks: gradients, identities of training, and the margins of the constructions."""

from math import cos, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory.character_tables import character_table
from elegans.theory.groups import Group, cyclic, symmetric
from elegans.theory.margin_optima import exact_margin
from elegans.theory.margins import gamma_star_cyclic, group_norm, neuron_norms, normalised_margin, point_margins
from elegans.theory.quadratic_constructions import (
    balanced_memorising_network,
    cyclic_network,
    memorising_network,
    narrow_cyclic_network,
    representation_network,
    single_frequency_network,
)
from elegans.theory.quadratic_nets import (
    Network,
    balancedness,
    cross_entropy,
    euler_violation,
    logits,
    loss_gradient,
    penalty_gradient,
    regularised_gradient,
    regularised_loss,
)
from elegans.theory.regularised_optimum import regularised_optimum
from elegans.theory.representations import irreps

ODD = [3, 5, 7, 9, 11, 15]


def random_network(seed: int, d: int, width: int = 4) -> Network:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=(width, d)) for name in "UVW"}


def scaled(theta: Network, factor: float) -> Network:
    return {name: factor * part for name, part in theta.items()}


def margin(theta: Network, group: Group) -> float:
    return normalised_margin(theta, logits(theta), group.table)


def test_logits_are_the_defining_sum() -> None:
    theta = random_network(1, 5)
    S = theta["U"][:, :, None] + theta["V"][:, None, :]
    assert np.allclose(logits(theta), np.einsum("iab,ic->abc", S**2, theta["W"]), rtol=1e-13)
    assert np.allclose(logits(scaled(theta, 1.7)), 1.7**3 * logits(theta), rtol=1e-12)


def test_cross_entropy_by_hand() -> None:
    """One neuron on Z_2 with F_0 = 4 at (0, 0), where 0 is right, and (1, 1); F = 0 elsewhere."""
    theta = {"U": np.array([[1.0, -1.0]]), "V": np.array([[1.0, -1.0]]), "W": np.array([[1.0, 0.0]])}
    assert cross_entropy(cyclic(2), theta) == pytest.approx((log(1 + np.exp(-4)) + log(2)) / 2, rel=1e-14)
    assert np.isfinite(cross_entropy(cyclic(2), scaled(theta, 100.0)))


@pytest.mark.parametrize("r", [3, 2, 1])
@pytest.mark.parametrize("group", [cyclic(4), symmetric(3)], ids=lambda g: g.name)
def test_gradient_is_the_central_difference(group: Group, r: float) -> None:
    theta, step, lam = random_network(2, group.order), 1e-5, 0.3
    gradient = regularised_gradient(group, theta, lam, r)
    for name, part in theta.items():
        numeric = np.zeros_like(part)
        for index in np.ndindex(*part.shape):
            nudge = np.zeros_like(part)
            nudge[index] = step
            up, down = ({**theta, name: part + sign * nudge} for sign in (1, -1))
            difference = regularised_loss(group, up, lam, r) - regularised_loss(group, down, lam, r)
            numeric[index] = difference / (2 * step)
        assert np.abs(numeric - gradient[name]).max() < 1e-7 * np.abs(gradient[name]).max()


def test_penalty_has_no_slope_at_zero() -> None:
    zero = scaled(random_network(3, 3), 0.0)
    assert all((part == 0).all() for part in penalty_gradient(zero, 0.1, 2).values())


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_balancedness_decays_and_output_sums_shrink(seed: int, lam: float) -> None:
    """Along -∇L_λ: dB/dt = -6λ‖ω‖ B and d(Σ_c w_c)/dt = -3λ‖ω‖ Σ_c w_c."""
    group, theta = symmetric(3), random_network(seed, 6)
    flow = scaled(regularised_gradient(group, theta, lam), -1.0)
    dB = sum(k * 2 * np.sum(theta[name] * flow[name], axis=1) for name, k in zip("UVW", (1, 1, -2), strict=True))
    assert np.allclose(dB, -6 * lam * neuron_norms(theta) * balancedness(theta), atol=1e-10)
    assert np.allclose(flow["W"].sum(1), -3 * lam * neuron_norms(theta) * theta["W"].sum(1), atol=1e-10)


def test_euler_identity_by_its_definition() -> None:
    group, theta, lam = symmetric(3), random_network(5, 6), 0.01
    F = logits(theta)
    P = np.exp(F) / np.exp(F).sum(-1, keepdims=True)
    right = np.eye(6)[group.table]
    for i, violation in enumerate(euler_violation(group, theta, lam)):
        phi = logits({name: part[i : i + 1] for name, part in theta.items()})
        gain = np.mean(np.sum((right - P) * phi, axis=-1))
        gap = abs(gain - lam * neuron_norms(theta)[i] ** 3)
        assert violation == pytest.approx(gap / (lam * group_norm(theta) ** 3), rel=1e-10)


@pytest.mark.parametrize("p", ODD)
def test_k1_and_k2_attain_the_maximum_margin(p: int) -> None:
    wide, narrow = cyclic_network(p), narrow_cyclic_network(p)
    assert (len(wide["U"]), len(narrow["U"])) == (4 * (p - 1), 3 * (p - 1))
    assert margin(wide, cyclic(p)) == pytest.approx(gamma_star_cyclic(p), rel=1e-12)
    assert margin(narrow, cyclic(p)) == pytest.approx(gamma_star_cyclic(p), rel=1e-12)
    F, right = logits(wide), np.eye(p)[cyclic(p).table]
    assert np.allclose(F, 2 * p * right - 2, atol=1e-10)
    assert group_norm(wide) ** 3 == pytest.approx(4 * (p - 1) * (1.5 * p) ** 1.5)


def test_neurons_of_k1_have_the_phases_of_the_paper() -> None:
    """The third neuron of each frequency has (θ_u, θ_v, θ_w) = (π/2, -π/2, 0); all have θ_u + θ_v = θ_w modulo 2π."""
    theta, angle = cyclic_network(7), 2 * pi * 2 * np.arange(7) / 7
    for name, phase in zip("UVW", (pi / 2, -pi / 2, 0), strict=True):
        assert np.allclose(theta[name][8 + 2], np.cos(phase + angle), atol=1e-14)
    for network in (theta, narrow_cyclic_network(7)):
        fu, fv, fw = (np.fft.fft(network[name])[:, 1:4].sum(axis=1) for name in "UVW")
        assert np.allclose(np.angle(fu * fv / fw), 0, atol=1e-12)


@pytest.mark.parametrize(("n", "width"), [(2, 2), (3, 18), (4, 126)])
def test_k4_attains_the_maximum_margin_against_every_wrong_answer(n: int, width: int) -> None:
    group = symmetric(n)
    reps = irreps(group)
    theta, gamma = representation_network(reps), exact_margin(character_table(reps)).gamma
    assert len(theta["U"]) == width
    assert group_norm(theta) == pytest.approx(1, rel=1e-13)
    F = logits(theta)
    assert normalised_margin(theta, F, group.table) == pytest.approx(gamma, rel=1e-12)
    right = np.eye(group.order)[group.table]
    assert np.allclose(F, gamma * (right - 1 / group.order), rtol=0, atol=1e-13 * gamma * group.order)


def test_k4_on_s5_has_the_maximum_margin_at_every_input() -> None:
    """Width 1190, the full 14400 inputs."""
    group = symmetric(5)
    reps = irreps(group)
    theta, gamma = representation_network(reps), exact_margin(character_table(reps)).gamma
    assert len(theta["U"]) == 1190
    assert np.allclose(point_margins(logits(theta), group.table), gamma, rtol=1e-11, atol=0)


@pytest.mark.parametrize(("p", "ratio"), [(3, 0.544), (5, 0.506), (11, 0.388)])
def test_k5_memorises_with_a_smaller_margin(p: int, ratio: float) -> None:
    group, gamma = cyclic(p), gamma_star_cyclic(p)
    for theta in (memorising_network(group.table), balanced_memorising_network(group.table)):
        assert np.allclose(logits(theta), np.eye(p)[group.table], atol=1e-13)
        assert margin(theta, group) < 0.6 * gamma
    balanced = margin(balanced_memorising_network(group.table), group)
    assert balanced == pytest.approx(2 / (3 * sqrt(3) * p**2), rel=1e-12)
    assert balanced / gamma == pytest.approx(ratio, abs=1e-3)


def test_k5_of_the_paper_is_unbalanced() -> None:
    assert margin(memorising_network(cyclic(3).table), cyclic(3)) / gamma_star_cyclic(3) == pytest.approx(
        0.2387, abs=1e-4
    )
    s3 = symmetric(3)
    gamma = exact_margin(character_table(irreps(s3))).gamma
    assert margin(balanced_memorising_network(s3.table), s3) / gamma == pytest.approx(0.453, abs=1e-3)


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_k5_memorises_any_table(n: int, seed: int) -> None:
    labels = np.random.default_rng(seed).integers(n, size=(n, n))
    assert np.allclose(logits(memorising_network(labels)), np.eye(n)[labels], atol=1e-13)


@pytest.mark.parametrize("p", [3, 5, 7, 11])
def test_k6_classifies_with_a_smaller_margin(p: int) -> None:
    for zeta in range(1, p):
        ratio = margin(single_frequency_network(p, zeta), cyclic(p)) / gamma_star_cyclic(p)
        assert ratio == pytest.approx((1 - cos(2 * pi / p)) * (p - 1) / p, rel=1e-10)
        assert ratio < 1 - 0.4 * (p > 3) + 1e-12


@given(st.integers(0, 10**6), st.sampled_from(["K1", "K5", "random"]), st.floats(0, 1))
def test_no_network_beats_the_maximum_margin_or_the_minimal_loss(seed: int, start: str, noise: float) -> None:
    group, lam = cyclic(5), 1e-3
    base = {"K1": cyclic_network(5), "K5": memorising_network(group.table), "random": random_network(seed, 5)}[start]
    disturbance = random_network(seed, 5, len(base["U"]))
    theta = {name: base[name] + noise * disturbance[name] for name in base}
    assert margin(theta, group) <= gamma_star_cyclic(5) * (1 + 1e-12)
    floor = regularised_optimum(character_table(irreps(group)), lam)
    size = floor.norm_cubed ** (1 / 3) / group_norm(theta)
    assert regularised_loss(group, scaled(theta, size), lam) >= floor.loss * (1 - 1e-10)


def test_k1_at_the_right_size_is_the_global_minimum() -> None:
    group, lam = cyclic(5), 1e-3
    end = regularised_optimum(character_table(irreps(group)), lam)
    theta = scaled(cyclic_network(5), end.norm_cubed ** (1 / 3) / group_norm(cyclic_network(5)))
    assert regularised_loss(group, theta, lam) == pytest.approx(end.loss, rel=1e-12)
    assert max(np.abs(part).max() for part in regularised_gradient(group, theta, lam).values()) < 1e-12
    assert euler_violation(group, theta, lam).max() < 1e-10


@pytest.mark.parametrize(("n", "lam"), [(3, 1e-4), (4, 1e-6)])
def test_k4_with_the_optimal_shares_is_the_global_minimum(n: int, lam: float) -> None:
    group, reps = symmetric(n), irreps(symmetric(n))
    end = regularised_optimum(character_table(reps), lam)
    theta = scaled(representation_network(reps, end.shares), end.norm_cubed ** (1 / 3))
    assert cross_entropy(group, theta) == pytest.approx(end.cross_entropy, rel=1e-9)
    assert regularised_loss(group, theta, lam) == pytest.approx(end.loss, rel=1e-9)
    steepest = max(np.abs(part).max() for part in loss_gradient(group, theta).values())
    left_over = max(np.abs(part).max() for part in regularised_gradient(group, theta, lam).values())
    assert left_over < 1e-8 * steepest


def test_wrong_input_is_refused() -> None:
    theta, s3 = random_network(7, 6), symmetric(3)
    with pytest.raises(ValueError, match="one shape"):
        logits({"U": theta["U"], "V": theta["V"]})
    with pytest.raises(ValueError, match="one shape"):
        balancedness({**theta, "W": theta["W"][:2]})
    with pytest.raises(ValueError, match="reads 6 symbols"):
        loss_gradient(cyclic(5), theta)
    with pytest.raises(ValueError, match="both must be positive"):
        euler_violation(s3, theta, 0.0)
    for p in (1, 4):
        with pytest.raises(ValueError, match=f"p={p}"):
            cyclic_network(p)
    with pytest.raises(ValueError, match="ζ=5"):
        single_frequency_network(5, 5)
    with pytest.raises(ValueError, match="real type"):
        representation_network(irreps(cyclic(3)))
    for shares in ([0, 1], [0, -1, 2], [1, 1, 1], [0, 0, 0]):
        with pytest.raises(ValueError, match="shares"):
            representation_network(irreps(s3), shares)
    for labels in (np.zeros((2, 3), dtype=int), np.full((2, 2), 2), np.zeros((2, 2)).view(int) - 1):
        with pytest.raises(ValueError, match="labels"):
            memorising_network(labels)
