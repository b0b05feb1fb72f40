"""Counting predictors against counting by hand, the exact Bayes predictor against the laws a posterior mean obeys."""

import math
from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import markov, strategies
from elegans.theory.strategies import Contexts

Strategy = Callable[[Contexts, int], markov.Floats]
seeds = st.integers(0, 2**32 - 1)
COUNTING: list[Strategy] = [
    strategies.uniform,
    strategies.unigram,
    strategies.bigram,
    lambda x, k: strategies.mgram(x, k, 3),
]


def random_contexts(seed: int, k: int, t: int, n: int = 6) -> Contexts:
    return np.random.default_rng(seed).integers(0, k, size=(n, t))


def all_contexts(t: int) -> Contexts:
    return np.array(list(product((0, 1), repeat=t)))


def sample(seed: int, n: int, k: int, t: int) -> tuple[markov.Floats, Contexts]:
    """n flat chains (n, k, k) and a stationary context (n, t) of each."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(k), size=(n, k))
    x = np.zeros((n, t), int)
    row = markov.stationary(P)
    for s in range(t):
        x[:, s] = np.minimum(np.sum(rng.random((n, 1)) > np.cumsum(row, -1), -1), k - 1)
        row = P[np.arange(n), x[:, s]]
    return P, x


def counts_by_hand(x: list[int], k: int, m: int) -> list[int]:
    ending = x[len(x) - (m - 1) :]
    followers = [x[s] for s in range(m - 1, len(x)) if x[s - m + 1 : s] == ending]
    return [followers.count(i) for i in range(k)]


@given(seeds, st.integers(2, 4), st.integers(1, 12), st.integers(1, 4))
def test_mgrams_count_what_followed_the_ending(seed: int, k: int, t: int, m: int):
    x = random_contexts(seed, k, t)
    expected = [[(c + 1) / (sum(n) + k) for c in n] for n in (counts_by_hand(row, k, m) for row in x.tolist())]
    np.testing.assert_allclose(strategies.mgram(x, k, m), expected)


@given(seeds, st.integers(2, 4), st.integers(1, 12))
def test_all_positions_are_the_last_positions_of_all_prefixes(seed: int, k: int, t: int):
    x = random_contexts(seed, k, t)
    for strategy, everywhere in (
        (strategies.unigram, strategies.unigram_at_all_positions),
        (strategies.bigram, strategies.bigram_at_all_positions),
    ):
        prefixes = [strategy(x[:, : p + 1], k) for p in range(t)]
        np.testing.assert_allclose(everywhere(x, k), np.stack(prefixes, axis=1))


def test_predictions_by_hand():
    x = np.array([[0, 1, 1, 0, 1, 2, 1]])
    np.testing.assert_allclose(strategies.uniform(x, 3), [[1 / 3] * 3])
    np.testing.assert_allclose(strategies.unigram(x, 3), [[3 / 10, 5 / 10, 2 / 10]])
    np.testing.assert_allclose(strategies.bigram(x, 3), [[2 / 6, 2 / 6, 2 / 6]])
    np.testing.assert_allclose(strategies.mgram(x, 3, 3), [[1 / 3] * 3])
    np.testing.assert_allclose(strategies.mgram(x[:, :5], 3, 3), [[1 / 4, 2 / 4, 1 / 4]])
    np.testing.assert_allclose(strategies.bigram(x, 3, alpha=np.array([1, 2, 3])), [[2 / 9, 3 / 9, 4 / 9]])
    np.testing.assert_allclose(strategies.bigram_at_all_positions(x, 3, alpha=2.0)[0, 4], [3 / 8, 3 / 8, 2 / 8])


@given(seeds, st.integers(2, 4), st.integers(1, 12), st.sampled_from(range(len(COUNTING))))
def test_renaming_the_symbols_renames_the_prediction(seed: int, k: int, t: int, which: int):
    x, new_name = random_contexts(seed, k, t), np.random.default_rng(seed).permutation(k)
    renamed = COUNTING[which](new_name[x], k)
    np.testing.assert_allclose(renamed[:, new_name], COUNTING[which](x, k))
    np.testing.assert_allclose(renamed.sum(-1), 1.0)
    assert renamed.shape == (6, k) and np.all(renamed > 0)


def test_oracles_read_the_chain():
    P, x = sample(0, 50, 3, 7)
    rows = [P[b, x[b, -1]] for b in range(50)]
    np.testing.assert_allclose(strategies.truth_oracle(x, P), rows)
    np.testing.assert_allclose(strategies.truth_oracle(x, P[4]), P[4][x[:, -1]])
    np.testing.assert_allclose(strategies.stationary_oracle(x, P), markov.stationary(P))
    np.testing.assert_allclose(strategies.stationary_oracle(x, P[4]), np.tile(markov.stationary(P[4]), (50, 1)))


def test_wrong_contexts_are_named():
    for x, k, reason in (
        (np.array([0, 1]), 2, "integers"),
        (np.zeros((2, 0), int), 2, "t >= 1"),
        (np.array([[0.0, 1.0]]), 2, "float64"),
        (np.array([[0, 2]]), 2, r"symbols 0\.\.2"),
        (np.array([[0, -1]]), 2, r"symbols -1\.\.0"),
    ):
        for strategy in COUNTING:
            with pytest.raises(ValueError, match=reason):
                strategy(x, k)
    with pytest.raises(ValueError, match="m = 0"):
        strategies.mgram(np.array([[0, 1]]), 2, 0)


def bayes_by_cubature(x: list[int]) -> tuple[float, float]:
    """p(x) and E[P[x_t, 0] | x] from the likelihood as written, by Duffy's rule on both triangles of the square."""
    nodes, weights = np.polynomial.legendre.leggauss(30)
    r, s = np.meshgrid((nodes + 1) / 2, (nodes + 1) / 2, indexing="ij")
    evidence, first = 0.0, 0.0
    for u, v in ((r, r * s), (r * s, r)):
        P, pi = ((1 - u, u), (v, 1 - v)), (v / (u + v), u / (u + v))
        likelihood = np.outer(weights, weights) / 4 * r * pi[x[0]] * math.prod(P[i][j] for i, j in pairwise(x))
        evidence += float(np.sum(likelihood))
        first += float(np.sum(likelihood * P[x[-1]][0]))
    return evidence, first / evidence


