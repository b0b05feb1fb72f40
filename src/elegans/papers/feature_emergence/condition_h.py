"""Condition (H): Σ_{R≠1} d_R^{3/2} χ_R(C) < 0 on every class C ≠ {e}. Nothing is trained.

S_n by the rule of Murnaghan and Nakayama. On D_n the sum is -1 on reflections (n odd), and 1 - 2√2 on rotations; for even n it is
-1 or 3 - 4√2 on rotations and -1 on reflections. On Z_2^k it is -1 everywhere.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.at_hand import table
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.margins import condition_h
from elegans.theory.symmetric_characters import symmetric_table

HOLDS_UNTIL = 5


def symmetric_groups(n: tuple[int, ...]) -> dict[str, np.ndarray]:
    """For each S_n the largest value of the sum over classes, and on which share of them it is positive."""
    found = [condition_h(symmetric_table(m)) for m in n]
    return {
        "n": np.array(n), "largest": np.array([x.max() for x in found]),
        "share_positive": np.array([np.mean(x > 0) for x in found]),
    }  # fmt: skip


def other_groups(n: tuple[int, ...], k: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Distance of the values from the closed forms for D_n and Z_2^k, and with the closed form of odd n for all."""
    dihedral = [condition_h(table(f"D{m}")) for m in n]
    elementary = [condition_h(table(f"Z2^{m}")) for m in k]
    closed = [_closed(m) for m in n]
    return {
        "n": np.array(n), "largest": np.array([x.max() for x in dihedral]),
        "dihedral": np.array([_distance(x, c) for x, c in zip(dihedral, closed, strict=True)]),
        "dihedral_as_odd": np.array([_distance(x, _closed(3)) for x in dihedral]),
        "elementary": np.array([np.abs(x + 1).max() for x in elementary]),
        "elementary_sum": np.array([np.abs(x + 1 - 2.0**-m).max() for x, m in zip(elementary, k, strict=True)]),
    }  # fmt: skip


def _closed(n: int) -> np.ndarray:
    return np.array([-1, 1 - 2 * np.sqrt(2)] if n % 2 else [-1, 3 - 4 * np.sqrt(2)])


def _distance(values: np.ndarray, closed: np.ndarray) -> float:
    return float(np.abs(values[:, None] - closed).min(axis=1).max())


def largest(e: Evidence, low: int, high: int) -> Estimate:
    """The largest value over S_n with low ≤ n ≤ high."""
    part = e["symmetric"]
    chosen = (part.array("n") >= low) & (part.array("n") <= high)
    return exact(float(part.array("largest")[chosen].max()), f"largest value, S{low} to S{high}")


def smallest(e: Evidence, low: int, high: int) -> Estimate:
    """The smallest of the largest values of S_n with low ≤ n ≤ high."""
    part = e["symmetric"]
    chosen = (part.array("n") >= low) & (part.array("n") <= high)
    return exact(float(part.array("largest")[chosen].min()), f"smallest of the largest values, S{low} to S{high}")


class ConditionH(Experiment):
    """For which groups theorem 7.9 applies."""

    id = "condition-h"
    place = Place(PAPER, "theorem 7.9, condition on representations")
    claims = (
        Claim("condition-h", "(H) holds for S2 to S5", expect=at_most(-1e-9), why="strictly negative on every class, beyond "
              "rounding", value=lambda e: largest(e, 2, HOLDS_UNTIL), wrong=lambda e: largest(e, 2, HOLDS_UNTIL + 1)),
        Claim("condition-h", "(H) fails for each of S6 to S11", expect=at_least(1e-9),
              why="'up until k = 5': positive on some class", value=lambda e: smallest(e, HOLDS_UNTIL + 1, 11),
              wrong=lambda e: smallest(e, HOLDS_UNTIL, 11)),
        Claim("condition-h", "(H) holds for dihedral groups: the sum is -1, 1 - 2√2 (n odd) or 3 - 4√2 (n even)", of="derived",
              expect=at_most(1e-10), why="sums of cosines in closed form; D3 to D40",
              value=lambda e: e["others"].max("dihedral"), wrong=lambda e: e["others"].max("dihedral_as_odd")),
        Claim("condition-h", "(H) holds for Z2^k: the sum is always -1", of="derived", expect=at_most(1e-10),
              why="all dimensions are 1, so it is a column of the character table less 1; k = 2..5",
              value=lambda e: e["others"].max("elementary"), wrong=lambda e: e["others"].max("elementary_sum")),
    )  # fmt: skip
    given = {"symmetric groups": "(H) was found to hold up until k = 5"}
    chosen = {"S_n": "up to n = 11, 56 classes (spec)", "D_n": "3 to 40"}
    shows = "Below zero theorem 7.9 applies: S2 to S5. From S6 on some class is positive, ever more so."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "symmetric": Calculation(symmetric_groups, n=tuple(range(2, 12))),
            "others": Calculation(other_groups, n=tuple(range(3, scale(21, 41, 41))), k=(2, 3, 4, 5)),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.9)
        n, values = e["symmetric"].array("n"), e["symmetric"].array("largest")
        ax.bar(n, values, color=["C0" if x < 0 else "C1" for x in values])
        ax.axhline(0, color="0.3", lw=1)
        ax.set_yscale("symlog", linthresh=1)
        ax.set_xticks(n)
        ax.set_ylim(-3, 3e6)
        for x, y in zip(n[:4], values[:4], strict=True):
            ax.text(x, 0.2, f"{y:.3g}", ha="center")
        ax.set_axisbelow(True)
        ax.set(xlabel="n of S_n", ylabel="largest Σ d^{3/2} χ(C) over C ≠ {e}")
        return figure
