"""The two networks trained on addition modulo 71, which figures 7.1, 7.4 (b, c) and D.1 all look at.

    quadratic   Σ_i (u_ia + v_ib)² w_i,    λ Σ ‖ω_i‖³ with λ = 1e-4   (ν = 3)
    ReLU        Σ_i (u_ia + v_ib)_+ w_i,   λ ‖θ‖₂²    with λ = 1e-4   (ν = 2)

Both have 500 neurons and take 40 000 full-batch steps. At smoke a stand-in of p = 7 and 42 neurons takes 10 000 of them.
"""

from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.feature_emergence.presets import Preset, z71, z71_relu
from elegans.probes.cyclic_features import CyclicFrequencies, CyclicNeurons, CyclicSpectra
from elegans.probes.margins import Margin
from elegans.tasks.composition import Cyclic, GroupComposition
from elegans.training.stops import Steps

NETWORKS = {"quadratic": z71, "relu": z71_relu}
NU = {"quadratic": 3, "relu": 2}
STRENGTH = 1e-4
SHOWN = 8  # neurons whose spectra are watched closely


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
