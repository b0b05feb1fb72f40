"""Settings of the chapter's trainings: what the text gives, what its figures need, and what fits into seconds.

    text          as printed: AdamW, lr 3e-5, batch 64, d = 16, t = 100
    fig           lr 5e-4, at which 2000 steps show the figures' plateau and drop; 3e-5 is still on the plateau
    small         t = 50 and lr 2e-3
    minimal_fig   the minimal model as printed: SGD, lr 2e-3, t = 100, constant start
    minimal_small t = 50; its learning rate scales like t^-2

Not given, and chosen: AdamW's betas 0.9, 0.95 and weight decay 0.1 on matrices, the number of steps (for `text` that of
`fig` times the ratio of the learning rates), the minimal model's start v = 0.01, W = 0, and k = 3 symbols by default.
"""

from typing import NamedTuple

from elegans.models.attention import AttentionOnly
from elegans.models.base import Model
from elegans.models.minimal_induction import MinimalInduction
from elegans.tasks.base import Task
from elegans.tasks.markov import MarkovChains
from elegans.training.algorithms import SGD, Adam, Algorithm
from elegans.training.losses import cross_entropy


class Preset(NamedTuple):
    """Everything that a training needs but its seeds."""

    task: Task
    model: Model
    algorithm: Algorithm
    steps: int


def text(k: int = 3) -> Preset:
    """The transformer as printed."""
    return Preset(MarkovChains(k, 100), AttentionOnly(), _adamw(3e-5), 33_000)


def fig(k: int = 3) -> Preset:
    """The transformer at the learning rate that fits the figures."""
    return Preset(MarkovChains(k, 100), AttentionOnly(), _adamw(5e-4), 2000)


def small(k: int = 3) -> Preset:
    """The transformer on half the context."""
    return Preset(MarkovChains(k, 50), AttentionOnly(), _adamw(2e-3), 1500)


def minimal_fig(k: int = 2) -> Preset:
    """The minimal model as printed."""
    return Preset(MarkovChains(k, 100), MinimalInduction(init_v=0.01), _sgd(2e-3), 2000)


def minimal_small(k: int = 2) -> Preset:
    """The minimal model on half the context."""
    return Preset(MarkovChains(k, 50), MinimalInduction(init_v=0.02), _sgd(8e-3), 1000)


def _adamw(lr: float) -> Adam:
    return Adam(lr, batch=64, loss=cross_entropy, b1=0.9, b2=0.95, decay=0.1)


def _sgd(lr: float) -> SGD:
    return SGD(lr, batch=64, loss=cross_entropy)
