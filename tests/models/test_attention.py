"""The transformer against its formula written position by position, and Proposition 8.2 in both precisions."""

import math
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.attention import AttentionOnly
from elegans.papers.induction_heads.starts import induction_head
from elegans.tasks.markov import MarkovChains
from elegans.theory.induction import construction_output, layer1_attention

KEY = stream.key(0, stream.Purpose.INIT)
MODELS = (
    AttentionOnly(),
    AttentionOnly(variant="plain"),
    AttentionOnly(d=12, heads=3, layers=3),
    AttentionOnly(d=8, heads=2, layers=1, variant="plain"),
)


def shapes_of(model: AttentionOnly, k: int, t: int) -> dict[str, tuple[int, ...]]:
    started = jax.eval_shape(lambda: model.init(KEY, MarkovChains(k, t).signature))
    return {name: p.shape for name, p in started.items()}


def started(model: AttentionOnly, k: int = 3, t: int = 9) -> dict:
    """Parameters that are large enough for attention to be far from uniform."""
    rng = np.random.default_rng(0)
    return {name: rng.normal(0.2, 0.4, shape).astype(np.float32) for name, shape in shapes_of(model, k, t).items()}


def norm(z: np.ndarray, params: dict, name: str) -> np.ndarray:
    if f"{name}_g" not in params:
        return z
    rows = [(r - r.mean()) / math.sqrt(r.var() + 1e-5) * params[f"{name}_g"] + params[f"{name}_b"] for r in z]
    return np.array(rows)


def by_hand(model: AttentionOnly, params: dict, x: np.ndarray) -> dict[str, np.ndarray]:
    """(8.4) and (8.5), one pair of positions at a time, in double precision."""
    p = {name: np.asarray(a, np.float64) for name, a in params.items()}
    z, t, width, seen = p["embed"][x], len(x), model.d // model.heads, {}
    for l in range(model.layers):
        h, new = norm(z, p, f"ln{l}"), np.zeros_like(z)
        A, weights = np.full((2, model.heads, t, t), -np.inf)
        for head in range(model.heads):
            cut = slice(head * width, (head + 1) * width)
            for i in range(t):
                for j in range(i + 1):
                    key = (h[j] @ p[f"k{l}"])[cut] + p[f"pos{l}"][i - j, cut]
                    A[head, i, j] = (h[i] @ p[f"q{l}"])[cut] @ key / math.sqrt(width)
                e = np.exp(A[head, i] - A[head, i].max())
                weights[head, i] = e / e.sum()
                new[i, cut] = sum(weights[head, i, j] * (h[j] @ p[f"v{l}"])[cut] for j in range(t))
        z = z + (new @ p[f"o{l}"] if f"o{l}" in p else new)
        seen |= {f"scores{l}": A, f"attention{l}": weights, f"z{l + 1}": z}
    return seen | {"out": norm(z, p, "ln") @ p["read"]}


