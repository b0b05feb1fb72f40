"""From a weak classifier to the hidden set: a classifier h that is right with probability 1/2 + ε has

    ĥ(S) = E[h χ_S] = 2ε        so S is read off its spectrum, where every other coefficient is smaller

All 2^n coefficients come from one fast Walsh-Hadamard transform, which is enough for n <= 20.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elegans.theory import boolean


def extract(h: NDArray[np.number[Any]], k: int | None = None) -> tuple[int, ...]:
    """The set with the largest |ĥ|, over all sets or over those of size k. `h` has one value a point, shape (2^n,)."""
    size = np.abs(boolean.spectrum(h))
    if k is not None:
        size = np.where(np.bitwise_count(np.arange(h.size, dtype=np.uint32)) == k, size, -1.0)
    return boolean.subset(int(np.argmax(size)))


def extract_from(classify: Callable[[NDArray[np.int8]], NDArray[Any]], n: int, k: int | None = None) -> tuple[int, ...]:
    """The same for a classifier given as a function of inputs, shapes (2^n, n) -> (2^n,); its sign is taken."""
    return extract(np.sign(classify(boolean.cube(n))), k)
