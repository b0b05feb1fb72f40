"""Functions on the cube {±1}^n and their Fourier expansion (sections B.1, B.2):

    χ_S(x) = Π_{i∈S} x_i        f = Σ_S f̂(S) χ_S        f̂(S) = E_x f(x) χ_S(x)

One order serves points and subsets alike. Point j has x_i = -1 exactly where bit i of j is set
(bit 0 is the lowest), and the subset S has index Σ_{i∈S} 2^i. A function is the array of its 2^n
values in that order; its spectrum is the array of its 2^n coefficients in that order.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", bound=np.number[Any])
Exact = TypeVar("Exact", np.int64, np.float64)

LARGEST_CUBE = 24  # 2^24 points of 24 bytes are 400 MB


def cube(n: int) -> NDArray[np.int8]:
    """All points of {±1}^n in the order of this module, shape (2^n, n)."""
    if not 0 <= n <= LARGEST_CUBE:
        raise ValueError(f"n = {n}: the whole cube is listed only for 0 <= n <= {LARGEST_CUBE}; sample points instead.")
    bits = np.arange(2**n, dtype=np.int64)[:, None] >> np.arange(n) & 1
    return (1 - 2 * bits).astype(np.int8)


def index(S: Iterable[int]) -> int:
    """Place of the subset S in a spectrum, Σ_{i∈S} 2^i."""
    members = tuple(S)
    if len(set(members)) != len(members) or min(members, default=0) < 0:
        raise ValueError(f"S = {members}: coordinates are distinct and counted from 0; drop repeats and negatives.")
    return sum(1 << i for i in members)


def subset(j: int) -> tuple[int, ...]:
    """The subset with index j, in increasing order; inverse of `index`."""
    if j < 0:
        raise ValueError(f"j = {j}: the index of a subset is a sum of powers of two; pass an integer >= 0.")
    return tuple(i for i in range(j.bit_length()) if j >> i & 1)


def parity(x: NDArray[Real], S: Iterable[int]) -> NDArray[Real]:
    """χ_S(x), +1 where an even number of the coordinates in S is -1. Shapes (..., n) -> (...)."""
    members = tuple(S)
    if index(members) >> x.shape[-1]:
        raise ValueError(f"S = {members}: x has only n = {x.shape[-1]} coordinates; use coordinates 0 to n - 1.")
    if not np.all(np.abs(x) == 1):
        raise ValueError("x: parity is defined for entries ±1 only; map bits a to 1 - 2a first.")
    return np.prod(x[..., members], axis=-1, dtype=x.dtype)


def character(n: int, S: Iterable[int]) -> NDArray[np.int8]:
    """χ_S as a function: its values on the whole cube, shape (2^n,)."""
    return parity(cube(n), S)


def dimension(f: NDArray[Any]) -> int:
    """The n of a function given by 2^n values, shape (2^n,)."""
    n = f.size.bit_length() - 1
    if f.ndim != 1 or f.size != 1 << n:
        raise ValueError(
            f"f has shape {f.shape}: a function on the cube is a vector of 2^n values; evaluate it on cube(n)."
        )
    return n


def walsh_hadamard(f: NDArray[Exact]) -> NDArray[Exact]:
    """Σ_x f(x) χ_S(x) for every S in n 2^n additions, exact for integers. Shapes (2^n,) -> (2^n,)."""
    if f.dtype.name not in ("int64", "float64"):
        raise ValueError(
            f"f has dtype {f.dtype}: sums over the cube overflow narrow types; convert to int64 or float64."
        )
    out = f.copy()
    for i in range(dimension(f)):
        pairs = out.reshape(-1, 2, 1 << i)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
    return out


def spectrum(f: NDArray[np.number[Any]]) -> NDArray[np.float64]:
    """f̂(S) for every S. Shapes (2^n,) -> (2^n,)."""
    return walsh_hadamard(f.astype(np.float64)) / f.size


def expansion(coefficients: NDArray[np.number[Any]]) -> NDArray[np.float64]:
    """The function Σ_S f̂(S) χ_S with the given spectrum; inverse of `spectrum`. Shapes (2^n,) -> (2^n,)."""
    return walsh_hadamard(coefficients.astype(np.float64))


def coefficient(f: NDArray[np.number[Any]], S: Iterable[int]) -> float:
    """f̂(S) for one S, from the values of f, shape (2^n,)."""
    return float(np.mean(f * character(dimension(f), S)))


def gap(f: NDArray[np.number[Any]], S: Iterable[int]) -> float:
    """Largest γ of a Fourier gap at S (Definition 5.4): min_{i∈S} |f̂(S - i)| - max_{i∉S} |f̂(S + i)|.

    Negative where f has no gap at S. Nothing lies above the full set, whose maximum counts as 0.
    """
    j, n = index(S), dimension(f)
    if not 0 < j < f.size:
        raise ValueError(f"S = {subset(j)}: a gap needs a non-empty S inside the n = {n} coordinates of f.")
    size = np.abs(spectrum(f))
    below = [size[j ^ 1 << i] for i in range(n) if j >> i & 1]
    above = [size[j ^ 1 << i] for i in range(n) if not j >> i & 1]
    return float(min(below) - max(above, default=0.0))
