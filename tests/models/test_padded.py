"""Every padded model is the plain model of the house on the same parameters, whatever stands in its padding."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base import stream
from elegans.base.errors import UsageError
from elegans.models.base import Model, Params
from elegans.models.chosen import drawn
from elegans.models.initialisers import Bernoulli, FanIn, Kaiming
from elegans.models.mlp import MLP
from elegans.models.padded import PaddedMLP, PaddedNeuron, PaddedPolyNet
from elegans.models.padded_transformer import PaddedTransformer
from elegans.models.parity_transformer import ParityTransformer
from elegans.papers.hidden_progress.presets import setting
from elegans.tasks.padded_parity import PaddedParity
from elegans.tasks.parity import SparseParity
from elegans.training.losses import hinge

KEY, DATA = (stream.key(3, p) for p in (stream.Purpose.INIT, stream.Purpose.DATA))
SETTINGS: dict[str, Model] = {
    "i": PaddedMLP(10),
    "iv": PaddedMLP(10, activation=1),
    "*i": PaddedMLP(4, minimal=1),
    "*ii": PaddedMLP(4, activation=1, minimal=1),
    **{id: PaddedNeuron(a, second=s) for s, ids in ((1, ("vii", "viii", "ix", "x")), (0, ("xi", "xii", "xiii", "xiv")))
       for a, id in enumerate(ids)},
    "xv": PaddedPolyNet(),
}  # fmt: skip


def live(padded: Model, plain: Model, params: Params, n: int, k: int) -> Params:
    """The parameters of the plain model inside those of the padded one."""
    need = jax.eval_shape(lambda: plain.init(KEY, SparseParity(n, k).signature))
    return {name: params[name][tuple(slice(0, s) for s in p.shape)] for name, p in need.items()}


def loss_and_gradient(model: Model, params: Params, batch: Any) -> tuple[Any, Params, Any]:
    def mean(p: Params) -> Any:
        out = jax.vmap(lambda x: model(p, x, None, batch.shared))(batch.x)
        return jax.vmap(hinge)(out, batch.y).mean(), out

    (_, out), gradient = jax.jit(jax.value_and_grad(mean, has_aux=True))(params)
    return out, gradient, batch.y


@pytest.mark.parametrize("id", SETTINGS)
@pytest.mark.parametrize(("n", "k"), [(10, 2), (20, 3), (30, 4)])
def test_a_padded_model_is_the_plain_one(id: str, n: int, k: int):
    padded, plain, task = SETTINGS[id], setting(id, n, k).model, PaddedParity(n, k)
    params = padded.init(KEY, task.signature)
    out, gradient, y = loss_and_gradient(padded, params, task.sample(DATA, 64))
    small = live(padded, plain, params, n, k)
    expected, slopes, labels = loss_and_gradient(plain, small, SparseParity(n, k).sample(DATA, 64))
    np.testing.assert_array_equal(y, labels)
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-6)
    for name, slope in slopes.items():
        np.testing.assert_allclose(live(padded, plain, gradient, n, k)[name], slope, rtol=1e-5, atol=1e-6)


def padding(padded: Model, plain: Model, params: Params, n: int, k: int) -> dict[str, np.ndarray]:
    """Which entries are no parameters of the plain model."""
    masks = {name: np.ones(p.shape, np.bool_) for name, p in params.items()}
    for name, p in live(padded, plain, params, n, k).items():
        masks[name][tuple(slice(0, s) for s in p.shape)] = False
    return masks


@pytest.mark.parametrize("id", SETTINGS)
def test_padding_has_no_influence_and_no_gradient(id: str):
    n, k = 10, 3
    padded, plain, task = SETTINGS[id], setting(id, n, k).model, PaddedParity(n, k)
    params, batch = padded.init(KEY, task.signature), task.sample(DATA, 32)
    masks = padding(padded, plain, params, n, k)
    assert any(m.any() for m in masks.values())
    out, gradient, _ = loss_and_gradient(padded, params, batch)
    assert not any(np.asarray(gradient[name])[m].any() for name, m in masks.items())
    other = {name: jnp.where(masks[name], 100 + p, p) for name, p in params.items()}
    np.testing.assert_array_equal(loss_and_gradient(padded, other, batch)[0], out)


@pytest.mark.parametrize("id", ["i", "iv", "vii", "x", "xi"])
def test_fresh_weights_are_those_of_the_plain_model(id: str):
    padded, plain = SETTINGS[id], setting(id, 20, 3).model
    params = padded.init(KEY, PaddedParity(20, 3).signature)
    for name, p in plain.init(KEY, SparseParity(20, 3).signature).items():
        np.testing.assert_allclose(live(padded, plain, params, 20, 3)[name], p, rtol=1e-6)


@pytest.mark.parametrize("law", range(3))
@pytest.mark.parametrize("fan_in", [1, 7, 30])
def test_laws_by_number_are_the_laws_of_the_house(law: int, fan_in: int):
    house = (FanIn(), Kaiming(), Bernoulli())[law]
    found = jax.jit(lambda l, f: drawn(l, KEY, (6, 5), f, jnp.dtype("float32")))(np.float32(law), np.int32(fan_in))
    np.testing.assert_allclose(found, house.draw(KEY, (6, 5), fan_in, 5, jnp.dtype("float32")), rtol=2e-6)


def test_a_minimal_network_draws_its_second_layer_for_k_inputs():
    for k in (2, 4):
        u = PaddedMLP(4, minimal=1, law=2).init(KEY, PaddedParity(10, k).signature)["u"]
        np.testing.assert_allclose(jnp.abs(u), k**-0.5, rtol=1e-6)
    with pytest.raises(UsageError, match="take width=4"):
        PaddedMLP(3, minimal=1)


def test_a_power_that_overflows_where_it_is_not_chosen_leaves_the_gradient_alone():
    task, model = PaddedParity(10, 4), PaddedMLP(10)
    params = {n: p * 1e15 for n, p in model.init(KEY, task.signature).items()}
    assert all(np.isfinite(g).all() for g in loss_and_gradient(model, params, task.sample(DATA, 8))[1].values())


def test_a_fixed_second_layer_has_no_gradient():
    params = PaddedNeuron(0, second=0).init(KEY, PaddedParity(10, 2).signature)
    batch = PaddedParity(10, 2).sample(DATA, 16)
    assert not float(loss_and_gradient(PaddedNeuron(0, second=0), params, batch)[1]["u"])
    assert float(loss_and_gradient(PaddedNeuron(0, second=1), params, batch)[1]["u"])


def test_no_head_of_the_transformer_looks_at_padding():
    shape, n, k = (12, 4, 2, 8), 10, 3  # d_embed, d_attn, heads, d_mlp
    padded, plain, task = PaddedTransformer(*shape), ParityTransformer(*shape), PaddedParity(n, k)
    params = padded.init(KEY, task.signature)
    small = {**params, "pos": params["pos"][:n]}
    out, gradient, _ = loss_and_gradient(padded, params, task.sample(DATA, 16))
    expected, slopes, _ = loss_and_gradient(plain, small, SparseParity(n, k).sample(DATA, 16))
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)
    assert not np.asarray(gradient["pos"])[n:].any()
    for name, slope in slopes.items():
        np.testing.assert_allclose(gradient[name][: len(slope)], slope, rtol=1e-4, atol=1e-5)


PAIRS: list[tuple[Callable[..., Any], Any]] = [
    (MLP(4).init, PaddedParity(10, 2)),
    (PaddedMLP(4).init, SparseParity(10, 2)),
]


@pytest.mark.parametrize(("init", "task"), PAIRS)
def test_padded_and_plain_parts_do_not_mix(init: Callable[..., Any], task: Any):
    with pytest.raises(UsageError, match=r"SparseParity|PaddedParity"):
        init(KEY, task.signature)
