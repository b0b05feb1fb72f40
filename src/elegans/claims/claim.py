"""A claim: static data that says what must hold, why, and how far an estimate may be from it.

The verdict is *holds* when the estimate's interval lies inside the expected bound, *fails* when it lies outside, and
*inconclusive* when it straddles an end. Listing claims runs nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from elegans.claims.evidence import Evidence
from elegans.stats.estimate import Estimate

Verdict = Literal["holds", "fails", "inconclusive"]
Of = Literal["printed", "corrected", "derived"]


@dataclass(frozen=True)
class Bound:
    """The numbers low <= value <= high."""

    low: float = float("-inf")
    high: float = float("inf")

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"a bound needs low <= high, got [{self.low}, {self.high}]")

    def judge(self, estimate: Estimate) -> Verdict:
        """Whether the estimate's interval is inside, outside or astride."""
        if self.low <= estimate.low and estimate.high <= self.high:
            return "holds"
        return "fails" if estimate.high < self.low or estimate.low > self.high else "inconclusive"

    def __str__(self) -> str:
        if self.low == self.high:
            return f"exactly {self.low:g}"
        if self.low == float("-inf") and self.high == float("inf"):
            return "any number"
        if self.low == float("-inf"):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if self.high == float("inf") else f"between {self.low:g} and {self.high:g}"


def at_least(low: float) -> Bound:
    """value >= low."""
    return Bound(low=low)


def at_most(high: float) -> Bound:
    """value <= high."""
    return Bound(high=high)


def between(low: float, high: float) -> Bound:
    """low <= value <= high."""
    return Bound(low, high)


def near(value: float, tolerance: float) -> Bound:
    """|value - x| <= tolerance."""
    return Bound(value - tolerance, value + tolerance)


@dataclass(frozen=True)
class Claim:
    """One judged statement. Grade-A claims carry `wrong`, a variant that must be judged *fails*."""

    row: str
    says: str
    value: Callable[[Evidence], Estimate]
    expect: Bound
    why: str
    of: Of = "printed"
    wrong: Callable[[Evidence], Estimate] | None = None
