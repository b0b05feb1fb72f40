"""n-grams: the lifted chain by hand, the case of bigrams, what follows what, prefixes, and the counting prediction."""

import math
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base.errors import UsageError
from elegans.tasks import ngrams
from elegans.tasks.base import Batch
from elegans.tasks.markov import MarkovChains
from elegans.tasks.ngrams import NGrams
from elegans.theory import markov, strategies


@cache
def drawn(task: NGrams, n: int = 4000, seed: int = 0) -> Batch:
    return task.numpy(n, seed)


def within(values: np.ndarray, mean: float, sigmas: float = 5) -> bool:
    return bool(abs(values.mean() - mean) < sigmas * values.std() / math.sqrt(len(values)))


def test_the_lifted_chain_by_hand():
    """Pairs 00, 01, 10, 11 of two symbols: the second token of a pair is the first of the next."""
    table = np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6]], np.float32)
    expected = [[0.1, 0.9, 0, 0], [0, 0, 0.2, 0.8], [0.3, 0.7, 0, 0], [0, 0, 0.4, 0.6]]
    np.testing.assert_allclose(ngrams.lifted(jnp.asarray(table[None]))[0], expected, atol=1e-7)


def test_bigrams_are_the_markov_chains():
    pairs, chains = drawn(NGrams(3, 20, 2), 200), MarkovChains(3, 20).numpy(200)
    np.testing.assert_array_equal(pairs.x, chains.x)
    np.testing.assert_array_equal(pairs.y, chains.y)
    np.testing.assert_allclose(pairs.latent["table"], chains.latent["P"], rtol=1e-6)


@pytest.mark.parametrize(("k", "order"), [(2, 3), (3, 3), (2, 4)])
def test_tuples_start_stationary_and_are_followed_by_their_rows(k: int, order: int):
    b, m = drawn(NGrams(k, 12, order)), order - 1
    table, pi = (b.latent[name].astype(np.float64) for name in ("table", "pi"))
    assert b.x.shape == b.y.shape == (4000, 12) and b.x.min() == 0 and b.x.max() == k - 1
    np.testing.assert_array_equal(b.x[:, 1:], b.y[:, :-1])
    lifted = np.asarray(ngrams.lifted(jnp.asarray(b.latent["table"])))
    np.testing.assert_allclose(pi, markov.stationary(lifted), atol=1e-5)
    places = np.array([k ** (m - 1 - i) for i in range(m)])
    for s in (0, 4, 12 - m):
        number = b.x[:, s : s + m] @ places
        assert within(((np.eye(k**m)[number] - pi) * pi).sum(-1), 0)
        rows = table[np.arange(len(table)), number]
        assert within(((np.eye(k)[b.y[:, s + m - 1]] - rows) * rows).sum(-1), 0)


@pytest.mark.parametrize("task", [NGrams(2, 9, 3), NGrams(3, 9, 3)])
def test_a_prefix_of_the_sample_is_the_smaller_sample(task: NGrams):
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a, b[:3]), task.numpy(3), task.numpy(10))


@pytest.mark.parametrize(("k", "order"), [(2, 2), (2, 3), (3, 3), (2, 5)])
def test_bayes_is_the_mgram_strategy_of_every_prefix(k: int, order: int):
    task, x = NGrams(k, 14, order), drawn(NGrams(k, 14, order), 60).x
    answer = np.asarray(task.bayes(Batch(x, ())))
    for p in range(1, 15):
        np.testing.assert_allclose(answer[:, p - 1], strategies.mgram(x[:, :p], k, order), rtol=1e-5)


def test_too_many_tuples_and_too_short_sequences_are_named():
    with pytest.raises(UsageError, match="at most 32 tuples"):
        NGrams(6, 100, 3)
    with pytest.raises(UsageError, match="t of at least 3"):
        NGrams(2, 2, 4)
