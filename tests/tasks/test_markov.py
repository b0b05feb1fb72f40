"""The chain sampler against its laws: stationarity, moments, symmetry, prefixes, the risks of counting predictors."""

import math
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.tasks import markov
from elegans.tasks.base import Batch
from elegans.tasks.markov import MarkovChains
from elegans.theory import markov as theory
from elegans.theory import strategies

sampled = jax.jit(MarkovChains.sample, static_argnums=(0, 2))


@cache
def drawn(k: int = 3, t: int = 30, n: int = 6000, alpha: float = 1.0, seed: int = 0) -> Batch:
    return jax.tree.map(np.asarray, sampled(MarkovChains(k, t, alpha), stream.key(seed, stream.Purpose.DATA), n))


def within(values: np.ndarray, mean: float, sigmas: float = 4) -> bool:
    return bool(abs(values.mean() - mean) < sigmas * values.std() / math.sqrt(len(values)))


@pytest.mark.parametrize(("k", "alpha"), [(3, 1.0), (5, 1.0), (3, 0.5)])
def test_shapes_ranges_and_the_fixed_point(k: int, alpha: float):
    b = drawn(k, alpha=alpha)
    assert b.x.shape == b.y.shape == (6000, 30)
    assert b.x.dtype == b.y.dtype == np.int32 and b.latent["P"].dtype == np.float32
    assert b.x.min() == 0 and b.x.max() == k - 1
    np.testing.assert_array_equal(b.x[:, 1:], b.y[:, :-1])
    P, pi = (b.latent[name].astype(np.float64) for name in ("P", "pi"))
    assert P.min() > 0
    np.testing.assert_allclose(P.sum(-1), 1, atol=3e-7)
    np.testing.assert_allclose(np.einsum("bi,bij->bj", pi, P), pi, atol=1e-6)
    np.testing.assert_allclose(pi, theory.stationary(P / P.sum(-1, keepdims=True)), rtol=2e-5)


def test_stationary_distribution_keeps_its_relative_precision():
    """A nearly closed chain: π of the rare state is known by balance, far below the resolution of 1 - 1e-8."""
    P = np.array([[1 - 1e-8, 1e-8], [0.5, 0.5]], np.float32)
    np.testing.assert_allclose(markov.stationary(jnp.asarray(P))[1], 2e-8, rtol=1e-6)
    flow = np.array([[0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.4, 0.0, 0.6]], np.float32)
    np.testing.assert_allclose(markov.stationary(jnp.asarray(flow)), theory.stationary(flow), rtol=1e-6)


@pytest.mark.parametrize("task", [MarkovChains(3, 12), MarkovChains(2, 5, 0.3)])
def test_a_prefix_of_the_sample_is_the_smaller_sample(task: MarkovChains):
    key = stream.key(5, stream.Purpose.DATA)
    few, many = sampled(task, key, 3), sampled(task, key, 10)
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a, b[:3]), few, many)


def test_the_sample_does_not_depend_on_the_precision_of_the_process():
    key = stream.key(6, stream.Purpose.DATA)
    with jax.enable_x64(True):
        wide = sampled(MarkovChains(3, 9), key, 5)
    narrow = sampled(MarkovChains(3, 9), key, 5)
    assert jax.tree.map(lambda a: a.dtype, wide) == jax.tree.map(lambda a: a.dtype, narrow)
    np.testing.assert_array_equal(wide.x, narrow.x)


@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_moments_of_a_row(alpha: float):
    """E P_ij = 1/k, E P_ij^2 = (α+1) / (k (kα+1)), and under the flat prior E H(P_i) = H_k - 1."""
    k, P = 3, drawn(alpha=alpha).latent["P"].astype(np.float64)
    for i, j in ((0, 0), (0, 2), (2, 1)):
        assert within(P[:, i, j], 1 / k)
        assert within(P[:, i, j] ** 2, (alpha + 1) / (k * (k * alpha + 1)))
    assert within((P**2).mean((1, 2)), (alpha + 1) / (k * (k * alpha + 1)))
    if alpha == 1:
        assert within(theory.entropy(P[:, 1]), 1 + 1 / 2 + 1 / 3 - 1)


