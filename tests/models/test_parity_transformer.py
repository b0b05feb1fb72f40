"""The Parity Transformer against its formula written out with all keys and values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import erf, softmax

from elegans.base import stream
from elegans.models.parity_transformer import ParityTransformer
from elegans.tasks.parity import SparseParity

KEY, N = stream.key(0, stream.Purpose.INIT), 6
MODEL = ParityTransformer(d_embed=10, d_attn=4, heads=3, d_mlp=7)
X = SparseParity(N, 3).sample(KEY, 20).x


def fresh(model: ParityTransformer, n: int):
    return jax.jit(lambda: model.init(KEY, SparseParity(n, 3).signature))()


@pytest.fixture(scope="module")
def params():
    p = fresh(MODEL, N)
    biases = {
        name: stream.normal(stream.fold(KEY, 9), p[name].shape, 1.0, jnp.dtype(jnp.float32)) for name in ("b1", "b2")
    }
    return p | biases  # fresh biases are 0 and would test nothing


def written_out(p, x: np.ndarray) -> tuple[float, np.ndarray]:
    p = {name: np.asarray(a, np.float64) for name, a in p.items()}
    rows = [p["embed"][1 if s > 0 else 0] + P for s, P in zip(x, p["pos"], strict=True)]
    X = np.stack([*rows, p["embed"][2]])
    z, seen = X[-1].copy(), []
    for h in range(MODEL.heads):
        scores = (X[-1] @ p["WQ"][h]) @ (X @ p["WK"][h]).T / np.sqrt(MODEL.d_attn)
        seen.append(softmax(scores))
        z += seen[-1] @ (X @ p["WV"][h]) @ p["WO"][h]
    a = z @ p["W1"] + p["b1"]
    z = z + (a * (1 + erf(a / np.sqrt(2))) / 2) @ p["W2"] + p["b2"]
    return float(p["u"] @ z), np.stack(seen)


def test_output_and_attention_are_the_formula(params):
    traces = jax.jit(jax.vmap(lambda x: MODEL.trace(params, x)))(X)
    for i, x in enumerate(np.asarray(X)):
        out, attention = written_out(params, x)
        np.testing.assert_allclose(traces["out"][i], out, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(traces["attention"][i], attention, atol=1e-5)
    np.testing.assert_allclose(traces["attention"].sum(-1), 1, atol=1e-5)
    assert traces["attention"].shape == (20, 3, N + 1)


def test_permuting_bits_with_their_positions_changes_nothing(params):
    order = np.random.default_rng(0).permutation(N)
    moved = {**params, "pos": params["pos"][order]}
    out = jax.jit(jax.vmap(MODEL, (None, 0)))
    np.testing.assert_allclose(out(moved, X[:, order]), out(params, X), rtol=1e-4, atol=1e-4)
    assert float(jnp.abs(out(params, X[:, order]) - out(params, X)).max()) > 1e-3


def test_parameter_count(params):
    d, a, h, m = 10, 4, 3, 7
    assert sum(p.size for p in params.values()) == 3 * d + N * d + 4 * h * d * a + 2 * d * m + m + 2 * d


def test_fresh_parameters_follow_their_laws():
    p = fresh(MODEL, 200)
    assert float(p["pos"].std()) == pytest.approx(1, abs=0.1)
    assert float(jnp.abs(p["WQ"]).max()) == pytest.approx(np.sqrt(6 / 14), rel=0.1)
    assert float(jnp.abs(p["W1"]).max()) == pytest.approx(np.sqrt(6 / 17), rel=0.1)
    assert not p["b1"].any() and not p["b2"].any()


def test_strict_types_in_double_precision():
    def gradient():
        p = MODEL.init(KEY, SparseParity(N, 3).signature, jnp.dtype(jnp.float64))
        return jax.grad(lambda p: MODEL(p, jnp.ones(N, jnp.float64)))(p)

    with jax.enable_x64(True), jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        assert all(a.dtype == jnp.float64 for a in jax.eval_shape(gradient).values())
