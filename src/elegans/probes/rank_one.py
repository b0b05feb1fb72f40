"""Whether a neuron has the form of the best one (lemma D.13): in one irrep, of rank one, u, v and w matched.

    α = (δ/|G|) Σ_g u(g) R(g),  β of v,  γ of w,        R the irrep in which u has most power
    rank(α) = t σ₁²/Σσ²,        match = √t tr(αβγᵀ)/(‖α‖‖β‖‖γ‖)

are at most 1. For R of real type (t = 1) the match is 1 for α ∝ xyᵀ, β ∝ yzᵀ, γ ∝ xzᵀ only, and for matrices of rank one
it is the product of the cosines between their singular vectors, with its sign. A real irrep of complex (t = 2) or
quaternionic type (t = 4) has every singular value t times, and both numbers speak of matrices over those fields.
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
    """`rank` (m, 3): rank(α), rank(β), rank(γ), and `match` (m,), both in the neuron's own irrep (0 where there is nothing).
    `mean`: the mean match with weights ‖ω_i‖³. `least_rank` and `least_match`: the smallest among neurons whose norm is
    over `alive` times the largest norm. One-dimensional irreps have rank 1 of themselves."""

    alive: float = static(default=0.1, low=0, high=1)

    def observe(self, view: View) -> dict[str, Array]:
        if not isinstance(view.task, GroupComposition) or set(view.params) != {"U", "V", "W"}:
            raise UsageError(
                f"{type(view.model).__name__} on {type(view.task).__name__} has no rows U, V, W over a group; "
                "watch RankOne of a GroupNet on GroupComposition"
            )
        group, mass = view.task.group.group(), cubes(view.params)
        home = powers(group, view.params["U"])[:, 1:].argmax(1)
        parts = [own(group, view.params[name], home) for name in "UVW"]
        t = jnp.asarray(_irreps(group)[1], mass.dtype)[home]
        rank, match = jnp.stack([_rank(part, t) for part in parts], 1), _match(parts, t)
        matters = mass > self.alive**3 * mass.max()
        return {
            "rank": rank,
            "match": match,
            "mean": ratio((mass * match).sum(), mass.sum()),
            "least_rank": jnp.where(matters, rank.min(1), 1).min(),
            "least_match": jnp.where(matters, match, 1).min(),
        }


def own(group: Group, u: Float[Array, "m d"], home: Array) -> Float[Array, "m D D"]:
    """The coefficient matrix of each row in its irrep `home`, 0 being the first that is not trivial, filled up with zeros."""
    entries = jnp.asarray(_irreps(group)[0], u.dtype)
    every = jnp.einsum("mg,gRij->mRij", u, entries)
    return jnp.take_along_axis(every, home[:, None, None, None], axis=1)[:, 0]


def _rank(alpha: Float[Array, "m D D"], t: Float[Array, " m"]) -> Float[Array, " m"]:
    return ratio(t * jnp.linalg.svd(alpha, compute_uv=False)[:, 0] ** 2, jnp.square(alpha).sum((1, 2)))


def _match(parts: list[Float[Array, "m D D"]], t: Float[Array, " m"]) -> Float[Array, " m"]:
    alpha, beta, gamma = (ratio(p, jnp.sqrt(jnp.square(p).sum((1, 2), keepdims=True))) for p in parts)
    return jnp.sqrt(t) * jnp.einsum("mij,mjk,mik->m", alpha, beta, gamma)


@cache
def _irreps(group: Group) -> tuple[np.ndarray, np.ndarray]:
    """(δ/|G|) R_ij(g) of the irreps R ≠ 1, each in the corner of a D × D matrix (|G|, R-1, D, D), and t (R-1,)."""
    reps = irreps(group)[1:]
    D = max(rep.matrices.shape[1] for rep in reps)
    pad = [((0, 0), (0, D - rep.matrices.shape[1]), (0, D - rep.matrices.shape[1])) for rep in reps]
    padded = [rep.delta / group.order * np.pad(rep.matrices, p) for rep, p in zip(reps, pad, strict=True)]
    return np.stack(padded, 1), np.array([rep.endomorphisms for rep in reps], np.float64)
