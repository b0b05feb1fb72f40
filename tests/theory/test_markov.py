"""Chains, the flat prior over them, and the risks that need no experiment."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import markov

seeds = st.integers(0, 2**32 - 1)
inside = st.floats(0.001, 0.999)


def flat_chains(seed: int, n: int, k: int) -> markov.Floats:
    return np.random.default_rng(seed).dirichlet(np.ones(k), size=(n, k))


@given(seeds, st.integers(2, 7))
def test_stationary_rows_are_fixed_by_the_chain(seed: int, k: int):
    P = flat_chains(seed, 5, k)
    pi = markov.stationary(P)
    assert pi.shape == (5, k) and np.all(pi >= 0)
    np.testing.assert_allclose(pi.sum(-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.einsum("ni,nij->nj", pi, P), pi, atol=1e-12)


@given(seeds, st.integers(2, 6))
def test_stationary_follows_a_renaming_of_the_symbols(seed: int, k: int):
    P = flat_chains(seed, 1, k)[0]
    order = np.random.default_rng(seed).permutation(k)
    np.testing.assert_allclose(markov.stationary(P[np.ix_(order, order)]), markov.stationary(P)[order], atol=1e-12)


def test_stationary_of_chains_solved_by_hand():
    deterministic_cycle = np.roll(np.eye(3), 1, axis=1)
    absorbing = [[0.5, 0.5, 0.0], [0.0, 0.25, 0.75], [0.0, 0.0, 1.0]]
    two = markov.two_state(0.3, 0.8)
    np.testing.assert_allclose(markov.stationary(deterministic_cycle), [1 / 3] * 3, atol=1e-14)
    np.testing.assert_allclose(markov.stationary(absorbing), [0, 0, 1], atol=1e-14)
    np.testing.assert_allclose(markov.stationary(two), [0.2 / 0.9, 0.7 / 0.9], atol=1e-14)
    np.testing.assert_allclose(markov.stationary(np.stack([two, two.T[::-1, ::-1].T]))[1], [7 / 9, 2 / 9], atol=1e-14)


@pytest.mark.parametrize("P", [[[0.5, 0.6], [0.5, 0.5]], [[1.5, -0.5], [0.5, 0.5]], [[np.nan, 1], [0, 1]], [0.5, 0.5]])
def test_only_stochastic_matrices_are_chains(P: list[list[float]]):
    with pytest.raises(ValueError, match=r"divide|square"):
        markov.stationary(P)


@pytest.mark.parametrize("P", [np.eye(2), np.kron(np.eye(2), [[0.5, 0.5], [0.3, 0.7]])])
def test_two_closed_classes_have_no_single_stationary_distribution(P: markov.Floats):
    with pytest.raises(ValueError, match="more than one stationary"):
        markov.stationary(P)


def test_chains_sampled_in_single_precision_are_accepted():
    P = flat_chains(3, 100, 8).astype(np.float32)
    assert markov.stationary(P).dtype == np.float64


def test_entropy_and_divergence_by_hand():
    np.testing.assert_allclose(markov.entropy([[0.5, 0.5], [1.0, 0.0]]), [math.log(2), 0.0])
    assert markov.kl([0.25, 0.75], [0.5, 0.5]) == pytest.approx(0.25 * math.log(0.5) + 0.75 * math.log(1.5))
    assert markov.kl([1.0, 0.0], [0.5, 0.5]) == pytest.approx(math.log(2))
    assert markov.kl([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert markov.kl([1.0, 0.0], [1.0, 0.0]) == 0


@given(seeds, st.integers(2, 6))
def test_divergence_is_positive_and_the_entropy_deficit_against_uniform(seed: int, k: int):
    p, q = flat_chains(seed, 1, k)[0, :2]
    assert markov.kl(p, q) > 0
    np.testing.assert_allclose(markov.kl(p, np.full(k, 1 / k)), math.log(k) - markov.entropy(p), atol=1e-12)


def test_entropy_of_a_flat_row_is_a_harmonic_number_less_one():
    for k in (2, 3, 5):
        h = markov.entropy(flat_chains(0, 40_000, k)[:, 0])
        harmonic = sum(1 / i for i in range(1, k + 1))
        assert abs(h.mean() - (harmonic - 1)) < 4 * h.std() / 200


@given(inside, inside, st.integers(0, 12))
def test_closed_form_powers(a: float, b: float, n: int):
    expected = np.linalg.matrix_power(markov.two_state(a, b), n)
    np.testing.assert_allclose(markov.two_state_power(a, b, n), expected, atol=1e-12)


def test_closed_form_powers_of_many_chains_and_their_limit():
    a, b = np.array([0.2, 0.9, 0.5]), np.array([0.7, 0.4, 0.5])
    P = markov.two_state(a, b)
    np.testing.assert_allclose(markov.two_state_power(a, b, 3), P @ P @ P, atol=1e-14)
    pi = np.stack([1 - b, 1 - a], -1) / (2 - a - b)[:, None]
    np.testing.assert_allclose(markov.two_state_power(a, b, 400), np.stack([pi, pi], -2), atol=1e-14)


def test_powers_refuse_what_the_closed_form_cannot_do():
    with pytest.raises(ValueError, match="n = -1"):
        markov.two_state_power(0.2, 0.3, -1)
    with pytest.raises(ValueError, match="identity"):
        markov.two_state_power(1.0, 1.0, 2)


def test_quadrature_integrates_polynomials_and_logarithms():
    u, w = markov.flat_nodes(40)
    for degree in range(20):
        assert np.sum(w * u**degree) == pytest.approx(1 / (degree + 1), abs=1e-13)
    assert np.sum(w * u * np.log(u)) == pytest.approx(-0.25, abs=1e-9)
    with pytest.raises(ValueError, match="n = 0"):
        markov.flat_nodes(0)


@pytest.mark.parametrize("m", range(1, 9))
def test_second_eigenvalue_has_a_triangular_law(m: int):
    expected = 2 / ((m + 1) * (m + 2)) if m % 2 == 0 else 0.0
    assert float(markov.flat_mean(lambda a, b: (a + b - 1) ** m)) == pytest.approx(expected, abs=1e-12)


def test_two_far_tokens_agree_with_probability_two_minus_log_four():
    squares = markov.flat_mean(lambda a, b: np.sum(markov.stationary(markov.two_state(a, b)) ** 2, -1))
    np.testing.assert_allclose(squares, markov.MEAN_SQUARED_PI, atol=1e-10)
    np.testing.assert_allclose(squares, 0.613706, atol=6e-7)


def test_gradient_constants_of_the_first_and_second_step():
    """B (E.24), A (E.25), G_1 (E.42) and the corrected G_2 (E.43)."""

    def integrands(a: markov.Floats, b: markov.Floats) -> markov.Floats:
        diagonal = (b - 1) ** 2 * (b - a) * (a - 0.5) / (a + b - 2) ** 3
        crossed = (b - 1) * (a - 1) * (b - a) * (a - 0.5) / (a + b - 2) ** 3
        P = markov.two_state(a, b)
        pi2 = markov.stationary(P) ** 2
        G1 = np.sum(pi2 * (np.einsum("...ii->...i", P) - 0.5), -1)
        G2 = np.sum(pi2 * (np.sum(P * P, -1) - 0.5), -1)
        return np.stack([diagonal, crossed, G1, G2], -1)

    log2 = math.log(2)
    expected = [(8 * log2 - 5) / 12, (7 - 10 * log2) / 6, (1 - log2) / 3, (8 - 11 * log2) / 3]
    np.testing.assert_allclose(markov.flat_mean(integrands), expected, atol=1e-9)


def test_risk_of_guessing_uniformly():
    x, w = np.polynomial.legendre.leggauss(400)
    u = (x + 1) / 2
    chance = 1 - u * np.log((1 + u) / u)  # of being in the state one leaves with probability u, averaged over the other
    one_dimensional = math.log(2) - float(np.sum(w * chance * markov.entropy(np.stack([u, 1 - u], -1))))
    assert markov.uniform_risk() == pytest.approx(0.2122579, abs=5e-8)
    assert markov.uniform_risk() == pytest.approx(one_dimensional, abs=1e-10)


def test_risk_of_knowing_the_stationary_distribution():
    a, b = np.random.default_rng(0).uniform(size=(2, 100_000))
    P = markov.two_state(a, b)
    pi = np.stack([1 - b, 1 - a], -1) / (2 - a - b)[:, None]
    risk = np.sum(pi * markov.kl(P, pi[:, None, :]), -1)
    assert markov.stationary_risk() == pytest.approx(0.0829381, abs=5e-8)
    assert abs(risk.mean() - markov.stationary_risk()) < 4 * risk.std() / math.sqrt(len(risk))


def test_posterior_mean_is_the_mean_of_the_posterior():
    counts, alpha, s = (3, 1), (0.7, 2.0), np.linspace(0, 1, 200_001)[1:-1]
    density = s ** (counts[0] + alpha[0] - 1) * (1 - s) ** (counts[1] + alpha[1] - 1)
    mean = np.sum(s * density) / np.sum(density)
    np.testing.assert_allclose(markov.posterior_mean(counts, alpha), [mean, 1 - mean], atol=1e-8)
    np.testing.assert_allclose(markov.posterior_mean([[0, 0, 0], [4, 0, 1]]), [[1 / 3] * 3, [5 / 8, 1 / 8, 2 / 8]])


def test_posterior_mean_refuses_what_is_no_prior():
    with pytest.raises(ValueError, match="alpha"):
        markov.posterior_mean([1, 2], alpha=0.0)
    with pytest.raises(ValueError, match="count"):
        markov.posterior_mean([1, -2])


@pytest.mark.parametrize(("n", "risk"), [(0, 0.193147), (1, 0.136514), (5, 0.063765), (20, 0.021618), (100, 0.004827)])
def test_add_one_risk_as_tabulated(n: int, risk: float):
    assert markov.add_one_risk(n) == pytest.approx(risk, abs=6e-7)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_add_one_risk_by_enumeration_of_all_draws(k: int):
    """The chance of n draws is n_1! ... n_k! (k-1)! / (n+k-1)!, and their posterior is Dir(counts + 1)."""
    n, total = 4, 0.0
    for draws in product(range(k), repeat=n):
        counts = np.bincount(draws, minlength=k)
        chance = math.prod(math.factorial(int(c)) for c in counts) * math.factorial(k - 1) / math.factorial(n + k - 1)
        total += chance * float(markov.entropy(markov.posterior_mean(counts)))
    mean_entropy = sum(1 / i for i in range(2, k + 1))
    assert markov.add_one_risk(n, k) == pytest.approx(total - mean_entropy, abs=1e-12)


@given(st.integers(0, 60), st.integers(2, 6), st.floats(0.05, 5.0))
def test_no_other_smoothing_beats_one(n: int, k: int, beta: float):
    assert markov.add_one_risk(n, k, beta) >= markov.add_one_risk(n, k) - 1e-12


def test_add_one_risk_falls_like_degrees_of_freedom_over_two_n():
    for k in (2, 3, 8):
        assert 2 * 20_000 * markov.add_one_risk(20_000, k) / (k - 1) == pytest.approx(1, abs=0.01)
    with pytest.raises(ValueError, match="n = -1"):
        markov.add_one_risk(-1)
