"""Fourier transforms on groups: inversion, convolution, Parseval in three variables, the indicator of ab = c."""

import numpy as np
import pytest

from elegans.theory.group_fourier import convolve, energy, entries_transform, inverse_transform, isotypic, transform
from elegans.theory.groups import Group, cyclic, symmetric
from elegans.theory.named_groups import alternating, frobenius21, quaternion
from elegans.theory.neuron_optima import rank_one_neuron
from elegans.theory.representations import irreps, power

GROUPS = [cyclic(5), symmetric(3), quaternion(), alternating(4), frobenius21()]
GROUP = pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)


@GROUP
def test_inversion_and_convolution(group: Group) -> None:
    reps, rng = irreps(group), np.random.default_rng(1)
    u, v = rng.normal(size=(2, group.order))
    assert np.allclose(inverse_transform(reps, transform(reps, u)), u, atol=1e-12)
    direct = np.zeros(group.order)
    for a in range(group.order):
        for b in range(group.order):
            direct[group.table[a, b]] += u[a] * v[b]
    assert np.allclose(convolve(reps, u, v), direct, atol=1e-11)
    assert np.allclose([np.sum(isotypic(rep, u) ** 2) for rep in reps], power(reps, u))


@GROUP
def test_energy_sums_to_the_squares_and_knows_products(group: Group) -> None:
    reps, rng = irreps(group), np.random.default_rng(2)
    f = rng.normal(size=(group.order,) * 3)
    found = energy(reps, f)
    assert found.sum() == pytest.approx(np.sum(f**2))
    u, v, w = rng.normal(size=(3, group.order))
    expected = np.einsum("r,s,t->rst", power(reps, u), power(reps, v), power(reps, w))
    assert np.allclose(energy(reps, np.einsum("a,b,c->abc", u, v, w)), expected, atol=1e-9)


@GROUP
def test_indicator_of_products_lies_on_the_diagonal(group: Group) -> None:
    reps = irreps(group)
    f = np.eye(group.order)[group.table]
    off = energy(reps, f)
    diagonal = np.einsum("rrr->r", off).copy()
    assert np.allclose(diagonal, [group.order * rep.matrices.shape[1] ** 2 / rep.endomorphisms for rep in reps])
    assert off.sum() - diagonal.sum() == pytest.approx(0, abs=1e-9)


def test_indicator_by_entries() -> None:
    group = symmetric(3)
    rep = irreps(group)[1]
    got = entries_transform(rep, rep, rep, np.eye(6)[group.table])
    expected = np.zeros((2,) * 6)
    for i1 in range(2):
        for i2 in range(2):
            for i3 in range(2):
                expected[i1, i2, i2, i3, i1, i3] = 36 / 4
    assert np.allclose(got, expected, atol=1e-12)


def test_a_neuron_stays_in_its_irrep() -> None:
    group = symmetric(4)
    reps = irreps(group)
    u, v, w = rank_one_neuron(reps[2], *np.random.default_rng(3).normal(size=(3, 2)))
    found = energy(reps, (u[:, None, None] + v[:, None]) ** 2 * w)
    found[2, 2, 2] = found[0] = found[:, 0] = 0
    assert np.abs(found).max() < 1e-20
