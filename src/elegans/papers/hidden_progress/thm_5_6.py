"""Theorem 5.6 for the hinge loss: with fixed features and small weights some parity stays unlearned.

min_{‖w‖≤R} E ℓ(w·Ψ, χ_S) ≥ 1 - R ‖E[χ_S Ψ]‖        Σ_{|S|=k} ‖E[χ_S Ψ]‖² ≤ 1
"""

import numpy as np
from numpy.typing import NDArray

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory import kernels

N, K, EPS = 8, 3, 0.5
RADII = (1.0, 4.0, 20.0)


def features(kind: str, seed: int) -> NDArray[np.float64]:
    """30 features on {±1}^8 with ‖Ψ‖ up to 1: 30 random ReLU neurons, or the tangent kernel of a network of width 3."""
    rng, r = np.random.default_rng((9, seed)), 30 if kind == "relu" else 3
    W, b, u = rng.standard_normal((r, N)), rng.standard_normal(r), rng.standard_normal(r)
    raw = kernels.relu_features(W, b) if kind == "relu" else kernels.tangent_features(W, b, u)
    return raw


def fits(kind: str, seeds: int, steps: int) -> dict[str, NDArray[np.float64]]:
    """‖E[χ_S Ψ]‖ for all S, shape (seed, S), the same for twice the raw features, and the least hinge losses found."""
    labels, raw = kernels.parities(N, K), [features(kind, seed) for seed in range(seeds)]
    psi = [kernels.normalised(f) for f in raw]
    return {
        "alignment": np.stack([kernels.alignments(f, K) for f in psi]),
        "raw": np.stack([kernels.alignments(2 * f, K) for f in raw]),
        "least": np.stack([[kernels.least_hinge(f, labels, R, steps) for R in RADII] for f in psi]),
    }


def both(e: Evidence, name: str) -> NDArray[np.float64]:
    """An array of both kinds of features, one below the other."""
    return np.concatenate([e[kind].array(name) for kind in ("relu", "tangent")])


def parseval(e: Evidence, name: str) -> Estimate:
    return exact(float((both(e, name) ** 2).sum(1).max()), "Σ ‖E[χ_S Ψ]‖²")


def below(e: Evidence, power: float) -> Estimate:
    """Largest amount by which a loss lies below 1 - R ‖E[χ_S Ψ]‖^power."""
    bound = 1 - np.array(RADII)[:, None] * both(e, "alignment")[:, None] ** power
    return exact(float((bound - both(e, "least")).max()), "below the bound by")


def hardest(e: Evidence, R: float) -> Estimate:
    """Smallest over features of the loss of the hardest parity at radius R, by its lower bound."""
    return exact(float((1 - R * both(e, "alignment").min(1)).min()), "loss of the hardest parity")


class NarrowKernels(Experiment):
    """Thirty fixed features with small weights leave some parity of 3 bits almost at loss 1."""

    id = "thm-5.6"
    place = Place(PAPER, "theorem 5.6")
    claims = (
        Claim("thm-5.6", "Σ_{|S|=k} ‖E[χ_S Ψ]‖² ≤ 1 for features of norm at most 1", of="derived",
              expect=at_most(1.0), why="Parseval's identity, coordinate by coordinate", value=lambda e: parseval(e, "alignment"),
              wrong=lambda e: parseval(e, "raw")),
        Claim("thm-5.6", "no w with ‖w‖ ≤ R has a hinge loss below 1 - R ‖E[χ_S Ψ]‖ (all 56 sets, R = 1, 4, 20)",
              of="derived", expect=at_most(1e-9), why="(1 - z)_+ ≥ 1 - z; losses by projected subgradient descent",
              value=lambda e: below(e, 1.0), wrong=lambda e: below(e, 2.0)),
        Claim("thm-5.6", "for R = 1 the bound is attained", of="derived", expect=at_most(1e-9),
              why="|w·Ψ| ≤ 1 keeps the hinge loss linear",
              value=lambda e: exact(float(np.abs(1 - both(e, "alignment") - both(e, "least")[:, 0]).max())),
              wrong=lambda e: exact(float(np.abs(1 - both(e, "alignment") - both(e, "least")[:, -1]).max()))),
        Claim("thm-5.6", "R² < ε² C(n,k) leaves some parity with a loss of at least 1 - ε, whatever D is (ε = ½)", of="corrected",
              expect=at_least(1 - EPS), why="the smallest of C(n,k) alignments is at most C(n,k)^-½",
              value=lambda e: hardest(e, 0.999 * kernels.radius(EPS, 56)),
              wrong=lambda e: hardest(e, 56 * kernels.radius(EPS, 56))),
    )  # fmt: skip
    given = {"statement": "D R² < ε² C(n,k) leaves some S with a loss above 1 - ε"}
    chosen = {
        "n, k, D": "8, 3, 30 (specification): the whole cube is enumerated",
        "features": "random ReLU neurons, and the tangent kernel of a random network of width 3, divided by the largest norm",
    }
    remarks = (
        "Printed with a factor D and for any loss. For the hinge loss the factor D is not needed. For the 0-1 loss it is "
        "false if ε < ½ (erratum E14): the sign of w brings every error to ½ or less, and scaling w makes R irrelevant."
    )
    shows = "No parity's loss lies below its bound (line); for R = 1 all lie on it."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        seeds, steps = scale((1, 60), (5, 1000), (20, 10_000))
        return {kind: Calculation(fits, kind=kind, seeds=seeds, steps=steps) for kind in ("relu", "tangent")}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, len(RADII), height=2.7)
        for i, (ax, R) in enumerate(zip(grid[0], RADII, strict=True)):
            largest = 0.0
            for kind, name in (("relu", "random ReLU"), ("tangent", "tangent kernel")):
                alignment = e[kind].array("alignment")[0]
                largest = max(largest, float(alignment.max()))
                ax.plot(alignment, e[kind].array("least")[0, i], ".", ms=4, label=f"{name}, 56 sets")
            ends = np.array([0, largest])
            ax.plot(ends, 1 - R * ends, lw=1, color="0.4", label=r"$1-R\,\|E[\chi_S\Psi]\|$")
            ax.set(title=f"R = {R:g}", xlabel=r"$\|E[\chi_S\Psi]\|$")
        grid[0, 0].set_ylabel("least hinge loss")
        grid[0, -1].legend(fontsize=7)
        return figure
