"""The permanent against its definition."""

from itertools import permutations

import numpy as np
import pytest

from elegans.theory.permanent import permanent, permanent_gradient


def by_definition(A: np.ndarray) -> float:
    return sum(float(np.prod([A[i, p] for i, p in enumerate(π)])) for π in permutations(range(len(A))))


@pytest.mark.parametrize("k", [0, 1, 2, 3, 5])
def test_glynn_is_the_definition(k: int):
    A = np.random.default_rng(k).normal(size=(k, k))
    assert permanent(A) == pytest.approx(by_definition(A))


def test_gradient_is_the_derivative_and_the_expansion_by_a_row():
    A = np.random.default_rng(7).normal(size=(4, 4))
    G, H = permanent_gradient(A), np.zeros((4, 4))
    H[1, 2] = 1
    assert (permanent(A + H) - permanent(A)) == pytest.approx(G[1, 2])  # linear in each entry
    np.testing.assert_allclose((A * G).sum(1), permanent(A))


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="square"):
        permanent(np.ones((2, 3)))
