"""Whether a neuron has the form of the best one (lemma D.13): in one irrep, of rank one, u, v and w matched.

    α = (δ/|G|) Σ_g u(g) R(g),  β of v,  γ of w,        R the irrep in which u has most power
    share(u) = (|G|/δ) ‖α‖²/‖u‖²,   rank(α) = t σ₁²/Σσ²,   match = √t (|G|/δ)^{3/2} tr(αβγᵀ)/(‖u‖‖v‖‖w‖)

are at most 1. The match is what the neuron gains over the most that any neuron of these norms gains in R. For R of real type
(t = 1) it is 1 only if u, v and w have nothing outside R (no constant either) and α ∝ xyᵀ, β ∝ yzᵀ, γ ∝ xzᵀ. A real irrep of
complex (t = 2) or quaternionic type (t = 4) has every singular value t times; the numbers speak of matrices over those fields.
"""

from functools import cache

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.balance import ratio
from elegans.probes.base import Probe, View
from elegans.probes.margins import cubes
from elegans.probes.representations import powers
from elegans.tasks.composition import GroupComposition
from elegans.theory.groups import Group
from elegans.theory.representations import irreps


class RankOne(Probe):
    """`share` and `rank` (m, 3) of u, v, w in the neuron's own irrep, and `match` (m,); 0 where there is nothing. `mean`: the
    mean match with weights ‖ω_i‖³. `least_share`, `least_rank` and `least_match`: the smallest among neurons whose norm is
    over `alive` times the largest norm, 0 in a network without weights. One-dimensional irreps have rank 1 of themselves."""

    alive: float = static(default=0.1, low=0, high=1)

    def observe(self, view: View) -> dict[str, Array]:
        if not isinstance(view.task, GroupComposition) or set(view.params) != {"U", "V", "W"}:
            raise UsageError(
                f"{type(view.model).__name__} on {type(view.task).__name__} has no rows U, V, W over a group; "
                "watch RankOne of a GroupNet on GroupComposition"
            )
        group, mass = view.task.group.group(), cubes(view.params)
        home = powers(group, view.params["U"])[:, 1:].argmax(1)
        _, kinds, delta = _irreps(group)
        t, size = (jnp.asarray(a, mass.dtype)[home] for a in (kinds, group.order / delta))
        rows = [view.params[name] for name in "UVW"]
        parts = [jnp.sqrt(size)[:, None, None] * own(group, x, home) for x in rows]
        units = [ratio(p, jnp.linalg.norm(x, axis=1)[:, None, None]) for p, x in zip(parts, rows, strict=True)]
        seen = {
            "share": jnp.stack([jnp.square(p).sum((1, 2)) for p in units], 1),
            "rank": jnp.stack([_rank(p, t) for p in units], 1),
            "match": jnp.sqrt(t) * jnp.einsum("mij,mjk,mik->m", *units),
        }
        matters = mass > self.alive**3 * mass.max()
        least = {f"least_{name}": _least(a, matters) for name, a in seen.items()}
        return seen | least | {"mean": ratio((mass * seen["match"]).sum(), mass.sum())}


def _least(values: Float[Array, "m *n"], matters: Array) -> Array:
    """The smallest value of neurons that matter; 0 if none does."""
    kept = jnp.where(matters, values.reshape(len(values), -1).min(1), jnp.inf).min()
    return jnp.where(matters.any(), kept, 0)


def own(group: Group, u: Float[Array, "m d"], home: Array) -> Float[Array, "m D D"]:
    """The coefficient matrix of each row in its irrep `home`, 0 being the first that is not trivial, filled up with zeros."""
    entries = jnp.asarray(_irreps(group)[0], u.dtype)
    every = jnp.einsum("mg,gRij->mRij", u, entries)
    return jnp.take_along_axis(every, home[:, None, None, None], axis=1)[:, 0]


def _rank(alpha: Float[Array, "m D D"], t: Float[Array, " m"]) -> Float[Array, " m"]:
    return ratio(t * jnp.linalg.svd(alpha, compute_uv=False)[:, 0] ** 2, jnp.square(alpha).sum((1, 2)))


@cache
def _irreps(group: Group) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(δ/|G|) R_ij(g) of the irreps R ≠ 1, each in the corner of a D × D matrix (|G|, R-1, D, D), t (R-1,) and δ (R-1,)."""
    reps = irreps(group)[1:]
    D = max(rep.matrices.shape[1] for rep in reps)
    pad = [((0, 0), (0, D - rep.matrices.shape[1]), (0, D - rep.matrices.shape[1])) for rep in reps]
    padded = [rep.delta / group.order * np.pad(rep.matrices, p) for rep, p in zip(reps, pad, strict=True)]
    kinds, deltas = ([getattr(rep, name) for rep in reps] for name in ("endomorphisms", "delta"))
    return np.stack(padded, 1), np.array(kinds, np.float64), np.array(deltas, np.float64)
