"""A verdict is a statement about two intervals, the estimate's and the bound's, with all their ends."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.claims.claim import Bound, at_least, at_most, between, near
from elegans.stats.estimate import Estimate, exact

ENDS = st.floats(allow_nan=False)


@st.composite
def estimates(draw: st.DrawFn) -> Estimate:
    low, value, high = sorted(draw(st.tuples(ENDS, ENDS, ENDS)))
    return Estimate(value, low, high, n=10)


@st.composite
def bounds(draw: st.DrawFn) -> Bound:
    return between(*sorted(draw(st.tuples(ENDS, ENDS))))


@given(estimates(), bounds())
def test_verdict_follows_from_containment_and_overlap(e: Estimate, b: Bound) -> None:
    inside = b.low <= e.low and e.high <= b.high
    apart = e.high < b.low or b.high < e.low
    assert b.judge(e) == ("holds" if inside else "fails" if apart else "inconclusive")


@given(estimates(), bounds())
def test_a_wider_interval_never_turns_one_verdict_into_the_opposite(e: Estimate, b: Bound) -> None:
    wide = Estimate(e.value, -math.inf, math.inf, n=10)
    assert {b.judge(e), b.judge(wide)} != {"holds", "fails"}


@given(ENDS, bounds())
def test_an_exact_value_is_never_inconclusive(x: float, b: Bound) -> None:
    assert b.judge(exact(x)) == ("holds" if b.low <= x <= b.high else "fails")


@pytest.mark.parametrize(
    ("bound", "low", "high", "verdict"),
    [
        (at_least(0.5), 0.5, math.inf, "holds"),
        (at_least(0.5), math.inf, math.inf, "holds"),
        (at_most(0.5), math.inf, math.inf, "fails"),
        (at_most(0.5), -math.inf, 0.5, "holds"),
        (at_most(0.5), 0.4, math.inf, "inconclusive"),
        (near(1.0, 0.1), -math.inf, math.inf, "inconclusive"),
        (Bound(), -math.inf, math.inf, "holds"),
        (between(0, 1), 1.0, 2.0, "inconclusive"),
    ],
)
def test_infinite_and_touching_ends(bound: Bound, low: float, high: float, verdict: str) -> None:
    value = low if math.isfinite(low) else high
    assert bound.judge(Estimate(value, low, high, n=3)) == verdict


def test_a_bound_says_what_it_asks_for() -> None:
    said = [str(b) for b in (at_least(2), at_most(2), between(1, 2), near(3, 0), Bound())]
    assert said == ["at least 2", "at most 2", "between 1 and 2", "exactly 3", "any number"]


def test_a_bound_needs_its_ends_in_order() -> None:
    with pytest.raises(ValueError, match="low <= high"):
        between(2, 1)
