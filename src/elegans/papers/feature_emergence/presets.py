"""The paper's six trainings with every setting it states (appendix D.2): gradient descent without momentum on

    L_λ(θ) = E [-log softmax(f(x))_y] + λ Σ_i ‖ω_i‖₂^ν

with ν = 3 for quadratic networks, 5 for z⁴ and 2 for ReLU. The learning rate doubles at listed steps to make up for gradients
that decay as the margin grows. Ours are the starts (see the models), the power ν of the norm in the penalty, how batches of S_5
are drawn (independent pairs, with replacement), and the precision: double on S_3, S_4 and parity, whose final cross-entropies of
4·10⁻⁶, 5·10⁻⁵ and 2·10⁻³ leave single precision few digits of a gradient.
"""

from typing import NamedTuple

from elegans.models.activations import relu
from elegans.models.base import Model
from elegans.models.group_net import GroupNet
from elegans.models.power_parity import PowerParityNet
from elegans.tasks.base import Task
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD, Precision
from elegans.training.losses import cross_entropy, logistic
from elegans.training.penalties import NeuronNorm
from elegans.training.regimes import Full, Online
from elegans.training.schedules import Doubling
from elegans.training.stops import Steps, Stop

LATE = (*range(200, 2601, 200), 5000, 10_000)  # 15 doublings: 0.05 becomes 1638.4
EARLY = tuple(range(1000, 10_001, 1000))  # 10 doublings: 0.05 becomes 51.2
SPARSE = tuple(range(3000, 24_001, 3000))  # 8 doublings: 0.05 becomes 12.8


class Preset(NamedTuple):
    """One line of the paper's table of settings: `Run(p.model, Stage(p.task, p.algorithm, p.stop))` trains it."""

    task: Task
    model: Model
    algorithm: SGD
    stop: Stop


def s3() -> Preset:
    """S_3: 36 pairs, 30 neurons, 50 000 steps."""
    return _full_batch(Symmetric(3), 30, 50_000, LATE, 1e-7, "float64")


def s4() -> Preset:
    """S_4: 576 pairs, 200 neurons, 50 000 steps."""
    return _full_batch(Symmetric(4), 200, 50_000, LATE, 1e-7, "float64")


def s5() -> Preset:
    """S_5: 1000 of 14 400 pairs a step, 2000 neurons, 75 000 steps."""
    algorithm = SGD(
        lr=0.05, batch=1000, loss=cross_entropy, regime=Online(), penalty=NeuronNorm(1e-5), schedule=Doubling(SPARSE)
    )
    return Preset(GroupComposition(Symmetric(5)), GroupNet(2000), algorithm, Steps(75_000))


def z71() -> Preset:
    """Addition modulo 71: 5041 pairs, 500 neurons, 40 000 steps."""
    return _full_batch(Cyclic(71), 500, 40_000, EARLY, 1e-4, "float32")


def z71_relu() -> Preset:
    """The same with ReLU and λ‖θ‖₂²."""
    quadratic = z71()
    algorithm = quadratic.algorithm.replace(penalty=NeuronNorm(1e-4, power=2))
    return quadratic._replace(model=GroupNet(500, activation=relu), algorithm=algorithm)


def parity() -> Preset:
    """Parity of 4 of 10 bits: 1024 points, 40 neurons z⁴ (the text says quadratic, erratum E7), 30 000 steps."""
    algorithm = SGD(
        lr=0.1, batch=1024, loss=logistic, regime=Full(), penalty=NeuronNorm(1e-3, power=5), precision="float64"
    )
    return Preset(SparseParity(10, 4), PowerParityNet(40, k=4), algorithm, Steps(30_000))


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
    return Preset(task, GroupNet(width), algorithm, Steps(steps))
