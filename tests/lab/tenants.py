"""Three tenants that pull the lab apart: parity with early stops, a group in double precision, attention with probes."""

from collections.abc import Callable

from elegans.lab.words import Run, Stage, Sweep
from elegans.models.attention import AttentionOnly
from elegans.models.group_net import GroupNet
from elegans.models.mlp import MLP
from elegans.probes.attention import FixedInputAttention
from elegans.probes.margins import Margin
from elegans.probes.progress import Movement
from elegans.probes.strategies import StrategyKL
from elegans.tasks.composition import GroupComposition, Symmetric
from elegans.tasks.markov import MarkovChains
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD, Adam
from elegans.training.losses import cross_entropy
from elegans.training.penalties import NeuronNorm
from elegans.training.regimes import Full
from elegans.training.schedules import Doubling
from elegans.training.stops import Budget, Solved, Steps


def parity(runs: int = 40, budget: int = 3000, width: int = 30, watched: bool = True) -> Sweep:
    """Online steps, early stops, runs of very different lengths; some run out of budget."""
    stage = Stage(SparseParity(30, 3), SGD(0.1), Solved(on=1024) | Budget(budget))
    watch = (Movement(every=500),) if watched else ()
    return Sweep(Run(MLP(width), stage, watch=watch), lr=[0.1, 0.5], seed=range(runs // 2))


def algebra(runs: int = 3, steps: int = 3000, watched: bool = True) -> Sweep:
    """Deterministic full batch in double precision with a doubling learning rate."""
    algorithm = SGD(
        0.05, loss=cross_entropy, regime=Full(), penalty=NeuronNorm(1e-7), schedule=Doubling((200, 400, 600)), precision="float64"
    )  # fmt: skip
    stage = Stage(GroupComposition(Symmetric(3)), algorithm, Steps(steps))
    return Sweep(Run(GroupNet(30), stage, watch=(Margin(every=1000),) if watched else ()), seed=range(runs))


def sequences(runs: int = 3, steps: int = 120, watched: bool = True) -> Sweep:
    """Attention and latent chains, large enough for one lane a tile, Adam's moments to carry."""
    task = MarkovChains(3, 32)
    algorithm = Adam(1e-3, batch=32, loss=cross_entropy, b2=0.95)
    watch = (
        (StrategyKL(every=40, on=64), FixedInputAttention(every=60, tokens=(0, 1, 2, 0, 1, 2, 2, 0))) if watched else ()
    )
    return Sweep(Run(AttentionOnly(16), Stage(task, algorithm, Steps(steps)), watch=watch), seed=range(runs))


TENANTS: dict[str, Callable[..., Sweep]] = {"parity": parity, "algebra": algebra, "sequences": sequences}
