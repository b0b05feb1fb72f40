"""The margin loss (8.7) of a sequence model, the margin from which on it is linear, and averages over all sequences.

    l(f, y) = 1/k Σ_{i≠y} max{0, Δ + f_i - f_y}  =  Δ (k-1)/k + 1/k Σ_i f_i - f_y      if every Δ + f_i - f_y ≥ 0

Every hinge of the minimal model is active if Δ ≥ max|W| Σ_{t'} Σ_{j≤t'} |v_j|, which is c² t(t+1)/2 for W = c 1 1^T and
v = c 1 (E.6). Smaller margins can only raise the loss above the linear form. Losses are per position, logits (..., k).
"""

from itertools import product

import numpy as np

from elegans.theory.markov import Floats, stationary
from elegans.theory.strategies import Contexts


def hinge_arguments(f: Floats, y: Contexts, delta: float) -> Floats:
    """Δ + f_i - f_y for logits f (..., k) and targets y (...): (..., k)."""
    return delta + f - np.take_along_axis(f, y[..., None], axis=-1)


def margin_loss(f: Floats, y: Contexts, delta: float) -> Floats:
    """(8.7), for logits f (..., k) and targets y (...): (...)."""
    k = f.shape[-1]
    others = 1 - np.eye(k)[y]
    return np.sum(others * np.maximum(hinge_arguments(f, y, delta), 0), axis=-1) / k


def linear_margin_loss(f: Floats, y: Contexts, delta: float) -> Floats:
    """(8.7) with every hinge active: (...)."""
    k, own = f.shape[-1], np.take_along_axis(f, y[..., None], axis=-1)[..., 0]
    return delta * (k - 1) / k + f.mean(-1) - own


def linear_from(W: Floats, v: Floats) -> float:
    """A margin from which on every hinge of the minimal model with W (k, k) and v (t,) is active, on any sequence."""
    return float(np.abs(W).max() * np.sum(np.cumsum(np.abs(v))))


def all_sequences(k: int, n: int) -> Contexts:
    """Every sequence of n tokens over 0..k-1, (k^n, n)."""
    return np.array(list(product(range(k), repeat=n)), int).reshape(k**n, n)


def chances(P: Floats, tokens: Contexts) -> Floats:
    """Probability of each row of tokens (B, n) under a stationary chain P (k, k): (B,)."""
    return stationary(P)[tokens[:, 0]] * np.prod(P[tokens[:, :-1], tokens[:, 1:]], axis=1)
