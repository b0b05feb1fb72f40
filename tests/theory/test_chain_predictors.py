"""Weighted posterior draws against quadrature, moments of priors against simulation, the written-out transformer by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import attention_only, bayes_chains, chain_priors, induction, markov, strategies

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(2, 12))
def test_weighted_draws_agree_with_quadrature(seed: int, t: int):
    x = np.random.default_rng(seed).integers(0, 2, (3, t))
    error = np.abs(bayes_chains.bayes_by_weights(x, 2, 4000, seed) - strategies.bayes_two_states(x))
    assert error.max() < 0.02


def test_without_transitions_from_the_last_token_the_row_is_still_weighted_by_the_start():
    """One token: Bayes expects a state that was found first to be one that keeps."""
    p = bayes_chains.bayes_by_weights(np.array([[0]]), 3, 20_000, 0)
    assert p[0, 0] > 1 / 3 + 0.02 and p[0, 1] == pytest.approx(p[0, 2], abs=0.02)
    assert p.sum() == pytest.approx(1)


@given(seeds, st.integers(2, 6))
def test_both_stationary_laws_agree(seed: int, k: int):
    P = np.random.default_rng(seed).dirichlet(np.ones(k), (4, k))
    np.testing.assert_allclose(bayes_chains.stationary_by_solving(P), markov.stationary(P), atol=1e-9)


@given(st.lists(st.floats(0.2, 5), min_size=2, max_size=5), st.integers(0, 9))
def test_dirichlet_moments_against_simulation(alpha: list[float], seed: int):
    p = np.random.default_rng(seed).dirichlet(alpha, 20_000)
    error = 6 * (p**2).std(0) / 20_000**0.5
    assert np.all(np.abs((p**2).mean(0) - chain_priors.dirichlet_second_moment(alpha)) < error)
    H = markov.entropy(p)
    assert H.mean() == pytest.approx(chain_priors.dirichlet_entropy(alpha), abs=6 * H.std() / 20_000**0.5)


def test_flat_rows_and_eigenvalues_by_hand():
    assert chain_priors.dirichlet_entropy(np.ones(4)) == pytest.approx(1 / 2 + 1 / 3 + 1 / 4)
    assert [chain_priors.flat_eigenvalue_moment(n) for n in (1, 2, 4)] == [0, 1 / 6, 1 / 15]
    assert [chain_priors.equal_eigenvalue_moment(n) for n in (1, 2, 4)] == [0, 1 / 3, 1 / 5]
    assert chain_priors.equal_eigenvalue_moment(2, 0.1) == pytest.approx(0.04 / 3)
    assert chain_priors.equal_uniform_risk(0.5) == pytest.approx(math.log(2) - 0.5, abs=1e-5)
    assert chain_priors.equal_uniform_risk(0.01) == pytest.approx(2 * 0.0001 / 3, rel=1e-3)


@given(seeds, st.sampled_from([2, 3]))
def test_the_written_out_transformer_computes_the_construction(seed: int, k: int):
    x = np.random.default_rng(seed).integers(0, k, (1, 12))
    logits = attention_only.forward(induction.construction(k, 12, 80.0), x[0].tolist(), 2)
    np.testing.assert_allclose(logits, induction.construction_output(x, k)[0], atol=1e-6)


def test_parameters_of_the_figures():
    assert attention_only.parameters(2, 16, 100, 2) == 4800
    assert attention_only.parameters(2, 16, 100, 2, norms_and_mixing=True) == 4800 + 2 * (256 + 32) + 32


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="draws = 1"):
        bayes_chains.bayes_by_weights(np.array([[0]]), 2, 1, 0)
    with pytest.raises(ValueError, match="Dirichlet"):
        chain_priors.dirichlet_entropy([1.0, 0.0])
