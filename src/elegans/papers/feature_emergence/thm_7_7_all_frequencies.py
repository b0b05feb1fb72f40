"""Theorem 7.7 (2): a network of maximum margin uses every frequency, by the transform of its logits in a, b and c.

    f(a, b)[c] = F(a, b) + γ* 1[c = a+b]   ⇒   f̂(j, j, -j) = γ* p² for every j ≠ 0, and 0 elsewhere unless l = 0

A neuron of frequency ζ reaches (j, j, -j) only for j = ±ζ, with 2 û(j) v̂(j) ŵ(-j). So none can be missing.
"""

from dataclasses import replace
from math import cos, pi

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.models.group_net import GroupNet
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.presets import EARLY
from elegans.probes.margins import Margin
from elegans.tasks.composition import Cyclic, GroupComposition
from elegans.theory.cyclic_spectra import energy_shares, optimal_neuron, transform
from elegans.theory.groups import cyclic
from elegans.theory.margins import gamma_star_cyclic, group_norm, normalised_margin
from elegans.theory.quadratic_constructions import cyclic_network, narrow_cyclic_network, single_frequency_network
from elegans.theory.quadratic_nets import Network, logits
from elegans.training.algorithms import SGD
from elegans.training.losses import cross_entropy
from elegans.training.penalties import NeuronNorm
from elegans.training.regimes import Full
from elegans.training.schedules import Doubling
from elegans.training.stops import Steps

P = 7


