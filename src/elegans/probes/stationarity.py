"""How far each neuron is from where training would leave it alone: Euler's identity.

    G_i = E[Σ_c (1[c = y] - P_c) φ(ω_i)_c] = λ‖ω_i‖^ν        at every stationary point of  E[loss] + λ Σ_i ‖ω_i‖^ν

for neurons φ homogeneous of degree ν. As G_i = -⟨∂loss/∂ω_i, ω_i⟩/ν, both sides come from the slope of the objective
along s_i in s_i ω_i. It is necessary only: the identity says nothing about directions other than ω_i. The zero network
satisfies it, and a neuron that is dying has violation 1.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.balance import ratio, squared_norms
from elegans.probes.base import Probe, View
from elegans.probes.margins import cubes
from elegans.tasks.base import Finite
from elegans.training.losses import cross_entropy, logistic

BLOCK = 4096  # examples evaluated at once; what is between them and the loss is computed again for the slope


class Stationarity(Probe):
    """`violation` (m,): |G_i - λ‖ω_i‖^ν|/(λ‖ω_i‖^ν) on all examples, 0 for a neuron without weights. `mean`: its mean with
    weights ‖ω_i‖^ν. `total`: Σ_i G_i/(λ‖θ‖^ν) - 1, signed: above 0 the network grows. `worst`: the largest violation among
    neurons whose norm is over `alive` times the largest norm. λ is `strength`, as in the penalty."""

    strength: float = static(default=1e-4, low=0)
    nu: int = static(default=3, low=2)
    alive: float = static(default=0.1, low=0, high=1)

    def check(self) -> None:
        if self.strength == 0:
            raise UsageError(
                "strength is 0, but violations are counted in units of λ‖ω‖^ν; give the penalty's strength"
            )

    def observe(self, view: View) -> dict[str, Array]:
        size = jnp.stack(list(squared_norms(view).values())).sum(0)
        decay = self.strength * cubes(view.params, self.nu)
        excess = gains(view, self.nu) - decay
        violation = ratio(jnp.abs(excess), decay)
        matters = size > self.alive**2 * size.max()
        return {
            "violation": violation,
            "mean": ratio(jnp.abs(excess).sum(), decay.sum()),
            "total": ratio(excess.sum(), decay.sum()),
            "worst": jnp.where(matters, violation, 0).max(),
        }


def gains(view: View, nu: int) -> Float[Array, " m"]:
    """G_i of each neuron: -1/ν times the slope of the mean loss in its scale."""
    ones = jnp.ones_like(view.params["W"][:, 0])
    return -jax.grad(lambda s: mean_loss(view, s))(ones) / nu


def mean_loss(view: View, scale: Float[Array, " m"]) -> Float[Array, ""]:
    """The mean cross-entropy over all examples when neuron i is s_i ω_i (logistic loss for ±1 targets)."""
    if not isinstance(view.task, Finite):
        raise UsageError(
            f"{type(view.task).__name__} has no list of examples; watch Stationarity on a finite task like GroupComposition"
        )
    batch = view.task.enumerate(view.secret)
    params = {name: scale[:, None] * p for name, p in view.params.items()}
    loss = cross_entropy if view.task.signature.out else logistic

    @jax.checkpoint
    def of_one(example: tuple[Array, Array]) -> Array:
        return loss(view.model(params, example[0]), example[1])

    x, y = (a.astype(scale.dtype) if jnp.issubdtype(a.dtype, jnp.floating) else a for a in map(jnp.asarray, batch[:2]))
    return lax.map(of_one, (x, y), batch_size=min(BLOCK, len(y))).mean()
