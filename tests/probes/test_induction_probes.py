"""Probes of the two induction models, on the constructions whose answers are known exactly."""

from math import exp, sqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base.errors import UsageError
from elegans.models.attention import AttentionOnly
from elegans.models.minimal_induction import MinimalInduction
from elegans.models.mlp import MLP
from elegans.probes.base import Probe, View
from elegans.probes.bayes_gap import BayesGap
from elegans.probes.fixed_scores import FixedInputScores
from elegans.probes.minimal_order import MinimalOrder
from elegans.probes.positions import EffectivePositions
from elegans.probes.reverse_kl import StrategyReverseKL
from elegans.probes.strategies import StrategyKL
from elegans.tasks.markov import MarkovChains
from elegans.tasks.parity import SparseParity
from elegans.theory import strategies as theory
from elegans.theory.induction import bigram_weights, construction, unigram_weights
from elegans.theory.markov import kl

T = 16
KS = pytest.mark.parametrize("k", [2, 3])


def seen(probe: Probe, model: Any, params: dict[str, Any], k: int, t: int = T) -> dict[str, np.ndarray]:
    own = {name: jnp.asarray(p, jnp.float32) for name, p in params.items()}
    return {name: np.asarray(a) for name, a in probe.observe(View.of(MarkovChains(k, t), model, own, seed=3)).items()}


def minimal(probe: Probe, W: Any, v: Any) -> dict[str, np.ndarray]:
    return seen(probe, MinimalInduction(), {"W": W, "v": v}, len(W), len(v))


def head(k: int, c: float) -> tuple[AttentionOnly, dict[str, Any]]:
    return AttentionOnly(d=3 * k, variant="plain"), construction(k, T, c)


# --- positions ---------------------------------------------------------------------------------------------------------


@KS
def test_the_construction_looks_one_token_back(k: int) -> None:
    found = seen(EffectivePositions(), *head(k, 6.0), k)
    back = exp(6 / sqrt(3 * k))
    expected = np.where(np.arange(T) == 1, back, 1.0) / (back + T - 1)
    np.testing.assert_allclose(found["by_symbol"], np.broadcast_to(expected, (1, k, T)), rtol=1e-5)
    np.testing.assert_allclose(found["v"], expected[None], rtol=1e-5)
    np.testing.assert_allclose(found["contrast"], (expected[1] - expected[0]) * T / 3, rtol=1e-4)
    np.testing.assert_allclose(found["spurious"], 0, atol=1e-6)


@pytest.mark.parametrize("variant", ["plain", "mingpt"])
def test_without_keys_the_first_layer_is_its_effective_positions(variant: Any) -> None:
    model, task = AttentionOnly(d=8, heads=2, variant=variant), MarkovChains(3, T)
    start = model.init(jax.random.key(0), task.signature)
    params = {n: 5 * p for n, p in start.items()} | {"k0": 0 * start["k0"]}
    found = seen(EffectivePositions(), model, params, 3)
    for symbol in range(3):
        x = jnp.arange(T, dtype=jnp.int32).at[-1].set(symbol) % 3
        last = np.asarray(model.trace(params, x)["attention0"])[:, -1]
        np.testing.assert_allclose(found["by_symbol"][:, symbol], last[:, ::-1], rtol=1e-5)


def test_contrast_by_hand() -> None:
    v = np.zeros(10)
    v[[1, 3, 5]] = [3.0, 2.0, 1.0]  # offsets 2, 4 and 6
    found = minimal(EffectivePositions(), np.eye(2), v)
    np.testing.assert_array_equal(found["v"], v[None].astype(np.float32))
    np.testing.assert_allclose([found["contrast"][0], found["spurious"][0]], [2 / 0.6, 1.5 / 0.6], rtol=1e-6)
    flipped = minimal(EffectivePositions(), np.eye(2), np.roll(v, 1))
    assert flipped["contrast"] < 0 and flipped["spurious"] < 0
    np.testing.assert_allclose(minimal(EffectivePositions(), np.eye(2), -v)["contrast"], -2 / 0.6, rtol=1e-6)


def test_positions_need_a_table_and_enough_offsets() -> None:
    with pytest.raises(UsageError, match="t >= 7"):
        minimal(EffectivePositions(), np.eye(2), np.ones(6))
    view = View.of(SparseParity(6, 2), MLP(3), {"W": jnp.ones((6, 3))})
    with pytest.raises(UsageError, match="no table"):
        EffectivePositions().observe(view)
    with pytest.raises(UsageError, match="watch MinimalInduction"):
        MinimalOrder().observe(view)


# --- order parameters --------------------------------------------------------------------------------------------------


