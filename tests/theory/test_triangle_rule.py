"""Quadrature on the two triangles: polynomials, what is discontinuous at the corner, the other rule."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import markov
from elegans.theory.triangle_rule import triangle_mean, triangle_nodes


@given(st.integers(0, 12), st.integers(0, 12))
def test_polynomials_are_exact(i: int, j: int):
    assert float(triangle_mean(lambda a, b: a**i * b**j, 16)) == pytest.approx(1 / (i + 1) / (j + 1), abs=1e-14)


def test_the_corner_does_no_harm():
    squares = triangle_mean(lambda a, b: np.sum(markov.stationary(markov.two_state(a, b)) ** 2, -1), 12)
    np.testing.assert_allclose(squares, markov.MEAN_SQUARED_PI, atol=1e-13)
    np.testing.assert_allclose(triangle_mean(lambda a, b: 1 / (2 - a - b), 20), 2 * math.log(2), atol=1e-12)


def test_both_rules_agree_on_chains():
    def integrand(a: markov.Floats, b: markov.Floats) -> markov.Floats:
        return (a + b - 1) ** 30 * (1 - a) / (2 - a - b)

    np.testing.assert_allclose(triangle_mean(integrand), markov.flat_mean(integrand, 160), atol=1e-10)


def test_nodes_lie_inside_and_weigh_one():
    a, b, w = triangle_nodes(5)
    assert np.all((a > 0) & (a < 1) & (b > 0) & (b < 1) & (w > 0))
    assert w.sum() == pytest.approx(1, abs=1e-14)
    with pytest.raises(ValueError, match="n = 0"):
        triangle_nodes(0)
