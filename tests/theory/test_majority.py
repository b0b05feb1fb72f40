"""Lemmas B.1 and B.2 against enumeration, and the printed exponents against counterexamples."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elegans.theory import boolean, majority

ODD = st.integers(1, 60).map(lambda m: 2 * m + 1)


@pytest.mark.parametrize("n", [1, 3, 5, 7, 9, 11, 13, 15])
def test_spectrum_equals_enumeration(n: int):
    sums = boolean.walsh_hadamard(majority.majority(boolean.cube(n)).astype(np.int64))
    sizes = np.array([j.bit_count() for j in range(2**n)])
    for k in range(n + 1):
        assert {Fraction(int(s), 2**n) for s in sums[sizes == k]} == {majority.xi_exact(n, k)}


def test_spectrum_anchors():
    assert [majority.xi_exact(5, k) for k in (1, 3, 5)] == [Fraction(3, 8), Fraction(-1, 8), Fraction(3, 8)]
    assert majority.xi_exact(1, 1) == 1


@given(ODD)
@settings(deadline=None)
def test_parseval_holds_exactly(n: int):
    assert sum(comb(n, k) * majority.xi_exact(n, k) ** 2 for k in range(n + 1)) == 1


@pytest.mark.parametrize("n", [3, 51, 101, 999])
def test_log_gamma_agrees_with_integers(n: int):
    for k in range(1, n + 1, 2):
        exact = majority.xi_exact(n, k)
        assert majority.log_abs_xi(n, k) == pytest.approx(log(abs(exact.numerator)) - log(exact.denominator), abs=1e-11)


def test_both_methods_meet_where_one_takes_over():
    last, first = majority.EXACT_UP_TO, majority.EXACT_UP_TO + 2
    for k in (1, 3, 4, 9):
        assert majority.xi(first, k) == pytest.approx(float(majority.xi_exact(first, k)), rel=1e-11)
        assert majority.xi(last, k) == float(majority.xi_exact(last, k))


def test_ratio_table_holds_and_the_wrong_variant_fails():
    table = majority.ratio_table((9, 11, 51, 101))
    assert len(table["n"]) == sum((n - 3) // 2 for n in (9, 11, 51, 101))
    assert np.all(table["k"] % 2 == 0) and np.all(table["k"] <= table["n"] - 2)
    assert np.all(table["error"] <= 1e-10)
    assert np.all(table["error_with_k_over_n"] > 1e-3)
    assert table["ratio"][0] == pytest.approx(1 / 7, rel=1e-15)


@pytest.mark.parametrize("n", [1003, 10_001])
def test_ratio_beyond_the_exact_range(n: int):
    for k in (2, 4, 100, n // 2 + n // 2 % 2, n - 3, n - 1):
        assert majority.ratio(n, k) == pytest.approx(majority.ratio_predicted(n, k), rel=1e-9)


@given(ODD)
@settings(deadline=None)
def test_odd_coefficients_alternate_in_sign(n: int):
    signs = [np.sign(majority.xi(n, k)) for k in range(1, n + 1, 2)]
    assert signs[0] == 1 and all(a == -b for a, b in pairwise(signs))


def test_weight_bounds_hold_with_the_corrected_exponent():
    for k in range(1, 32, 2):
        for n in (2 * k**2 + 1, 20 * k**2 + 1):
            assert majority.C1_SQUARED <= majority.normalised_weight(n, k) <= majority.C2_SQUARED + 1e-12
    assert majority.normalised_weight(3, 1) == pytest.approx(0.75)
    assert majority.normalised_weight(10**6 + 1, 31) == pytest.approx(majority.C1_SQUARED, rel=0.01)


def test_weight_bounds_fail_with_the_printed_exponent():
    weights = [majority.normalised_weight(2 * k**2 + 1, k, majority.PRINTED_EXPONENT) for k in range(1, 32, 2)]
    assert all(a > b for a, b in pairwise(weights))
    assert weights[0] == pytest.approx(0.75) and weights[-1] == pytest.approx(0.0295, abs=1e-3)


@pytest.mark.parametrize(("n", "k"), [(9, 2), (9, 3), (9, 4), (11, 4), (11, 6), (11, 10)])
def test_gap_equals_enumeration(n: int, k: int):
    maj = majority.majority(boolean.cube(n))
    threshold = (maj > 0).astype(np.int8)
    S = range(1, k + 1)
    assert boolean.gap(maj, S) == pytest.approx(majority.majority_gap(n, k), abs=1e-12)
    assert boolean.gap(threshold, S) == pytest.approx(majority.threshold_gap(n, k), abs=1e-12)


@given(ODD, st.data())
@settings(deadline=None)
def test_gap_is_the_difference_of_its_neighbours(n: int, data: st.DataObject):
    k = 2 * data.draw(st.integers(1, (n - 1) // 2))
    below, above = abs(majority.xi_exact(n, k - 1)), abs(majority.xi_exact(n, k + 1))
    assert majority.majority_gap(n, k) == pytest.approx(float(below - above), rel=1e-12, abs=1e-300)


def test_lemma_b2_promises_less_than_the_gap():
    for k in range(2, 22, 2):
        for n in (4 * k + 1, 4 * k + 3, 8 * k + 1, 100 * k + 1):
            assert majority.gap_bound(n, k) <= majority.majority_gap(n, k)


def test_gap_anchors():
    assert majority.gap_bound(101, 4) == pytest.approx(0.03 * 1e-3)
    gaps = [majority.threshold_gap(n, k) for n, k in ((51, 2), (21, 4), (101, 2))]
    np.testing.assert_allclose(gaps, [0.0550, 0.00382, 0.0394], rtol=2e-3)
    limits = [majority.gap_limit(k) for k in (2, 4, 6, 8)]
    np.testing.assert_allclose(limits, [0.7979, 0.7979, 2.394, 11.97], rtol=1e-3)
    for k, limit in zip((2, 4, 6, 8), limits, strict=True):
        assert majority.majority_gap(10_001, k) * sqrt(10_000) ** (k - 1) == pytest.approx(limit, rel=0.01)


@pytest.mark.parametrize(
    "call",
    [
        lambda: majority.majority(boolean.cube(4)),
        lambda: majority.xi(4, 1),
        lambda: majority.xi(5, 6),
        lambda: majority.xi(5, -1),
        lambda: majority.log_abs_xi(5, 2),
        lambda: majority.ratio(5, 3),
        lambda: majority.ratio(5, 0),
        lambda: majority.gap_bound(7, 2),
        lambda: majority.gap_limit(3),
    ],
)
def test_wrong_input_is_refused(call: Callable[[], object]):
    with pytest.raises(ValueError):
        call()
