"""Invariants of sparse and disjoint parity, on the whole cube where it can be listed and on samples elsewhere."""

from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.tasks.parity import Parity, SparseParity, mask_of, packed, parity_of
from elegans.theory import boolean

DATA = stream.key(0, stream.Purpose.DATA)


def task_key(seed: int):
    return stream.key(seed, stream.Purpose.TASK)


TASKS = (
    SparseParity(1, 1),
    SparseParity(50, 3, support=(0, 31, 49)),
    SparseParity(70, 6, hidden=True),
    DisjointParity(36, 3, hidden=True),
    DisjointParity(36, 3),
)


def draws(task: Parity, seeds: np.ndarray, m: int):
    """Relevant coordinates, support and m examples for many task seeds, in one program."""

    def one(seed):
        secret = task.secret(task_key(seed))
        return task.relevant(secret), task.support_of(secret), task.sample(stream.fold(DATA, seed), m, secret)

    return jax.tree.map(np.asarray, jax.jit(jax.vmap(one))(seeds))


@pytest.mark.parametrize("task", TASKS)
def test_the_label_is_the_product_of_the_relevant_signs(task: Parity):
    relevant, supports, batches = draws(task, np.arange(30, dtype=np.uint32), 16)
    assert batches.x.dtype == batches.y.dtype == np.float32 and set(np.unique(batches.x)) <= {-1.0, 1.0}
    assert set(np.unique(batches.y)) == {-1.0, 1.0}
    for S, inside, x, y in zip(supports, relevant, batches.x, batches.y, strict=True):
        np.testing.assert_array_equal(np.flatnonzero(inside), S)
        assert len(S) == task.k and (getattr(task, "hidden", False) or tuple(S) == task.canonical)
        np.testing.assert_array_equal(y, np.prod(x[:, S], axis=1))


def test_labels_by_hand():
    x, y, *_ = SparseParity(3, 2, support=(0, 2)).enumerate()
    assert {tuple(map(int, a)): int(b) for a, b in zip(x, y, strict=True)} == {
        (1, 1, 1): 1, (-1, 1, 1): -1, (1, -1, 1): 1, (-1, -1, 1): -1,
        (1, 1, -1): -1, (-1, 1, -1): 1, (1, -1, -1): -1, (-1, -1, -1): 1,
    }  # fmt: skip


@pytest.mark.parametrize("task", [SparseParity(10, 3), DisjointParity(8, 2, hidden=True)])
def test_only_the_right_parity_correlates_with_the_label(task: Parity):
    secret = task.secret(task_key(5))
    y = np.asarray(task.enumerate(secret).y, np.int64)
    expected = np.zeros(2**task.n)
    expected[boolean.index(np.asarray(task.support_of(secret)).tolist())] = 1
    np.testing.assert_array_equal(boolean.spectrum(y), expected)


def test_listing_a_canonical_and_a_given_secret_agree():
    task = SparseParity(7, 3, support=(1, 4, 6))
    canonical, given_secret = task.enumerate(), task.enumerate(task.secret(DATA))
    assert isinstance(canonical.y, np.ndarray) and len(np.unique(canonical.x, axis=0)) == 128
    np.testing.assert_array_equal(canonical.x, given_secret.x)
    np.testing.assert_array_equal(canonical.y, given_secret.y)


@pytest.mark.parametrize("task", [SparseParity(40, 5, hidden=True), DisjointParity(12, 3)])
def test_a_shorter_sample_is_a_prefix(task: Parity):
    long, short = jax.jit(lambda k: [task.sample(DATA, m, task.secret(k)) for m in (100, 17)])(task_key(1))
    np.testing.assert_array_equal(long.x[:17], short.x)
    np.testing.assert_array_equal(long.y[:17], short.y)


