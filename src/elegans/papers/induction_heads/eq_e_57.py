"""Equation (E.57): an integral of a polynomial, and the mean that it stands for.

    ∫_{½-ε}^{½+ε} (a-½)(2a-1)^{j-1} da = 2^j ε^{j+1}/(j+1) for even j, 0 for odd j;     mean: (2ε)^j / (2(j+1))

Everything is rational for a rational ε, so that the equations hold exactly or not at all.
"""

from fractions import Fraction
from math import comb

import numpy as np

from elegans.claims.claim import Claim, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact

ROW = "eq-e.57-integral"
HALF = Fraction(1, 2)
ONCE = "rational arithmetic; number of pairs (ε, j) in which both sides differ"


def integral(eps: Fraction, j: int) -> Fraction:
    """The left side by powers of a: (2a-1)^{j-1} expanded, times a - ½, integrated term by term."""
    coefficients = [comb(j - 1, n) * Fraction(2) ** n * (-1) ** (j - 1 - n) for n in range(j)]
    total = Fraction(0)
    for n, x in enumerate(coefficients):
        for power, y in ((n + 1, Fraction(1)), (n, -HALF)):
            total += x * y * ((HALF + eps) ** (power + 1) - (HALF - eps) ** (power + 1)) / (power + 1)
    return total


def by_parts(eps: Fraction, j: int) -> Fraction:
    """The last line of (E.57)."""
    up, down = 2 * eps, -2 * eps
    return eps * (up**j + down**j) / (2 * j) - (up ** (j + 1) - down ** (j + 1)) / (4 * j * (j + 1))


def even_form(eps: Fraction, j: int) -> Fraction:
    """4^m ε^{2m+1}/(2m+1) for j = 2m, else 0."""
    return Fraction(2) ** j * eps ** (j + 1) / (j + 1) if j % 2 == 0 else Fraction(0)


def differences(eps: tuple[str, ...], largest_j: int) -> dict[str, np.ndarray]:
    """How often two forms differ, and the integrals at the first ε as numbers (j,)."""
    pairs = [(Fraction(x), j) for x in eps for j in range(1, largest_j + 1)]
    value = {pair: integral(*pair) for pair in pairs}
    return {
        "by_parts": np.array(sum(by_parts(*pair) != value[pair] for pair in pairs)),
        "plus": np.array(sum(by_parts(x, j) + 2 * x ** (j + 1) / (j + 1) != value[x, j] for x, j in pairs)),
        "even": np.array(sum(even_form(*pair) != value[pair] for pair in pairs)),
        "odd": np.array(sum(even_form(x, j + 1) != value[x, j] for x, j in pairs)),
        "mean_printed": np.array(sum(even_form(x, j) != value[x, j] / (2 * x) for x, j in pairs if j % 2 == 0)),
        "mean": np.array(sum((2 * x) ** j / (2 * (j + 1)) != value[x, j] / (2 * x) for x, j in pairs if j % 2 == 0)),
        "value": np.array([[float(value[Fraction(x), j] / (2 * Fraction(x))) for j in range(1, 11)] for x in eps]),
    }


def count(e: Evidence, name: str) -> Estimate:
    """Number of differences."""
    return exact(int(e.array(name)), "differences")


class IntegralOverHardChains(Experiment):
    """Only even offsets survive the average over chains near one half."""

    id = ROW
    place = Place(PAPER, "equation (E.57)")
    claims = (
        Claim(ROW, "integration by parts, the last line of (E.57)", expect=near(0, 0), why=ONCE,
              value=lambda e: count(e, "by_parts"), wrong=lambda e: count(e, "plus")),
        Claim(ROW, "the integral is 4^m ε^{2m+1}/(2m+1) for j = 2m and 0 for odd j", expect=near(0, 0), why=ONCE,
              value=lambda e: count(e, "even"), wrong=lambda e: count(e, "odd")),
        Claim(ROW, "it is the mean over a ~ U(½-ε, ½+ε)", expect=near(0, 0), why=ONCE, value=lambda e: count(e, "mean_printed")),
        Claim(ROW, "the mean is (2ε)^j/(2(j+1)) for even j", of="corrected", expect=near(0, 0), why=ONCE,
              value=lambda e: count(e, "mean"), wrong=lambda e: count(e, "mean_printed")),
    )  # fmt: skip
    chosen = {"ε, j": "1/20, 1/10, 1/5, 1/3, 3/7; j up to 24"}
    remarks = (
        "The identity is right. The first equals sign of (E.57) is not: the mean has the density 1/(2ε) (erratum 16). So "
        "W² and v² of proposition E.3 are of the order ε², and their product is of the order ε⁴ as stated."
    )
    shows = "Even offsets have positive means that fall like (2ε)^j, odd offsets have none."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(differences, eps=("1/20", "1/10", "1/5", "1/3", "3/7"), largest_j=24)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.9)
        j = np.arange(1, 11)
        for i, (eps, row) in enumerate(zip(("1/20", "1/10", "1/5", "1/3", "3/7"), e.array("value"), strict=True)):
            ax.semilogy(j[1::2], row[1::2], "o-", ms=4, color=f"C{i}", label=f"ε = {eps}")
        ax.plot(j[::2], np.full(5, 2e-12), "kx", ms=5, label="odd j: 0")
        ax.set(xlabel="offset j", ylabel="mean of (a-½)(2a-1)$^{j-1}$", ylim=(1e-12, 1), xticks=j)
        ax.legend(ncols=2, fontsize=7, loc=(0.02, 0.1))
        return figure
