"""The margin loss by hand, its linear form, the margin that makes it linear, expectations over all sequences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import induction, markov
from elegans.theory import margin_loss as margins

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(2, 5), st.floats(0, 3))
def test_loss_by_hand(seed: int, k: int, delta: float):
    rng = np.random.default_rng(seed)
    f, y = rng.normal(size=(4, k)), rng.integers(0, k, 4)
    by_hand = [sum(max(0, delta + f[b, i] - f[b, y[b]]) for i in range(k) if i != y[b]) / k for b in range(4)]
    np.testing.assert_allclose(margins.margin_loss(f, y, delta), by_hand, atol=1e-14)
    assert np.all(margins.margin_loss(f, y, delta) >= margins.linear_margin_loss(f, y, delta) - 1e-14)
    wide = float(np.ptp(f))
    np.testing.assert_allclose(margins.margin_loss(f, y, wide), margins.linear_margin_loss(f, y, wide), atol=1e-14)


@given(seeds, st.integers(2, 3), st.integers(1, 4))
def test_every_hinge_is_active_from_the_bound_on(seed: int, k: int, t: int):
    rng = np.random.default_rng(seed)
    W, v, tokens = rng.normal(size=(k, k)), rng.normal(size=t), margins.all_sequences(k, t + 1)
    f = induction.minimal_logits(tokens[:, :-1], W, v)
    assert margins.hinge_arguments(f, tokens[:, 1:], margins.linear_from(W, v)).min() >= -1e-12


@pytest.mark.parametrize("t", [1, 4, 7])
def test_the_bound_is_attained_at_constant_weights(t: int):
    c, tokens = 0.3, margins.all_sequences(2, t + 1)
    W, v = np.full((2, 2), c), np.full(t, c)
    assert margins.linear_from(W, v) == pytest.approx(c**2 * t * (t + 1) / 2)
    f = induction.minimal_logits(tokens[:, :-1], W, v)
    assert margins.hinge_arguments(f, tokens[:, 1:], margins.linear_from(W, v)).min() == pytest.approx(0, abs=1e-14)


def test_all_sequences_and_their_chances():
    tokens = margins.all_sequences(3, 4)
    assert tokens.shape == (81, 4) and len({tuple(row) for row in tokens.tolist()}) == 81
    P = np.random.default_rng(0).dirichlet(np.ones(3), size=3)
    chance = margins.chances(P, tokens)
    assert chance.sum() == pytest.approx(1)
    for s in range(4):
        np.testing.assert_allclose(np.bincount(tokens[:, s], chance), markov.stationary(P), atol=1e-14)
