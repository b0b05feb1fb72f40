"""The recipe finds the maximum margins of theorems 7.7 and 7.8 from a guess, and notices a wrong guess."""

import numpy as np
import pytest

from elegans.theory import margin_recipe as recipes
from elegans.theory.boolean import cube
from elegans.theory.cyclic_spectra import expected_margin, largest_share
from elegans.theory.groups import cyclic, symmetric
from elegans.theory.margins import gamma_star_cyclic, normalised_margin
from elegans.theory.parity_margins import class_masses, gamma_star_parity
from elegans.theory.quadratic_nets import logits

X = cube(4).astype(np.float64)
KINDS = {
    "quadratic": recipes.quadratic_neurons(cyclic(5).table),
    "power": recipes.power_neurons(X, X[:, :3].prod(1), 3),
}


@pytest.mark.parametrize("name", KINDS)
def test_pull_is_the_gradient(name: str) -> None:
    kind, rng = KINDS[name], np.random.default_rng(0)
    omega, step = rng.standard_normal(kind.size), 1e-6
    M = rng.standard_normal(kind.outputs(omega).shape)
    for i, nudge in enumerate(step * np.eye(kind.size)):
        up, down = (np.sum(M * kind.outputs(omega + s * nudge)) for s in (1, -1))
        assert (up - down) / (2 * step) == pytest.approx(kind.pull(omega, M)[i], rel=1e-6)
    assert kind.pull(omega, M) @ omega == pytest.approx(kind.nu * np.sum(M * kind.outputs(omega)))


def test_uniform_weights_give_the_expected_margin() -> None:
    kind, (u, v, w) = KINDS["quadratic"], np.random.default_rng(1).standard_normal((3, 5))
    total = np.sum(recipes.uniform_weights(kind.labels, 5) * kind.outputs(np.concatenate([u, v, w])))
    assert total == pytest.approx(expected_margin(u, v, w), abs=1e-12)


def test_modular_addition() -> None:
    kind = KINDS["quadratic"]
    found = recipes.recipe(kind, recipes.uniform_weights(kind.labels, 5), starts=150, seed=0)
    assert found.bound == pytest.approx(gamma_star_cyclic(5), rel=1e-12)
    assert found.margin == pytest.approx(gamma_star_cyclic(5), rel=1e-5)
    scaled = np.cbrt(found.shares)[:, None, None] * found.neurons.reshape(-1, 3, 5)
    theta = {name: scaled[:, i] for i, name in enumerate("UVW")}
    assert normalised_margin(theta, logits(theta), cyclic(5).table) == pytest.approx(found.margin)
    assert largest_share(found.neurons.reshape(-1, 3, 5)).min() > 1 - 1e-9


def test_parity() -> None:
    kind = KINDS["power"]
    found = recipes.recipe(kind, recipes.uniform_weights(kind.labels, 2), starts=30, seed=0)
    assert found.bound == pytest.approx(gamma_star_parity(3), rel=1e-12)
    assert found.margin == pytest.approx(gamma_star_parity(3), rel=1e-5)
    size = found.shares[:, None] ** 0.25
    masses = class_masses({"U": size * found.neurons[:, :4], "W": size * found.neurons[:, 4:]}, (0, 1, 2))
    assert np.allclose(masses, 1 / 4, atol=1e-5)


def test_a_wrong_guess_does_not_close_the_gap() -> None:
    """On S_3 uniform τ makes the sign representation best, which cannot classify."""
    kind = recipes.quadratic_neurons(symmetric(3).table)
    found = recipes.recipe(kind, recipes.uniform_weights(kind.labels, 6), starts=60, seed=0)
    assert found.margin < 1e-9 < found.bound


def test_wrong_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        recipes.weights(np.array([0, 1]), np.full(2, 0.5), np.full((2, 2), 0.5))
