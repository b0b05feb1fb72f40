"""Finite groups, the alphabets of the tasks (a, b) ↦ ab.

A group is its Cayley table, table[a, b] = ab, over elements numbered 0 … |G|-1; identity, inverses and the
conjugacy classes {g a g⁻¹ : g ∈ G} follow from the table alone. So a group from anywhere will do: whoever
can write down its table has a task, a margin and a character table. Two families are built here, the cyclic
groups Z_n and the symmetric groups S_n, the latter with (στ)(i) = σ(τ(i)).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations as all_permutations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

LARGEST_DEGREE = 6


@dataclass(frozen=True, eq=False)
class Group:
    """A finite group: `table[a, b] = ab`, an int array of shape (|G|, |G|)."""

    name: str
    table: Ints

    def __post_init__(self) -> None:
        """Keep a read-only copy of the table, once it has proved to be one of a group: an associative Latin square."""
        table = _square_of_integers(self.name, self.table)
        _check_latin(self.name, table)
        _check_associative(self.name, table)
        table.setflags(write=False)
        object.__setattr__(self, "table", table)

    def __eq__(self, other: object) -> bool:
        """Equal in name and in table."""
        return isinstance(other, Group) and self.name == other.name and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash((self.name, self.order))

    @property
    def order(self) -> int:
        """|G|."""
        return len(self.table)

    @cached_property
    def identity(self) -> int:
        """The e with ea = a for all a."""
        return int(np.argmax((self.table == np.arange(self.order)).all(axis=1)))

    @cached_property
    def inverse(self) -> Ints:
        """a ↦ a⁻¹, shape (|G|,)."""
        return np.argmax(self.table == self.identity, axis=1).astype(np.int64)

    @cached_property
    def class_of(self) -> Ints:
        """a ↦ number of its conjugacy class, shape (|G|,); class 0 is {e}, the others by smallest member."""
        conjugates = self.table[self.table, self.inverse[:, None]]
        smallest = conjugates.min(axis=0)
        smallest[self.identity] = -1
        return np.unique(smallest, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def classes(self) -> tuple[Ints, ...]:
        """The K conjugacy classes as arrays of elements, {e} first."""
        return tuple(np.flatnonzero(self.class_of == k) for k in range(self.class_of.max() + 1))

    @cached_property
    def inverse_class(self) -> Ints:
        """k ↦ number of the class of inverses of class k, shape (K,)."""
        first = np.array([members[0] for members in self.classes])
        return self.class_of[self.inverse[first]]


def cyclic(n: int) -> Group:
    """Z_n: addition modulo n."""
    if n < 1:
        raise ValueError(f"cyclic(n) needs n ≥ 1 elements, got n={n}: pass the modulus.")
    element = np.arange(n)
    return Group(f"Z{n}", (element[:, None] + element) % n)


def permutations(n: int) -> Ints:
    """The n! permutations i ↦ σ(i) of 0 … n-1 in lexicographic order, shape (n!, n)."""
    if not 1 <= n <= LARGEST_DEGREE:
        raise ValueError(f"S_{n} is not tabulated, its table would have (n!)² entries: use 1 ≤ n ≤ {LARGEST_DEGREE}.")
    return np.array(list(all_permutations(range(n))), dtype=np.int64)


def symmetric(n: int) -> Group:
    """S_n, its elements numbered as in `permutations(n)`, with (στ)(i) = σ(τ(i))."""
    sigma = permutations(n)
    digits = n ** np.arange(n)[::-1]
    composed = sigma[:, sigma]
    return Group(f"S{n}", np.searchsorted(sigma @ digits, composed @ digits))


def _square_of_integers(name: str, table: Ints) -> Ints:
    array = np.asarray(table)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"the table of {name!r} has shape {array.shape}: a Cayley table is square, pass (|G|, |G|).")
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"the table of {name!r} holds {array.dtype}: number the elements 0 … |G|-1 with integers.")
    return array.astype(np.int64)


def _check_latin(name: str, table: Ints) -> None:
    every = np.arange(len(table))[:, None]
    if (np.sort(table, axis=0) != every).any() or (np.sort(table, axis=1) != every.T).any():
        raise ValueError(
            f"the table of {name!r} is no Latin square: every row and column must hold 0 … {len(table) - 1} once each."
        )


def _check_associative(name: str, table: Ints) -> None:
    """Light's test: the g with (xg)y = x(gy) for all x, y are closed under products, so generators suffice."""
    for g in _generators(table):
        if not np.array_equal(table[table[:, g]], table[:, table[g]]):
            raise ValueError(f"the table of {name!r} is not associative, (x·{g})·y ≠ x·({g}·y) somewhere: correct it.")


def _generators(table: Ints) -> list[int]:
    """Elements whose products, taken from left to right, are all elements."""
    chosen: list[int] = []
    reached = np.zeros(len(table), dtype=bool)
    while not reached.all():
        chosen.append(int(np.argmin(reached)))
        reached[chosen] = True
        _close(table, chosen, reached)
    return chosen


def _close(table: Ints, generators: list[int], reached: NDArray[np.bool_]) -> None:
    """Mark, in place, everything that right multiplication by the generators reaches."""
    before = -1
    while before < (now := int(reached.sum())):
        before = now
        reached[table[reached][:, generators]] = True
