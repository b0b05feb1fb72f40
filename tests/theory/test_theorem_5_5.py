"""Theorem 5.5: the constants satisfy what the proof asks of them, and coverage is counted by enumeration."""

from itertools import product
from math import log

import pytest

from elegans.theory import theorem_5_5
from elegans.theory.theorem_5_5 import thm55

CASES = [(51, 2, 0.1), (101, 4, 0.1), (1001, 4, 0.01)]


@pytest.mark.parametrize(("n", "k", "eps"), CASES)
def test_corrected_sizes_are_what_the_proof_needs(n: int, k: int, eps: float):
    s = thm55(n, k, eps, "corrected")
    assert theorem_5_5.optimisation_error(n, k, s.r, s.T) == pytest.approx(eps / 4)
    assert pytest.approx(theorem_5_5.batch_needed(n, k, s.r, eps)) == s.B
    assert theorem_5_5.coverage(k, s.r // 2) >= 1 - eps / 8


@pytest.mark.parametrize(("n", "k", "eps"), CASES)
def test_printed_sizes_are_not(n: int, k: int, eps: float):
    s = thm55(n, k, eps, "printed")
    assert theorem_5_5.optimisation_error(n, k, s.r, s.T) == pytest.approx(eps / 2**0.5)
    assert theorem_5_5.batch_needed(n, k, s.r, eps) > s.B
    assert theorem_5_5.coverage(k, s.r // 2) < 1 - eps / 8


def test_printed_widths():
    assert [thm55(51, k, 0.1, "printed").r for k in (2, 4)] == [42, 370]


def test_smallest_dimensions_solve_their_own_condition():
    printed = thm55(51, 2, 0.1, "printed").n
    assert 5e5 < printed < 2e6  # the specification: of order 10^5 to 10^6 already for k = 2
    corrected = thm55(51, 2, 0.1, "corrected").n
    assert corrected == pytest.approx(2**9 * (corrected / (corrected - 2)) ** 2 * log(1024 * corrected / 0.1))
    assert corrected < printed


@pytest.mark.parametrize(("k", "pairs"), [(2, 3), (2, 5), (4, 4)])
def test_coverage_by_enumeration(k: int, pairs: int):
    p = theorem_5_5.type_probability(k)
    chance = 0.0
    for kinds in product(range(k + 1), repeat=pairs):  # the last kind is "none of them"
        if set(range(k)) <= set(kinds):
            none = kinds.count(k)
            chance += p ** (pairs - none) * (1 - k * p) ** none
    assert theorem_5_5.coverage(k, pairs) == pytest.approx(chance)


def test_wrong_input_is_refused():
    with pytest.raises(ValueError):
        thm55(50, 2, 0.1, "printed")
