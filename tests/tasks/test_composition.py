"""Composition in a group: the whole table, its symmetries, and samples of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.tasks.base import Batch, Signature
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.theory.groups import permutations

ALPHABETS = [Cyclic(2), Cyclic(7), Cyclic(12), Symmetric(3), Symmetric(4)]
ALPHABET = pytest.mark.parametrize("alphabet", ALPHABETS, ids=str)
KEY = stream.key(7, stream.Purpose.DATA)


def by_pair(alphabet: Alphabet) -> np.ndarray:
    """Labels as a table, read off the listed examples."""
    batch, d = GroupComposition(alphabet).enumerate(), alphabet.group().order
    table = np.full((d, d), -1)
    table[batch.x[:, 0], batch.x[:, 1]] = batch.y
    return table


def test_cyclic_groups_add() -> None:
    batch = GroupComposition(Cyclic(12)).enumerate()
    assert np.array_equal(batch.y, batch.x.sum(1) % 12)


def test_symmetric_groups_compose_from_the_right() -> None:
    sigma, table = permutations(4), by_pair(Symmetric(4))
    for a, b in [(1, 6), (5, 23), (17, 2)]:
        assert np.array_equal(sigma[table[a, b]], [sigma[a][i] for i in sigma[b]])


@ALPHABET
def test_every_pair_is_listed_once_in_order(alphabet: Alphabet) -> None:
    batch, d = GroupComposition(alphabet).enumerate(), alphabet.group().order
    assert np.array_equal(batch.x[:, 0] * d + batch.x[:, 1], np.arange(d * d))
    assert all(isinstance(a, np.ndarray) and a.dtype == np.int32 for a in (batch.x, batch.y))
    assert (np.bincount(batch.y, minlength=d) == d).all()


@settings(deadline=None)
@given(st.sampled_from(ALPHABETS), st.tuples(*[st.integers(0, 10**6)] * 3))
def test_labels_follow_the_symmetries(alphabet: Alphabet, numbers: tuple[int, int, int]) -> None:
    """y(g₁ a g₂, g₂⁻¹ b g₃) = g₁ y(a, b) g₃ for all a, b, with products taken from the labels themselves."""
    y, group = by_pair(alphabet), alphabet.group()
    g1, g2, g3 = (k % group.order for k in numbers)
    left, right = y[y[g1], g2], y[y[group.inverse[g2]], g3]
    assert np.array_equal(y[left[:, None], right], y[y[g1, y], g3])


@ALPHABET
def test_samples_obey_the_table(alphabet: Alphabet) -> None:
    task, d = GroupComposition(alphabet), alphabet.group().order
    batch = task.sample(KEY, 500)
    assert batch.x.dtype == batch.y.dtype == jnp.int32
    assert np.array_equal(by_pair(alphabet)[batch.x[:, 0], batch.x[:, 1]], batch.y)
    assert task.signature == Signature((2,), (d,), d)


def test_samples_are_uniform_pairs() -> None:
    """49 counts of mean 1000: all within five standard deviations, and their χ² within five of its 48."""
    x = np.asarray(GroupComposition(Cyclic(7)).sample(KEY, 49_000).x)
    excess = (np.bincount(7 * x[:, 0] + x[:, 1], minlength=49) - 1000) / 1000**0.5
    assert np.abs(excess).max() < 5
    assert abs((excess**2).sum() - 48) < 5 * 96**0.5


def test_fewer_samples_are_a_prefix() -> None:
    task = GroupComposition(Symmetric(4))
    few, many = task.sample(KEY, 10), task.sample(KEY, 1000)
    assert np.array_equal(few.x, many.x[:10])
    assert np.array_equal(few.y, many.y[:10])


def test_samples_are_the_same_in_64_bit_mode() -> None:
    task = GroupComposition(Cyclic(71))
    expected = task.numpy(50)
    with jax.enable_x64(True):
        found = task.numpy(50)
    assert found.x.dtype == found.y.dtype == np.int32
    assert np.array_equal(found.x, expected.x)
    assert np.array_equal(found.y, expected.y)


@ALPHABET
def test_the_optimal_output_decides_rightly(alphabet: Alphabet) -> None:
    task = GroupComposition(alphabet)
    batch = task.enumerate()
    out = np.asarray(task.bayes(Batch(batch.x, np.zeros_like(batch.y))))
    assert np.array_equal(out, np.eye(alphabet.group().order)[batch.y])


def test_a_group_is_built_once() -> None:
    assert Symmetric(4).group() is Symmetric(4).group()
    assert Cyclic(6).group() != Symmetric(3).group()


def test_what_is_no_group_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Cyclic\.n is 1"):
        Cyclic(1)
    with pytest.raises(UsageError, match=r"Symmetric\.k is 7"):
        Symmetric(7)
    with pytest.raises(UsageError, match="Alphabet"):
        GroupComposition(7)  # type: ignore[arg-type]
