"""Strategies for n-grams and divergences on another task's chains, against the NumPy strategies."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.attention import AttentionOnly
from elegans.models.base import Model, Params
from elegans.papers.induction_heads.starts import induction_head
from elegans.probes.base import Probe, View
from elegans.probes.ngram_strategies import MGRAMS, NGramKL, mgram, row_of_last
from elegans.probes.strategies import StrategyKL
from elegans.probes.transfer import Transfer
from elegans.tasks.base import Task
from elegans.tasks.markov import MarkovChains
from elegans.tasks.markov_priors import DoublyStochasticChains, IndependentTokens
from elegans.tasks.ngrams import NGrams
from elegans.theory import strategies
from elegans.theory.induction import construction_output
from elegans.theory.markov import kl

K, T, A = 2, 30, 2.5


def head(task: Task) -> View:
    """A view of the construction of Proposition 8.2, which answers with A times the bigram frequencies."""
    params = {n: jnp.asarray(w, jnp.float32) for n, w in induction_head(K, T, 80.0, A).items()}
    return View.of(task, AttentionOnly(d=3 * K, variant="plain"), params, seed=3)


def seen(probe: Probe, v: View) -> dict[str, np.ndarray]:
    """What the probe records, compiled."""
    compiled = jax.jit(lambda params: probe.observe(View(**{**vars(v), "params": params})))(v.params)
    return {name: np.asarray(value) for name, value in compiled.items()}


def sample(v: View, task: Task, n: int) -> Any:
    return jax.tree.map(np.asarray, jax.jit(lambda key: task.sample(key, n))(v.eval))


def answer(x: np.ndarray) -> np.ndarray:
    """The construction's probabilities at the last position."""
    logits = A * construction_output(x, K)[:, -1]
    return np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)


# --- n-grams -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "t"), [(2, 1), (2, 2), (2, 3), (2, 60), (3, 40)])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_mgrams_are_the_numpy_ones(k: int, t: int, m: int) -> None:
    x = np.random.default_rng(4).integers(0, k, size=(40, t), dtype=np.int32)
    found = jax.jit(jax.vmap(lambda row: mgram(row, k, m)))(x)
    np.testing.assert_allclose(found, strategies.mgram(x, k, m), rtol=2e-6)


@pytest.mark.parametrize(("k", "order"), [(2, 2), (3, 3), (2, 4)])
def test_the_row_is_that_of_the_last_tokens(k: int, order: int) -> None:
    table = np.random.default_rng(2).dirichlet(np.ones(k), size=(k,) * (order - 1)).astype(np.float32)
    x = np.random.default_rng(3).integers(0, k, size=(20, 7), dtype=np.int32)
    rows = table.reshape(-1, k)
    found = np.array([row_of_last(jnp.asarray(row), jnp.asarray(rows), order) for row in x])
    np.testing.assert_allclose(found, [table[tuple(row[8 - order :])] for row in x], rtol=1e-6)


def test_divergences_from_ngrams() -> None:
    task = NGrams(K, T, 3)
    v = head(task)
    b, found = sample(v, task, 300), seen(NGramKL(on=300), v)
    model = answer(b.x)
    for name, m in MGRAMS.items():
        S = strategies.mgram(b.x, K, m)
        assert found[name] == pytest.approx(kl(model, S).mean(), rel=1e-4)
        assert found[f"from_{name}"] == pytest.approx(kl(S, model).mean(), rel=1e-4)
    flat = strategies.uniform(b.x, K)
    assert found["uniform"] == pytest.approx(kl(model, flat).mean(), rel=1e-4)
    assert found["from_uniform"] == pytest.approx(kl(flat, model).mean(), rel=1e-4)
    truth = b.latent["table"][np.arange(300), K * b.x[:, -2] + b.x[:, -1]]
    assert found["truth"] == pytest.approx(kl(truth, model).mean(), rel=1e-4)


def test_trigrams_are_best_on_their_own_data() -> None:
    """The baselines of specification 4: trigram data, k = 2, t = 100."""
    b = NGrams(2, 100, 3).numpy(4000, 1)
    truth = b.latent["table"][np.arange(4000), 2 * b.x[:, -2] + b.x[:, -1]]
    printed = {"unigram": 0.1452, "bigram": 0.0908, "trigram": 0.0171}
    for name, m in MGRAMS.items():
        values = kl(truth, strategies.mgram(b.x, 2, m))
        assert values.mean() == pytest.approx(printed[name], abs=5 * values.std() / 4000**0.5)


# --- another task's chains -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [MarkovChains(K, T), IndependentTokens(K, T), DoublyStochasticChains(K, 20)])
def test_transfer_sees_the_other_chains(other: Task) -> None:
    v = head(DoublyStochasticChains(K, T))
    probe = Transfer(task=other, on=200)
    b, found = sample(v, other, 200), seen(probe, v)
    model = answer(b.x)
    assert probe.name == f"Transfer{type(other).__name__}"
    assert found["truth"] == pytest.approx(kl(strategies.truth_oracle(b.x, b.latent["P"]), model).mean(), rel=1e-4)
    for name in ("uniform", "unigram", "bigram"):
        assert found[name] == pytest.approx(kl(model, getattr(strategies, name)(b.x, K)).mean(), rel=1e-4)


def test_transfer_to_the_own_task_is_the_own_loss() -> None:
    v = head(MarkovChains(K, T))
    assert seen(Transfer(task=MarkovChains(K, T), on=100), v) == seen(StrategyKL(on=100), v)


def test_what_cannot_be_watched_is_named() -> None:
    v = head(MarkovChains(K, T))
    for other in (MarkovChains(3, T), MarkovChains(K, T + 1)):
        with pytest.raises(UsageError, match="the same k and at most the same t"):
            seen(Transfer(task=other), v)
    with pytest.raises(UsageError, match="MarkovChains does not give"):
        seen(NGramKL(on=4), v)


@pytest.mark.parametrize("model", [AttentionOnly(d=6, heads=3), AttentionOnly(d=4)])
def test_heads_do_not_matter_to_the_probe(model: Model) -> None:
    task = NGrams(K, 12, 3)
    params: Params = model.init(stream.key(0, stream.Purpose.INIT), task.signature)
    assert all(np.isfinite(a) and a >= -1e-6 for a in seen(NGramKL(on=20), View.of(task, model, params)).values())