@pytest.mark.parametrize("t", [1, 2, 3, 6])
def test_bayes_is_the_posterior_mean(t: int):
    by_cubature = [bayes_by_cubature(x)[1] for x in all_contexts(t).tolist()]
    expected = np.stack([by_cubature, 1 - np.array(by_cubature)], -1)
    np.testing.assert_allclose(strategies.bayes_two_states(all_contexts(t)), expected, atol=1e-12)


def bayes_marginal(t: int) -> markov.Floats:
    """p(x_1..x_t) of all binary sequences, as the product of Bayes predictions: (2,)*t."""
    p = np.full((2,), 0.5)
    for s in range(1, t):
        p = p[..., None] * strategies.bayes_two_states(all_contexts(s)).reshape((2,) * (s + 1))
    return p


def test_bayes_predictions_multiply_to_a_stationary_reversible_law():
    """Two-state chains are reversible and start in equilibrium; a product of bigram predictions is neither."""
    p = bayes_marginal(8)
    assert p.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(p, p.transpose(), atol=1e-14)
    np.testing.assert_allclose(p.sum(axis=0), p.sum(axis=-1), atol=1e-14)
    np.testing.assert_allclose(p, p[(slice(None, None, -1),) * 8], atol=1e-14)


@pytest.mark.parametrize(("t", "sampled"), [(3, 0.0114), (5, 0.0073), (10, 0.0031)])
def test_remark_8_1_bigram_is_close_to_bayes_but_not_equal(t: int, sampled: float):
    """Exact sums over all contexts; the tabulated values were sampled and lie within two per cent."""
    x = all_contexts(t)
    p, first = np.array([bayes_by_cubature(row) for row in x.tolist()]).T
    bigram = strategies.bigram(x, 2)
    exact = float(p @ markov.kl(np.stack([first, 1 - first], -1), bigram))
    gap = float(bayes_marginal(t).ravel() @ markov.kl(strategies.bayes_two_states(x), bigram))
    assert gap == pytest.approx(exact, abs=1e-12)
    assert gap == pytest.approx(sampled, rel=0.02)


def test_bayes_has_converged_for_long_contexts():
    _, x = sample(5, 40, 2, 200)
    x[0], x[1, 1:] = 1, 1 - x[1, 0]
    prediction = strategies.bayes_two_states(x)
    np.testing.assert_allclose(prediction, strategies.bayes_two_states(x, n=400), atol=1e-12)
    np.testing.assert_allclose(prediction, strategies.bigram(x, 2), atol=0.05)
    np.testing.assert_allclose(prediction[:, ::-1], strategies.bayes_two_states(1 - x), atol=1e-14)
    with pytest.raises(ValueError, match="k = 2"):
        strategies.bayes_two_states(x + 1)


@pytest.mark.parametrize(
    ("k", "t", "table"), [(2, 100, (0.2120, 0.0875, 0.0092, 0.0834)), (3, 50, (0.2793, 0.1771, 0.0478, 0.1591))]
)
def test_baseline_risks_as_tabulated(k: int, t: int, table: tuple[float, ...]):
    P, x = sample(1, 10_000, k, t)
    truth = strategies.truth_oracle(x, P)
    answers = (f(x, k) for f in (strategies.uniform, strategies.unigram, strategies.bigram))
    for answer, risk in zip((*answers, strategies.stationary_oracle(x, P)), table, strict=True):
        divergence = markov.kl(truth, answer)
        assert abs(divergence.mean() - risk) < 4 * divergence.std() / 100 + 0.001


def test_what_bigram_loses_to_bayes_is_their_divergence():
    """E KL(P || bigram) - E KL(P || bayes) = E KL(bayes || bigram), because Bayes is the conditional mean of P."""
    P, x = sample(2, 20_000, 2, 5)
    truth, bayes, bigram = strategies.truth_oracle(x, P), strategies.bayes_two_states(x), strategies.bigram(x, 2)
    difference = markov.kl(truth, bigram) - markov.kl(truth, bayes) - markov.kl(bayes, bigram)
    assert abs(difference.mean()) < 4 * difference.std() / math.sqrt(len(x))
