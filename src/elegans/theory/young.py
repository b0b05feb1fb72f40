"""Young's orthogonal form: the irreducible representations of S_n as explicit orthogonal matrices.

The irreps of S_n are indexed by the partitions of n; a basis of the one of shape λ is the set of standard
tableaux of that shape. On the tableau T the adjacent transposition s_k = (k k+1) acts as

    s_k T = (1/r) T + √(1 - 1/r²) T',      r = c(k+1) - c(k),

where c is the content (column minus row) of the cell that holds a number and T' is T with k and k+1
exchanged. Adjacent transpositions generate S_n; the other matrices are products.
"""

from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from elegans.theory.groups import permutations

Floats = NDArray[np.float64]
Word = tuple[int, ...]


def partitions(n: int, largest: int | None = None) -> list[tuple[int, ...]]:
    """All partitions of n with parts ≤ largest, in descending lexicographic order: (n) first."""
    if n < 0:
        raise ValueError(f"partitions need n ≥ 0, got n={n}.")
    if n == 0:
        return [()]
    top = n if largest is None else min(n, largest)
    return [(part, *rest) for part in range(top, 0, -1) for rest in partitions(n - part, part)]


def standard_tableaux(shape: tuple[int, ...]) -> list[Word]:
    """Standard tableaux of a shape as words: entry k is the row that holds the number k (counted from 0)."""
    if sum(shape) == 0:
        return [()]
    below = (*shape[1:], 0)
    corners = [row for row in range(len(shape)) if shape[row] > below[row]]
    return [(*word, row) for row in corners for word in standard_tableaux(_without_cell(shape, row))]


def young_orthogonal_form(shape: tuple[int, ...]) -> Floats:
    """Matrices R(σ) of the irrep of a shape, elements ordered as in `groups.permutations`: (n!, d, d).

    If σ descends at k then σ s_k precedes σ in lexicographic order, so R(σ) = R(σ s_k) R(s_k) fills the table.
    """
    if not shape or min(shape) < 1 or any(a < b for a, b in pairwise(shape)):
        raise ValueError(f"{shape} is no partition: pass positive row lengths in descending order, such as (3, 1).")
    tableaux = standard_tableaux(shape)
    adjacent = [_adjacent(tableaux, k) for k in range(sum(shape) - 1)]
    sigmas = [tuple(int(i) for i in sigma) for sigma in permutations(sum(shape))]
    number = {sigma: i for i, sigma in enumerate(sigmas)}
    matrices = np.empty((len(sigmas), len(tableaux), len(tableaux)))
    matrices[0] = np.eye(len(tableaux))
    for i, sigma in enumerate(sigmas[1:], start=1):
        k = next(k for k in range(len(sigma) - 1) if sigma[k] > sigma[k + 1])
        matrices[i] = matrices[number[_exchanged(sigma, k)]] @ adjacent[k]
    return matrices


def _adjacent(tableaux: list[Word], k: int) -> Floats:
    """The matrix of s_k in the basis of tableaux, (d, d)."""
    matrix = np.zeros((len(tableaux), len(tableaux)))
    number = {word: i for i, word in enumerate(tableaux)}
    for i, word in enumerate(tableaux):
        r = _content(word, k + 1) - _content(word, k)
        matrix[i, i] = 1 / r
        if abs(r) > 1:
            matrix[number[_exchanged(word, k)], i] = sqrt(1 - 1 / r**2)
    return matrix


def _content(word: Word, k: int) -> int:
    """Column minus row of the cell holding k: its column is how often its row was used before."""
    return word[:k].count(word[k]) - word[k]


def _exchanged(word: Word, k: int) -> Word:
    return (*word[:k], word[k + 1], word[k], *word[k + 2 :])


def _without_cell(shape: tuple[int, ...], row: int) -> tuple[int, ...]:
    return (*shape[:row], shape[row] - 1, *shape[row + 1 :])
