"""The polytope of doubly stochastic k x k matrices: its volume and moments as exact fractions, by counting.

Integer matrices with all row and column sums r are the lattice points of the polytope enlarged r times. Their number,
also when each is weighted by a_11^m, is a polynomial in r of degree (k-1)^2 + m, whose leading coefficient is an integral:

    lim Σ a_11^m / r^{(k-1)^2 + m} = ∫ p_11^m,      the integral over the upper left (k-1) x (k-1) block.

For m = 0 this is the probability 1/8 (k = 3) or 11/11340 (k = 4) that a block of independent uniform numbers can be
completed. Rows and columns sum to one, so moments of second order all follow from E p_11^2.
"""

from fractions import Fraction
from math import factorial

import numpy as np

MOST_SYMBOLS = 4  # counting takes (r+1)^k cells, r = (k-1)^2 + m


def squares(k: int, r: int, m: int = 0) -> int:
    """Σ a_11^m over the k x k matrices of non-negative integers whose rows and columns all sum to r."""
    if not 2 <= k <= MOST_SYMBOLS or r < 0 or m < 0:
        raise ValueError(f"k = {k}, r = {r}, m = {m}: count with 2 <= k <= {MOST_SYMBOLS} and r, m >= 0.")
    rows = _compositions(r, k)
    columns = np.zeros((r + 1,) * k, np.int64)
    for row in rows:
        columns[tuple(row)] = int(row[0]) ** m
    for _ in range(k - 1):
        columns = _add_row(columns, rows)
    return int(columns[(r,) * k])


def integral(k: int, m: int = 0) -> Fraction:
    """∫ p_11^m over the polytope in the coordinates of its upper left block, exactly."""
    degree = (k - 1) ** 2 + m
    values = np.array([squares(k, r, m) for r in range(degree + 1)], dtype=object)
    for _ in range(degree):
        values = values[1:] - values[:-1]
    return Fraction(int(values[0]), factorial(degree))


def acceptance_of_block(k: int) -> Fraction:
    """Probability that a block of (k-1)^2 independent U(0, 1) can be completed: 1, 1/8, 11/11340 for k = 2, 3, 4."""
    return integral(k)


def acceptance_of_rows(k: int) -> Fraction:
    """The same when k-1 rows are drawn uniformly from the simplex: the block's rows then never sum to more than one."""
    return integral(k) * factorial(k - 1) ** (k - 1)


def moments(k: int) -> dict[str, Fraction]:
    """E p_11, E p_11^2, E p_11 p_12 and E p_11 p_22 under the uniform law; the last two from the sums of rows."""
    volume = integral(k)
    first, second = integral(k, 1) / volume, integral(k, 2) / volume
    within_row = (first - second) / (k - 1)
    return {"p11": first, "p11 p11": second, "p11 p12": within_row, "p11 p22": (first - within_row) / (k - 1)}


def _compositions(r: int, k: int) -> np.ndarray:
    """All ways to write r as an ordered sum of k non-negative integers: (C(r+k-1, k-1), k)."""
    grid = np.indices((r + 1,) * k).reshape(k, -1).T
    return grid[grid.sum(1) == r]


def _add_row(columns: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Numbers of ways to reach each vector of column sums with one more row."""
    size, out = columns.shape[0], np.zeros_like(columns)
    for row in rows:
        out[tuple(slice(int(a), size) for a in row)] += columns[tuple(slice(0, size - int(a)) for a in row)]
    return out