def test_flipping_a_bit_flips_the_label_exactly_for_relevant_bits():
    task = SparseParity(45, 4, support=(0, 31, 32, 44))
    words = stream.words(DATA, 32, 2)
    y = parity_of(words, task.mask())
    for i in range(45):
        expected = -y if i in task.canonical else y
        np.testing.assert_array_equal(parity_of(words ^ mask_of([i], 45)[None], task.mask()), expected)


def test_sample_means_concentrate():
    m, n = 20_000, 33
    x, y, *_ = SparseParity(n, 3).sample(DATA, m)
    assert abs(float(y.mean())) <= 4 / np.sqrt(m)
    assert float(jnp.abs((y[:, None] * x).mean(0)).max()) <= np.sqrt(2 * np.log(2 * n / 1e-6) / m)


def hidden_masks(task: Parity, count: int) -> np.ndarray:
    return np.asarray(jax.jit(jax.vmap(lambda s: task.secret(task_key(s))[0]))(np.arange(count, dtype=np.uint32)))


def test_hidden_supports_are_uniform():
    task = SparseParity(5, 2, hidden=True)
    masks = hidden_masks(task, 5000)
    counts = [int((masks == mask_of(S, 5)[0]).sum()) for S in combinations(range(5), 2)]
    assert sum(counts) == 5000
    assert max(abs(c - 500) for c in counts) < 6 * np.sqrt(500 * 0.9)


@pytest.mark.parametrize("k, block", [(3, 1), (4, 6)])
def test_disjoint_supports_have_one_coordinate_a_block(k: int, block: int):
    for hidden in (True, False):
        supports = draws(DisjointParity(k * block, k, hidden=hidden), np.arange(30, dtype=np.uint32), 1)[1]
        np.testing.assert_array_equal(supports // block, np.tile(np.arange(k), (30, 1)))
    assert DisjointParity(k * block, k).canonical == tuple(range(0, k * block, block))


def test_all_coordinates_of_a_block_are_chosen():
    task = DisjointParity(8, 2, hidden=True)
    assert len(np.unique(hidden_masks(task, 400))) == 4**2


pack = jax.jit(packed)


@given(st.sets(st.integers(0, 69), max_size=20))
@settings(deadline=None, max_examples=50)
def test_packing(support: set[int]):
    bits = np.zeros(70, np.uint32)
    bits[list(support)] = 1
    np.testing.assert_array_equal(pack(bits), mask_of(support, 70))


def test_the_best_prediction_is_the_label():
    task = SparseParity(20, 4, support=(3, 5, 11, 19))
    batch = task.sample(DATA, 50)
    np.testing.assert_array_equal(task.bayes(batch), batch.y)


def test_bits_are_the_same_under_64_bit_mode():
    task = SparseParity(40, 3, hidden=True)

    def both(k, d):
        return task.secret(k), task.sample(d, 20, task.secret(k))

    secret, plain = jax.jit(both)(task_key(3), DATA)
    with jax.enable_x64(True), jax.numpy_dtype_promotion("strict"):
        wide = jax.jit(both)(task_key(3), DATA)
    assert wide[0].dtype == jnp.uint32 and wide[1].x.dtype == wide[1].y.dtype == jnp.float32
    np.testing.assert_array_equal(wide[0], secret)
    np.testing.assert_array_equal(wide[1].x, plain.x)
    np.testing.assert_array_equal(wide[1].y, plain.y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SparseParity(3, 4),
        lambda: SparseParity(3, 0),
        lambda: SparseParity(4, 2, support=(0,)),
        lambda: SparseParity(4, 2, support=(1, 1)),
        lambda: SparseParity(4, 2, support=(0, 4)),
        lambda: SparseParity(4, 2, support=(0, 1), hidden=True),
        lambda: DisjointParity(10, 3),
        lambda: SparseParity(21, 2).enumerate(),
        lambda: SparseParity(4, 2, hidden=True).bayes(SparseParity(4, 2).sample(DATA, 2)),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(UsageError):
        make()
