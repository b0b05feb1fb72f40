"""Settings (i)-(vi), (*i) and (*ii): how many parameters two-layer networks have, and what z^k sees of a parity.

    f(x) = u·σ(Wᵀx + b) + c        σ = z^k:  E[y f] = k! Σ_i u_i Π_{j∈S} w_ij,  whatever the biases

A polynomial of degree below k is uncorrelated with the parity of k bits.
"""

from math import factorial

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.models.activations import Power
from elegans.models.mlp import MLP
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.enumerated import drawn, outputs, parameter_count, points
from elegans.papers.hidden_progress.presets import MODELS
from elegans.theory.boolean import parity

SETTINGS = {"i": 10, "ii": 100, "iii": 1000, "iv": 10, "v": 100, "vi": 1000, "*i": 3, "*ii": 3}  # widths at k = 3


def parameter_counts(n: int) -> dict[str, np.ndarray]:
    """Parameters of the named settings at k = 3, minus r(n + 2) + 1; and minus r(n + 2)."""
    found = np.array([parameter_count(MODELS[id](3), n) for id in SETTINGS])
    printed = np.array(list(SETTINGS.values())) * (n + 2)
    return {"count": found, "error": np.abs(found - printed - 1), "error_printed": np.abs(found - printed)}


def correlations(
    n: int, degrees: tuple[int, ...], k: tuple[int, ...], networks: int, seed: int
) -> dict[str, np.ndarray]:
    """E[y f] of random networks with σ = z^d for parities of k bits, and the formula's value where d = k."""
    rng, x = np.random.default_rng(seed), points(n)
    found, formula = np.zeros((len(degrees), len(k), networks)), np.full((len(k), networks), np.nan)
    for a, d in enumerate(degrees):
        model = MLP(10, Power(d))
        for i in range(networks):
            p = drawn(model, n, rng)
            f = outputs(model, p, x)
            found[a, :, i] = [np.mean(f * parity(x, range(m))) for m in k]
            if d in k:
                formula[k.index(d), i] = factorial(d) * (p["u"] * p["W"][:d].prod(0)).sum()
    at = np.array([found[degrees.index(m), b] for b, m in enumerate(k)])
    low = np.array([np.abs(found[a, b]).max() for a, d in enumerate(degrees) for b, m in enumerate(k) if d < m])
    without = formula / np.array([[factorial(m)] for m in k])
    return {
        "degree": np.array(degrees), "k": np.array(k), "size": np.abs(found), "error": np.abs(at - formula),
        "error_without_factorial": np.abs(at - without), "below": low, "at": np.abs(at),
    }  # fmt: skip


class TwoLayerNetworks(Experiment):
    """Two-layer networks: parameter counts, and the exact correlation of z^k networks with a parity."""

    id = "model-mlp"
    place = Place(PAPER, "section 5.3.1 and appendix B.1.2")
    claims = (
        Claim(
            "model-mlp",
            "settings (i)-(vi), (*i), (*ii) have r(n + 2) + 1 parameters",
            of="corrected",
            expect=at_most(0),
            why="W, b, u and the output bias, which the printed formula leaves out (erratum E5)",
            value=lambda e: e["counts"].max("error"),
            wrong=lambda e: e["counts"].max("error_printed"),
        ),
        Claim(
            "model-mlp",
            "E[y f] = k! Σ_i u_i Π_{j∈S} w_ij for σ = z^k, for any biases",
            of="derived",
            expect=at_most(1e-10),
            why="only the term with each relevant bit once survives, k! times; enumeration in double precision",
            value=lambda e: e["powers"].max("error"),
            wrong=lambda e: e["powers"].max("error_without_factorial"),
        ),
        Claim(
            "model-mlp",
            "a network of degree below k is uncorrelated with the parity of k bits",
            of="derived",
            expect=at_most(1e-10),
            why="its Fourier coefficients vanish on sets of more bits than its degree; double precision",
            value=lambda e: e["powers"].max("below"),
            wrong=lambda e: e["powers"].max("at"),
        ),
    )
    chosen = {"weights": "width 10, all parameters from N(0, 1/4) on 6 bits: the identities hold everywhere"}
    shows = (
        "Correlation with the parity of k bits jumps from rounding error to order one where the degree of σ reaches k."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        degrees, k = scale((1, 2, 3), (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)), scale((2, 3), (2, 3, 4), (2, 3, 4))
        return {
            "counts": Calculation(parameter_counts, n=50),
            "powers": Calculation(correlations, n=6, degrees=degrees, k=k, networks=scale(3, 50, 200), seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        part = e["powers"]
        d, k, size = part.array("degree"), part.array("k"), np.maximum(part.array("size"), 1e-19)
        for b, m in enumerate(k):
            low, middle, high = np.quantile(size[:, b], (0.1, 0.5, 0.9), axis=1)
            place = d + 0.1 * (b - (len(k) - 1) / 2)
            ax.errorbar(place, middle, (middle - low, high - middle), fmt="o", ms=4, label=f"parity of k = {m} bits")
            ax.axvline(m - 0.5, ls=":", lw=1, color=f"C{b}")
        ax.axhspan(1e-19, 1e-10, color="0.95", zorder=0)
        ax.text(d[-1] + 0.4, 2e-11, "rounding errors", ha="right", va="top", fontsize=8, color="0.4")
        ax.set(
            xlabel="degree $d$ of the activation $z^d$",
            ylabel="|E[y f]|, random networks",
            yscale="log",
            ylim=(1e-19, 1e4),
        )
        ax.legend(title=f"median, 10 % to 90 % of {size.shape[2]}", loc="lower right")
        return figure
