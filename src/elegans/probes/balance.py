"""How balanced the weights into and out of each neuron are.

    B_i = ‖u_i‖² + ‖v_i‖² - (ν-1)‖w_i‖²        b_i = B_i/‖ω_i‖² ∈ [-(ν-1), 1]

for a neuron of degree ν-1 in its incoming weights u (and v) and linear in w: B = ‖u‖² + ‖v‖² - 2‖w‖² if it is quadratic,
‖u‖² - k‖w‖² for z^k. Gradient flow keeps B_i without penalty and takes it to 0 with λ Σ‖ω_i‖^ν:
d/dt B_i = -2λν‖ω_i‖^{ν-2} B_i.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.base import Probe, View

NAMES = ({"U", "W"}, {"U", "V", "W"})


class Balance(Probe):
    """`balance` (m,): b_i, 0 for a neuron without weights. `norm` (m,): ‖ω_i‖. `mean`: Σ|B_i|/Σ‖ω_i‖². `worst`: the largest
    |b_i| among neurons whose norm is over `alive` times the largest norm."""

    nu: int = static(default=3, low=2)
    alive: float = static(default=0.1, low=0, high=1)

    def observe(self, view: View) -> dict[str, Array]:
        squares = squared_norms(view)
        size = jnp.stack(list(squares.values())).sum(0)
        B = size - self.nu * squares["W"]
        b = ratio(B, size)
        matters = size > self.alive**2 * size.max()
        return {
            "balance": b,
            "norm": jnp.sqrt(size),
            "mean": ratio(jnp.abs(B).sum(), size.sum()),
            "worst": jnp.where(matters, jnp.abs(b), 0).max(),
        }


def squared_norms(view: View) -> dict[str, Float[Array, " m"]]:
    """‖·‖² of each neuron's rows, by array: of networks with one hidden layer U (and V), W and no biases."""
    if set(view.params) not in NAMES:
        raise UsageError(
            f"{type(view.model).__name__} has the parameters {', '.join(sorted(view.params))}, but every neuron must own "
            "row i of U (and V) and W; use GroupNet or PowerParityNet"
        )
    return {name: jnp.square(p).sum(1) for name, p in view.params.items()}


def ratio(a: Float[Array, "*m"], b: Float[Array, "*m"]) -> Float[Array, "*m"]:
    """a / b, or 0 where b is 0."""
    return jnp.where(b > 0, a / jnp.where(b > 0, b, 1), 0)
