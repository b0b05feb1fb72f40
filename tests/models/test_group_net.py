"""The group network, quadratic and with ReLU: its formula, its degree, its symmetries and its start."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.activations import relu
from elegans.models.base import Params
from elegans.models.group_net import GroupNet
from elegans.models.initialisers import Gaussian
from elegans.tasks.base import Signature
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.theory import quadratic_nets, relu_nets

M = 5
MODEL, RELU = GroupNet(M), GroupNet(M, activation=relu)
ALPHABETS = [Cyclic(5), Symmetric(3)]


def fresh(alphabet: Alphabet, seed: int = 1) -> Params:
    return MODEL.init(stream.key(seed, stream.Purpose.INIT), GroupComposition(alphabet).signature)


def outputs(alphabet: Alphabet, params: Params, model: GroupNet = MODEL) -> np.ndarray:
    """F_c(a, b), indexed [a, b, c]."""
    x, d = GroupComposition(alphabet).enumerate().x, alphabet.group().order
    return np.asarray(jax.vmap(lambda pair: model(params, pair))(x)).reshape(d, d, d)


@pytest.mark.parametrize("alphabet", ALPHABETS, ids=str)
@pytest.mark.parametrize(("model", "logits"), [(MODEL, quadratic_nets.logits), (RELU, relu_nets.logits)])
def test_logits_are_those_of_the_formula(
    alphabet: Alphabet, model: GroupNet, logits: Callable[..., np.ndarray]
) -> None:
    params = fresh(alphabet)
    expected = logits({name: np.asarray(p, np.float64) for name, p in params.items()})
    assert np.allclose(outputs(alphabet, params, model), expected, rtol=1e-5, atol=1e-6)
    assert np.allclose(np.moveaxis(np.asarray(model.table(params)), 0, 2), expected, rtol=1e-5, atol=1e-6)


def test_one_neuron_by_hand() -> None:
    """u = (1, 2, 0), v = (0, 3, 1), w = (1, -1, 2): at (1, 2) the neuron is (2 + 1)² w."""
    params = {"U": jnp.asarray([[1.0, 2, 0]]), "V": jnp.asarray([[0.0, 3, 1]]), "W": jnp.asarray([[1.0, -1, 2]])}
    trace = MODEL.trace(params, jnp.asarray([1, 2], jnp.int32))
    assert trace["pre"].tolist() == [3]
    assert trace["out"].tolist() == [9, -9, 18]


def test_one_relu_neuron_by_hand() -> None:
    """u = (1, -2, 0), v = (0, 3, 1), w = (1, -1, 2): at (0, 1) the neuron is 4w, at (1, 0) it is off."""
    params = {"U": jnp.asarray([[1.0, -2, 0]]), "V": jnp.asarray([[0.0, 3, 1]]), "W": jnp.asarray([[1.0, -1, 2]])}
    assert RELU(params, jnp.asarray([0, 1], jnp.int32)).tolist() == [4, -4, 8]
    assert RELU(params, jnp.asarray([1, 0], jnp.int32)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("scale", [2.0, 0.5, -1.0, -4.0])
def test_degree_three(scale: float) -> None:
    """F(λθ) = λ³ F(θ), without rounding where λ is a power of two."""
    params = fresh(Symmetric(3))
    scaled = {name: scale * p for name, p in params.items()}
    assert np.array_equal(outputs(Symmetric(3), scaled), scale**3 * outputs(Symmetric(3), params))


def test_relu_has_degree_two_for_positive_factors() -> None:
    params = fresh(Symmetric(3))
    fourfold, minus = ({name: factor * p for name, p in params.items()} for factor in (4.0, -1.0))
    assert np.array_equal(outputs(Symmetric(3), fourfold, RELU), 16 * outputs(Symmetric(3), params, RELU))
    assert not np.allclose(outputs(Symmetric(3), minus, RELU), outputs(Symmetric(3), params, RELU), atol=1e-3)


@settings(deadline=None, max_examples=20)
@given(st.sampled_from(ALPHABETS), st.tuples(*[st.integers(0, 10**6)] * 3))
def test_moving_the_weights_moves_the_table(alphabet: Alphabet, numbers: tuple[int, int, int]) -> None:
    """With u'(a) = u(g₁ a g₂), v'(b) = v(g₂⁻¹ b g₃), w'(c) = w(g₁ c g₃) the logits move likewise."""
    group, params = alphabet.group(), fresh(alphabet)
    g1, g2, g3 = (k % group.order for k in numbers)
    to_a = group.table[group.table[g1], g2]
    to_b = group.table[group.table[group.inverse[g2]], g3]
    to_c = group.table[group.table[g1], g3]
    moved = {"U": params["U"][:, to_a], "V": params["V"][:, to_b], "W": params["W"][:, to_c]}
    expected = outputs(alphabet, params)[to_a][:, to_b][:, :, to_c]
    assert np.allclose(outputs(alphabet, moved), expected, rtol=1e-5, atol=1e-6)


def test_a_wide_start_fills_its_intervals() -> None:
    d, m = 8, 2000
    params = GroupNet(m).init(stream.key(3, stream.Purpose.INIT), Signature((2,), (d,), d))
    assert {name: p.shape for name, p in params.items()} == dict.fromkeys("UVW", (m, d))
    for name, edge in {"U": (2 * d) ** -0.5, "V": (2 * d) ** -0.5, "W": m**-0.5}.items():
        p = np.asarray(params[name])
        assert 0.999 * edge < np.abs(p).max() <= edge
        assert abs((p**2).mean() / (edge**2 / 3) - 1) < 5 * (4 / 5 / p.size) ** 0.5
    assert abs(np.corrcoef(np.asarray(params["U"]).ravel(), np.asarray(params["V"]).ravel())[0, 1]) < 5 / (m * d) ** 0.5


def test_a_gaussian_start() -> None:
    d = 16
    model = GroupNet(1000, initial=Gaussian(d**-0.5))
    for p in model.init(stream.key(3, stream.Purpose.INIT), Signature((2,), (d,), d)).values():
        assert abs((np.asarray(p) ** 2).mean() * d - 1) < 5 * (2 / p.size) ** 0.5


@pytest.mark.parametrize("signature", [Signature((3,), (7,), 7), Signature((2,), (8,), 7), Signature((2,), (), 0)])
def test_other_tasks_are_refused(signature: Signature) -> None:
    with pytest.raises(UsageError, match="two of d symbols"):
        MODEL.init(stream.key(0, stream.Purpose.INIT), signature)
