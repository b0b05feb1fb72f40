"""Other priors over chains: their invariants, their exact moments, prefixes, and what the parts of a mixture are."""

import math
from functools import cache

import jax
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.tasks import markov_priors as priors
from elegans.tasks.base import Batch, Task
from elegans.tasks.markov_priors import (
    DirichletChains,
    DoublyStochasticChains,
    IndependentTokens,
    MixedChains,
    TwoStateChains,
)
from elegans.theory import birkhoff, chain_priors, strategies
from elegans.theory.markov import add_one_risk, kl

TASKS: tuple[Task, ...] = (
    DirichletChains((0.5, 1.0, 3.0), 12),
    DoublyStochasticChains(2, 12),
    DoublyStochasticChains(4, 12),
    IndependentTokens(3, 12),
    MixedChains(3, 12, 0.4),
    TwoStateChains("flat", 12),
    TwoStateChains("equal", 12),
    TwoStateChains("near half", 12, 0.1),
)


@cache
def drawn(task: Task, n: int = 4000, seed: int = 0) -> Batch:
    return task.numpy(n, seed)


def within(values: np.ndarray, mean: float, sigmas: float = 5) -> bool:
    return bool(abs(values.mean() - mean) < sigmas * values.std() / math.sqrt(len(values)))


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_chains_are_stochastic_and_start_stationary(task: Task):
    b = drawn(task)
    P, pi = (b.latent[name].astype(np.float64) for name in ("P", "pi"))
    assert b.x.shape == b.y.shape == (4000, 12) and b.x.dtype == np.int32
    assert P.min() >= 0 and b.latent["P"].dtype == np.float32
    np.testing.assert_array_equal(b.x[:, 1:], b.y[:, :-1])
    np.testing.assert_allclose(P.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(np.einsum("bi,bij->bj", pi, P), pi, atol=1e-6)
    E = np.eye(P.shape[-1])[b.x]
    for s in (0, 5, 11):
        assert within(((E[:, s] - pi) * np.einsum("bii->bi", P))[:, 0], 0)
    rows = np.take_along_axis(P, b.x[:, 5, None, None], 1)[:, 0]
    assert within(((np.eye(P.shape[-1])[b.y[:, 5]] - rows) * rows).sum(-1), 0)


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_a_prefix_of_the_sample_is_the_smaller_sample(task: Task):
    """The first 7 of 4000, though an example that is rejected for long lies among the other 3993."""
    few, many = task.numpy(7), drawn(task)
    np.testing.assert_array_equal(few.x, many.x[:7])
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b[:7], atol=1e-6), few.latent, many.latent)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_doubly_stochastic_matrices_are_uniform(k: int):
    P = np.asarray(jax.jit(priors.birkhoff, static_argnums=(1, 2))(stream.key(1, stream.Purpose.DATA), 20_000, k))
    P = P.astype(np.float64)
    np.testing.assert_allclose(P.sum(1), 1, atol=1e-6)
    law = {name: float(value) for name, value in birkhoff.moments(k).items()}
    for i, j in ((0, 0), (k - 1, 0), (0, k - 1), (k - 1, k - 1)):  # the last row and column are not drawn but completed
        assert within(P[:, i, j], 1 / k)
        assert within(P[:, i, j] ** 2, law["p11 p11"])
        assert within(P[:, i, j] * P[:, i, j - 1], law["p11 p12"])
        assert within(P[:, i, j] * P[:, i - 1, j - 1], law["p11 p22"])


def test_five_symbols_are_refused_with_a_reason():
    for task in (DoublyStochasticChains, MixedChains):
        with pytest.raises(UsageError, match=r"rejection.*take k = 2, 3 or 4"):
            task(5)


def test_independent_tokens_have_one_row_and_the_add_one_risk():
    task = IndependentTokens(3, 30)
    b = drawn(task)
    np.testing.assert_array_equal(b.latent["P"], np.broadcast_to(b.latent["pi"][:, None], b.latent["P"].shape))
    np.testing.assert_allclose(task.bayes(b), strategies.unigram_at_all_positions(b.x, 3), rtol=1e-5)
    assert within(kl(b.latent["pi"], strategies.unigram(b.x, 3)), add_one_risk(30, 3))


def test_the_ends_of_a_mixture_are_its_parts():
    doubly, tokens = drawn(DoublyStochasticChains(3, 12)), drawn(IndependentTokens(3, 12))
    whole = drawn(MixedChains(3, 12, 0.4))
    which = whole.latent["doubly"]
    assert within(which.astype(float), 0.4)
    np.testing.assert_array_equal(whole.x, np.where(which[:, None], doubly.x, tokens.x))
    np.testing.assert_array_equal(drawn(MixedChains(3, 12, 1.0)).x, doubly.x)
    np.testing.assert_array_equal(drawn(MixedChains(3, 12, 0.0)).x, tokens.x)


@pytest.mark.parametrize(("law", "eps"), [("equal", 0.5), ("near half", 0.1), ("near half", 0.5)])
def test_equal_laws_have_uniform_eigenvalues(law: str, eps: float):
    P = drawn(TwoStateChains(law, 12, eps)).latent["P"].astype(np.float64)  # type: ignore[arg-type]
    np.testing.assert_array_equal(P[:, 0, 0], P[:, 1, 1])
    lam = np.trace(P, axis1=1, axis2=2) - 1
    assert np.abs(lam).max() <= 2 * eps + 1e-6
    for m in (1, 2, 4):
        assert within(lam**m, chain_priors.equal_eigenvalue_moment(m, eps))


def test_skewed_rows_and_their_posterior_mean():
    task = DirichletChains((0.5, 1.0, 3.0), 12)
    b = drawn(task)
    second = chain_priors.dirichlet_second_moment(task.alpha)
    for i, j in ((0, 0), (1, 2), (2, 1)):
        assert within(b.latent["P"][:, i, j].astype(np.float64), task.alpha[j] / 4.5)
        assert within(b.latent["P"][:, i, j].astype(np.float64) ** 2, second[j])
    np.testing.assert_allclose(task.bayes(b), strategies.bigram_at_all_positions(b.x, 3, task.alpha), rtol=1e-5)


@pytest.mark.parametrize("alpha", [(1.0,), (1.0, 0.01), (1.0, math.inf)])
def test_concentrations_that_make_no_law_are_refused(alpha: tuple[float, ...]):
    with pytest.raises(UsageError, match="2 to 32 finite numbers"):
        DirichletChains(alpha)
