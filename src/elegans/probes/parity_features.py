"""How close the neurons (u·x)^k w of a network are to the best ones for the parity of the bits S (theorem 7.8).

    |u_j| = ‖w‖ on S,   u = 0 elsewhere,   w_0 = -w_1,   (Π_{j∈S} u_j) β ≥ 0,        β = (w_0 - w_1)/√2
    E ψ(ω) / (γ* ‖ω‖^{k+1}) = (k+1)^{(k+1)/2} (Π_{j∈S} u_j) β / ‖ω‖^{k+1} ≤ 1,        ‖ω‖² = ‖u‖² + ‖w‖²

The second line is 1 for exactly the neurons that the first describes. Its mean, weighted by ‖ω‖^{k+1}, is the mean margin of
the network over γ* ‖θ‖^{k+1}. The signs of u on S put a neuron in one of 2^{k-1} classes {σ, -σ}; a network of largest margin
has equal masses Σ ‖ω‖^{k+1} in all of them.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from elegans.base.errors import UsageError
from elegans.models.power_parity import PowerParityNet
from elegans.probes.base import Probe, View
from elegans.probes.margins import cubes
from elegans.tasks.parity import Parity


class ParityFeatures(Probe):
    """Of each neuron: `norm` ‖ω‖ (m,), `support` (m,), the share of ‖u‖² on S, `spread` (m,), deviation over mean of |u_j| on S,
    `opposite` (m,), the share β²/‖w‖² of w that is opposite for the two labels, `ratio` (m, k) of |u_j| and ‖w‖ for j in S, and
    `gain` (m,), E ψ over its maximum, which is negative where the sign is wrong. All are 0 where they would be 0/0.
    `mass` (2^{k-1},): the share of ‖θ‖^{k+1} of each sign class, in the order of `theory.parity_margins.sign_classes`."""

    def observe(self, view: View) -> dict[str, Array]:
        task, model = view.task, view.model
        if not isinstance(task, Parity) or not isinstance(model, PowerParityNet) or model.k != task.k:
            raise UsageError(
                f"theorem 7.8 is about parities of k bits and activations z^k, not about {model} on {task}; "
                "watch ParityFeatures of PowerParityNet(m, k=4) on SparseParity(n, 4), for example"
            )
        U, W, k = view.params["U"], view.params["W"], task.k
        on_support, size = U[:, task.support_of(view.secret)], cubes(view.params, k + 1)
        mass = size @ jax.nn.one_hot(sign_class(on_support), 2 ** (k - 1), dtype=size.dtype)
        return {"norm": size ** (1 / (k + 1)), "mass": over(mass, mass.sum()), **neurons(U, W, on_support)}


def neurons(U: Float[Array, "m n"], W: Float[Array, "m 2"], on_support: Float[Array, "m k"]) -> dict[str, Array]:
    """What is said of each neuron, whatever its size."""
    k, size, beta = on_support.shape[1], jnp.abs(on_support), (W[:, 0] - W[:, 1]) / math.sqrt(2)
    uu, ww = jnp.square(U).sum(1), jnp.square(W).sum(1)
    best = ((uu + ww) / (k + 1)) ** ((k + 1) / 2)
    return {
        "support": over(jnp.square(on_support).sum(1), uu),
        "spread": over(size.std(1), size.mean(1)),
        "opposite": over(jnp.square(beta), ww),
        "ratio": over(size, jnp.sqrt(ww)[:, None]),
        "gain": over(on_support.prod(1) * beta, best),
    }


def sign_class(on_support: Float[Array, "m k"]) -> Int[Array, " m"]:
    """Number of the class {σ, -σ} of each neuron: bit j-1 says whether u_j and u_0 have opposite signs."""
    opposite = (on_support[:, 1:] < 0) != (on_support[:, :1] < 0)
    powers = 2 ** np.arange(on_support.shape[1] - 1, dtype=np.int32)
    return jnp.where(opposite, powers, 0).sum(1, dtype=jnp.int32)


def over(a: Array, b: Array) -> Array:
    """a/b, or 0 where b is 0."""
    return jnp.where(b > 0, a / jnp.where(b > 0, b, 1), 0)