@pytest.mark.parametrize("model", MODELS)
def test_the_trace_is_the_formula(model: AttentionOnly):
    params, x = started(model), np.array([0, 2, 1, 1, 2, 0, 0, 2, 1], np.int32)
    trace, expected = jax.jit(model.trace)(params, jnp.asarray(x)), by_hand(model, params, x)
    assert set(trace) == set(expected) | {"z0"}
    for name, value in expected.items():
        np.testing.assert_allclose(trace[name], value, rtol=2e-4, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("model", MODELS)
def test_gradients_follow_the_formula(model: AttentionOnly):
    """Slopes of the formula in double precision along a random direction; barrier and shift must not lose any part."""
    params, x = started(model), np.array([0, 2, 1, 1, 2, 0], np.int32)
    weigh = np.random.default_rng(0).normal(size=(6, 3))
    direction = {n: np.random.default_rng(len(n)).normal(size=p.shape) for n, p in params.items()}
    grad = jax.jit(jax.grad(lambda p: (model(p, jnp.asarray(x)) * weigh.astype(np.float32)).sum()))(params)

    def value(name: str, step: float) -> float:
        return float((by_hand(model, params | {name: params[name] + step * direction[name]}, x)["out"] * weigh).sum())

    params = {n: np.asarray(p, np.float64) for n, p in params.items()}
    for name in params:
        slope = (value(name, 1e-5) - value(name, -1e-5)) / 2e-5
        found = float((np.asarray(grad[name], np.float64) * direction[name]).sum())
        assert found == pytest.approx(slope, rel=2e-3, abs=2e-3), name


def test_one_layer_worked_out():
    """d = k = 2, W_Q = W_V = I, W_K = 0: only offsets score, and position 2 weighs the first by e^s / (1 + e^s)."""
    eye, s = np.eye(2, dtype=np.float32), 3.0
    pos = np.array([[0, 0], [0, s * math.sqrt(2)]], np.float32)
    arrays = {"embed": eye, "read": eye, "q0": eye, "k0": 0 * eye, "v0": eye, "pos0": pos}
    params = {name: jnp.asarray(array) for name, array in arrays.items()}
    out = AttentionOnly(d=2, layers=1, variant="plain")(params, jnp.asarray([0, 1], jnp.int32))
    first = math.exp(s) / (1 + math.exp(s))
    np.testing.assert_allclose(out, [[2, 0], [first, 1 + 1 - first]], rtol=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_the_future_changes_nothing(model: AttentionOnly):
    params, x = started(model), np.array([0, 2, 1, 1, 2, 0, 0, 2, 1], np.int32)
    later = np.array([np.where(np.arange(9) > p, (x + 1) % 3, x) for p in range(9)], np.int32)
    *changed, out = np.asarray(jax.jit(jax.vmap(lambda row: model(params, row)))(later))
    for p, other in enumerate(changed):
        np.testing.assert_allclose(other[: p + 1], out[: p + 1], rtol=1e-5, atol=1e-6)
        assert np.abs(other[p + 1 :] - out[p + 1 :]).max() > 1e-3
    np.testing.assert_allclose(jax.jit(model)(params, jnp.asarray(x[:5])), out[:5], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("k", "d", "t", "layers"), [(2, 16, 100, 2), (3, 8, 11, 1)])
def test_number_of_parameters(k: int, d: int, t: int, layers: int):
    count = {}
    for variant in ("plain", "mingpt"):
        shapes = shapes_of(AttentionOnly(d=d, layers=layers, variant=variant), k, t)
        count[variant] = sum(math.prod(shape) for shape in shapes.values())
        assert all((len(shape) == 1) == name.startswith("ln") for name, shape in shapes.items())
    assert count["plain"] == 2 * k * d + layers * (3 * d * d + t * d)
    assert count["mingpt"] - count["plain"] == layers * (d * d + 2 * d) + 2 * d
    assert (k, d, t, layers) != (2, 16, 100, 2) or count["plain"] == 4800


def test_initialisation():
    params = jax.jit(lambda key: AttentionOnly(d=32).init(key, MarkovChains(3, 64).signature))(KEY)
    for name, p in params.items():
        if p.ndim == 1:
            np.testing.assert_array_equal(p, 1 if name.endswith("_g") else 0)
        else:
            assert abs(float(p.mean())) < 0.02 * 4 / math.sqrt(p.size)
            assert float(p.std()) == pytest.approx(0.02, rel=4 / math.sqrt(2 * p.size))
    corners = [float(p[0, 0]) for p in params.values() if p.ndim == 2]
    assert len(set(corners)) == len(corners)


def test_proposition_8_2_in_single_precision():
    k, model = 3, AttentionOnly(d=9, variant="plain")
    x = np.random.default_rng(4).integers(0, k, size=(8, 100), dtype=np.int32)
    start = {n: jnp.asarray(w, jnp.float32) for n, w in induction_head(k, 100).items()}
    trace = jax.jit(jax.vmap(lambda row: model.trace(start, row)))(x)
    assert np.abs(trace["out"] - construction_output(x, k)).max() < 1e-5
    weights = np.diagonal(trace["attention0"][0, 0], -1)
    np.testing.assert_allclose(weights, layer1_attention(np.arange(2, 101), k, 80.0), rtol=1e-5)
    assert shapes_of(model, k, 100) == {n: w.shape for n, w in start.items()}


def test_proposition_8_2_in_double_precision():
    code = """
import jax; jax.config.update("jax_enable_x64", True)
import numpy as np, jax.numpy as jnp
from elegans.models.attention import AttentionOnly
from elegans.papers.induction_heads.starts import induction_head
from elegans.tasks.base import Signature
from elegans.theory.induction import construction_output
x = np.random.default_rng(0).integers(0, 2, size=(4, 100), dtype=np.int32)
model, start = AttentionOnly(d=6, variant="plain"), jax.tree.map(jnp.asarray, induction_head(2, 100, a=2.5))
out = jax.jit(jax.vmap(lambda row: model(start, row)))(x)
assert out.dtype == jnp.float64 and np.abs(out - 2.5 * construction_output(x, 2)).max() < 1e-6
shapes = jax.eval_shape(lambda: model.init(jax.random.key(0), Signature((9,), (9, 2), 2), jnp.float64))
assert all(p.dtype == jnp.float64 for p in shapes.values())
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_wrong_settings_are_named():
    with pytest.raises(UsageError, match="take d=18"):
        AttentionOnly(d=16, heads=3)
    with pytest.raises(UsageError, match="variant"):
        AttentionOnly(variant="gpt")  # type: ignore[arg-type]
    signature = MarkovChains(3, 5).signature
    with pytest.raises(UsageError, match="sequence task"):
        AttentionOnly().init(KEY, signature._replace(symbols=0))
    with pytest.raises(UsageError, match="at most 5"):
        AttentionOnly()(started(AttentionOnly(), 3, 5), jnp.zeros(6, jnp.int32))
