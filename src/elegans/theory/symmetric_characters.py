"""Characters of S_n by the rule of Murnaghan and Nakayama: no matrices, so n = 11 is as easy as n = 3.

    χ_λ(μ₁, μ₂, …) = Σ_h (-1)^{height h} χ_{λ∖h}(μ₂, …)        over the rim hooks h of λ with μ₁ cells

In beta numbers β_i = λ_i + (rows below i), removing such a hook is β_i ↦ β_i - μ₁ where that number is free; the height is
how many other β it passes.
"""

from collections import Counter
from functools import cache
from math import factorial, prod

import numpy as np

from elegans.theory.character_tables import CharacterTable
from elegans.theory.young import partitions

Shape = tuple[int, ...]


def symmetric_table(n: int) -> CharacterTable:
    """Irreps in the order of `partitions(n)`, the trivial one first; classes by cycle type, {e} first."""
    if n < 1:
        raise ValueError(f"S_n needs n ≥ 1, got n={n}.")
    cycle_types = partitions(n)[::-1]
    values = [[character(shape, cycles) for cycles in cycle_types] for shape in partitions(n)]
    sizes = [factorial(n) // centraliser(cycles) for cycles in cycle_types]
    return CharacterTable(np.array(sizes), np.ones(len(sizes), dtype=np.int64), np.array(values, dtype=np.float64))


def centraliser(cycles: Shape) -> int:
    """How many permutations commute with one of this cycle type: Π_r r^{m_r} m_r!."""
    return prod(r**m * factorial(m) for r, m in Counter(cycles).items())


def character(shape: Shape, cycles: Shape) -> int:
    """χ_λ on the class of a cycle type, an integer."""
    rows = len(shape)
    return _by_betas(tuple(part + rows - 1 - i for i, part in enumerate(shape)), cycles)


@cache
def _by_betas(betas: Shape, cycles: Shape) -> int:
    if not cycles:
        return 1
    total, length = 0, cycles[0]
    for b in betas:
        if b >= length and b - length not in betas:
            height = sum(b - length < other < b for other in betas)
            left = tuple(sorted((set(betas) - {b}) | {b - length}, reverse=True))
            total += (-1) ** height * _by_betas(left, cycles[1:])
    return total
