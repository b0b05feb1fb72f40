"""The paper's trainings on groups, with every setting it states: full-batch gradient descent on

    L_λ(θ) = E_{a,b} [-log softmax(F(a, b))_{ab}] + λ Σ_i ‖ω_i‖₂³

from learning rate 0.05, doubled at listed steps to make up for gradients that decay as the margin grows. Ours are the
start (see `QuadraticGroupNet`), the power 3 of the norm in the penalty and the precision: double on S_3 and S_4, whose
final cross-entropies of 4·10⁻⁶ and 5·10⁻⁵ leave single precision few digits of a gradient.
"""

from typing import NamedTuple

from elegans.models.quadratic import QuadraticGroupNet
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.training.algorithms import SGD, Precision
from elegans.training.losses import cross_entropy
from elegans.training.penalties import NeuronNorm
from elegans.training.regimes import Full
from elegans.training.schedules import Doubling
from elegans.training.stops import Steps, Stop

LATE = (*range(200, 2601, 200), 5000, 10_000)  # 15 doublings: 0.05 becomes 1638.4
EARLY = tuple(range(1000, 10_001, 1000))  # 10 doublings: 0.05 becomes 51.2


class Preset(NamedTuple):
    """One line of the paper's table of settings: `Run(p.model, Stage(p.task, p.algorithm, p.stop))` trains it."""

    task: GroupComposition
    model: QuadraticGroupNet
    algorithm: SGD
    stop: Stop


def s3() -> Preset:
    """S_3: 36 pairs, 30 neurons, 50 000 steps."""
    return _full_batch(Symmetric(3), 30, 50_000, LATE, 1e-7, "float64")


def s4() -> Preset:
    """S_4: 576 pairs, 200 neurons, 50 000 steps."""
    return _full_batch(Symmetric(4), 200, 50_000, LATE, 1e-7, "float64")


def z71() -> Preset:
    """Addition modulo 71: 5041 pairs, 500 neurons, 40 000 steps."""
    return _full_batch(Cyclic(71), 500, 40_000, EARLY, 1e-4, "float32")


def _full_batch(
    group: Alphabet, width: int, steps: int, doubled: tuple[int, ...], strength: float, precision: Precision
) -> Preset:
    task = GroupComposition(group)
    algorithm = SGD(
        lr=0.05,
        batch=group.group().order ** 2,
        loss=cross_entropy,
        regime=Full(),
        penalty=NeuronNorm(strength),
        schedule=Doubling(doubled),
        precision=precision,
    )
    return Preset(task, QuadraticGroupNet(width), algorithm, Steps(steps))
