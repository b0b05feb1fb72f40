"""The lemma on statistical queries, by enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import boolean
from elegans.theory.statistical_queries import (
    answers,
    distinguished,
    odd_part,
    of_size,
    sq_lower_bound,
    survivors_bound,
)

functions = st.integers(0, 2**32 - 1).map(lambda s: np.random.default_rng(s).uniform(-1, 1, (2, 64)))


@given(functions)
def test_answers_are_means_over_labelled_points(q: np.ndarray):
    plus, minus = q
    formula = answers(plus, minus)
    for j in range(64):
        y = boolean.character(6, boolean.subset(j))
        assert abs(formula[j] - np.where(y > 0, plus, minus).mean()) < 1e-14


@given(functions, st.floats(0.05, 1))
def test_a_query_distinguishes_at_most_one_over_tau_squared_sets(q: np.ndarray, tau: float):
    assert distinguished(odd_part(*q), tau).sum() <= tau**-2


def test_the_bound_is_attained_by_orthogonal_spectra():
    """A bent function of 6 bits has all 64 coefficients at 1/8: a query just below τ = 1/8 tells all sets apart."""
    x = boolean.cube(6)
    bent = ((-1.0) ** (((1 - x[:, :3]) // 2) * ((1 - x[:, 3:]) // 2)).sum(1)).astype(float)
    assert distinguished(bent, 0.1249).sum() == 64 == 8**2


def test_subsets_by_size():
    places = of_size(7, 3)
    assert places.size == 35 and all(len(boolean.subset(int(j))) == 3 for j in places)


def test_bounds_by_hand():
    assert sq_lower_bound(10, 3, 0.1) == pytest.approx(1.19)
    assert survivors_bound(10, 3, 0.5, 10) == 80


@pytest.mark.parametrize("make", [lambda: sq_lower_bound(5, 2, 0.0), lambda: odd_part(np.full(4, 1.5), np.zeros(4))])
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(ValueError):
        make()
