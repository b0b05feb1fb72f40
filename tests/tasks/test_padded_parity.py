"""Padded parities are sparse parities, followed by zeros."""

from typing import Any

import jax
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.config import knobs, with_knobs
from elegans.base.errors import UsageError
from elegans.base.padding import COLUMNS, first, whole
from elegans.tasks.padded_parity import PaddedParity
from elegans.tasks.parity import SparseParity

DATA = stream.key(0, stream.Purpose.DATA)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (10, 2), (20, 3), (30, 4), (32, 4)])
def test_examples_are_those_of_the_sparse_parity(n: int, k: int):
    padded, plain = PaddedParity(n, k).sample(DATA, 200), SparseParity(n, k).sample(DATA, 200)
    np.testing.assert_array_equal(padded.x[:, :n], plain.x)
    assert not np.asarray(padded.x[:, n:]).any() and padded.x.shape == (200, COLUMNS)
    np.testing.assert_array_equal(padded.y, plain.y)
    np.testing.assert_array_equal(PaddedParity(n, k).bayes(padded), padded.y)
    assert padded.shared.dtype == np.int32 and int(padded.shared) == k


def test_one_program_serves_all_sizes():
    task = PaddedParity(10, 2)
    program: Any = jax.jit(lambda values: with_knobs(task, values).sample(DATA, 50))
    for n, k in ((10, 2), (20, 3), (30, 4)):
        batch = program({"n": np.float32(n), "k": np.float32(k)})
        np.testing.assert_array_equal(batch.y, SparseParity(n, k).sample(DATA, 50).y)
    assert program._cache_size() == 1 and set(knobs(task)) == {"n", "k"}


def test_the_signature_says_the_true_sizes():
    signature = PaddedParity(20, 3).signature
    assert signature.x == (COLUMNS,) and signature.sizes is not None
    assert [int(s) for s in signature.sizes] == [20, 3]


def test_numbers_are_rounded():
    assert [int(whole(v)) for v in (2.9999998, 3.0, 3.4)] == [3, 3, 3]
    np.testing.assert_array_equal(first(2.9999998, 5), [True, True, True, False, False])


def test_more_relevant_than_all_coordinates_are_refused():
    with pytest.raises(UsageError, match="only n=2 coordinates"):
        PaddedParity(2, 3)
