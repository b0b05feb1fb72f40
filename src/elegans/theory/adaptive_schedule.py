"""The schedule of Theorem 5.8 for SGD on the disjoint PolyNet, and the accounts of its proof.

    η_i = ρ / Π_{l≠i} ‖w_l‖₁        ρ = 1/(C √(2 T L))        L = log(2nT/δ)
    T >= c L log(2k/ε) (3n' - 2)^(2k-1)        |w_i1| >= (α+1)/2 in the end,  α = 3 √(a (n'-1) log(2k/ε)) - 1

A step moves no weight by more than ρ. The noise of a weight is a martingale that should stay below ½, so that
irrelevant weights stay below 3/2 while relevant ones drift by at least ρ (3n'-2)^(1-k) a step.
"""

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Constants:
    """C of the learning rate, c of the number of steps, a of the final weight."""

    rate: float
    steps: float
    stretch: float


CONSTANTS = {
    "printed": Constants(rate=2, steps=6, stretch=1),
    "corrected": Constants(rate=4, steps=48, stretch=2),  # the printed proof with its constants set right
    "sharp": Constants(rate=2, steps=12, stretch=2),  # enough by Hoeffding's lemma for increments in an interval
}


def steps_needed(k: int, n_prime: int, epsilon: float, delta: float, constants: Constants) -> int:
    """The smallest T with T >= c log(2nT/δ) log(2k/ε) (3n'-2)^(2k-1), by iterating from below."""
    _check(k, n_prime, epsilon, delta)
    factor = constants.steps * log(2 * k / epsilon) * (3 * n_prime - 2) ** (2 * k - 1)
    low, steps = 0.0, max(1.0, factor)
    while steps - low > 1e-12 * steps:
        low, steps = steps, factor * log_term(k * n_prime, steps, delta)
    return int(steps) + 1


def log_term(n: int, steps: float, delta: float) -> float:
    """L = log(2nT/δ)."""
    return log(2 * n * steps / delta)


def largest_move(n: int, steps: int, delta: float, constants: Constants) -> float:
    """ρ = 1/(C √(2TL)), the most that a step can move a weight."""
    return 1 / (constants.rate * sqrt(2 * steps * log_term(n, steps, delta)))


def growth_bound(t: Floats, k: int, n_prime: int, move: float) -> Floats:
    """Claim B.12 as proved: |w_i1| >= ½ + ρ (3n'-2)^(1-k) t after t steps."""
    return 0.5 + move * (3.0 * n_prime - 2) ** (1 - k) * np.asarray(t, dtype=np.float64)


def growth_bound_printed(t: Floats, k: int, n_prime: int, steps: int, delta: float) -> Floats:
    """Claim B.12 as printed: ½ + (3n'-2)^(1-k) √(t / log(nT/δ)) / (4√2), which a rate ~ 1/√t would give."""
    scale = (3.0 * n_prime - 2) ** (1 - k) / (4 * sqrt(2 * log(k * n_prime * steps / delta)))
    return 0.5 + scale * np.sqrt(np.asarray(t, dtype=np.float64))


def noise_failure(n: int, steps: int, delta: float, constants: Constants, by_range: bool) -> float:
    """Bound on the probability that the noise of one of n weights exceeds ½ within T steps.

    An increment lies in an interval of length 2ρ around its mean. Hoeffding's lemma for the interval gives
    2 exp(-1/(8Tρ²)) a weight and time; Azuma's inequality with |increment| <= 2ρ, as in the printed proof,
    2 exp(-1/(32Tρ²)). The union bound multiplies by nT.
    """
    move = largest_move(n, steps, delta, constants)
    return 2 * n * steps * exp(-1 / ((8 if by_range else 32) * steps * move**2))


def final_weight(k: int, n_prime: int, epsilon: float, constants: Constants) -> float:
    """(α+1)/2, what every relevant weight must have reached."""
    _check(k, n_prime, epsilon, 0.5)
    return 1.5 * sqrt(constants.stretch * (n_prime - 1) * log(2 * k / epsilon))


def final_weight_granted(k: int, n_prime: int, epsilon: float, delta: float, constants: Constants) -> float:
    """What the growth bound gives after T steps; the proof needs it to be at least `final_weight`."""
    steps = steps_needed(k, n_prime, epsilon, delta, constants)
    move = largest_move(k * n_prime, steps, delta, constants)
    return float(growth_bound(np.asarray(float(steps)), k, n_prime, move))


def final_error_bound(k: int, n_prime: int, epsilon: float, constants: Constants) -> float:
    """Lemma B.9 as corrected, Σ exp(-v²/2‖u‖²), at relevant weights (α+1)/2 and irrelevant ones 3/2."""
    v = final_weight(k, n_prime, epsilon, constants)
    return k * exp(-(v**2) / (2 * 2.25 * (n_prime - 1)))


def _check(k: int, n_prime: int, epsilon: float, delta: float) -> None:
    if k < 1 or n_prime < 2:
        raise ValueError(f"k = {k}, n' = {n_prime}: a block needs an irrelevant weight to drown; take k >= 1, n' >= 2.")
    if not (0 < epsilon < 1 and 0 < delta < 1):
        raise ValueError(f"ε = {epsilon}, δ = {delta}: both are probabilities strictly between 0 and 1.")
