"""Penalties by hand, and what another power of the same norm means."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.models.base import Params
from elegans.training.mixed_norm import MixedNorm
from elegans.training.penalties import NeuronNorm

PARAMS: Params = {"U": jnp.asarray([[3.0, 0], [0, 1]]), "W": jnp.asarray([[4.0, 0], [0, 0]])}  # norms 5 and 1


def test_values_by_hand() -> None:
    assert NeuronNorm(2.0).value(PARAMS) == pytest.approx(2 * 126)
    assert NeuronNorm(2.0, power=2).value(PARAMS) == pytest.approx(2 * 26)
    assert MixedNorm(2.0, b=3, power=3).value(PARAMS) == pytest.approx(2 * 126)
    assert MixedNorm(2.0, b=3, power=6).value(PARAMS) == pytest.approx(2 * 126**2)
    assert MixedNorm(2.0, b=2, power=1).value(PARAMS) == pytest.approx(2 * 26**0.5)


@pytest.mark.parametrize("power", [1, 2, 6])
def test_another_power_is_another_strength_at_each_point(power: int) -> None:
    """The gradient of λ‖θ‖^r is that of λ' Σ‖ω‖³ with λ' = (r/3) λ T^{r/3-1}, T = Σ‖ω‖³."""
    T = 126.0
    one = jax.grad(MixedNorm(0.5, b=3, power=power).value)(PARAMS)
    other = jax.grad(NeuronNorm(power / 3 * 0.5 * T ** (power / 3 - 1)).value)(PARAMS)
    assert all(np.allclose(one[n], other[n], rtol=1e-5) for n in PARAMS)
