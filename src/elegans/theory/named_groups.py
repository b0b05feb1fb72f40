"""Finite groups by name, by generators and by products, beyond the cyclic and symmetric ones of `groups`.

    metacyclic    a^m = 1, b^k = a^t, b a b⁻¹ = a^r;   (a^x b^e)(a^y b^f) = a^{x + r^e y + t[e+f ≥ k]} b^{e+f}
    D_n           m = n, k = 2, r = -1, t = 0          Q_8    m = 4, k = 2, r = -1, t = 2
    F_21          m = 7, k = 3, r = 2,  t = 0

`generated` closes permutations under composition, (στ)(i) = σ(τ(i)), so whoever knows generators has the group.
`Group` itself takes any Cayley table.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from elegans.theory.groups import Group, permutations

LARGEST_ORDER = 1000


def metacyclic(name: str, m: int, k: int, r: int, t: int = 0) -> Group:
    """The group of order mk with generators a, b as above; a^x b^e has number e·m + x."""
    if m < 1 or k < 1 or (pow(r, k, m) - 1) % m or (r * t - t) % m:
        raise ValueError(
            f"{name}: a^{m} = 1, b^{k} = a^{t}, bab⁻¹ = a^{r} need r^k = 1 and rt = t modulo m; change r or t."
        )
    e, x = np.divmod(np.arange(m * k), m)
    power = np.array([pow(r, i, m) for i in range(k)])[e]
    carry = t * (e[:, None] + e >= k)
    return Group(name, (e[:, None] + e) % k * m + (x[:, None] + power[:, None] * x + carry) % m)


def dihedral(n: int) -> Group:
    """D_n, the 2n symmetries of a polygon: rotations a^x first, then reflections a^x b."""
    return metacyclic(f"D{n}", n, 2, -1)


def quaternion() -> Group:
    """Q_8 = {±1, ±i, ±j, ±k}, numbered 1, i, -1, -i, j, k, -j, -k."""
    return metacyclic("Q8", 4, 2, -1, t=2)


def frobenius21() -> Group:
    """F_21, the maps x ↦ 2^e x + c of the integers modulo 7."""
    return metacyclic("F21", 7, 3, 2)


def alternating(n: int) -> Group:
    """A_n, the even permutations in lexicographic order."""
    every: list[list[int]] = permutations(n).tolist()
    return _closed(f"A{n}", [tuple(sigma) for sigma in every if _inversions(sigma) % 2 == 0])


def elementary(k: int) -> Group:
    """Z_2^k: bitwise exclusive or of k-bit numbers."""
    if not 1 <= k <= 9:
        raise ValueError(f"Z_2^k needs 1 ≤ k ≤ 9, got k={k}: its table has 4^k entries.")
    return Group(f"Z2^{k}", np.array([[a ^ b for b in range(2**k)] for a in range(2**k)]))


def product(*factors: Group, name: str | None = None) -> Group:
    """The direct product; the last factor runs fastest."""
    if not factors:
        raise ValueError("a product needs at least one group.")
    whole = reduce(_pair, factors)
    return Group(name or "x".join(group.name for group in factors), whole.table)


def generated(name: str, generators: Sequence[Sequence[int]]) -> Group:
    """The permutation group that the given images of 0, 1, 2, … generate, the identity first."""
    images = [tuple(int(i) for i in g) for g in generators]
    if not images or any(sorted(g) != list(range(len(images[0]))) for g in images):
        raise ValueError(f"{name}: {images} are no permutations of one set 0 … n-1: give the image of each number.")
    found = {tuple(range(len(images[0]))): None}
    queue = list(found)
    for element in queue:
        new = [p for g in images if (p := tuple(element[i] for i in g)) not in found]
        found.update(dict.fromkeys(new))
        queue.extend(dict.fromkeys(new))
        if len(found) > LARGEST_ORDER:
            raise ValueError(f"{name} has more than {LARGEST_ORDER} elements: its table would be too large here.")
    return _closed(name, list(found))


def _closed(name: str, elements: list[tuple[int, ...]]) -> Group:
    """The table of permutations that are closed under composition, in their order."""
    number = {element: i for i, element in enumerate(elements)}
    return Group(name, np.array([[number[tuple(a[i] for i in b)] for b in elements] for a in elements]))


def _inversions(sigma: Sequence[int]) -> int:
    return sum(sigma[i] > sigma[j] for j in range(len(sigma)) for i in range(j))


def _pair(left: Group, right: Group) -> Group:
    n = right.order
    i, j = np.divmod(np.arange(left.order * n), n)
    return Group("product", left.table[np.ix_(i, i)] * n + right.table[np.ix_(j, j)])
