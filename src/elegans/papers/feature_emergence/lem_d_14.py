"""Lemma D.14: weights τ on wrong answers, from characters, that make all irreps equally good.

    τ_C = - Σ_{R≠1} d_R^{3/2} χ_R(C) / Σ_{R≠1} d_R^{5/2},       Σ_{C≠e} |C| τ_C = 1,       τ > 0 under condition (H)

Then d_R^{-1/2} [1 - Σ_C |C| τ_C χ_R(C)/d_R] = |G| / Σ d^{5/2} for every R ≠ 1. Equal weights prefer the sign.
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
from elegans.theory.character_tables import CharacterTable
from elegans.theory.margins import brackets, tau_of_formula, tau_uniform

NAMES = ("S3", "S4", "S5", "D4", "D5", "D6", "Z2^3")
SYMMETRIC = ("S3", "S4", "S5")
TAU = {"S3": {3: 0.15022, 2: 0.27467}, "S4": {6: 0.026431, 8: 0.048328, 3: 0.098733}}  # spec 4.8, by class size
UNIFORM = {  # spec 4.8: d^{-1/2}[...] for uniform τ, by dimension; the 1-dimensional one is the sign
    "S3": {1: 1.2, 2: 0.8485}, "S4": {1: 1.0435, 2: 0.7379, 3: 0.6025}, "S5": {1: 1.0084, 4: 0.5042, 5: 0.4510, 6: 0.4117},
}  # fmt: skip


def values(T: CharacterTable, tau: np.ndarray) -> np.ndarray:
    """d_R^{-1/2} [1 - Σ_C |C| τ_C χ_R(C)/d_R] for R ≠ 1."""
    return (brackets(T, tau) / np.sqrt(T.dimensions))[1:]


def weights(names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """For each group the errors of the lemma as corrected and as printed."""
    rows = [_row(table(name)) for name in names]
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def _row(T: CharacterTable) -> dict[str, float]:
    tau, total = tau_of_formula(T), float(np.sum(T.dimensions[1:] ** 2.5))
    found, uniform = values(T, tau), values(T, tau_uniform(T))
    signs = [i for i in range(len(found)) if T.dimensions[i + 1] == 1]
    return {
        "equal": float(np.abs(found * total / T.order - 1).max()),
        "equal_uniform": float(np.abs(uniform * total / T.order - 1).max()),
        "smallest": float(tau[1:].min()), "smallest_printed": float(-tau[1:].max()),
        "sum": abs(float(T.sizes @ tau) - 1), "sum_without_sizes": abs(float(tau.sum()) - 1),
        "sign_wins": float(min(uniform[signs]) - max(np.delete(uniform, signs), default=0)),
        "sign_wins_with_tau": float(min(found[signs]) - max(np.delete(found, signs), default=0)) - 1e-9,
    }  # fmt: skip


def quoted() -> dict[str, np.ndarray]:
    """Relative distances from quoted numbers, and the bars of the figure."""
    by_size = [
        abs(float(tau_of_formula(table(g))[1 + list(table(g).sizes[1:]).index(size)]) / x - 1)
        for g, sizes in TAU.items()
        for size, x in sizes.items()
    ]
    by_dimension = [
        abs(float(values(table(g), tau_uniform(table(g)))[list(table(g).dimensions[1:]).index(d)]) / x - 1)
        for g, dims in UNIFORM.items()
        for d, x in dims.items()
    ]
    return {
        "tau": np.array(by_size), "uniform": np.array(by_dimension), "dimensions": table("S5").dimensions[1:],
        "with_tau": values(table("S5"), tau_of_formula(table("S5"))),
        "with_uniform": values(table("S5"), tau_uniform(table("S5"))),
    }  # fmt: skip


def smallest(e: Evidence, name: str, groups: slice = slice(None)) -> Estimate:
    """The smallest entry of an array over the groups."""
    return exact(float(e["weights"].array(name)[groups].min()), f"min {name}")


class WeightsFromCharacters(Experiment):
    """Weights on wrong answers that make all representations equally good."""

    id = "lem-d.14"
    place = Place(PAPER, "lemma D.14")
    claims = (
        Claim("lem-d.14", "τ_C = +Σ z_R χ_R(C) is a weighting: no τ_C is negative", of="printed", expect=at_least(0.0),
              why="τ must be a distribution on wrong answers", value=lambda e: smallest(e, "smallest_printed")),
        Claim("lem-d.14", "τ_C = -Σ z_R χ_R(C) is positive on every class", of="corrected", expect=at_least(1e-12),
              why="condition (H) says so for these groups; with the printed sign all are negative",
              value=lambda e: smallest(e, "smallest"), wrong=lambda e: smallest(e, "smallest_printed")),
        Claim("lem-d.14", "Σ |C| τ_C = 1", of="corrected", expect=at_most(1e-12),
              why="first against second orthogonality; the printed sum lacks the class sizes (erratum E13)",
              value=lambda e: e["weights"].max("sum"), wrong=lambda e: e["weights"].max("sum_without_sizes")),
        Claim("lem-d.14", "all irreps are equally good, d^{-1/2}[…] = |G|/Σ d^{5/2}", expect=at_most(1e-12),
              why="orthogonality of rows, relative error; equal weights on wrong answers do not balance them",
              value=lambda e: e["weights"].max("equal"), wrong=lambda e: e["weights"].max("equal_uniform")),
        Claim("lem-d.14", "with equal weights on all wrong answers the sign of S3, S4, S5 beats every other irrep", of="printed",
              expect=at_least(0.0), why="d^{-1/2} (1 + 1/(|G|-1)) falls with d; difference to the next best",
              value=lambda e: smallest(e, "sign_wins", slice(3)), wrong=lambda e: smallest(e, "sign_wins_with_tau", slice(3))),
        Claim("lem-d.14", "the numbers quoted for S3, S4 and S5", of="derived", expect=at_most(1e-4),
              why="quoted to four or five digits; relative error", value=lambda e: max(
                  e["quoted"].max("tau"), e["quoted"].max("uniform"), key=lambda x: x.value),
              wrong=lambda e: e["weights"].max("equal_uniform")),
    )  # fmt: skip
    given = {"uniform τ": "the remark that it selects the sign, which cannot classify alone"}
    chosen = {"groups": "those of theorem 7.9 with condition (H): S3, S4, S5, dihedral ones, Z2^3"}
    remarks = (
        "The printed τ_C = Σ z_R χ_R(C) is negative on every class; the minus sign was lost. Erratum E13 also has class sizes in "
        "the normalisation and z_sign as a reciprocal."
    )
    shows = (
        "On S5, equal weights make the sign twice as good as the rest; the weights of the lemma make all irreps equal."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {"weights": Calculation(weights, names=NAMES), "quoted": Calculation(quoted)}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.9)
        part = e["quoted"]
        place = np.arange(len(part.array("dimensions")))
        ax.bar(place - 0.2, part.array("with_uniform"), 0.4, label="equal weights")
        ax.bar(place + 0.2, part.array("with_tau"), 0.4, label="weights of lemma D.14")
        ax.set_axisbelow(True)
        ax.set_xticks(place, [f"{d:.0f}" for d in part.array("dimensions")])
        ax.set(xlabel="irreps of S5 by dimension (last: the sign)", ylabel="best neuron, × (3|G|)^{3/2}/2")
        ax.legend(loc="upper center")
        return figure
