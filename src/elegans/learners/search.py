"""Search over k-subsets: at random, in order, and by the best correlation (section 1.7 of the baselines).

random        each step guesses a uniform k-set, in r copies: T ~ Geom(1 - (1 - 1/C(n,k))^r)
exhaustive    sets in lexicographic order: T is the place of S, so the steps left are known at every moment
correlation   argmax_{|S'|=k} |mean of y χ_{S'}|: statistically best, at a cost of C(n,k)
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elegans.theory.random_search import subsets

BLOCK = 4096  # k-sets looked at side by side


def random_search(n: int, k: int, r: int, searches: int, seed: int) -> NDArray[np.int64]:
    """Steps until one of r copies first guesses S, one number a search. Every guess is drawn; sets go by number."""
    total, rng = subsets(n, k), np.random.default_rng(seed)
    steps, open_ = np.zeros(searches, np.int64), np.arange(searches)
    while open_.size:
        steps[open_] += 1
        guesses = rng.integers(total, size=(open_.size, r))
        open_ = open_[(guesses != 0).all(1)]
    return steps


def exhaustive(S: tuple[int, ...], n: int) -> int:
    """The step at which search in lexicographic order finds S, by going through the sets before it."""
    target = tuple(sorted(S))
    for step, guess in enumerate(combinations(range(n), len(target)), 1):
        if guess == target:
            return step
    raise ValueError(f"S = {S}: it must list different coordinates below n = {n}")


def correlations(x: NDArray[Any], y: NDArray[Any], k: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Blocks of k-sets, shape (b, k), with the means of y χ_{S'} over the sample, shape (b,)."""
    every = combinations(range(x.shape[1]), k)
    signs = np.asarray(x, np.float32)
    while block := [S for S, _ in zip(every, range(BLOCK), strict=False)]:
        sets = np.array(block, np.int64)
        yield sets, (signs[:, sets].prod(2) * np.asarray(y, np.float32)[:, None]).mean(0, dtype=np.float64)


def max_correlation(x: NDArray[Any], y: NDArray[Any], k: int) -> tuple[int, ...]:
    """The k-set whose parity has the largest |correlation| with the labels; the first one of several."""
    best, found = -1.0, ()
    for sets, means in correlations(x, y, k):
        i = int(np.argmax(np.abs(means)))
        if abs(means[i]) > best:
            best, found = float(abs(means[i])), tuple(sets[i].tolist())
    return found


def agreeing(x: NDArray[Any], y: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Number of k-sets whose parity agrees with the first 1, 2, ..., m examples. Shapes (m, n), (m,) -> (m,)."""
    odd, right = np.asarray(x) < 0, np.asarray(y) > 0
    sets = np.array(list(combinations(range(odd.shape[1]), k)), np.int64)
    agrees = np.logical_xor.reduce(odd[:, sets], axis=2) != right[:, None]
    return np.logical_and.accumulate(agrees, axis=0).sum(1, dtype=np.int64)
