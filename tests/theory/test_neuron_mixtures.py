"""Norms ‖θ‖_{a,b}, and the best distribution of lengths over neurons."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory.margins import group_norm
from elegans.theory.neuron_mixtures import best_lengths, largest_sum, lengths, norm


def test_norms_by_hand() -> None:
    theta = {"U": np.array([[3.0, 0], [1, -1]]), "W": np.array([[4.0], [-1]])}
    assert lengths(theta).tolist() == pytest.approx([5, 3**0.5])
    assert lengths(theta, 1).tolist() == [7, 3] and lengths(theta, np.inf).tolist() == [4, 1]
    assert norm(theta, 1, 2) == pytest.approx(58**0.5) and norm(theta, 1, np.inf) == 7
    assert norm(theta, 2, 3) == pytest.approx(group_norm(theta, 3))


@given(st.integers(1, 9), st.floats(1, 6), st.floats(1, 8), st.integers(0, 10**6))
def test_largest_sum_is_reached_and_never_exceeded(m: int, nu: float, b: float, seed: int) -> None:
    best = best_lengths(m, nu, b)
    assert np.sum(best**b) == pytest.approx(1)
    assert np.sum(best**nu) == pytest.approx(largest_sum(m, nu, b))
    s = np.random.default_rng(seed).random(m) ** 3 + 1e-9
    s = s / np.sum(s**b) ** (1 / b)
    assert np.sum(s**nu) <= largest_sum(m, nu, b) * (1 + 1e-9)


def test_wrong_exponents_are_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        largest_sum(3, 3, 0)
