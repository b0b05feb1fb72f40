"""Closed forms of the first gradient step against the tensor of the population gradient, and constants by quadrature."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from elegans.theory import first_step as first
from elegans.theory import markov
from elegans.theory.induction import gradient_tensor
from elegans.theory.triangle_rule import triangle_mean

inside, lengths = st.floats(0.001, 0.999), st.integers(1, 30)
away = st.floats(0.05, 0.9)


@given(inside, inside, lengths)
def test_weight_gradient_is_the_tensor_summed_over_offsets(a: float, b: float, t: int):
    T = gradient_tensor(markov.two_state(a, b), t)
    np.testing.assert_allclose(first.weight_gradient(a, b, t), T.sum(-1), atol=1e-11 * t**2)


@given(away, away, lengths)
def test_printed_weight_gradients(a: float, b: float, t: int):
    assume(abs(a + b - 1) > 1e-6)
    stable = first.weight_gradient(a, b, t)
    np.testing.assert_allclose(first.printed_weight_gradient(a, b, t), stable, atol=1e-10 * t**2)
    np.testing.assert_allclose(first.weight_gradient_cases(a, b, t), stable, atol=1e-10 * t**2)


@given(inside, inside, lengths)
def test_offset_gradient_is_the_tensor_summed_over_symbols(a: float, b: float, t: int):
    T = gradient_tensor(markov.two_state(a, b), t)
    np.testing.assert_allclose(first.offset_gradient(a, b, t), T.sum((0, 1)), atol=1e-11 * t**2)


@given(away, away, lengths)
def test_printed_offset_gradient(a: float, b: float, t: int):
    np.testing.assert_allclose(first.printed_offset_gradient(a, b, t), first.offset_gradient(a, b, t), atol=1e-9)


@given(inside, inside, lengths)
def test_renaming_the_symbols_turns_the_matrix_around(a: float, b: float, t: int):
    np.testing.assert_allclose(first.weight_gradient(b, a, t), first.weight_gradient(a, b, t)[::-1, ::-1], atol=1e-10)
    np.testing.assert_allclose(first.offset_gradient(b, a, t), first.offset_gradient(a, b, t), atol=1e-10)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_triple_sum_of_powers_for_any_number_of_symbols(k: int):
    P = np.random.default_rng(k).dirichlet(np.ones(k), size=k)
    np.testing.assert_allclose(first.weight_gradient_by_powers(P, 7), gradient_tensor(P, 7).sum(-1), atol=1e-13)


@given(inside, inside, st.integers(0, 12))
def test_eigen_factors_multiply_to_powers(a: float, b: float, n: int):
    vectors, values, inverse = first.eigen_factors(a, b)
    expected = np.linalg.matrix_power(markov.two_state(a, b), n)
    np.testing.assert_allclose(vectors @ values**n @ inverse if n else vectors @ inverse, expected, atol=1e-9)
    beta, gamma = first.beta_gamma(a, b)
    np.testing.assert_allclose((beta * (a + b - 1) ** n + gamma) / (a + b - 2), expected, atol=1e-9)
    pi = markov.stationary(markov.two_state(a, b))
    np.testing.assert_allclose(gamma, (a + b - 2) * np.stack([pi, pi]), atol=1e-12)


@given(away, away, st.integers(1, 12))
def test_slopes_of_the_logits(a: float, b: float, p: int):
    assume(abs(a + b - 1) > 1e-6)
    for by_powers, printed in zip(
        first.logit_slope(markov.two_state(a, b), p), first.printed_logit_slope(a, b, p), strict=True
    ):
        np.testing.assert_allclose(by_powers, printed, atol=1e-9)


@given(inside, inside, lengths)
def test_offset_gradient_is_a_difference_of_slopes(a: float, b: float, t: int):
    total = np.zeros(t)
    for p in range(1, t + 1):
        each, own = first.logit_slope(markov.two_state(a, b), p)
        total[:p] += own - each.mean(-1)
    np.testing.assert_allclose(first.offset_gradient(a, b, t), total / t, atol=1e-9)


def test_tokens_as_indices_give_another_gradient():
    a, b, t = 0.3, 0.8, 9
    assert (
        np.abs(first.offset_gradient_of_tokens(markov.two_state(a, b), t) - first.offset_gradient(a, b, t)).max() > 0.1
    )


def test_constants():
    leading = triangle_mean(first.leading_weight_gradient, 30)
    np.testing.assert_allclose(leading, [[first.B, first.A], [first.A, first.B]], atol=1e-14)
    np.testing.assert_allclose([first.B, first.A, first.D], [0.0454315, 0.0114214, 0.1137056], atol=6e-8)
    np.testing.assert_allclose(first.B / first.A, 3.978, atol=6e-4)
    np.testing.assert_allclose(triangle_mean(first.next_weight_gradient, 30) * 7, first.next_weights(7), atol=1e-13)
    many = triangle_mean(lambda a, b: first.leading_of_many(markov.two_state(a, b)), 30)
    np.testing.assert_allclose(many, leading, atol=1e-14)


@pytest.mark.parametrize(
    ("t", "diagonal", "beside"),
    [(10, 1.24327, 0.131041), (50, 21.7954, 4.40498), (200, 315.1913, 74.66165), (400, 1236.586, 301.5837)],
)
def test_mean_weight_gradient_as_tabulated(t: int, diagonal: float, beside: float):
    W = first.mean_weight_gradient(t)
    np.testing.assert_allclose(W, [[diagonal, beside], [beside, diagonal]], rtol=5e-6)
    rest = (W - first.leading_weights(t) - first.next_weights(t)) / math.log(t)
    assert np.abs(rest).max() < 0.2


@pytest.mark.parametrize("t", [1, 7, 60])
def test_mean_offset_gradient_by_moments_and_chain_by_chain(t: int):
    by_chain = triangle_mean(lambda a, b: first.offset_gradient(a, b, t))
    np.testing.assert_allclose(first.mean_offset_gradient(t), by_chain, atol=1e-12)
    assert np.all(np.diff(by_chain) < 0)
    rest = by_chain - first.leading_offsets(t) - first.next_offsets(t)
    assert np.abs(rest).max() * t < 0.6 * (1 + math.log(t))
