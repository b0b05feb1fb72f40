"""The mean cross-entropy of a group network over all pairs, from its whole table of logits.

    E[log Σ_c e^{F_c(a, b)} - F_{ab}(a, b)]        over all (a, b) ∈ G × G

The same number as example by example, on large groups in half of the time (decision 11): no columns are gathered, no
gradients scattered, and with the class as the leading axis every sum runs over contiguous memory. Any activation will do.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elegans.models.base import Params
from elegans.models.group_net import GroupNet
from elegans.tasks.composition import GroupComposition
from elegans.training.losses import cross_entropy
from elegans.training.population import exact


@exact(GroupComposition, GroupNet, cross_entropy)
def table_cross_entropy(task: GroupComposition, model: GroupNet, params: Params, secret: object) -> Float[Array, ""]:
    """The logit of the product is picked with a mask, whose gradient is cheaper than that of an index."""
    y, F = task.group.group().table, model.table(params)
    right = np.arange(len(y))[:, None, None] == y[None]
    return (jax.nn.logsumexp(F, axis=0) - jnp.where(right, F, 0).sum(0)).mean()
