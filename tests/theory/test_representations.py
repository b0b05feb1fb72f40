"""Representations: homomorphism, orthogonality relations, the characters of S_5, and power."""

from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory.character_tables import CharacterTable, character_table
from elegans.theory.groups import Group, cyclic, permutations, symmetric
from elegans.theory.representations import Irrep, coefficients, fourier_power, irreps, max_normalised_power, power
from elegans.theory.young import partitions, standard_tableaux, young_orthogonal_form

GROUPS = [cyclic(1), cyclic(2), cyclic(5), cyclic(8), symmetric(3), symmetric(4), symmetric(5)]
SEED = 20231
GROUP = pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)


def quaternions() -> tuple[Group, np.ndarray]:
    """Q_8 and its action on R⁴ by multiplication from the left."""
    i = np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]])
    j = np.array([[0, 0, -1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, -1, 0, 0]])
    units = np.array([s * m for m in (np.eye(4, dtype=int), i, j, i @ j) for s in (1, -1)])
    table = [[next(k for k in range(8) if (a @ b == units[k]).all()) for b in units] for a in units]
    return Group("Q8", np.array(table)), units.astype(float)


@GROUP
def test_matrices_multiply_like_the_group(group: Group) -> None:
    for rep in irreps(group):
        products = np.einsum("aij,bjk->abik", rep.matrices, rep.matrices)
        assert np.abs(products - rep.matrices[group.table]).max() < 1e-12


@GROUP
def test_matrix_entries_are_orthogonal(group: Group) -> None:
    """Proposition D.7 for real irreps: ⟨R_ij, R_kl⟩ = 1/D for real type, and irreps are orthogonal for every type."""
    reps = irreps(group)
    for n, rep in enumerate(reps):
        flat = rep.matrices.reshape(group.order, -1)
        if rep.indicator == 1:
            assert np.allclose(flat.T @ flat / group.order, np.eye(flat.shape[1]) / rep.dimension, atol=1e-12)
        for other in reps[n + 1 :]:
            assert np.abs(flat.T @ other.matrices.reshape(group.order, -1)).max() < 1e-11


@GROUP
def test_characters_are_orthonormal_class_functions(group: Group) -> None:
    """⟨χ, χ⟩ = 1 (1/2 for the real part of a complex character), and Σ_ρ χ_ρ(e) χ_ρ(C) = |G| 1[C = e]."""
    reps = irreps(group)
    table = character_table(reps)
    gram = (table.values * table.sizes) @ table.values.T / group.order
    assert np.allclose(gram, np.diag(1 / table.copies), atol=1e-12)
    regular = (table.copies * table.dimensions) @ table.values
    assert np.allclose(regular, group.order * (np.arange(len(table.sizes)) == 0), atol=1e-10)
    for rep, row in zip(reps, table.values, strict=True):
        assert np.allclose(rep.character, row[group.class_of], atol=1e-12)


def test_table_d1_of_s5() -> None:
    """The paper's table D.1 with the rows standard and standard ⊗ sign in their right places (erratum E12)."""
    group = symmetric(5)
    number = {tuple(sigma): i for i, sigma in enumerate(permutations(5).tolist())}
    members = ["01234", "10234", "10324", "12034", "12304", "12340", "10342"]
    columns = [number[tuple(map(int, sigma))] for sigma in members]
    assert [len(group.classes[group.class_of[c]]) for c in columns] == [1, 10, 15, 20, 30, 24, 20]
    rows = {rep.label: np.round(rep.character[columns], 9).tolist() for rep in irreps(group)}
    assert rows == {
        "(5,)": [1, 1, 1, 1, 1, 1, 1],
        "(4, 1)": [4, 2, 0, 1, 0, -1, -1],
        "(3, 2)": [5, 1, 1, -1, -1, 0, 1],
        "(3, 1, 1)": [6, 0, -2, 0, 0, 1, 0],
        "(2, 2, 1)": [5, -1, 1, -1, 1, 0, -1],
        "(2, 1, 1, 1)": [4, -2, 0, 1, 0, -1, 1],
        "(1, 1, 1, 1, 1)": [1, -1, 1, 1, -1, 1, -1],
    }


@pytest.mark.parametrize("n", range(1, 7))
def test_tableaux_number_as_the_hook_length_formula_says(n: int) -> None:
    for shape in partitions(n):
        columns = [sum(row > j for row in shape) for j in range(shape[0])]
        hooks = [row - j + columns[j] - i - 1 for i, row in enumerate(shape) for j in range(row)]
        assert len(standard_tableaux(shape)) == len(set(standard_tableaux(shape))) == factorial(n) // prod(hooks)
    assert len(partitions(n)) == [1, 2, 3, 5, 7, 11][n - 1]


