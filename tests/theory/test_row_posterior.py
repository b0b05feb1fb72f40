"""The posterior of a row by quadrature against Dirichlet moments and Beta marginals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import row_posterior as posterior
from elegans.theory.markov import posterior_mean

rows = st.integers(2, 3).flatmap(
    lambda k: st.tuples(*[st.lists(st.integers(low, 6), min_size=k, max_size=k) for low in (0, 1, 0)])
)


@given(rows)
def test_moments(row: tuple[list[int], list[int], list[int]]):
    counts, alpha, powers = row
    parameters = np.add(counts, alpha)
    expected = posterior.dirichlet_moment(parameters, powers)
    assert posterior.posterior_moment(counts, alpha, powers) == pytest.approx(expected, rel=1e-12)
    for j, one in enumerate(np.eye(len(counts), dtype=int)):
        mean = posterior.posterior_moment(counts, alpha, one)
        assert mean == pytest.approx(posterior_mean(counts, np.array(alpha))[j], rel=1e-12)


@given(rows)
def test_marginals(row: tuple[list[int], list[int], list[int]]):
    (c, *others), (own, *alpha), _ = row
    x = np.linspace(0, 1, 9)
    found = posterior.posterior_cdf([c, *others], [own, *alpha], x)
    np.testing.assert_allclose(found, posterior.beta_cdf(c + own, sum(others) + sum(alpha), x), atol=1e-13)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_nodes_integrate_over_the_simplex(k: int):
    p, w = posterior.simplex_nodes(k, 6)
    np.testing.assert_allclose(p.sum(-1), 1, atol=1e-14)
    assert w.sum() == pytest.approx(1 / np.prod(np.arange(1, k)))
    np.testing.assert_allclose(w @ p / w.sum(), np.full(k, 1 / k))
