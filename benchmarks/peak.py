"""The measured peak of multiply-adds: float32 products of square matrices, at the size that goes fastest.

XLA's product is taken and not NumPy's or PyTorch's: their libraries may choose slower instructions on a processor that is
not their maker's, and a peak below what a training reaches is none. PyTorch's own is measured beside it, because it
bounds what its loops could reach.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cells import Cell
from benchmarks.crew import Done, Go

SIZES = (256, 512, 1024)


def make(name: str, cell: Cell) -> Go:
    """`peak` (XLA) or `peak_torch`; 10^9 operations are counted as one step."""
    product = _torch if name == "peak_torch" else _xla
    found = [timed(product(size), size) for size in SIZES]
    for go in found:
        go(0.1)
    return max(found, key=lambda go: (d := go(0.3)).steps / d.seconds)


def timed(multiply: Callable[[], Any], size: int) -> Go:
    """Repeats one product."""

    def go(seconds: float) -> Done:
        began, count = time.perf_counter(), 0
        while (taken := time.perf_counter() - began) < seconds:
            multiply()
            count += 1
        return Done(count * 2 * size**3 / 1e9, taken)

    return go


def _matrices(size: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((2, size, size), np.float32)


def _xla(size: int) -> Callable[[], Any]:
    import jax

    a, b = map(jax.numpy.asarray, _matrices(size))
    product = jax.jit(lambda a, b: a @ b)
    return lambda: product(a, b).block_until_ready()


def _torch(size: int) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(1)
    a, b = map(torch.from_numpy, _matrices(size))
    out = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=out)
