"""The even/odd pattern: the diagonal of W pushes every even offset more than its two neighbours.

d_j = Σ_m T̄_mmj,   t = 100:   5.216, 6.266, 4.386, 5.055, 4.237, 4.558, 4.086, 4.247, ...    d_2 / d_1 = 1.2014
"""

import numpy as np

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.induction import gradient_tensor
from elegans.theory.markov import Floats, flat_mean, two_state
from elegans.theory.population_tensor import diagonal_part, flat_law, flat_tensor, law_mean, push
from elegans.theory.second_step import diagonal_gradient, leading_summands, printed_diagonal_gradient

ROW, T = "even-odd-gradient", 100
QUOTED = (5.21595, 6.26641, 4.38625, 5.05512, 4.23696, 4.55765, 4.08637, 4.24660)  # specification 4.5
MAXIMA = (2, 4, 6, 8, 10, 12, 14)


def gradients(t: int) -> dict[str, np.ndarray]:
    """d_j by the tensor, by matrix powers on other nodes, by (E.38) corrected and as printed; g_j and the leading order."""
    a, b, _ = law = flat_law()
    _, _, g, d = push(flat_tensor(t))
    first, second = leading_summands(law, t)
    return {
        "d": d, "g": g, "powers": diagonal_part(flat_mean(lambda a, b: gradient_tensor(two_state(a, b), t), 50)),
        "corrected": law_mean(diagonal_gradient(a, b, t), law), "printed": law_mean(printed_diagonal_gradient(a, b, t), law),
        "leading": (first + second) * np.arange(t, 0, -1) * np.arange(t + 1, 1, -1) / (2 * t),
    }  # fmt: skip


def peaks(x: Floats) -> set[int]:
    """Offsets j, counted from 1, where x is larger than on both sides."""
    return {int(j) + 2 for j in np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:]))}


def misplaced(e: Evidence, name: str) -> Estimate:
    """How many local maxima are missing or too many."""
    return exact(len(peaks(e.array(name)) ^ set(MAXIMA)), "maxima")


def distance(e: Evidence, name: str) -> Estimate:
    """Largest |x_j - d_j| / d_1."""
    return exact(float(np.abs(e.array(name) - e.array("d")).max() / e.array("d")[0]), "error")


def from_quoted(e: Evidence, name: str) -> Estimate:
    """Largest relative distance from the quoted values."""
    return exact(float(np.abs(e.array(name)[: len(QUOTED)] / QUOTED - 1).max()), "relative error")


class EvenOdd(Experiment):
    """The gradient through the diagonal alternates: even offsets gain more."""

    id = ROW
    place = Place(PAPER, "text after lemma 8.4, and figure E.2")
    claims = (
        Claim(ROW, "at t = 100, d_j has its local maxima at j = 2, 4, …, 14 and nowhere else", expect=near(0, 0),
              why="specification 4.5; λ^{j-1} has a mean of alternating size. The gradient g_j of a uniform W has none",
              value=lambda e: misplaced(e, "d"), wrong=lambda e: misplaced(e, "g")),
        Claim(ROW, "d_1 to d_8 as quoted", of="corrected", expect=at_most(1e-5), why="quoted to six digits",
              value=lambda e: from_quoted(e, "d"), wrong=lambda e: from_quoted(e, "printed")),
        Claim(ROW, "(E.38), corrected and averaged, is d_j", of="corrected", expect=at_most(1e-8),
              why="quadrature to ten digits; largest difference over d_1",
              value=lambda e: distance(e, "corrected"), wrong=lambda e: distance(e, "printed")),
        Claim(ROW, "matrix powers on other nodes give the same d_j", of="derived", expect=at_most(1e-8),
              why="quadrature to ten digits; largest difference over d_1. The leading order is no substitute",
              value=lambda e: distance(e, "powers"), wrong=lambda e: distance(e, "leading")),
        Claim(ROW, "d_2 / d_1 = 1.2014", of="derived", expect=near(1.2014, 5e-5), why="quoted to five digits",
              value=lambda e: exact(float(e.array("d")[1] / e.array("d")[0]), "ratio"),
              wrong=lambda e: exact(float(e.array("leading")[1] / e.array("leading")[0]), "ratio of leading orders")),
    )  # fmt: skip
    given = {"t": "100"}
    remarks = (
        "The advantage of even offsets fades like E λ^{j}; beyond j = 14 the decay with N = t - j + 1 outweighs it."
    )
    shows = "Through the diagonal, offsets gain alternately; through a uniform W they gain less and less."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(gradients, t=T)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.9)
        j = np.arange(1, 25)
        ax.plot(j, e.array("d")[:24], color="0.7", lw=1)
        for start, label in ((1, "even j"), (0, "odd j")):
            ax.plot(j[start::2], e.array("d")[start:24:2], "o", ms=4.5, color=f"C{1 - start}", label=f"$d_j$, {label}")
        ax.plot(j, e.array("g")[:24], color="C2", label="$g_j$, uniform W")
        ax.set(xlabel="offset j", ylabel="push on $v_j$ (per unit of W)", ylim=(0, None))
        ax.legend(loc="lower left")
        return figure
