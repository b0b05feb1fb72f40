"""A number and how sure we are of it: the only thing a claim is judged by.

An estimate carries its interval [low, high], the number n of independent runs behind it, and how many of them were
censored (never reached the event). A calculation without sampling is `exact`; a p-value, which is a function of the
data and not an estimate of anything, has low = value = high. Ends may be infinite: a median that fewer than half of
the runs reached is `inf`, and three runs bound no median from either side.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    value: float
    low: float
    high: float
    n: int
    censored: int = 0
    exact: bool = False
    what: str = ""

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            object.__setattr__(self, name, _number(name, getattr(self, name), self.what))
        ends = f"[{self.low}, {self.high}]"
        if not self.low <= self.value <= self.high:
            raise ValueError(f"value {self.value} lies outside its interval {ends}: are the ends swapped?")
        if not 0 <= self.censored <= self.n:
            raise ValueError(f"{self.censored} censored of n = {self.n} runs: n counts all runs, the censored ones too")
        if self.exact and self.low != self.high:
            raise ValueError(f"an exact value has no interval, got {ends}: drop exact=True, or use exact(value)")

    def through(self, monotone: Callable[[float], float]) -> "Estimate":
        """The same statement about `monotone(value)`, for instance `math.exp` after work on logarithms."""
        low, high = sorted((monotone(self.low), monotone(self.high)))
        return Estimate(monotone(self.value), low, high, self.n, self.censored, self.exact, self.what)

    def __str__(self) -> str:
        name = f"{self.what}: " if self.what else ""
        if self.exact:
            return f"{name}{_short(self.value)} (exact)"
        tail = f", {self.censored} censored" if self.censored else ""
        return f"{name}{_short(self.value)} [{_short(self.low)}, {_short(self.high)}], n = {self.n}{tail}"


def exact(value: float, what: str = "") -> Estimate:
    """A value that nothing was sampled for: a closed form, an enumeration, a proof by computation."""
    return Estimate(value, value, value, n=0, exact=True, what=what)


def absent(what: str) -> Estimate:
    """What this scale does not tell: an interval that bounds nothing."""
    return Estimate(0.0, -math.inf, math.inf, 0, what=f"{what} (not run at this scale)")


def p_value(p: float, n: int, censored: int = 0, what: str = "p") -> Estimate:
    """A p-value from n runs, as something a bound can be put on."""
    if not 0 <= p <= 1:
        raise ValueError(f"p = {p} is no probability: a test returned something else, or did not converge")
    return Estimate(p, p, p, n, censored, what=what)


def _number(name: str, value: float, what: str) -> float:
    if math.isnan(value):
        raise ValueError(
            f"{name} of {what or 'an estimate'} is nan: a run diverged or a sample was empty upstream. Count such runs "
            "as censored or leave the cell out; nan is never a value"
        )
    return float(value)


def _short(x: float) -> str:
    return f"{x:.0f}" if 1e4 <= abs(x) < 1e7 else f"{x:.4g}"
