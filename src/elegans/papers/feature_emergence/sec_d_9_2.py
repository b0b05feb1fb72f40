"""Appendix D.9.2: groups beyond condition (H). Which sets of irreps and classes carry a maximum margin?

All pairs (κ_R, κ_C) of equally large sets are tried; those whose two linear systems have non-negative solutions, and that nothing
outside beats, are kept. The linear programme finds the same γ* without a search, so the search is a check of both.
"""

import numpy as np

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.margin_optima import exact_margin
from elegans.theory.margins import best_neurons, gamma_formula
from elegans.theory.subset_systems import Subset, pairs, search
from elegans.theory.symmetric_characters import symmetric_table


def subsets(n: int) -> dict[str, np.ndarray]:
    """All passing pairs of S_n, their margins over that of the linear programme, and who ties outside them."""
    table = symmetric_table(n)
    gamma, found = exact_margin(table).gamma, search(table)
    printed = search(table, with_sizes=False)
    member = np.zeros((len(found), len(table.values)), dtype=np.int64)
    for row, s in zip(member, found, strict=True):
        row[list(s.irreps)] = 1
    return {
        "pairs": np.array(pairs(table)), "passing": np.array(len(found)), "passing_printed": np.array(len(printed)),
        "value": np.array([abs(s.gamma / gamma - 1) for s in found]),
        "formula": np.array([abs(gamma_formula(table) / gamma - 1)]),
        "value_printed": np.array([abs(s.gamma / gamma - 1) for s in printed] or [np.inf]),
        "everything": np.array(sum(len(s.irreps) == len(table.values) - 1 for s in found)),
        "ties": np.array([_ties(s, table.sizes, best_neurons(table, _tau(s, len(table.sizes))), gamma) for s in found]),
        "member": member, "best": best_neurons(table, exact_margin(table).tau) / gamma, "dimensions": table.dimensions,
    }  # fmt: skip


def _tau(s: Subset, classes: int) -> np.ndarray:
    tau = np.zeros(classes)
    tau[list(s.classes)] = s.tau
    return tau


def _ties(s: Subset, sizes: np.ndarray, values: np.ndarray, gamma: float) -> int:
    """Irreps outside κ_R that are as good as those inside."""
    outside = [i for i in range(1, len(values)) if i not in s.irreps]
    return int(np.sum(values[outside] > gamma * (1 - 1e-9)))


def count(e: Evidence, name: str, part: str = "s6") -> Estimate:
    """A count."""
    return exact(float(e[part].array(name)), name)


def small_groups(e: Evidence, name: str, part: tuple[str, ...] = ("s3", "s4", "s5")) -> Estimate:
    """How many of S3, S4, S5 lack what is counted."""
    return exact(float(sum(int(e[p].array(name)) == 0 for p in part)), f"groups without: {name}")


class SubsetsOfIrreps(Experiment):
    """General groups: subsets of representations that carry a maximum margin."""

    id = "sec-d.9.2"
    place = Place(PAPER, "appendix D.9.2")
    claims = (
        Claim("sec-d.9.2", "every pair that passes on S3 to S6 has the margin of the linear programme", of="corrected",
              expect=at_most(1e-8), why="conditions (1) to (3) are the optimality conditions of the programme; relative error",
              value=lambda e: max((e[p].max("value") for p in ("s3", "s4", "s5", "s6")), key=lambda x: x.value),
              wrong=lambda e: e["s6"].max("formula")),
        Claim("sec-d.9.2", "with the normalisation Σ τ_C = 1, passing pairs of S6 have the margin γ*", of="printed",
              expect=at_most(1e-8), why="as above; the printed sum has no class sizes",
              value=lambda e: e["s6"].max("value_printed")),
        Claim("sec-d.9.2", "on S6 exactly 20 of 184755 pairs pass", of="derived", expect=near(20, 0),
              why="R and R ⊗ sign agree on even classes, so solutions come in families; counted in the specification",
              value=lambda e: count(e, "passing"), wrong=lambda e: count(e, "passing_printed")),
        Claim("sec-d.9.2", "irreps outside κ_R are strictly worse, on S6 too", of="printed", expect=at_most(0),
              why="'no other representation maximises': ties are counted", value=lambda e: e["s6"].max("ties")),
        Claim("sec-d.9.2", "on S3, S4 and S5, where (H) holds, the set of all irreps passes", of="derived", expect=at_most(0),
              why="it solves both systems by lemma D.14 and column orthogonality; on S6 it does not pass",
              value=lambda e: small_groups(e, "everything"), wrong=lambda e: small_groups(e, "everything", ("s6",))),
    )  # fmt: skip
    chosen = {"groups": "S3 to S6; S6 is the first symmetric group where condition (H) fails"}
    remarks = (
        "The printed normalisation Σ τ_C = 1 should weigh classes by size, and 'no other representation maximises' needs strict "
        "inequalities, which S6 does not have: six irreps tie (erratum E14). There are many "
        "solutions because R and R ⊗ sign agree on even classes."
    )
    shows = (
        "Each column is one of the 20 solutions on S6: it uses some of six tying irreps, never one of the four others."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {f"s{n}": Calculation(subsets, n=n) for n in (3, 4, 5, 6)}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (row,) = panels(1, 2, height=3.0, sharey=True)
        left, right = row
        part = e["s6"]
        member, best = part.array("member")[:, 1:], part.array("best")[1:]
        order = np.argsort(-best, kind="stable")
        left.imshow(member[:, order].T, cmap="Blues", vmax=1.5, aspect="auto")
        left.grid(False)
        left.set_xticks(())
        right.set_axisbelow(True)
        left.set_yticks(range(len(order)), [f"{d:.0f}" for d in part.array("dimensions")[1:][order]])
        left.set(xlabel="20 solutions, one a column", ylabel="irreps of S6, by dimension", title="irreps used")
        right.barh(range(len(order)), best[order], color="C1")
        right.set(xlabel="best neuron / γ*", title="in the programme")
        return figure
