"""Theorem 5.2, the informal version of 5.5: width 2^Θ(k), batch n^O(k), 2^O(k) poly(1/ε) steps. Read off the full version."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.theorem_5_5 import thm55

EPS, KS = 0.1, (2, 4, 6)
DIMENSIONS = tuple(10**d + 1 for d in range(3, 9))


def sizes(
    k: tuple[int, ...], n: tuple[int, ...], version: Literal["printed", "corrected"]
) -> dict[str, NDArray[np.float64]]:
    """r, B and T of the full theorem, shape (k, n) each."""
    table = [[thm55(m, d, EPS, version) for m in n] for d in k]
    return {name: np.array([[getattr(s, name) for s in row] for row in table], np.float64) for name in ("r", "B", "T")}


def growth(name: str, per_k: bool = False) -> Callable[[Evidence], Estimate]:
    """Largest exponent of n over k (or the largest exponent divided by k)."""

    def value(e: Evidence) -> Estimate:
        slopes = [np.polyfit(np.log(DIMENSIONS), np.log(row), 1)[0] for row in e["corrected"].array(name)]
        return exact(
            float(max(s / (k if per_k else 1) for s, k in zip(slopes, KS, strict=True))), f"exponent of {name}"
        )

    return value


class InformalTheorem(Experiment):
    """The informal theorem 5.2 agrees with the full one, except that the number of steps grows with n."""

    id = "thm-5.2-informal"
    place = Place(PAPER, "theorem 5.2")
    claims = (
        Claim("thm-5.2-informal", "the number of steps does not depend on n: 2^O(k) poly(1/ε)", of="printed",
              expect=near(0.0, 0.1), why="as it is stated; the exponent of n in T is judged", value=growth("T"),
              wrong=growth("T")),
        Claim("thm-5.2-informal", "the number of steps grows like n²", of="corrected", expect=near(2.0, 0.1),
              why="T of the full version in the appendix, which the proof gives", value=growth("T"), wrong=growth("r")),
        Claim("thm-5.2-informal", "the batch is n^O(k): its exponent is at most 1.5 k", expect=at_most(1.5),
              why="n C(n,k-1) log² n is n^k up to logarithms, which add less than half a power here",
              value=growth("B", per_k=True), wrong=growth("T", per_k=False)),
        Claim("thm-5.2-informal", "the width does not depend on n: 2^Θ(k)", expect=near(0.0, 1e-9),
              why="k 2^k log(8k/ε)", value=growth("r"), wrong=growth("T")),
    )  # fmt: skip
    given = {"statement": "width 2^Θ(k), batch n^O(k), 2^O(k) poly(1/ε) iterations"}
    chosen = {
        "ε, n": "0.1; 10³ to 10⁸, where logarithms are tame",
        "version": "corrected constants, which change no exponent",
    }
    remarks = "Steps: the informal statement drops the factor n² (in the main text n) of the full theorem (erratum E1)."
    shows = "Width is flat, steps grow with slope 2 for every k, the batch with slope k."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {v: Calculation(sizes, k=KS, n=DIMENSIONS, version=v) for v in ("printed", "corrected")}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, 3, height=2.6)
        for ax, name, title in zip(grid[0], ("r", "B", "T"), ("width r", "batch B", "steps T"), strict=True):
            for i, k in enumerate(KS):
                for version, style in (("corrected", "-"), ("printed", ":")):
                    label = f"k = {k}, corrected" if version == "corrected" else None
                    ax.plot(DIMENSIONS, e[version].array(name)[i], style, color=f"C{i}", label=label)
            ax.plot([], [], ":", color="0.4", label="printed constants")
            ax.set(xlabel="n", title=title, xscale="log", yscale="log")
        grid[0, 1].legend(fontsize=7, loc="upper left")
        return figure
