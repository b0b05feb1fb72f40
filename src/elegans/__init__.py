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
    "models.quadratic": ("QuadraticGroupNet",),
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

__all__ = ["__version__", *sorted(_WHERE), *_ROOMS]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"elegans.{name}")
    raise AttributeError(f"module 'elegans' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from elegans.claims.evidence import Evidence as Evidence
    from elegans.claims.experiment import Experiment as Experiment
