"""Which irreducible representation of the group a neuron lives in.

    P_R(u) = δ_R/|G| Σ_{jk} ⟨u, R_jk⟩²        Σ_R P_R(u) = ‖u‖²

for the real irreps R of G, where δ_R is dim R divided by 1, 2 or 4 (real, complex, quaternionic type). On Z_n the
irreps are the frequencies 0 … ⌊n/2⌋ and P_R is Fourier power with j and -j merged.
"""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.base import Probe, View
from elegans.probes.margins import cubes
from elegans.tasks.composition import GroupComposition
from elegans.theory.groups import Group
from elegans.theory.representations import irreps


class RepresentationPower(Probe):
    """`share` (m, R-1): P_R(u_i) over its sum, for the R ≠ 1 in the order of `theory.irreps` (0 where u_i is constant).
    `mass` (R-1,): Σ ‖ω_i‖³ of the neurons whose largest share is R; it sums to ‖θ‖³ if no u_i is constant.
    `purity`: the smallest largest share among neurons whose norm is over `alive` times the largest norm (0 if none has any)."""

    alive: float = static(default=0.1, low=0, high=1)

    def observe(self, view: View) -> dict[str, Array]:
        if not isinstance(view.task, GroupComposition) or "U" not in view.params:
            raise UsageError(
                f"{type(view.model).__name__} on {type(view.task).__name__} has no rows U over a group; "
                "watch RepresentationPower of a GroupNet on GroupComposition"
            )
        share = shares(powers(view.task.group.group(), view.params["U"])[:, 1:])
        home = jax.nn.one_hot(share.argmax(1), share.shape[1], dtype=share.dtype)
        cube = cubes(view.params)
        matters = cube > self.alive**3 * cube.max()
        purity = jnp.where(matters.any(), jnp.where(matters, share.max(1), 1).min(), 0)
        return {"share": share, "mass": jnp.where(share.any(1), cube, 0) @ home, "purity": purity}


def powers(group: Group, u: Float[Array, "m d"]) -> Float[Array, "m R"]:
    """P_R(u_i) of each row for all irreps, the trivial one first."""
    entries, member = (jnp.asarray(a, u.dtype) for a in _entries(group))
    return jnp.square(u @ entries) @ member


def shares(power: Float[Array, "m R"]) -> Float[Array, "m R"]:
    """Each row divided by its sum, or 0 where that is 0."""
    total = power.sum(1, keepdims=True)
    return power / jnp.where(total > 0, total, 1)


@cache
def _entries(group: Group) -> tuple[np.ndarray, np.ndarray]:
    """All √(δ/|G|) R_jk as columns (d, E), and which irrep each belongs to as 0 or 1 (E, R)."""
    reps = irreps(group)
    columns = [(r.delta / group.order) ** 0.5 * r.matrices.reshape(group.order, -1) for r in reps]
    sizes = [c.shape[1] for c in columns]
    return np.concatenate(columns, 1), np.repeat(np.eye(len(reps)), sizes, axis=0)
