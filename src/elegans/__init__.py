"""elegans: a laboratory for model systems of deep learning.

Names are imported when they are first used, so that `import elegans` is quick and `elegans.theory` never loads JAX.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PUBLIC = {
    "lab.words": ("Calculation", "Run", "Seeds", "Stage", "Sweep", "given"),
    "lab.train": ("Trained", "train"),
    "lab.store": ("Store",),
    "tasks.parity": ("SparseParity",),
    "tasks.disjoint_parity": ("DisjointParity",),
    "tasks.composition": ("Cyclic", "GroupComposition", "Symmetric"),
    "tasks.markov": ("MarkovChains",),
    "models.mlp": ("MLP",),
    "models.neuron": ("Neuron",),
    "models.polynet": ("DisjointPolyNet", "PolyNet"),
    "models.parity_transformer": ("ParityTransformer",),
    "models.group_net": ("GroupNet",),
    "models.attention": ("AttentionOnly",),
    "models.minimal_induction": ("MinimalInduction",),
    "training.algorithms": ("SGD", "Adam"),
    "training.losses": ("correlation", "cross_entropy", "hinge", "logistic", "square"),
    "training.penalties": ("NeuronNorm",),
    "training.regimes": ("Full", "Online", "Population", "Virtual"),
    "training.schedules": ("Doubling",),
    "training.stops": ("Budget", "Solved", "Steps"),
    "claims.experiment": ("Experiment",),
    "claims.evidence": ("Evidence",),
    "claims.library": ("experiment", "experiments", "load"),
}
_WHERE = {name: f"elegans.{module}" for module, names in _PUBLIC.items() for name in names}
_ROOMS = (
    "adapters",
    "atlas",
    "claims",
    "lab",
    "learners",
    "models",
    "papers",
    "probes",
    "stats",
    "tasks",
    "theory",
    "training",
)

__all__ = ["__version__", *sorted(_WHERE), *_ROOMS]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"elegans.{name}")
    if name.startswith("_"):
        raise AttributeError(f"module 'elegans' has no attribute {name!r}")
    from elegans.base.errors import nearest

    near = f" Did you mean {', '.join(found)}?" if (found := nearest(name, __all__)) else ""
    rooms = "What is not here stands in its room, for example elegans.probes.Accuracy."
    raise AttributeError(f"module 'elegans' has no attribute {name!r}.{near} {rooms}")


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from elegans.claims.evidence import Evidence as Evidence
    from elegans.claims.experiment import Experiment as Experiment
    from elegans.claims.library import experiment as experiment
    from elegans.claims.library import experiments as experiments
    from elegans.claims.library import load as load
    from elegans.lab.store import Store as Store
    from elegans.lab.train import Trained as Trained
    from elegans.lab.train import train as train
    from elegans.lab.words import Calculation as Calculation
    from elegans.lab.words import Run as Run
    from elegans.lab.words import Seeds as Seeds
    from elegans.lab.words import Stage as Stage
    from elegans.lab.words import Sweep as Sweep
    from elegans.lab.words import given as given
    from elegans.models.attention import AttentionOnly as AttentionOnly
    from elegans.models.group_net import GroupNet as GroupNet
    from elegans.models.minimal_induction import MinimalInduction as MinimalInduction
    from elegans.models.mlp import MLP as MLP
    from elegans.models.neuron import Neuron as Neuron
    from elegans.models.parity_transformer import ParityTransformer as ParityTransformer
    from elegans.models.polynet import DisjointPolyNet as DisjointPolyNet
    from elegans.models.polynet import PolyNet as PolyNet
    from elegans.tasks.composition import Cyclic as Cyclic
    from elegans.tasks.composition import GroupComposition as GroupComposition
    from elegans.tasks.composition import Symmetric as Symmetric
    from elegans.tasks.disjoint_parity import DisjointParity as DisjointParity
    from elegans.tasks.markov import MarkovChains as MarkovChains
    from elegans.tasks.parity import SparseParity as SparseParity
    from elegans.training.algorithms import SGD as SGD
    from elegans.training.algorithms import Adam as Adam
    from elegans.training.losses import correlation as correlation
    from elegans.training.losses import cross_entropy as cross_entropy
    from elegans.training.losses import hinge as hinge
    from elegans.training.losses import logistic as logistic
    from elegans.training.losses import square as square
    from elegans.training.penalties import NeuronNorm as NeuronNorm
    from elegans.training.regimes import Full as Full
    from elegans.training.regimes import Online as Online
    from elegans.training.regimes import Population as Population
    from elegans.training.regimes import Virtual as Virtual
    from elegans.training.schedules import Doubling as Doubling
    from elegans.training.stops import Budget as Budget
    from elegans.training.stops import Solved as Solved
    from elegans.training.stops import Steps as Steps
