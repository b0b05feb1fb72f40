"""The minimal model against the three NumPy forms of (8.8), its closed-form gradient, and Fact 8.3."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.config import knobs, with_knobs
from elegans.base.errors import UsageError
from elegans.models.minimal_induction import MinimalInduction, offset_matrix
from elegans.tasks.markov import MarkovChains
from elegans.theory import induction
from elegans.theory.strategies import bigram_counts, unigram_counts
from elegans.training.losses import cross_entropy

MODEL = MinimalInduction()
FORMS = (induction.minimal_logits, induction.minimal_logits_by_index, induction.minimal_logits_by_offset)


def logits(x: np.ndarray, W: np.ndarray, v: np.ndarray) -> np.ndarray:
    params = {"W": jnp.asarray(W, jnp.float32), "v": jnp.asarray(v, jnp.float32)}
    return np.asarray(jax.jit(jax.vmap(lambda row: MODEL(params, row)))(x))


def drawn(k: int, t: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, k, size=(5, t + 1), dtype=np.int32)
    return tokens[:, :-1], tokens[:, 1:], rng.normal(size=(k, k)), rng.normal(size=t) / t


@pytest.mark.parametrize(("k", "t"), [(2, 1), (2, 12), (3, 30), (5, 7)])
def test_it_is_each_of_the_three_forms(k: int, t: int):
    x, _, W, v = drawn(k, t)
    for form in FORMS:
        np.testing.assert_allclose(logits(x, W, v), form(x, W, v), rtol=1e-4, atol=1e-5)


def test_offset_matrix_by_hand():
    M = offset_matrix(jnp.asarray([1, 2, 3], jnp.float32))
    np.testing.assert_array_equal(M, [[1, 0, 0], [2, 1, 0], [3, 2, 1]])


@pytest.mark.parametrize(("k", "t"), [(2, 20), (3, 9)])
def test_its_gradient_is_the_closed_form(k: int, t: int):
    x, y, W, v = drawn(k, t, 1)

    def loss(params: dict) -> jax.Array:
        return jax.vmap(lambda a, b: cross_entropy(MODEL(params, a), b))(jnp.asarray(x), jnp.asarray(y)).mean()

    grad = jax.jit(jax.grad(loss))({"W": jnp.asarray(W, jnp.float32), "v": jnp.asarray(v, jnp.float32)})
    grad_W, grad_v = induction.minimal_gradient(x, y, W, v)
    np.testing.assert_allclose(grad["W"], grad_W, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(grad["v"], grad_v, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("k", [2, 3])
def test_fact_8_3_it_counts(k: int):
    x = drawn(k, 40)[0]
    np.testing.assert_array_equal(logits(x, *induction.bigram_weights(k, 40)), bigram_counts(x, k))
    np.testing.assert_array_equal(logits(x, *induction.unigram_weights(k, 40)), unigram_counts(x, k))


def test_the_start_is_constant_and_its_constants_are_knobs():
    key, signature = stream.key(0, stream.Purpose.INIT), MarkovChains(3, 8).signature
    assert knobs(MODEL) == {"init_v": 0.01, "init_w": 0.0}

    @jax.jit
    def start(c: jax.Array) -> dict:
        return with_knobs(MODEL, {"init_v": c, "init_w": c}).init(key, signature)

    for params, v, w in ((MODEL.init(key, signature), 0.01, 0.0), (start(jnp.float32(0.25)), 0.25, 0.25)):
        np.testing.assert_array_equal(params["v"], np.full(8, v, np.float32))
        np.testing.assert_array_equal(params["W"], np.full((3, 3), w, np.float32))


def test_wrong_inputs_are_named():
    signature = MarkovChains(3, 8).signature
    params = MODEL.init(stream.key(0, stream.Purpose.INIT), signature)
    with pytest.raises(UsageError, match="v has 8 offsets"):
        MODEL(params, jnp.zeros(7, jnp.int32))
    with pytest.raises(UsageError, match="MarkovChains"):
        MODEL.init(stream.key(0, stream.Purpose.INIT), signature._replace(out=(8, 2)))