@KS
def test_order_parameters_of_the_constructions(k: int) -> None:
    bigrams, unigrams = (minimal(MinimalOrder(), *f(k, T)) for f in (bigram_weights, unigram_weights))
    expected = {"diagonal": 1, "off": 0, "second": np.inf, "share": 1, "bigram": 1, "unigram": 0}
    assert {n: pytest.approx(float(bigrams[n]), abs=1e-6) for n in expected} == expected
    expected = {"diagonal": 1, "off": 1, "second": 0, "share": 0, "bigram": 0, "unigram": 1}
    assert {n: pytest.approx(float(unigrams[n]), abs=1e-6) for n in expected} == expected


def test_order_parameters_by_hand() -> None:
    found = minimal(MinimalOrder(), [[1.0, -2.0], [0.0, 3.0]], [-2.0, 1.0, 0.0, 2.0])
    expected = {"diagonal": 2, "off": -1, "second": 0.5, "share": 0.2}
    expected |= {"bigram": 4 * 1 / sqrt(2 * 14 * 9), "unigram": 2 * -2 / (2 * sqrt(14 * 9))}
    assert {n: pytest.approx(float(found[n]), rel=1e-6) for n in expected} == expected
    asleep = minimal(MinimalOrder(), np.zeros((2, 2)), np.full(4, 0.01))
    assert asleep["bigram"] == asleep["unigram"] == 0 and asleep["second"] == 1 and asleep["share"] == 0.25


# --- scores ------------------------------------------------------------------------------------------------------------


@KS
def test_scores_of_the_construction(k: int) -> None:
    x = np.array([0, 1, 1, 0, 0, 1, 0, 1]) if k == 2 else np.array([2, 0, 1, 2, 2, 1, 0, 2])
    found = seen(FixedInputScores(tokens=tuple(map(int, x))), *head(k, 80.0), k)
    i, j = np.indices((8, 8))
    previous = np.concatenate([x[:1], x[:-1]])
    first, second = 1.0 * (j == i - 1), np.where(j <= i, x[:, None] == previous[None], 0.0)
    np.testing.assert_allclose(found["scores0"][0], 80 / sqrt(3 * k) * first, atol=1e-4)
    np.testing.assert_allclose(found["scores1"][0], 80**2 / sqrt(3 * k) * second, rtol=1e-3, atol=1e-3 * 80**2)


def test_scores_refuse_other_symbols_and_models_without_layers() -> None:
    with pytest.raises(UsageError, match=r"symbols of 0\.\.1"):
        seen(FixedInputScores(), *head(2, 1.0), 2)
    with pytest.raises(UsageError, match="no scores by layer"):
        minimal(FixedInputScores(), np.eye(3), np.ones(16))


# --- divergences -------------------------------------------------------------------------------------------------------


@KS
def test_the_gap_of_a_uniform_model(k: int) -> None:
    task, on = MarkovChains(k, T), 64
    view = View.of(task, MinimalInduction(), {"W": jnp.zeros((k, k)), "v": jnp.ones(T)}, seed=3)
    batch = jax.tree.map(np.asarray, task.sample(view.eval, on))
    found = {n: np.asarray(a) for n, a in BayesGap(on=on).observe(view).items()}
    best = theory.bigram_at_all_positions(batch.x, k)
    truth = np.take_along_axis(batch.latent["P"].astype(np.float64), batch.x[..., None], 1)
    np.testing.assert_allclose(found["by_position"], (truth * np.log(k * best)).sum(-1).mean(0), atol=1e-5)
    assert found["gap"] == found["by_position"][-1]
    assert found["bayes"] == pytest.approx(kl(truth[:, -1], best[:, -1]).mean(), abs=1e-5)
    assert found["gap"] + found["bayes"] == pytest.approx(float(StrategyKL(on=on).observe(view)["truth"]), abs=1e-5)


def test_the_gap_needs_chains() -> None:
    with pytest.raises(UsageError, match="watch it on MarkovChains"):
        BayesGap().observe(View.of(SparseParity(6, 2), MLP(3), {}))
    with pytest.raises(UsageError, match="watch it on MarkovChains"):
        StrategyReverseKL().observe(View.of(SparseParity(6, 2), MLP(3), {}))


@KS
def test_divergences_the_other_way_round(k: int) -> None:
    task, on = MarkovChains(k, T), 64
    W, v = bigram_weights(k, T)
    params = {"W": jnp.asarray(W, jnp.float32) / 4, "v": jnp.asarray(v, jnp.float32)}
    view = View.of(task, MinimalInduction(), params, seed=3)
    x = np.asarray(task.sample(view.eval, on).x)
    found = StrategyReverseKL(on=on).observe(view)
    logits = theory.bigram_counts(x, k)[:, -1] / 4
    model = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    for name in ("uniform", "unigram", "bigram"):
        assert float(found[name]) == pytest.approx(kl(getattr(theory, name)(x, k), model).mean(), rel=1e-4)
