"""Strategies against the NumPy ones, and probes on the explicit construction, where every answer is known."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.attention import AttentionOnly
from elegans.models.base import Model
from elegans.models.minimal_induction import MinimalInduction
from elegans.papers.induction_heads import presets
from elegans.papers.induction_heads.starts import induction_head
from elegans.probes import strategies as probed
from elegans.probes.attention import FixedInputAttention, InductionScore, PreviousTokenScore
from elegans.probes.base import Probe, View
from elegans.probes.strategies import LastLoss, StrategyKL
from elegans.tasks.base import Batch
from elegans.tasks.markov import MarkovChains
from elegans.theory import strategies
from elegans.theory.induction import construction_output, layer1_attention
from elegans.theory.markov import kl


def view(task: MarkovChains, model: Model, params: dict) -> View:
    key, zero = stream.key(3, stream.Purpose.EVAL), jnp.zeros((), jnp.int32)
    return View(task, model, params, (), key, key, zero, jnp.zeros((), jnp.float32), None, lambda: params)


def head(k: int, t: int, a: float = 1.0, c: float = 80.0) -> View:
    """A view of the construction of Proposition 8.2, which answers with a times the bigram frequencies."""
    params = {n: jnp.asarray(w, jnp.float32) for n, w in induction_head(k, t, c, a).items()}
    return view(MarkovChains(k, t), AttentionOnly(d=3 * k, variant="plain"), params)


def seen(probe: Probe, v: View) -> dict[str, np.ndarray]:
    """What the probe records, compiled."""
    compiled = jax.jit(lambda params: probe.observe(View(**{**vars(v), "params": params})))(v.params)
    return {name: np.asarray(value) for name, value in compiled.items()}


def sample(v: View, n: int) -> Batch:
    return jax.tree.map(np.asarray, jax.jit(lambda key: v.task.sample(key, n))(v.eval))


@pytest.mark.parametrize(("k", "t"), [(2, 1), (2, 100), (3, 12), (5, 40)])
def test_strategies_are_the_numpy_ones(k: int, t: int):
    x = np.random.default_rng(9).integers(0, k, size=(50, t), dtype=np.int32)
    for name in ("uniform", "unigram", "bigram"):
        answer = jax.jit(jax.vmap(lambda row, f=getattr(probed, name): f(row, k)))(x)
        np.testing.assert_allclose(answer, getattr(strategies, name)(x, k), rtol=2e-6)


@pytest.mark.parametrize("on", [100, 300])
def test_divergences_of_the_construction(on: int):
    k, t, a = 3, 30, 2.5
    v = head(k, t, a)
    b, found = sample(v, on), seen(StrategyKL(on=on), v)
    logits = a * construction_output(b.x, k)[:, -1]
    model = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    for name in ("uniform", "unigram", "bigram"):
        assert found[name] == pytest.approx(kl(model, getattr(strategies, name)(b.x, k)).mean(), rel=1e-4)
    truth = strategies.truth_oracle(b.x, b.latent["P"])
    assert found["truth"] == pytest.approx(kl(truth, model).mean(), rel=1e-4)
    loss = seen(LastLoss(on=on), v)["loss"]
    assert loss == pytest.approx(-np.log(model[np.arange(on), b.y[:, -1]]).mean(), rel=1e-4)


def test_a_model_that_says_nothing_is_uniform():
    task = MarkovChains(2, 50)
    model = MinimalInduction(init_v=0.0)
    v = view(task, model, model.init(stream.key(0, stream.Purpose.INIT), task.signature))
    found = seen(StrategyKL(on=2000), v)
    assert found["uniform"] == pytest.approx(0, abs=1e-6)
    assert found["truth"] == pytest.approx(0.2123, abs=4 * 0.0044)
    assert seen(LastLoss(on=10), v)["loss"] == pytest.approx(np.log(2))


def test_the_construction_is_an_induction_head():
    k, t, n = 3, 40, 300
    v = head(k, t)
    weight = layer1_attention(np.arange(2, t + 1), k, 80.0)
    previous = seen(PreviousTokenScore(on=n), v)
    assert previous["score"].shape == (2, 1) and previous["by_symbol"].shape == (2, 1, k)
    assert previous["score"][0, 0] == pytest.approx(weight.mean(), rel=1e-5)
    np.testing.assert_allclose(previous["by_symbol"][0], weight.mean(), rtol=1e-4)
    x, found = sample(v, n).x, seen(InductionScore(on=n), v)
    match = (x[:, :-1] == x[:, -1:]).sum(1)
    assert found["base"] == pytest.approx((match / t).mean(), rel=1e-5)
    first_counts_too = match / np.maximum(match + (x[:, 0] == x[:, -1]), 1)  # position 1 can only look at itself
    assert found["mass"][1, 0] == pytest.approx(first_counts_too.mean(), rel=1e-4)
    np.testing.assert_allclose(found["score"], found["mass"] - found["base"], atol=1e-6)


def test_previous_token_score_by_the_symbol_that_looks_back():
    """With a blunt c the weight on i - 1 falls with i, so symbols differ by where they stand."""
    k, t, n, c = 2, 6, 40, 4.0
    v, weight = head(k, t, c=c), layer1_attention(np.arange(2, t + 1), k, c)
    x = sample(v, n).x[:, 1:]
    expected = [(weight * (x == i)).sum() / (x == i).sum() for i in range(k)]
    np.testing.assert_allclose(seen(PreviousTokenScore(on=n), v)["by_symbol"][0, 0], expected, rtol=1e-5)


def test_attention_at_a_fixed_input_may_be_shorter_than_the_context():
    v = head(3, 40)
    found = seen(FixedInputAttention(tokens=(2, 0, 2, 1, 2)), v)
    assert {name: a.shape for name, a in found.items()} == {"attention0": (1, 5, 5), "attention1": (1, 5, 5)}
    np.testing.assert_allclose(found["attention0"][0], np.eye(5, k=-1) + np.diag([1, 0, 0, 0, 0]), atol=1e-5)
    np.testing.assert_allclose(found["attention1"][0, -1], [1 / 3, 1 / 3, 0, 1 / 3, 0], atol=1e-5)
    assert seen(FixedInputAttention(), v)["attention1"].shape == (1, 16, 16)


def test_what_cannot_be_watched_is_named():
    with pytest.raises(UsageError, match=r"symbols of 0\.\.1"):
        seen(FixedInputAttention(tokens=(0, 2)), head(2, 10))
    task, model = MarkovChains(2, 10), MinimalInduction()
    v = view(task, model, model.init(stream.key(0, stream.Purpose.INIT), task.signature))
    with pytest.raises(UsageError, match="has no attention"):
        seen(PreviousTokenScore(on=4), v)


@pytest.mark.parametrize("make", [presets.fig, presets.minimal_small])
def test_presets_learn(make: Callable[[int], presets.Preset]):
    """Three steps of a preset's own algorithm lower the loss of a fixed batch."""
    task, model, algorithm, _ = make(2)
    batch = jax.jit(lambda key: task.sample(key, 8))(stream.key(2, stream.Purpose.DATA))

    @jax.jit
    def step(params: dict, state: dict, t: jax.Array) -> tuple[dict, dict, jax.Array]:
        losses = jax.vmap(algorithm.loss)
        outputs = jax.vmap(model, (None, 0))
        loss, grad = jax.value_and_grad(lambda p: losses(outputs(p, batch.x), batch.y).mean())(params)
        return *algorithm.update(params, state, grad, t), loss

    params = jax.jit(lambda key: model.init(key, task.signature))(stream.key(1, stream.Purpose.INIT))
    state, history = algorithm.start(params), []
    for t in range(4):
        params, state, loss = step(params, state, jnp.asarray(t, jnp.int32))
        history.append(float(loss))
    assert history[-1] < history[0]


def test_presets_are_the_settings_of_the_text():
    """Table 3.2: batch 64 throughout; lr 3e-5, d = 16 for the transformer, lr 2e-3 for the minimal model, t = 100."""
    text, fig, minimal = presets.text(), presets.fig(), presets.minimal_fig()
    assert (text.algorithm.lr, fig.algorithm.lr, minimal.algorithm.lr) == (3e-5, 5e-4, 2e-3)
    for t, those in ((100, (text, fig, minimal)), (50, (presets.small(), presets.minimal_small()))):
        assert all(p.algorithm.batch == 64 and p.task.signature.x == (t,) for p in those)
    assert fig.model == text.model == AttentionOnly(d=16, layers=2, heads=1)
    np.testing.assert_allclose(text.steps * text.algorithm.lr, fig.steps * fig.algorithm.lr, rtol=0.02)
