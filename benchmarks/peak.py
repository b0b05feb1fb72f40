"""The measured peak of multiply-adds: float32 products of square matrices, in NumPy."""

import time

import numpy as np

from benchmarks.cells import Cell
from benchmarks.crew import Done, Go

SIZE = 1024


def make(name: str, cell: Cell) -> Go:
    """10^9 operations are counted as one step."""
    a, b = np.random.default_rng(0).standard_normal((2, SIZE, SIZE), np.float32)
    out = a @ b

    def go(seconds: float) -> Done:
        began, count = time.perf_counter(), 0
        while (taken := time.perf_counter() - began) < seconds:
            np.matmul(a, b, out=out)
            count += 1
        return Done(count * 2 * SIZE**3 / 1e9, taken)

    return go
