"""Noise shrinks every mean by 1 - 2p."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import boolean
from elegans.theory.label_noise import attenuation, noisy_mean, sample_factor


@given(st.integers(0, 2**32 - 1), st.floats(0, 0.5))
def test_every_correlation_shrinks_alike(seed: int, p: float):
    rng = np.random.default_rng(seed)
    f, y = rng.standard_normal((3, 32)), boolean.character(5, (0, 3))
    np.testing.assert_allclose(noisy_mean(f, y, p), attenuation(p) * (y * f).mean(1), atol=1e-14)


def test_by_listing_both_labels():
    """At p = 1/4 three of four copies of a point keep their label."""
    f, y = np.array([1.0, 2.0]), np.array([1, -1])
    listed = np.mean([a * b for a, b in zip(np.repeat(f, 4), (1, 1, 1, -1, -1, -1, -1, 1), strict=True)])
    assert noisy_mean(f, y, 0.25) == pytest.approx(listed)


def test_the_cost_of_noise():
    assert sample_factor(0.0) == 1 and sample_factor(0.25) == 4 and sample_factor(0.5) == float("inf")
    with pytest.raises(ValueError):
        attenuation(0.6)
