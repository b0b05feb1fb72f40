"""Fourier features of a network on Z_n: the frequency of a neuron, how pure it is, and what the frequencies share.

    x̂(j) = Σ_a x(a) e^{-2πija/n},    P_j(x) = |x̂(j)|² + |x̂(-j)|²,  j = 1 … ⌊n/2⌋ (for even n, n/2 stands alone)
    ζ_i = argmax_j P_j(u_i),         (θ_u, θ_v, θ_w) = arg (û, v̂, ŵ)(ζ_i),         μ_i = ‖ω_i‖^ν / Σ_k ‖ω_k‖^ν

In a network (u + v)² w of maximum margin, n odd, u, v, w of a neuron have all power at ζ_i, equal norms and θ_u + θ_v = θ_w;
each ζ has Σ μ_i = 2/(n-1), and Σ μ_i e^{iφ} over its neurons vanishes for the φ of `WAVES` (elegans.theory.phase_balance).
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.base import Params
from elegans.probes.base import Probe, View
from elegans.probes.margins import cubes
from elegans.tasks.composition import GroupComposition
from elegans.theory.groups import cyclic

WAVES = ("θ_w", "2θ_u", "2θ_v", "2θ_w", "2θ_u+θ_w", "2θ_u-θ_w", "2θ_v+θ_w", "2θ_v-θ_w")
_COMBINATIONS = np.array(
    [[0, 0, 1], [2, 0, 0], [0, 2, 0], [0, 0, 2], [2, 0, 1], [2, 0, -1], [0, 2, 1], [0, 2, -1]], dtype=np.float32
)


class CyclicNeurons(Probe):
    """Of each neuron: `power` (m, 3), the largest share of P_j in u, v, w, and `frequency` (m, 3), the j that has it (0 where
    there is no power); `defect` |θ_u + θ_v - θ_w| in [0, π]; `sizes` (m, 3), ‖u‖, ‖v‖, ‖w‖ over ‖ω‖/√3; `mass` μ."""

    nu: int = static(default=3, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        x, mu = rows(view), masses(view.params, self.nu)
        share = shares(powers(x))
        u, v, w = phases(x, dominant(share[:, 0])).T
        return {
            "power": share.max(-1),
            "frequency": dominant(share),
            "defect": jnp.abs((u + v - w + np.pi) % (2 * np.pi) - np.pi),
            "sizes": jnp.sqrt(3 * shares(jnp.square(x).sum(-1))),
            "mass": mu,
        }


class CyclicFrequencies(Probe):
    """Of each frequency 1 … ⌊n/2⌋, by the ζ of neurons: `count` of those whose norm is over `alive` times the largest, `mass`
    Σ μ, and `phases` (⌊n/2⌋, 8), |Σ μ e^{iφ}| / Σ μ for the φ of WAVES. `imbalance` is the largest of these with ζ < n/2."""

    nu: int = static(default=3, low=1)
    alive: float = static(default=0.01, low=0, high=1)

    def observe(self, view: View) -> dict[str, Array]:
        x, mu = rows(view), masses(view.params, self.nu)
        zeta, n = dominant(shares(powers(x))[:, 0]), x.shape[2]
        home = jax.nn.one_hot(zeta - 1, n // 2, dtype=mu.dtype)  # a neuron of frequency 0 has none
        mass, turned = mu @ home, phases(x, zeta) @ jnp.asarray(_COMBINATIONS, mu.dtype).T
        sums = [(home * mu[:, None]).T @ wave(turned) for wave in (jnp.cos, jnp.sin)]
        balance = jnp.hypot(*sums) / jnp.where(mass > 0, mass, 1)[:, None]
        return {
            "count": (mu > self.alive**self.nu * mu.max()).astype(mu.dtype) @ home,
            "mass": mass,
            "phases": balance,
            "imbalance": balance[: (n - 1) // 2].max(initial=0),
        }


class CyclicSpectra(Probe):
    """`power` (first, ⌊n/2⌋): the shares of P_j in u of the `first` neurons."""

    first: int = static(default=8, low=1)

    def observe(self, view: View) -> dict[str, Array]:
        return {"power": shares(powers(rows(view)[: self.first, 0]))}


def rows(view: View) -> Float[Array, "m 3 n"]:
    """u, v, w of each neuron."""
    if not {"U", "V", "W"} <= view.params.keys() or not isinstance(view.task, GroupComposition) or not _adds(view.task):
        raise UsageError(
            f"{type(view.model).__name__} on {view.task} has no rows U, V, W over Z_n; watch cyclic features "
            "of a GroupNet on GroupComposition(Cyclic(n))"
        )
    return jnp.stack([view.params[name] for name in "UVW"], axis=1)


def powers(x: Float[Array, "*m n"]) -> Float[Array, "*m f"]:
    """P_j of each row for j = 1 … ⌊n/2⌋."""
    hat = jnp.fft.rfft(x)[..., 1:]
    pair = 2 * (jnp.square(hat.real) + jnp.square(hat.imag))
    return pair if x.shape[-1] % 2 else pair.at[..., -1].divide(2)


def shares(parts: Float[Array, "*m f"]) -> Float[Array, "*m f"]:
    """Each row divided by its sum, or 0 where that is 0."""
    total = parts.sum(-1, keepdims=True)
    return parts / jnp.where(total > 0, total, 1)


def masses(params: Params, nu: int) -> Float[Array, " m"]:
    """μ of each neuron."""
    return shares(cubes(params, nu))


def dominant(share: Float[Array, "*m f"]) -> Int[Array, "*m"]:
    """The frequency of the largest share, or 0 where all are 0."""
    return jnp.where(share.any(-1), share.argmax(-1) + 1, 0).astype(jnp.int32)


def phases(x: Float[Array, "m 3 n"], zeta: Int[Array, " m"]) -> Float[Array, "m 3"]:
    """θ_u, θ_v, θ_w of each neuron at its frequency."""
    return jnp.angle(jnp.take_along_axis(jnp.fft.rfft(x), zeta[:, None, None], axis=2)[..., 0])


def _adds(task: GroupComposition) -> bool:
    """Whether the product is addition modulo n, under whatever name."""
    table = task.group.group().table
    return np.array_equal(table, cyclic(len(table)).table)