def diagonal(theta: Network) -> np.ndarray:
    """f̂(j, j, -j) / p² over γ*, j = 1..(p-1)/2, of the network scaled to norm 1."""
    p = theta["U"].shape[1]
    j = np.arange(1, (p + 1) // 2)
    values = transform(logits(theta))[j, j, -j] / group_norm(theta) ** 3
    return values.real / p**2 / gamma_star_cyclic(p)


def without(theta: Network, count: int) -> Network:
    """The network without its first neurons: those of frequency 1."""
    return {name: part[count:] for name, part in theta.items()}


def ratio(theta: Network) -> float:
    """Normalised margin over γ*."""
    p = theta["U"].shape[1]
    return normalised_margin(theta, logits(theta), cyclic(p).table) / gamma_star_cyclic(p)


def left_without_one(p: int) -> float:
    """The margin of K1 without its neurons of frequency 1, over γ*: the wrong answers (p ± 1)/2 suffer most."""
    return (p - 1) * (p - 2 - 2 * cos(pi / p)) / (p * (p - 3))


def support(p: int, seed: int) -> dict[str, np.ndarray]:
    """Transforms of single neurons: where they vanish, and 2 û v̂ ŵ where u(a)v(b)w(c) does not."""
    u, v, w = optimal_neuron(p, 2, *np.random.default_rng(seed).uniform(0, 6, 2))
    f = transform(logits({"U": u[None], "V": v[None], "W": w[None]}))
    j, k, _ = np.meshgrid(*[np.arange(p)] * 3, indexing="ij")
    allowed = (j == 0) | (k == 0)
    for s in np.ndindex(2, 2, 2):
        allowed[tuple(2 if t else p - 2 for t in s)] = True
    fu, fv, fw = np.fft.fft(np.stack([u, v, w]))
    product = np.einsum("j,k,l->jkl", fu, fv, fw)[2, 2, p - 2]
    return {
        "outside": np.abs(f[~allowed]).max(keepdims=True), "inside": np.abs(f[allowed]).max(keepdims=True),
        "value": np.abs([f[2, 2, p - 2] - 2 * product]), "value_without_two": np.abs([f[2, 2, p - 2] - product]),
    }  # fmt: skip


def constructions(p: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Diagonals and shares of energy of K1, K2 and one frequency alone, and K1 without one frequency."""
    nets = [(cyclic_network(q), narrow_cyclic_network(q)) for q in p]
    pairs = [theta for pair in nets for theta in pair]
    single = [single_frequency_network(q, 1) for q in p]
    return {
        "p": np.array(p),
        "uneven": np.array([np.abs(diagonal(theta) - 1).max() for theta in pairs]),
        "uneven_single": np.array([np.abs(diagonal(theta) - 1).max() for theta in single]),
        "stray": np.array([energy_shares(logits(theta))[2] for theta in pairs]),
        "missing": np.abs(
            [ratio(without(wide, 8)) - left_without_one(q) for q, (wide, _) in zip(p, nets, strict=True)]
        ),
        "missing_none": np.abs([ratio(without(wide, 8)) - 1 for wide, _ in nets]),
        "diagonal": np.stack([diagonal(cyclic_network(P)), diagonal(single_frequency_network(P, 1))]),
    }


class AllFrequencies(Experiment):
    """No frequency is missing from a network of maximum margin."""

    id = "thm-7.7-all-frequencies"
    place = Place(PAPER, "theorem 7.7 (2)")
    claims = (
        Claim(
            "thm-7.7-all-frequencies",
            "a neuron of frequency ζ has f̂(j, k, l) = 0 unless j = 0, k = 0 or j, k, l ∈ {±ζ}",
            of="corrected",
            expect=at_most(1e-12),
            why="(u+v)²w = u²w + v²w + 2uvw; the printed exponents repeat j for all three variables (erratum E4)",
            value=lambda e: e["neuron"].max("outside"),
            wrong=lambda e: e["neuron"].max("inside"),
        ),
        Claim(
            "thm-7.7-all-frequencies",
            "there it is 2 û(ζ) v̂(ζ) ŵ(-ζ)",
            expect=at_most(1e-12),
            why="the mixed term of the square counts twice",
            value=lambda e: e["neuron"].max("value"),
            wrong=lambda e: e["neuron"].max("value_without_two"),
        ),
        Claim(
            "thm-7.7-all-frequencies",
            "K1 and K2 have f̂(j, j, -j) = γ* p² at every j ≠ 0",
            expect=at_most(1e-10),
            why="γ* 1[c = a+b] has this transform; relative. One frequency alone has it nowhere",
            value=lambda e: e["constructions"].max("uneven"),
            wrong=lambda e: e["constructions"].max("uneven_single"),
        ),
        Claim(
            "thm-7.7-all-frequencies",
            "a trained network has less than a thousandth of its energy outside j = k = -l and l = 0",
            expect=at_most(1e-3),
            why="the specification's bound for a trained network that is near its maximum margin",
            value=lambda e: e["trained"].max("stray"),
            wrong=lambda e: e["trained"].max("stray_start"),
        ),
        Claim(
            "informal-theorem",
            "the summary's 'all frequencies are used': K1 without ζ = 1 keeps (p-1)(p-2-2cos(π/p))/(p(p-3)) < 1 of γ*",
            of="derived",
            expect=at_most(1e-10),
            why="p/2 - 1 - cos(π/p) is left of the raw margin p/2, at (p-3)/(p-1) of ‖θ‖³; 0.55, 0.66, 0.80 for p = 5, 7, 11",
            value=lambda e: e["constructions"].max("missing"),
            wrong=lambda e: e["constructions"].max("missing_none"),
        ),
    )
    given = {"network": "(u + v)² w, L_{2,3}", "η": "0.05, doubled ten times"}
    chosen = {
        "trained network": "p = 7, 42 neurons, λ = 1e-4, 10 000 steps, the doublings of Z71: a second of work, as the "
        "specification proposes",
        "missing frequency": "p = 5, 7, 11",
    }
    shows = (
        "K1 and the trained network have the same weight γ* on every frequency; a single frequency has one tall bar."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        rates = Doubling(tuple(t // scale(4, 1, 1) for t in EARLY))
        algorithm = SGD(
            0.05, batch=P * P, loss=cross_entropy, regime=Full(), penalty=NeuronNorm(1e-4), schedule=rates, precision="float64"
        )  # fmt: skip
        stage = Stage(GroupComposition(Cyclic(P)), algorithm, Steps(scale(3000, 12_000, 20_000)))
        run = Run(GroupNet(6 * P), stage, watch=(Margin(every=1000),), keep=("start", "end"))
        return {
            "neuron": Calculation(support, p=11, seed=0),
            "constructions": Calculation(constructions, p=(5, 7, 11)),
            "trained": Sweep(run, seed=[0]),
        }

    def condense(self, e: Evidence) -> Evidence:
        part = e["trained"]
        start, end = ({n: part.array(f"{when}/{n}")[0].astype(np.float64) for n in "UVW"} for when in ("start", "end"))
        arrays = {
            "stray": energy_shares(logits(end))[2:], "stray_start": energy_shares(logits(start))[2:],
            "diagonal": diagonal(end), "ratio": np.array(ratio(end)),
        }  # fmt: skip
        return replace(e, parts={**e.parts, "trained": Evidence(arrays=arrays, meta=part.meta)})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(4.6, 3.0)
        wide, single = e["constructions"].array("diagonal")
        trained, zeta = e["trained"].array("diagonal"), np.arange(1, len(wide) + 1)
        for i, (bars, label) in enumerate(((wide, "K1"), (trained, "trained"), (single, "one frequency (K6)"))):
            ax.bar(zeta + 0.25 * (i - 1), bars, 0.22, label=label)
        ax.axhline(1, ls="--", lw=0.8, color="0.3")
        ax.set(xlabel=f"frequency ζ (p = {P})", ylabel="weight f̂(ζ, ζ, -ζ) / (γ* p²)", xticks=zeta)
        ax.legend()
        return figure
