"""Activations at the points where they must equal a parity, and their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.base.errors import UsageError
from elegans.models.activations import (
    OscillatingPolynomial,
    Power,
    Sinusoid,
    TriangleWave,
    Zigzag,
    gelu,
    relu,
)

PARITIES = (Zigzag, OscillatingPolynomial, TriangleWave, Sinusoid)


@pytest.mark.parametrize("kind", PARITIES)
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
def test_an_oscillating_activation_is_the_parity_of_the_count(kind, k: int):
    m = np.arange(k + 1)
    values = jax.jit(kind(k))(np.asarray(k - 2 * m, np.float32))
    np.testing.assert_array_equal(values, (-1.0) ** m)
    assert values.dtype == jnp.float32


@pytest.mark.parametrize("k", [1, 2, 5])
def test_zigzag_has_slopes_plus_and_minus_one_and_extends_its_ends(k: int):
    z = jnp.asarray(np.linspace(-k - 6.03, k + 6.07, 401), jnp.float32)
    slope = jax.jit(jax.vmap(jax.grad(Zigzag(k))))(z)
    j = np.clip(np.floor((k - np.asarray(z)) / 2), 0, k - 1)
    np.testing.assert_array_equal(slope, (-1.0) ** j)
    assert float(Zigzag(k)(jnp.float32(k + 5))) == 6 and abs(float(Zigzag(k)(jnp.float32(-k - 5)))) == 6


@pytest.mark.parametrize("k", [1, 2, 5])
def test_polynomial_has_degree_k_and_the_parity_of_k(k: int):
    z = np.linspace(-k - 1, k + 1, 101)
    σ = np.asarray(jax.jit(OscillatingPolynomial(k))(np.asarray(z, np.float32)))
    points = k - 2 * np.arange(k + 1)
    interpolant = np.polyfit(points, (-1.0) ** np.arange(k + 1), k)
    np.testing.assert_allclose(σ, np.polyval(interpolant, z), rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(σ[::-1], (-1) ** k * σ, rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("k", [2, 3])
def test_waves_have_period_four_and_agree_where_they_should(k: int):
    z = np.linspace(-19.7, 20.3, 501, dtype=np.float32)
    triangle, zigzag, sinusoid = (np.asarray(jax.jit(kind(k))(z)) for kind in (TriangleWave, Zigzag, Sinusoid))
    np.testing.assert_allclose(jax.jit(TriangleWave(k))(z + 4), triangle, atol=1e-5)
    assert np.abs(triangle).max() <= 1
    np.testing.assert_allclose(triangle[np.abs(z) <= k], zigzag[np.abs(z) <= k], atol=1e-5)
    np.testing.assert_allclose(sinusoid, np.sin(np.pi / 2 * z.astype(np.float64) + np.pi / 2 * (1 - k)), atol=1e-5)


def test_scale_multiplies_the_input_only():
    z = jnp.asarray([-1.5, 0.0, 0.75], jnp.float32)
    np.testing.assert_allclose(Sinusoid(3, 0.5)(2 * z), Sinusoid(3)(z), atol=1e-6)
    np.testing.assert_allclose(Sinusoid(3, 0.5)(z), np.cos(np.pi / 2 * (0.5 * np.asarray(z) - 3)), atol=1e-6)


def test_relu_gelu_and_powers():
    z = jnp.asarray([-2.0, 0.0, 3.0], jnp.float32)
    np.testing.assert_array_equal(relu(z), [0, 0, 3])
    np.testing.assert_array_equal(jax.vmap(jax.grad(relu))(z), [0, 0, 1])
    np.testing.assert_allclose(gelu(z), [-2 * 0.022750132, 0, 3 * 0.9986501], rtol=1e-5)
    np.testing.assert_array_equal(Power(3)(z), [-8, 0, 27])
    with pytest.raises(UsageError):
        Power(0)


@pytest.mark.parametrize("σ", [relu, gelu, Power(4), *(kind(3) for kind in PARITIES)])
def test_the_input_decides_the_dtype(σ):
    with jax.enable_x64(True), jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        for dtype in (jnp.float32, jnp.float64):
            z = jnp.ones((4, 2), dtype)
            assert jax.eval_shape(σ, z).dtype == jax.eval_shape(jax.grad(lambda z: σ(z).sum()), z).dtype == dtype
