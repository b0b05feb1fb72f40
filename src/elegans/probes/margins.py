"""How far a homogeneous classifier is from an error, on the whole of a finite task.

    g(x, y) = f(x)[y] - max_{y'≠y} f(x)[y']        h(θ) = min_D g        ‖θ‖_{2,ν}^ν = Σ_i ‖ω_i‖₂^ν

The normalised margin h(θ)/‖θ‖_{2,ν}^ν does not change when θ is scaled, and no network exceeds γ* (elegans.theory).
Neuron i owns row i of every parameter array; ν is the degree of a neuron in its own weights, 3 for (u + v)² w.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.base import Params
from elegans.probes.base import Probe, View
from elegans.tasks.base import Finite
from elegans.training.losses import cross_entropy

BLOCK = 8192  # examples evaluated at once, so that wide models need little memory


class Margin(Probe):
    """`normalised` margin, `norm` ‖θ‖^ν, `spread` max g / min g (inf while an example is wrong), `loss` (cross-entropy
    without penalty) and `accuracy` (a tie is an error), all on every example of the task."""

    nu: int = static(default=3, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        out, y = enumerated(view)
        g, norm = point_margins(out, y), cubes(view.params, self.nu).sum()
        h = g.min()
        return {
            "normalised": h / norm,
            "norm": norm,
            "spread": jnp.where(h > 0, g.max() / h, jnp.inf),
            "loss": jax.vmap(cross_entropy)(out, y).mean(),
            "accuracy": (g > 0).mean(dtype=out.dtype),
        }


def enumerated(view: View) -> tuple[Float[Array, "n k"], Int[Array, " n"]]:
    """Logits and classes of every example."""
    if not isinstance(view.task, Finite) or len(view.task.signature.out) != 1:
        raise UsageError(
            f"{type(view.task).__name__} is no finite task with classes; watch Margin on one like GroupComposition"
        )
    batch = view.task.enumerate(view.secret)
    out = lax.map(lambda x: view.model(view.params, x), batch.x, batch_size=min(BLOCK, len(batch.y)))
    return out, jnp.asarray(batch.y)


def point_margins(out: Float[Array, "n k"], y: Int[Array, " n"]) -> Float[Array, " n"]:
    """g of each example."""
    right = y[:, None] == np.arange(out.shape[1], dtype=np.int32)[None]
    return jnp.where(right, out, 0).sum(1) - jnp.where(right, -jnp.inf, out).max(1)


def cubes(params: Params, nu: int = 3) -> Float[Array, " m"]:
    """‖ω_i‖^ν of each neuron."""
    squared = jnp.stack([jnp.square(p).reshape(len(p), -1).sum(1) for p in params.values()]).sum(0)
    return squared ** (nu / 2)
