"""Losses of one example, as functions of the model's output and the target.

Binary tasks have targets ±1: hinge (1 - y f)_+, square (y - f)^2, logistic log(1 + e^{-y f}), correlation -y f.
Tasks with classes have integer targets and logits; where there are several positions the loss is their mean.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int


def hinge(out: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
    """(1 - y f)_+, with subgradient -y where y f < 1 and 0 elsewhere (also where y f = 1)."""
    return jax.nn.relu(1 - y * out)


def square(out: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
    """(y - f)^2."""
    return (y - out) ** 2


def logistic(out: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
    """log(1 + e^{-y f})."""
    return jax.nn.softplus(-y * out)


def correlation(out: Float[Array, ""], y: Float[Array, ""]) -> Float[Array, ""]:
    """-y f: unbounded below, so runs under it need a stop."""
    return -y * out


def cross_entropy(logits: Float[Array, "*p k"], y: Int[Array, "*p"]) -> Float[Array, ""]:
    """-log softmax(f)_y, averaged over positions."""
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), y[..., None], axis=-1)
    return -picked.mean()
