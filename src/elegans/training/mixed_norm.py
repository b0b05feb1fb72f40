"""Another power of the same norm, which some papers leave open.

    λ ‖θ‖_{2,b}^r,    ‖θ‖_{2,b}^b = Σ_i ‖ω_i‖₂^b        r = b is `NeuronNorm(λ, power=b)`

At any θ its gradient is that of λ' Σ_i ‖ω_i‖^b with λ' = (r/b) λ (Σ_i ‖ω_i‖^b)^{r/b - 1}.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from elegans.base.config import static, traced
from elegans.models.base import Params
from elegans.training.penalties import NeuronNorm, Penalty


class MixedNorm(Penalty):
    """`strength` λ, `b` and `power` r; neuron i owns row i of every array. At the zero network the gradient is taken to be 0."""

    strength: float = traced(low=0)
    b: int = static(default=3, low=2)
    power: int = static(default=3, low=1)

    def value(self, params: Params) -> Float[Array, ""]:
        total = NeuronNorm(1.0, power=self.b).value(params)
        known = jnp.where(total > 0, total, 1)
        return self.strength * jnp.where(total > 0, known ** (self.power / self.b), 0)
