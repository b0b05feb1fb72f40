"""How well counts and frequencies serve as logits: KL(truth ‖ softmax(a · features)) over scales a, in blocks."""

from collections.abc import Iterator
from typing import NamedTuple

import jax
import numpy as np

from elegans.base import stream
from elegans.tasks.base import Batch, Task
from elegans.tasks.markov import MarkovChains
from elegans.theory.markov import Floats, kl
from elegans.theory.strategies import Contexts, bigram, one_hot, truth_oracle, unigram

BLOCKS = 20


class Curve(NamedTuple):
    """Means over each block of sequences: for every scale, and for the bigram and the unigram strategy."""

    values: Floats  # (blocks, scales)
    bigram: Floats  # (blocks,)
    unigram: Floats  # (blocks,)


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def batches(task: Task, n: int, seed: int, most: int = 4000) -> Iterator[Batch]:
    """At least n sequences, a few thousand at a time, all from one program."""
    size, times = min(n, most), -(-n // most)
    draw = jax.jit(lambda key: task.sample(key, size))
    for i in range(times):
        yield jax.tree.map(np.asarray, draw(stream.key(seed + i, stream.Purpose.DATA)))


def blocks(
    k: int, t: int, n: int, seed: int, scales: tuple[float, ...], *, frequencies: bool, direct: bool = False
) -> Curve:
    """Divergences at the last position of n sequences in BLOCKS blocks; features are frequencies, or counts.

    Frequencies are those of Proposition 8.2. With `direct` they are probabilities after a scale is added to each."""
    feature, parts = _frequencies if frequencies else _counts, list[tuple[list[float], float, float]]()
    for batch in batches(MarkovChains(k, t), n, seed, n // BLOCKS):
        truth, f = truth_oracle(batch.x, batch.latent["P"].astype(np.float64)), feature(batch.x, k)
        answers = (((f + a) / (1 + k * a)) if direct else softmax(a * f) for a in scales)
        values = [float(kl(truth, q).mean()) for q in answers]
        near, far = (float(kl(truth, s(batch.x, k)).mean()) for s in (bigram, unigram))
        parts.append((values, near, far))
    return Curve(*(np.array(column) for column in zip(*parts, strict=True)))


def _counts(x: Contexts, k: int) -> Floats:
    """Numbers of transitions from the last symbol: (n, k)."""
    return np.einsum("bs,bsk->bk", x[:, :-1] == x[:, -1:], one_hot(x, k)[:, 1:])


def _frequencies(x: Contexts, k: int) -> Floats:
    """What the construction answers at the last position: (n, k), with both of its edge effects."""
    match = np.concatenate([x[:, :1], x[:, :-1]], 1) == x[:, -1:]
    attended = np.where(match.any(1, keepdims=True), match, True)
    return np.einsum("bs,bsk->bk", attended, one_hot(x, k)) / attended.sum(1, keepdims=True)


def best_scale(scales: Floats, values: Floats) -> tuple[float, float]:
    """The scale with the least value, and that value."""
    i = int(np.argmin(values))
    return float(scales[i]), float(values[i])
