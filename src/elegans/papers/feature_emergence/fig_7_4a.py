"""Figure 7.4 (a): before training, no neuron on Z_71 has a frequency: the largest share of power is H_n/n in the mean.

E max_j |û(j)|² / Σ_j |û(j)|² = H_n / n,   n = (p-1)/2 = 35: 0.118        (Gaussian u; pairs ±j merged, mean left out)
"""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from elegans.base import stream
from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.models.group_net import GroupNet
from elegans.models.initialisers import FanIn, Gaussian
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.tasks.base import Signature
from elegans.theory.cyclic_spectra import largest_share
from elegans.theory.largest_of_shares import density, mean, mean_by_integration, quantile

P, N, BINS = 71, 35, np.linspace(0.04, 0.30, 53)


def law(n: tuple[int, ...]) -> dict[str, np.ndarray]:
    """H_n/n against the integral of the exact law; quantiles and density for p = 71."""
    return {
        "error": np.array([abs(float(mean(k) - mean_by_integration(k))) for k in n]),
        "error_of_log": np.array([abs(float(mean_by_integration(k)) - np.log(k) / k) for k in n]),
        "mean": np.array(float(mean(N))), "quantiles": np.array([quantile(N, q) for q in (0.05, 0.95)]),
        "centres": (BINS[1:] + BINS[:-1]) / 2, "density": np.array([density(N, x) for x in (BINS[1:] + BINS[:-1]) / 2]),
    }  # fmt: skip


def starts(seeds: int, width: int) -> dict[str, np.ndarray]:
    """Largest shares of u of fresh networks: mean, standard error, share below the 5 % and 95 % quantiles, histogram."""
    found: dict[str, np.ndarray] = {}
    low, high = (quantile(N, q) for q in (0.05, 0.95))
    for name, initial in (("gaussian", Gaussian(P**-0.5)), ("uniform", FanIn())):
        model, signature = GroupNet(width, initial=initial), Signature((2,), (P,), P)
        keys = [stream.key(s, stream.Purpose.INIT) for s in range(seeds)]
        u = np.concatenate([np.asarray(model.init(k, signature, jnp.float32)["U"], np.float64) for k in keys])
        share, unmerged = largest_share(u), np.abs(np.fft.fft(u)) ** 2
        found |= {
            name: np.array([share.mean(), share.std() / len(share) ** 0.5, len(share)]),
            f"{name}_within": np.array([np.mean((share > low) & (share < high)), len(share)]),
            f"{name}_histogram": np.histogram(share, BINS, density=True)[0].astype(np.float32),
            f"{name}_unmerged": np.array((unmerged[:, 1:].max(1) / unmerged[:, 1:].sum(1)).mean()),
        }
    return found


def mean_share(name: str) -> Callable[[Evidence], Estimate]:
    """The mean over neurons, over H_n/n, with three standard errors to either side."""

    def value(e: Evidence) -> Estimate:
        (m, se, n), unit = e["starts"].array(name), float(e["law"].array("mean"))
        return Estimate(m / unit, (m - 3 * se) / unit, (m + 3 * se) / unit, int(n), what="mean largest share / (H_n/n)")

    return value


def unmerged(name: str) -> Callable[[Evidence], Estimate]:
    """The same with all j in Z_p counted apart."""
    return lambda e: exact(float(e["starts"].array(f"{name}_unmerged") / e["law"].array("mean")), "pairs not merged")


class PowerAtTheStart(Experiment):
    """Spectra of fresh neurons are spread out, by a known law."""

    id = "fig-7.4a"
    place = Place(PAPER, "figure 7.4 (a)")
    claims = (
        Claim(
            "fig-7.4a",
            "for Gaussian u the mean of the largest normalised power is H_n/n",
            of="derived",
            expect=at_most(1e-12),
            why="shares are uniform on the simplex; the integral of their exact law in fractions, n = 1..35. log(n)/n is off",
            value=lambda e: e["law"].max("error"),
            wrong=lambda e: exact(float(e["law"].array("error_of_log").min()), "distance from log(n)/n"),
        ),
        Claim(
            "fig-7.4a",
            "Gaussian starts at p = 71 have that mean, 0.118",
            of="derived",
            expect=near(1.0, 0.02),
            why="2 % is a few standard errors of thousands of neurons; three standard errors are the interval. Without merging "
            "conjugate pairs the power would be half (ambiguity A3)",
            value=mean_share("gaussian"),
            wrong=unmerged("gaussian"),
        ),
        Claim(
            "fig-7.4a",
            "and so have the uniform starts that we train from",
            of="derived",
            expect=near(1.0, 0.02),
            why="sums of 71 independent terms are nearly Gaussian, with an excess of order 1/71 in their fourth moment",
            value=mean_share("uniform"),
            wrong=unmerged("uniform"),
        ),
    )
    given = {"p": "71", "neurons": "500"}
    chosen = {
        "power": "conjugate pairs merged, mean left out (A3); of u (A4)",
        "initialisation": "not given: Gaussian, and Unif(±1/√(2p)), the default of the lab",
    }
    remarks = "The paper states no numbers for this panel; H_n/n is our own reference. Panels (b) and (c) are trained networks."
    shows = "Before training the largest power of a neuron is about 0.12, along the exact law (line): no neuron has a frequency."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "law": Calculation(law, n=tuple(range(1, N + 1))),
            "starts": Calculation(starts, seeds=scale(4, 30, 100), width=500),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(4.8, 3.0)
        part, x = e["starts"], e["law"].array("centres")
        for name, label in (("gaussian", "Gaussian start"), ("uniform", "uniform start")):
            ax.step(x, part.array(f"{name}_histogram"), where="mid", label=label)
        ax.plot(x, e["law"].array("density"), color="k", lw=1, label="exact law, Gaussian")
        ax.axvline(float(e["law"].array("mean")), ls="--", lw=0.8, color="0.3", label="H_n/n = 0.118")
        ax.set(xlabel="largest share of power in one frequency (p = 71)", ylabel="density of neurons", xlim=(0, 0.5))
        ax.legend()
        return figure
