"""What statistical queries say about parities (section 4.2).

A query q: {±1}^n × {±1} -> [-1, 1] asks for E q(x, y) up to τ. With g = (q(·, 1) - q(·, -1))/2 the answer for S is

    E_{D_S} q = E[q(x, 1) + q(x, -1)]/2 + ĝ(S)        Σ_S ĝ(S)² <= 1

An oracle that gives the part without S is within τ for every S but those with |ĝ(S)| > τ: at most 1/τ² of them.
So T queries leave at least C(n,k) - T/τ² sets, and finding S among them takes T >= τ² (C(n,k) - 1).
Functions on the cube are arrays of 2^n values in the order of `elegans.theory.boolean`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elegans.theory import boolean
from elegans.theory.random_search import subsets

Reals = NDArray[np.float64]


def sq_lower_bound(n: int, k: int, tau: float) -> float:
    """τ² (C(n,k) - 1): no learner is sure of S after fewer queries."""
    _check_tolerance(tau)
    return tau**2 * (subsets(n, k) - 1)


def survivors_bound(n: int, k: int, tau: float, queries: int) -> float:
    """C(n,k) - T/τ²: at least so many sets agree with T answers."""
    _check_tolerance(tau)
    return subsets(n, k) - queries / tau**2


def odd_part(plus: Reals, minus: Reals) -> Reals:
    """g = (q(·, 1) - q(·, -1))/2, the part of a query that sees the label. Shapes (2^n,) -> (2^n,)."""
    if max(np.abs(plus).max(), np.abs(minus).max()) > 1:
        raise ValueError("q: a query has values in [-1, 1]; divide it by its largest absolute value.")
    return (plus - minus) / 2


def distinguished(g: Reals, tau: float) -> NDArray[np.bool_]:
    """The sets with |ĝ(S)| > τ, in the order of a spectrum. Shapes (2^n,) -> (2^n,)."""
    _check_tolerance(tau)
    return np.abs(boolean.spectrum(g)) > tau


def answers(plus: Reals, minus: Reals) -> Reals:
    """E_{D_S} q for every S, by the formula. Shapes (2^n,) -> (2^n,)."""
    return np.mean(plus + minus) / 2 + boolean.spectrum(odd_part(plus, minus))


def of_size(n: int, k: int) -> NDArray[np.int64]:
    """Places of the k-subsets in a spectrum, in increasing order, shape (C(n,k),)."""
    places: NDArray[Any] = np.arange(2**n, dtype=np.int64)
    return places[np.bitwise_count(places) == k]


def _check_tolerance(tau: float) -> None:
    if not 0 < tau <= 1:
        raise ValueError(f"tau = {tau}: answers err by at most the tolerance; take 0 < tau <= 1.")
