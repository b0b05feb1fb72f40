"""SGD on the disjoint PolyNet under the correlation loss, many trials at once: adaptive rates (Theorem 5.8) or a constant.

    w_i <- w_i + η_i mean_B [ y x_{P_i} Π_{l≠i} ⟨w_l, x_{P_l}⟩ ]        η_i = ρ / Π_{l≠i} ‖w_l‖₁   or   η

The adaptive rate divides each factor by its largest value, so no step moves a weight by more than ρ. The relevant
coordinate is the first of each block.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elegans.theory.polynet_error import error_normal

Floats = NDArray[np.float64]

BLOCK = 50  # steps whose examples are drawn together


@dataclass(frozen=True, eq=False)
class Path:
    """What was seen after t steps. Between two looks the drift is known up to `slack`."""

    t: NDArray[np.int64]  # (looks,)
    weights: Floats  # (looks, trials, k, n')
    drift: Floats  # (trials,): the largest |w_ij - w_ij(0)|, j > 1, over the whole run
    slack: float


def adaptive_sgd(start: Floats, steps: int, move: float, batch: int, seed: int, looks: int = 100) -> Path:
    """Run every trial from `start` of shape (trials, k, n') for at least `steps` steps with ρ = move."""
    rng, w = np.random.default_rng(seed), start.copy()
    blocks = -(-steps // BLOCK)
    seen = np.unique((blocks * np.linspace(0, 1, looks + 1) ** 2).round().astype(np.int64))  # denser at first
    kept, drift = [w.copy()], np.zeros(len(w))
    for block in range(1, blocks + 1):
        for x, y in examples(rng, w.shape, batch):
            w += move * ascent(w, x, y, np.abs(w).sum(axis=-1))
        drift = np.maximum(drift, np.abs(w - start)[:, :, 1:].max(axis=(1, 2), initial=0.0))
        if block in seen:
            kept.append(w.copy())
    return Path(seen * BLOCK, np.stack(kept), drift, BLOCK * move)


def constant_sgd(start: Floats, lr: float, budget: int, target: float, seed: int) -> tuple[NDArray[np.int64], Floats]:
    """Run with B = 1 and a constant rate; a trial rests once its error is at most `target`. Looks every `BLOCK` steps.

    Returns the times (looks,) and errors (looks, trials), with the irrelevant sums taken as normal. A trial whose weights
    overflow rests with the error nan: it has not reached the target.
    """
    rng, w, ones = np.random.default_rng(seed), start.copy(), np.ones(start.shape[:2])
    errors = [normal_errors(w)]
    while len(errors) <= budget // BLOCK and (errors[-1] > target).any():
        rate = lr * (errors[-1] > target)[:, None, None]
        with np.errstate(over="ignore", invalid="ignore"):
            for x, y in examples(rng, w.shape, 1):
                w += rate * ascent(w, x, y, ones)
            errors.append(normal_errors(w))
    return BLOCK * np.arange(len(errors)), np.array(errors)


def ascent(w: Floats, x: Floats, y: Floats, scale: Floats) -> Floats:
    """The gradient with each factor divided by `scale`.

    Shapes (trials, k, n'), (trials, B, k, n'), (trials, B), (trials, k) -> (trials, k, n').
    """
    factors = (w[:, None] * x).sum(axis=-1) / scale[:, None]
    return ((y[..., None] * others(factors))[..., None] * x).mean(axis=1)


def others(factors: Floats) -> Floats:
    """The product of all entries of the last axis but one, for each; never by division. Shapes (..., k) -> (..., k)."""
    k = factors.shape[-1]
    if k == 2:
        return factors[..., ::-1]
    return np.where(np.eye(k, dtype=bool), 1.0, factors[..., None, :]).prod(axis=-1)


def examples(rng: np.random.Generator, shape: tuple[int, ...], batch: int) -> Iterator[tuple[Floats, Floats]]:
    """The examples (trials, B, k, n') and labels (trials, B) of the next `BLOCK` steps."""
    trials, k, n_prime = shape
    bits = rng.integers(0, 2, (BLOCK, trials, batch, k, n_prime), dtype=np.int8)
    x = 1.0 - 2.0 * bits
    yield from zip(x, x[..., 0].prod(axis=-1), strict=True)


def normal_errors(w: Floats) -> Floats:
    """Error of each trial by the normal law of its irrelevant sums; a negative product turns it round."""
    error = error_normal(w[..., 0], np.linalg.norm(w[..., 1:], axis=-1))
    return np.where(np.sign(w[..., 0]).prod(axis=-1) > 0, error, 1 - error)


def sign_starts(rng: np.random.Generator, trials: int, k: int, n_prime: int, product: int) -> Floats:
    """±1 weights whose relevant ones multiply to `product`. Shape (trials, k, n')."""
    return turned(rng.choice(np.array([-1.0, 1.0]), (trials, k, n_prime)), product)


def normal_starts(rng: np.random.Generator, trials: int, k: int, n_prime: int, product: int) -> Floats:
    """N(0,1) weights whose relevant ones have a product of the given sign. Shape (trials, k, n')."""
    return turned(rng.standard_normal((trials, k, n_prime)), product)


def turned(w: Floats, product: int) -> Floats:
    """The weights with the first relevant one turned where the product of signs is not the one asked for."""
    w[:, 0, 0] *= product * np.sign(w[:, :, 0]).prod(axis=1)
    return w
