"""The transformer with MLPs against its formula written position by position, and against AttentionOnly."""

import math
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import erf

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.attention import AttentionOnly
from elegans.models.transformer import Transformer
from elegans.tasks.markov import MarkovChains

KEY = stream.key(0, stream.Purpose.INIT)
X = np.array([0, 2, 1, 1, 2, 0, 0, 2, 1], np.int32)
MODELS = [
    Transformer(8, layers, where, mlp)
    for layers in (1, 2)
    for where in ("relative", "absolute")
    for mlp in (False, True)
]


def fresh(model: Transformer | AttentionOnly, k: int = 3, t: int = 9) -> dict:
    return jax.jit(lambda key: model.init(key, MarkovChains(k, t).signature))(KEY)


def started(model: Transformer) -> dict:
    """Parameters that are large enough for attention to be far from uniform."""
    rng = np.random.default_rng(0)
    return {name: rng.normal(0.2, 0.4, p.shape).astype(np.float32) for name, p in fresh(model).items()}


def norm(z: np.ndarray, p: dict, name: str) -> np.ndarray:
    centred = z - z.mean(-1, keepdims=True)
    return centred / np.sqrt(z.var(-1, keepdims=True) + 1e-5) * p[f"{name}_g"] + p[f"{name}_b"]


def by_hand(model: Transformer, params: dict, x: np.ndarray) -> dict[str, np.ndarray]:
    """One pair of positions at a time, in double precision."""
    p, t, seen = {name: np.asarray(a, np.float64) for name, a in params.items()}, len(x), {}
    z = p["embed"][x] + (p["pos"][:t] if model.positions == "absolute" else 0)
    for l in range(model.layers):
        h, new, A = norm(z, p, f"ln{l}"), np.zeros_like(z), np.full((t, t), -np.inf)
        for i in range(t):
            for j in range(i + 1):
                offset = p[f"pos{l}"][i - j] if model.positions == "relative" else 0
                A[i, j] = h[i] @ p[f"q{l}"] @ (h[j] @ p[f"k{l}"] + offset) / math.sqrt(model.d)
            e = np.exp(A[i] - A[i].max())
            new[i] = (e / e.sum()) @ h @ p[f"v{l}"] @ p[f"o{l}"]
        z = z + new
        if model.mlp:
            up = norm(z, p, f"mlp{l}") @ p[f"up{l}"]
            z = z + up * (1 + erf(up / math.sqrt(2))) / 2 @ p[f"down{l}"]
        seen |= {f"scores{l}": A[None], f"z{l + 1}": z}
    return seen | {"out": norm(z, p, "ln") @ p["read"]}


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_trace_is_the_formula(model: Transformer):
    params = started(model)
    trace = jax.jit(model.trace)(params, jnp.asarray(X))
    for name, value in by_hand(model, params, X).items():
        np.testing.assert_allclose(trace[name], value, rtol=3e-4, atol=3e-5, err_msg=name)
    np.testing.assert_allclose(trace["attention0"].sum(-1), 1, rtol=1e-5)


@pytest.mark.parametrize("layers", [1, 2])
def test_without_mlp_and_with_relative_positions_it_is_the_attention_only_transformer(layers: int):
    one, other = Transformer(16, layers, mlp=False), AttentionOnly(16, layers)
    mine, theirs = fresh(one), fresh(other)
    assert mine.keys() == theirs.keys()
    for name in mine:
        np.testing.assert_array_equal(mine[name], theirs[name])
    params = started(one)
    loss = {m: jax.jit(jax.value_and_grad(lambda p, m=m: jnp.square(m(p, jnp.asarray(X))).sum())) for m in (one, other)}
    (a, da), (b, db) = (loss[m](params) for m in (one, other))
    assert float(a) == pytest.approx(float(b), rel=1e-6)
    for name in da:
        np.testing.assert_allclose(da[name], db[name], rtol=1e-3, atol=1e-3 * float(np.abs(db[name]).max()))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_future_changes_nothing(model: Transformer):
    params = started(model)
    later = np.array([np.where(np.arange(9) > p, (X + 1) % 3, X) for p in range(9)], np.int32)
    *changed, out = np.asarray(jax.jit(jax.vmap(lambda row: model(params, row)))(later))
    for p, other in enumerate(changed):
        np.testing.assert_allclose(other[: p + 1], out[: p + 1], rtol=1e-4, atol=1e-5)
        assert np.abs(other[p + 1 :] - out[p + 1 :]).max() > 1e-3
    np.testing.assert_allclose(jax.jit(model)(params, jnp.asarray(X[:5])), out[:5], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_number_of_parameters(model: Transformer):
    k, t, d, L = 3, 9, model.d, model.layers
    tables = t * d * (L if model.positions == "relative" else 1)
    thinking = L * (2 * d * 4 * d + 2 * d) if model.mlp else 0
    count = sum(math.prod(p.shape) for p in fresh(model, k, t).values())
    assert count == 2 * k * d + L * (4 * d * d + 2 * d) + 2 * d + tables + thinking


@pytest.mark.parametrize("where", ["relative", "absolute"])
def test_initialisation(where: Literal["relative", "absolute"]):
    params = fresh(Transformer(32, 2, where), 3, 64)
    for name, p in params.items():
        if p.ndim == 1:
            np.testing.assert_array_equal(p, 1 if name.endswith("_g") else 0)
        else:
            assert float(p.std()) == pytest.approx(0.02, rel=4 / math.sqrt(2 * p.size))
    corners = [float(p[0, 0]) for p in params.values() if p.ndim == 2]
    assert len(set(corners)) == len(corners)


@pytest.mark.parametrize("model", MODELS[:4], ids=repr)
def test_longer_inputs_are_refused(model: Transformer):
    with pytest.raises(UsageError, match="give at most 9"):
        model(started(model), jnp.zeros(10, jnp.int32))
