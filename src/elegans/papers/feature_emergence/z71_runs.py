"""The two networks trained on addition modulo 71, which figures 7.1, 7.4 (b, c) and D.1 all look at.

    quadratic   Σ_i (u_ia + v_ib)² w_i,    λ Σ ‖ω_i‖³ with λ = 1e-4   (ν = 3)
    ReLU        Σ_i (u_ia + v_ib)_+ w_i,   λ ‖θ‖₂²    with λ = 1e-4   (ν = 2)

Both have 500 neurons and take 40 000 full-batch steps. At smoke a stand-in of p = 7 and 42 neurons takes 10 000 of them.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.feature_emergence.estimates import each
from elegans.papers.feature_emergence.presets import Preset, z71, z71_relu
from elegans.probes.cyclic_features import CyclicFrequencies, CyclicNeurons, CyclicSpectra
from elegans.probes.margins import Margin
from elegans.stats import Estimate
from elegans.tasks.composition import Cyclic, GroupComposition
from elegans.training.stops import Steps

Floats = NDArray[np.float64]
Trace = Mapping[str, np.ndarray]
NETWORKS = {"quadratic": z71, "relu": z71_relu}
NU = {"quadratic": 3, "relu": 2}
STRENGTH = 1e-4
SHOWN = 8  # neurons whose spectra are watched closely
ALIVE = 0.01  # of the largest norm

GIVEN = {
    "networks": "500 neurons on Z_71, quadratic with L_{2,3} and ReLU with L_2, λ = 1e-4",
    "steps": "40 000, full batch of 5041",
    "η": "0.05, doubled at 1000, 2000, ..., 10 000",
}
CHOSEN = {
    "initialisation": "Unif(±1/√(2p)) for U and V, Unif(±1/√m) for W: not given",
    "penalty": "λ Σ‖ω‖³ and λ‖θ‖₂² (ambiguities A1, A7)",
    "seeds": "3, or 5 at the paper's scale; estimates are medians over seeds, and their intervals hold all of them",
    "smoke": "p = 7, 42 neurons, 10 000 steps",
}


def prime(scale: Scale) -> int:
    """The modulus p."""
    return scale(7, 71, 71)


def trained(scale: Scale) -> dict[str, Sweep]:
    """Both networks, the same runs for every experiment, so that the store trains them once."""
    return {
        name: Sweep(_run(made() if scale.size else _small(made(), prime(scale)), NU[name]), seed=range(scale(1, 3, 5)))
        for name, made in NETWORKS.items()
    }


def _run(p: Preset, nu: int) -> Run:
    watch = (
        Margin(every=200, nu=nu),
        CyclicNeurons(every=2000, nu=nu),
        CyclicFrequencies(every=1000, nu=nu),
        CyclicSpectra(every=200, first=SHOWN),
    )
    return Run(p.model, Stage(p.task, p.algorithm, p.stop), watch=watch, keep=("end",))


def _small(preset: Preset, p: int) -> Preset:
    algorithm, model = preset.algorithm.replace(batch=p * p), preset.model.replace(width=6 * p)
    return Preset(GroupComposition(Cyclic(p)), model, algorithm, Steps(10_000))


# --- what is read from them -----------------------------------------------------------------------------------------------


def column(part: str, name: str) -> Callable[[Evidence], Estimate]:
    """`each` of a column of a part's table."""
    return lambda e: each(e[part].runs[name].to_numpy(), name.replace("_", " "))


def alive(mass: np.ndarray, nu: int) -> NDArray[np.bool_]:
    """Which neurons have more than a hundredth of the largest norm."""
    return mass > ALIVE**nu * mass.max()


def heavy(mass: np.ndarray, share: float = 0.99) -> NDArray[np.bool_]:
    """The fewest neurons that carry this share of ‖θ‖^ν."""
    order = np.argsort(-mass, kind="stable")
    before = np.cumsum(mass[order], dtype=np.float64) - mass[order]
    return np.isin(np.arange(len(mass)), order[before < share * mass.sum(dtype=np.float64)])


def variation(parts: np.ndarray) -> float:
    """Standard deviation over mean."""
    return float(np.std(parts, dtype=np.float64) / np.mean(parts, dtype=np.float64))
