"""How far a homogeneous classifier is from an error, on the whole of a finite task.

    g(x, y) = f(x)[y] - max_{y'≠y} f(x)[y']        h(θ) = min_D g        ‖θ‖_{2,ν}^ν = Σ_i ‖ω_i‖₂^ν

With targets y = ±1 and one output, such as a difference of two logits, g(x, y) = y f(x). The normalised margin
h(θ)/‖θ‖_{2,ν}^ν does not change when θ is scaled, and no network exceeds γ* (elegans.theory). Neuron i owns row i of every
parameter array; ν is the degree of a neuron in its own weights: 3 for (u + v)² w, k + 1 for (u·x)^k w.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Num

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.base import Params
from elegans.probes.accuracy import in_precision
from elegans.probes.base import Probe, View
from elegans.tasks.base import Finite
from elegans.training.losses import cross_entropy, logistic

BLOCK = 8192  # examples evaluated at once, so that wide models need little memory


class Margin(Probe):
    """`normalised` margin, `norm` ‖θ‖^ν, `spread` max g / min g (inf while an example is wrong), `loss` (cross-entropy,
    logistic for targets ±1, without penalty) and `accuracy` (a tie is an error), all on every example of the task."""

    nu: int = static(default=3, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        out, y = enumerated(view)
        g, norm = point_margins(out, y), cubes(view.params, self.nu).sum()
        h, loss = g.min(), logistic if out.ndim == 1 else cross_entropy
        return {
            "normalised": h / norm,
            "norm": norm,
            "spread": jnp.where(h > 0, g.max() / h, jnp.inf),
            "loss": jax.vmap(loss)(out, y).mean(),
            "accuracy": (g > 0).mean(dtype=out.dtype),
        }


def enumerated(view: View) -> tuple[Float[Array, "n *k"], Num[Array, " n"]]:
    """Logits and classes of every example; outputs and signs for targets ±1."""
    if not isinstance(view.task, Finite) or len(view.task.signature.out) > 1:
        raise UsageError(
            f"{type(view.task).__name__} is no finite task with classes or signs; watch Margin on one like "
            "GroupComposition or SparseParity"
        )
    if not view.task.signature.out and "U" not in view.params:
        raise UsageError(
            f"{type(view.model).__name__} has no rows U, one for each neuron; on signs watch Margin of a PowerParityNet"
        )
    batch = in_precision(view, view.task.enumerate(view.secret))
    out = lax.map(lambda x: view.model(view.params, x), batch.x, batch_size=min(BLOCK, len(batch.y)))
    return out, batch.y


def point_margins(out: Float[Array, "n *k"], y: Num[Array, " n"]) -> Float[Array, " n"]:
    """g of each example."""
    if out.ndim == 1:
        return y * out
    right = y[:, None] == np.arange(out.shape[1], dtype=np.int32)[None]
    return jnp.where(right, out, 0).sum(1) - jnp.where(right, -jnp.inf, out).max(1)


def cubes(params: Params, nu: int = 3) -> Float[Array, " m"]:
    """‖ω_i‖^ν of each neuron."""
    squared = jnp.stack([jnp.square(p).reshape(len(p), -1).sum(1) for p in params.values()]).sum(0)
    return squared ** (nu / 2)
