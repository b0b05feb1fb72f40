"""The four sums over ordered positions: polynomials against loops, printed quotients against polynomials."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import geometric_sums as sums

lengths = st.integers(1, 14)


@given(st.floats(-1, 1), lengths)
def test_polynomials_are_the_loops(lam: float, t: int):
    scale = t * (t + 1) * (t + 2) / 6
    np.testing.assert_allclose(sums.position_sums(lam, t), sums.position_sums_by_loop(lam, t), atol=1e-14 * scale)


@given(st.floats(-1, 0.7).filter(lambda x: abs(x) > 1e-100), lengths)
def test_printed_forms_away_from_zero_and_one(lam: float, t: int):
    np.testing.assert_allclose(sums.printed_sums(lam, t), sums.position_sums(lam, t), rtol=1e-10, atol=1e-10)


@given(st.floats(-1, 1), lengths)
def test_reversing_time_exchanges_two_sums(lam: float, t: int):
    loops = sums.position_sums_by_loop([lam], t)
    np.testing.assert_allclose(loops[1], loops[2], rtol=1e-12, atol=1e-12)


def test_many_values_at_once_and_the_ends():
    lam = np.array([[-1.0, 0.0], [0.5, 1.0]])
    assert sums.position_sums(lam, 5).shape == (4, 2, 2)
    np.testing.assert_allclose(sums.position_sums(0.0, 5), [5, 15, 15, 35])
    np.testing.assert_allclose(sums.position_sums(1.0, 5), [35] * 4)


@given(st.floats(-1, 1), lengths)
def test_pair_sums_by_loop(lam: float, t: int):
    loop = [sum(lam**n for p in range(j, t + 1) for n in range(1, p - j + 2)) for j in range(1, t + 1)]
    np.testing.assert_allclose(sums.pair_sums(lam, t), loop, atol=1e-12)


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(ValueError, match="position_sums"):
        sums.printed_brackets(np.array([0.3, 1.0]), 4)
    with pytest.raises(ValueError, match="t = 0"):
        sums.position_sums(0.3, 0)
