"""Lemma B.1: the Fourier spectrum of majority, and how its weight falls with the degree. Nothing is trained.

ξ_k = (-1)^((k-1)/2) C((n-1)/2, (k-1)/2) / C(n-1, k-1) · 2^-(n-1) C(n-1, (n-1)/2)        k odd
"""

from math import comb

import numpy as np

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.boolean import cube, spectrum
from elegans.theory.majority import C1_SQUARED, C2_SQUARED, PRINTED_EXPONENT, majority, normalised_weight, xi

DEGREES = tuple(range(1, 32, 2))
ASYMPTOTIC = 5  # degrees from here on show the exponent


def spectra(n: tuple[int, ...], long: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Distance from the enumerated spectrum for each n, and Parseval's sum for each long n."""
    error, unsigned = zip(*(distance(m) for m in n), strict=True)
    weights = [[(comb(m, k) * xi(m, k) ** 2, xi(m, k) ** 2) for k in range(1, m + 1, 2)] for m in long]
    total = np.array([np.sum(w, axis=0) for w in weights])
    return {
        "error": np.array(error), "error_unsigned": np.array(unsigned),
        "parseval": np.abs(total[:, 0] - 1), "parseval_without_binomial": np.abs(total[:, 1] - 1),
    }  # fmt: skip


def distance(n: int) -> tuple[float, float]:
    """max_S |ξ_|S| - enumerated coefficient|, with the formula and with the formula without its sign."""
    size = np.array([j.bit_count() for j in range(2**n)])
    formula = np.array([xi(n, k) for k in range(n + 1)])[size]
    found = spectrum(majority(cube(n)))
    return float(np.abs(formula - found).max()), float(np.abs(np.abs(formula) - found).max())


def weights(k: tuple[int, ...]) -> dict[str, np.ndarray]:
    """C(n,k) ξ_k² k^a for both exponents, at n = 2k² + 1 and n = 20k² + 1."""
    cells = [(c * d**2 + 1, d) for c in (2, 20) for d in k]
    shape = (2, len(k))
    return {
        "k": np.array(k),
        "plain": np.array([normalised_weight(n, d, 0.0) for n, d in cells]).reshape(shape),
        "corrected": np.array([normalised_weight(n, d) for n, d in cells]).reshape(shape),
        "printed": np.array([normalised_weight(n, d, PRINTED_EXPONENT) for n, d in cells]).reshape(shape),
    }


def exponent(e: Evidence, power: float = 1.0) -> Estimate:
    """Slope of log C(n,k) ξ_k² against log k for k ≥ 5 and n = 20k² + 1."""
    late = e["weights"].array("k") >= ASYMPTOTIC
    k, weight = e["weights"].array("k")[late], e["weights"].array("plain")[1, late] ** power
    return exact(float(np.polyfit(np.log(k), np.log(weight), 1)[0]), "exponent")


def outside(e: Evidence, name: str) -> Estimate:
    """How far a normalised weight leaves [c1², c2²]."""
    w = e["weights"].array(name)
    return exact(float(max(w.max() - C2_SQUARED, C1_SQUARED - w.min(), 0.0)), "outside the bounds by")


class MajoritySpectrum(Experiment):
    """The spectrum of majority, and its weight at degree k."""

    id = "lemma-B.1"
    place = Place(PAPER, "lemma B.1")
    claims = (
        Claim("lemma-B.1", "the formula for ξ_k gives every coefficient of majority (odd n up to 15, all sets)",
              expect=at_most(1e-10), why="an identity; double precision", value=lambda e: e["spectra"].max("error"),
              wrong=lambda e: e["spectra"].max("error_unsigned")),
        Claim("lemma-B.1", "the squares add up to one: Σ_k C(n,k) ξ_k² = 1", of="derived",
              expect=at_most(1e-10), why="Parseval's identity for a function with values ±1",
              value=lambda e: e["spectra"].max("parseval"),
              wrong=lambda e: e["spectra"].max("parseval_without_binomial")),
        Claim("lemma-B.1", "the weight at degree k falls like k^(-2/3)", of="printed",
              expect=near(-2 / 3, 0.05), why="the exponent in print; the fit ends at k = 31", value=exponent,
              wrong=lambda e: exponent(e, 0.5)),
        Claim("lemma-B.1", "the weight at degree k falls like k^(-3/2)", of="corrected",
              expect=near(-1.5, 0.05), why="Stirling's formula; the fit ends at k = 31", value=exponent,
              wrong=lambda e: exponent(e, 0.5)),
        Claim("lemma-B.1", "(2/π)^(3/2) ≤ C(n,k) ξ_k² k^(3/2) ≤ 3/4 for odd k ≤ 31 and n ≥ 2k²", of="corrected",
              expect=at_most(1e-12), why="specification 4.4: the lower end is the limit, the upper one is n = 3, k = 1",
              value=lambda e: outside(e, "corrected"), wrong=lambda e: outside(e, "printed")),
    )  # fmt: skip
    given = {"range": "odd n ≥ 2k², weights between c1² and c2² times a power of k"}
    chosen = {"k": "odd, 1 to 31", "n": "2k² + 1 and 20k² + 1: the edge of the range, and well inside it"}
    remarks = (
        "Printed exponent: -2/3 has its digits swapped (erratum E7). By Stirling's formula C(n,k) ξ_k² tends to "
        "(2/πk)^(3/2), so with -2/3 no constant bounds it from below."
    )
    shows = (
        "With k^(3/2) the weights stay in the grey band between c1² and c2²; with the printed k^(2/3) they leave it."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        long = (5, 51, 101, 1001)
        return {
            "spectra": Calculation(spectra, n=tuple(range(1, scale(13, 17, 17), 2)), long=long[: scale(3, 4, 4)]),
            "weights": Calculation(weights, k=DEGREES),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        k = e["weights"].array("k")
        ax.axhspan(C1_SQUARED, C2_SQUARED, color="0.88", label="between c1² and c2²")
        for name, power, marker in (("corrected", "3/2", "o"), ("printed", "2/3", "s")):
            for row, n, fill in ((0, "2k^2+1", "none"), (1, "20k^2+1", None)):
                colour, note = ("C0", "") if name == "corrected" else ("C1", " (printed)")
                ax.plot(k, e["weights"].array(name)[row], marker, ms=4, color=colour, markerfacecolor=fill or colour,
                        label=f"× $k^{{{power}}}${note}, $n={n}$")  # fmt: skip
        ax.set(xlabel="degree k", ylabel="weight at degree k, times a power of k", xscale="log", yscale="log")
        ax.legend()
        return figure
