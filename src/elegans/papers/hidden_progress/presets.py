"""The architectures of the paper by their names, with the batch and learning rate of each figure that states them.

    p = setting("ii", n=50, k=3)
    Run(p.model, Stage(p.task, p.algorithm, Solved() | Budget(100_000)))

A star stands for the settings that the paper calls less robust. Where its roman numerals disagree (erratum E27), the
order of its list of architectures counts. (xi) to (xiv) repeat (vii) to (x) with u = 1 fixed. All use the hinge loss.
Ours are: weights and biases from U(±1/√fan_in), an output bias in two-layer networks, sinusoids of input scale 1
(erratum E24; take ½ with Xavier's law), and d_mlp = 4 d_embed in the Transformer, whose width is not given.
"""

from collections.abc import Callable
from typing import NamedTuple

from elegans.base.errors import unknown
from elegans.models.activations import OscillatingPolynomial, Power, Sinusoid, TriangleWave, Zigzag
from elegans.models.base import Model
from elegans.models.mlp import MLP
from elegans.models.neuron import Neuron
from elegans.models.parity_transformer import ParityTransformer
from elegans.models.polynet import PolyNet
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD, Adam

TRANSFORMER = ParityTransformer(d_embed=1024, d_attn=8, heads=128, d_mlp=4096)
SMALL_TRANSFORMER = ParityTransformer(d_embed=128, d_attn=8, heads=16, d_mlp=256)  # a laptop trains it in seconds

MODELS: dict[str, Callable[[int], Model]] = {
    "i": lambda k: MLP(10),
    "ii": lambda k: MLP(100),
    "iii": lambda k: MLP(1000),
    "iv": lambda k: MLP(10, Power(k)),
    "v": lambda k: MLP(100, Power(k)),
    "vi": lambda k: MLP(1000, Power(k)),
    "vii": lambda k: Neuron(Zigzag(k)),
    "viii": lambda k: Neuron(OscillatingPolynomial(k)),
    "ix": lambda k: Neuron(TriangleWave(k)),
    "x": lambda k: Neuron(Sinusoid(k)),
    "xi": lambda k: Neuron(Zigzag(k), second_layer=False),
    "xii": lambda k: Neuron(OscillatingPolynomial(k), second_layer=False),
    "xiii": lambda k: Neuron(TriangleWave(k), second_layer=False),
    "xiv": lambda k: Neuron(Sinusoid(k), second_layer=False),
    "xv": PolyNet,
    "*i": MLP,
    "*ii": lambda k: MLP(k, Power(k)),
    "*iii": lambda k: TRANSFORMER,
}
NAMES = {
    "i": "ReLU 10", "ii": "ReLU 100", "iii": "ReLU 1000", "iv": "z^k 10", "v": "z^k 100", "vi": "z^k 1000",
    "vii": "zigzag", "viii": "polynomial", "ix": "triangle wave", "x": "sinusoid", "xi": "zigzag, u = 1",
    "xii": "polynomial, u = 1", "xiii": "triangle wave, u = 1", "xiv": "sinusoid, u = 1", "xv": "PolyNet",
    "*i": "ReLU k", "*ii": "z^k k", "*iii": "Transformer",
}  # fmt: skip

Rates = dict[str, tuple[tuple[int, float], ...]]  # (batch, learning rate) of each panel
FIG_5_1_LEFT: Rates = {
    "i": ((32, 0.5), (1024, 0.05)), "ii": ((1, 0.05),), "iv": ((32, 0.05),), "vii": ((32, 0.2),), "x": ((32, 0.05),),
    "*iii": ((32, 5e-4),), "xv": ((32, 0.07),),
}  # fmt: skip
FIG_B_2: Rates = {
    "ii": ((32, 0.1),),
    "xv": ((1, 0.005), (4, 0.01), (16, 0.1), (64, 0.1), (256, 0.1), (1024, 0.1)),
    "*i": ((1, 0.1),), "*ii": ((1, 0.01),), "vii": ((1, 0.1),), "viii": ((1, 0.1),), "xi": ((1, 0.1),), "xii": ((1, 0.1),),
    "iii": ((1, 0.1), (1024, 0.1)), "vi": ((1, 0.001), (1024, 0.01)), "*iii": ((32, 3e-4), (1024, 3e-4)),
}  # fmt: skip
FIG_B_6: Rates = {
    "i": ((32, 1.0),), "ii": ((32, 1.0),), "iii": ((32, 1.0),), "iv": ((32, 0.01),), "v": ((32, 0.01),),
    "vi": ((32, 0.01),), "xii": ((32, 0.01),), "xiv": ((32, 0.01),), "*iii": ((32, 3e-4),), "xv": ((32, 0.05),),
}  # fmt: skip
RATES = {
    **{id: pairs[0][1] for figure in (FIG_B_2, FIG_5_1_LEFT, FIG_B_6) for id, pairs in figure.items()},
    "viii": 0.01,  # as (xii)
    "ix": 0.05,  # as (x)
    "xiii": 0.01,  # as (xiv)
}  # at batch 32: the last figure that states one, and for three settings that of the nearest relative
GRID = (1.0, 0.1, 0.01, 0.001)  # learning rates of the robust grid, section 5.3


class Preset(NamedTuple):
    """One named setting: `Run(p.model, Stage(p.task, p.algorithm, stop))` trains it."""

    task: SparseParity
    model: Model
    algorithm: SGD | Adam


def setting(id: str, n: int, k: int, lr: float | None = None, batch: int = 32) -> Preset:
    """Setting `id` on (n, k)-parity, with its usual learning rate unless another is given."""
    if id not in MODELS:
        raise unknown("setting", id, list(MODELS))
    optimiser = Adam if id == "*iii" else SGD
    return Preset(SparseParity(n, k), MODELS[id](k), optimiser(RATES[id] if lr is None else lr, batch=batch))
