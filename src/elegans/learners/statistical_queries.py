"""The game of statistical queries against the oracle that tells nothing (section 4.2).

A learner asks with g, the part of its query that sees the label. The oracle answers with the part that does not depend
on S; that rules out the sets with |ĝ(S)| > τ and no others. A strategy is a function (places of the sets left, round)
-> g; it may know the oracle. `greedy` rules out as many sets a query as we know how.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from elegans.theory import boolean
from elegans.theory.statistical_queries import distinguished, of_size

Reals = NDArray[np.float64]
Places = NDArray[np.int64]
Strategy = Callable[[Places, int], Reals]


def play(strategy: Strategy, n: int, k: int, tau: float, rounds: int) -> NDArray[np.int64]:
    """Number of k-sets that agree with all answers after 0, 1, ..., `rounds` queries. Shape (rounds + 1,)."""
    left, count = of_size(n, k), list[int]()
    for t in range(rounds):
        count.append(left.size)
        left = left[~distinguished(strategy(left, t), tau)[left]]
    return np.array([*count, left.size], np.int64)


def one_parity(n: int) -> Strategy:
    """Ask for one set after the other: g = χ_{S'}."""
    return lambda left, t: _sum(n, left[:1])


def random_functions(n: int, seed: int) -> Strategy:
    """Random ±1 functions of the inputs."""
    return lambda left, t: np.random.default_rng((seed, t)).choice((-1.0, 1.0), 2**n)


def majority_vote(n: int, size: int) -> Strategy:
    """The sign of the sum of the first `size` parities that are left: each has a coefficient of about √(2/(π size))."""
    return lambda left, t: np.sign(_sum(n, left[:size]))


def clipped_sum(n: int, size: int, width: float) -> Strategy:
    """Σ χ_{S'} over the first `size` sets left, divided by width √size and clipped to [-1, 1]."""
    return lambda left, t: np.clip(_sum(n, left[:size]) / (width * np.sqrt(size)), -1, 1)


def greedy(n: int, tau: float, sizes: tuple[int, ...]) -> Strategy:
    """The majority vote, of those sizes, that rules out most of what is left."""

    def ask(left: Places, t: int) -> Reals:
        asked = [majority_vote(n, s)(left, t) for s in sizes]
        return max(asked, key=lambda g: int(distinguished(g, tau)[left].sum()))

    return ask


def strategies(n: int, tau: float, seed: int = 0) -> dict[str, Strategy]:
    """The strategies by name; votes have odd sizes up to 1/τ², the most that a query can rule out."""
    most = max(1, int(tau**-2))
    return {
        "one parity": one_parity(n),
        "random functions": random_functions(n, seed),
        "clipped sums": clipped_sum(n, max(1, most // 2), 1.0),
        "greedy votes": greedy(n, tau, tuple(range(1, most + 1, 2 * max(1, most // 32)))),
    }


def _sum(n: int, places: Places) -> Reals:
    """Σ χ_S over the sets at these places, by one transform."""
    spectrum = np.zeros(2**n)
    spectrum[places] = 1.0
    return boolean.expansion(spectrum)