def test_standard_representation_of_s3_in_youngs_form() -> None:
    """(1 2) fixes the tableau with 1, 2 in a row; (2 3) has -1/r on it at axial distance r = 2, -1/2."""
    s_1, s_2 = (young_orthogonal_form((2, 1))[k] for k in (2, 1))
    assert np.allclose(sorted(np.diag(s_1)), [-1, 1])
    assert np.allclose(np.diag(s_1) * np.diag(s_2), [-1 / 2, -1 / 2])
    assert np.allclose([s_2[0, 1], s_2[1, 0]], np.sqrt(3) / 2)


def test_types() -> None:
    assert [rep.indicator for rep in irreps(cyclic(6))] == [1, 0, 0, 1]
    assert {rep.indicator for rep in irreps(symmetric(5))} == {1}
    group, units = quaternions()
    rep = Irrep(group, "left multiplication", units)
    assert (rep.indicator, rep.dimension, rep.delta) == (-1, 2, 1)
    assert np.allclose(rep.character, np.trace(units, axis1=1, axis2=2) / 2)


def test_rotations_turn_by_the_frequency() -> None:
    rep = irreps(cyclic(7))[3]
    angle = 2 * np.pi * 3 * 2 / 7
    assert np.allclose(rep.matrices[2], [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def test_cyclic_groups_are_known_in_any_numbering() -> None:
    renamed = np.random.default_rng(SEED).permutation(9)
    back = np.argsort(renamed)
    group = Group("Z9 renamed", renamed[cyclic(9).table[back[:, None], back]])
    for rep in irreps(group):
        assert np.allclose(np.einsum("aij,bjk->abik", rep.matrices, rep.matrices), rep.matrices[group.table])
    assert character_table(irreps(group)).order == 9


@given(st.sampled_from(GROUPS), st.integers(0, 10**6))
def test_power_sums_to_the_squared_norm(group: Group, seed: int) -> None:
    u = np.random.default_rng(seed).normal(size=(3, group.order))
    assert np.allclose(power(irreps(group), u).sum(axis=-1), np.sum(u**2, axis=-1), rtol=1e-12)


def test_power_of_a_quaternionic_function() -> None:
    group, units = quaternions()
    u = units[:, 0] @ np.array([1.0, -2.0, 0.5, 3.0])
    assert np.allclose(power([Irrep(group, "left multiplication", units)], u), u @ u)


@given(st.integers(1, 30), st.integers(0, 10**6))
def test_power_on_cyclic_groups_is_fourier_power(n: int, seed: int) -> None:
    u = np.random.default_rng(seed).normal(size=(2, n))
    assert np.allclose(power(irreps(cyclic(n)), u), fourier_power(u), rtol=1e-10)


@pytest.mark.parametrize(("n", "j"), [(7, 2), (8, 4), (8, 3)])
def test_a_cosine_has_all_its_power_at_one_frequency(n: int, j: int) -> None:
    u = 5 + np.cos(2 * np.pi * j * np.arange(n) / n)
    powers = fourier_power(u)
    assert np.argmax(powers[1:]) + 1 == j
    assert max_normalised_power(powers) == pytest.approx(1, abs=1e-12)
    assert max_normalised_power(np.array([100.0, 1.0, 3.0])) == 0.75


def test_coefficients_give_the_function_back() -> None:
    group = symmetric(4)
    u = np.random.default_rng(SEED).normal(size=group.order)
    back = sum(np.einsum("ij,gij->g", coefficients(rep, u), rep.matrices) for rep in irreps(group))
    assert np.allclose(back, u, atol=1e-12)


def test_wrong_representations_are_refused() -> None:
    group = symmetric(3)
    trivial, standard, sign = irreps(group)
    with pytest.raises(ValueError, match="shape"):
        Irrep(group, "short", trivial.matrices[:-1])
    with pytest.raises(ValueError, match="not orthogonal"):
        Irrep(group, "long", 2 * trivial.matrices)
    both = np.zeros((6, 2, 2))
    both[:, 0, 0], both[:, 1, 1] = trivial.matrices[:, 0, 0], sign.matrices[:, 0, 0]
    three = np.zeros((6, 3, 3))
    three[:, 0, 0], three[:, 1:, 1:] = sign.matrices[:, 0, 0], standard.matrices
    for reducible in (both, three, np.ones((6, 1, 1)) * np.eye(2)):
        with pytest.raises(ValueError, match="reducible"):
            Irrep(group, "sum", reducible)
    with pytest.raises(ValueError, match="4 values"):
        power([trivial], np.ones(4))
    for shape in [(), (1, 2), (2, 0)]:
        with pytest.raises(ValueError, match="no partition"):
            young_orthogonal_form(shape)


def test_wrong_character_tables_are_refused() -> None:
    reps = irreps(symmetric(3))
    good = character_table(reps)
    with pytest.raises(ValueError, match="exactly once"):
        character_table(reps[:-1])
    with pytest.raises(ValueError, match="first"):
        character_table(reps[::-1])
    with pytest.raises(ValueError, match="one row"):
        CharacterTable(good.sizes, good.indicators[1:], good.values)
