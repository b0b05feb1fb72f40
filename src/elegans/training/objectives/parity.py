"""Exact population losses of parities. With v_i the weight of a block's relevant coordinate and σ a sinusoid,

    PolyNet           E[y f] = perm(W_{:,S})                             (degree k, whatever the biases)
    DisjointPolyNet   E[y f] = Π_i v_i
    Neuron            E[χ_T(x) e^{i(ω·x + φ)}] = e^{iφ} i^{|T|} Π_{j∈T} sin ω_j Π_{j∉T} cos ω_j

where cos(π/2 (s(w·x + b) - k_σ)) has ω = π/2 s w and φ = π/2 (s b - k_σ). Nothing is enumerated, so any n will do.
"""

import math
from itertools import product

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elegans.base.errors import UsageError
from elegans.models.activations import Sinusoid
from elegans.models.base import Params
from elegans.models.neuron import Neuron
from elegans.models.polynet import DisjointPolyNet, PolyNet
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.tasks.parity import Parity, SparseParity
from elegans.training.losses import correlation, square
from elegans.training.population import exact

Scalar = Float[Array, ""]


@exact(SparseParity, PolyNet, correlation)
def polynet_correlation(task: SparseParity, model: PolyNet, params: Params, secret: object) -> Scalar:
    """-perm(W_{:,S})."""
    _check_degree(task, model)
    return -permanent(params["W"][:, task.support_of(secret)])


@exact(DisjointParity, DisjointPolyNet, correlation)
def disjoint_correlation(task: DisjointParity, model: DisjointPolyNet, params: Params, secret: object) -> Scalar:
    """-Π_i v_i."""
    _check_degree(task, model)
    relevant = task.relevant(secret).reshape(task.k, task.block)
    return -jnp.where(relevant, params["W"], jnp.zeros_like(params["W"])).sum(1).prod()


@exact(SparseParity, Neuron, correlation)
def sinusoid_correlation(task: SparseParity, model: Neuron, params: Params, secret: object) -> Scalar:
    """-u E[y σ]."""
    return -_second_layer(params) * sinusoid_moments(task, model, params, secret)[0]


@exact(SparseParity, Neuron, square)
def sinusoid_square(task: SparseParity, model: Neuron, params: Params, secret: object) -> Scalar:
    """1 - 2u E[y σ] + u² E[σ²]."""
    first, second = sinusoid_moments(task, model, params, secret)
    u = _second_layer(params)
    return 1 - 2 * u * first + u**2 * second


def sinusoid_moments(task: Parity, model: Neuron, params: Params, secret: object) -> tuple[Scalar, Scalar]:
    """E[y σ] and E[σ²] of a sinusoid neuron."""
    σ = model.activation
    if not isinstance(σ, Sinusoid):
        name = getattr(σ, "__name__", type(σ).__name__)
        raise UsageError(f"activation is {name}, but only Sinusoid(k) has a closed form; train Online() instead")
    ω = math.pi / 2 * σ.scale * params["w"]
    φ = math.pi / 2 * (σ.scale * params["b"] - σ.k)
    first = jnp.cos(φ + math.pi / 2 * task.k) * jnp.where(task.relevant(secret), jnp.sin(ω), jnp.cos(ω)).prod()
    return first, 0.5 + 0.5 * jnp.cos(2 * φ) * jnp.cos(2 * ω).prod()


def permanent(A: Float[Array, "k k"]) -> Scalar:
    """Glynn's formula: 2^{1-k} Σ_δ (Π_i δ_i) Π_j Σ_i δ_i a_ij over the signs δ with δ_1 = 1."""
    k = A.shape[0]
    signs = np.array([(1, *rest) for rest in product((1, -1), repeat=k - 1)], np.float64)
    weight = signs.prod(1) / 2 ** (k - 1)
    return jnp.asarray(weight, A.dtype) @ (jnp.asarray(signs, A.dtype) @ A).prod(1)


def _second_layer(params: Params) -> Array:
    return params.get("u", jnp.ones((), params["w"].dtype))


def _check_degree(task: Parity, model: PolyNet | DisjointPolyNet) -> None:
    if model.degree != task.k:
        raise UsageError(f"degree is {model.degree}, but the closed form needs degree = k; take degree={task.k}")