def test_two_states_have_the_triangular_eigenvalue_and_the_known_imbalance():
    latent = drawn(2, 100, 10_000).latent
    eigenvalue = np.trace(latent["P"], axis1=1, axis2=2) - 1
    for m in (1, 2):
        assert within(eigenvalue ** (2 * m), 2 / ((2 * m + 1) * (2 * m + 2)))
        assert within(eigenvalue ** (2 * m - 1), 0)
    assert within((latent["pi"] ** 2).sum(-1), theory.MEAN_SQUARED_PI)


def test_every_position_has_the_stationary_law_and_every_step_the_rows():
    """1{x_s = i} - π_i and 1{x_{s+1} = j} - P_{x_s, j} have mean zero, also against functions of the chain."""
    b = drawn()
    E, F, P, pi = np.eye(3)[b.x], np.eye(3)[b.y], b.latent["P"], b.latent["pi"]
    rows = np.einsum("nti,nij->ntj", E, P)
    for i in range(3):
        for s in (0, 1, 14, 29):
            assert within((E[:, s, i] - pi[:, i]) * pi[:, i], 0)
            assert within((F[:, s, i] - rows[:, s, i]) * rows[:, s, i], 0)
    products = (F[:, 3] - rows[:, 3]) * (F[:, 4] - rows[:, 4])
    assert within(products[:, 0], 0)


def test_a_uniform_start_would_be_noticed():
    """The same residual with 1/k for π is far from zero, so the test above sees a start that is not stationary."""
    b = drawn()
    assert not within((np.eye(3)[b.x[:, 0]] * b.latent["pi"]).sum(-1), 1 / 3, sigmas=20)


def test_no_symbol_is_special():
    b = drawn(seed=3)
    for i in range(3):
        assert within((b.x == i).mean(1), 1 / 3)
        assert within(((b.x == i) & (b.y == i)).mean(1), ((b.x == b.y).mean(1) / 3).mean(), 5)


def test_inverse_and_walk_by_hand():
    p = jnp.asarray([[0.25, 0.5, 0.25]] * 4, jnp.float32)
    u = jnp.asarray([0.0, 0.25, 0.7499, 0.75], jnp.float32)
    np.testing.assert_array_equal(markov.inverse(p, u), [0, 1, 1, 2])
    follow = jnp.asarray([[[1, 2, 0], [0, 0, 1], [2, 1, 1]]], jnp.int32)
    np.testing.assert_array_equal(markov.walk(jnp.asarray([1], jnp.int32), follow), [[1, 2, 1, 1]])


@pytest.mark.parametrize(("k", "alpha"), [(5, 1.0), (3, 0.5)])
def test_bayes_is_the_bigram_strategy_at_all_positions(k: int, alpha: float):
    task, x = MarkovChains(k, 30, alpha), drawn(k, alpha=alpha).x[:50]
    expected = strategies.bigram_at_all_positions(x, k, alpha)
    answer = jax.jit(lambda x: task.bayes(Batch(x, ())))(x)
    assert answer.shape == (50, *task.signature.out)
    np.testing.assert_allclose(answer, expected, rtol=1e-6)


@pytest.mark.parametrize(("k", "risks"), [(2, (0.2120, 0.0875, 0.0092, 0.0834)), (3, (0.2805, 0.1704, 0.0263, 0.1609))])
def test_baseline_risks_as_tabulated(k: int, risks: tuple[float, ...]):
    b = drawn(k, 100, 10_000)
    P = b.latent["P"].astype(np.float64)
    truth = strategies.truth_oracle(b.x, P)
    answers = [f(b.x, k) for f in (strategies.uniform, strategies.unigram, strategies.bigram)]
    for answer, risk in zip([*answers, strategies.stationary_oracle(b.x, P)], risks, strict=True):
        divergence = theory.kl(truth, answer)
        assert abs(divergence.mean() - risk) < 3 * math.hypot(divergence.std() / 100, 0.001 / 3)


def test_wrong_settings_are_named():
    for wrong in ((1, 5, 1.0), (3, 0, 1.0), (3, 5, 0.0)):
        with pytest.raises(UsageError, match=r"must be (between|at least)"):
            MarkovChains(*wrong)
