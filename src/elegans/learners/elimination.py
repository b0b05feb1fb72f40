"""Parities by linear algebra: with x_i = (-1)^{a_i} and y = (-1)^c the support s solves

    a·s = c   over GF(2)        one equation an example, n unknowns                                      (section 4.3)

Θ(n) examples and O(n³) operations suffice, whatever k is. One flipped label makes the system inconsistent or its
solution wrong. Rows are packed, 64 columns a word, so that adding one row to all others is a few operations.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORD = 64


@dataclass(frozen=True)
class Solution:
    """What elimination found: `s` solves the system with free unknowns at 0, and is None where nothing does."""

    s: NDArray[np.bool_] | None
    rank: int
    n: int

    @property
    def unique(self) -> bool:
        """Whether no other vector solves the system."""
        return self.s is not None and self.rank == self.n


def solve(a: NDArray[np.bool_], c: NDArray[np.bool_]) -> Solution:
    """Gauss-Jordan elimination of a s = c over GF(2). Shapes (m, n) and (m,)."""
    n = a.shape[1]
    rows, rank, pivots = packed(np.column_stack([a, c])), 0, list[int]()
    for column in range(n):
        word, bit = divmod(column, WORD)
        holds = (rows[:, word] >> np.uint64(bit) & np.uint64(1)).astype(bool)
        below = np.flatnonzero(holds[rank:])
        if not below.size:
            continue
        pivot = rank + int(below[0])
        rows[[rank, pivot]], holds[[rank, pivot]] = rows[[pivot, rank]], holds[[pivot, rank]]
        holds[rank] = False
        rows[holds] ^= rows[rank]
        pivots.append(column)
        rank += 1
    right = (rows[:, n // WORD] >> np.uint64(n % WORD) & np.uint64(1)).astype(bool)
    if right[rank:].any():
        return Solution(None, rank, n)
    s = np.zeros(n, bool)
    s[pivots] = right[:rank]
    return Solution(s, rank, n)


def support(x: NDArray[Any], y: NDArray[Any]) -> tuple[int, ...] | None:
    """The one support that agrees with all examples; None if there is none, or more than one. Shapes (m, n), (m,)."""
    found = solve(x < 0, y < 0)
    return tuple(np.flatnonzero(found.s).tolist()) if found.s is not None and found.unique else None


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of bits in 64-bit words, the first bit lowest. Shapes (m, n) -> (m, ceil(n/64))."""
    m, n = bits.shape
    padded = np.zeros((m, -(-n // WORD), WORD), np.uint64)
    padded.reshape(m, -1)[:, :n] = bits
    return (padded << np.arange(WORD, dtype=np.uint64)).sum(2, dtype=np.uint64)
