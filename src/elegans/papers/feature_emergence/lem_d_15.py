"""Lemmas D.15 and D.16: the network of maximum margin (K4), from the matrices of all non-trivial irreps.

u = s R_(i,j),  v = ±s R_(j,l),  w = ±s R_(i,l),   s = √(d/(3|G|)),   for all i, j, l and both signs
f(a, b)[c] = 2/((3|G|)^{3/2} Σ d^{5/2}) Σ_{R≠1} d_R χ_R(abc⁻¹),   which is |G| - 1 times the factor at c = ab, else -1 times
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.at_hand import group, reps, table
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.margins import gamma_star_real_type, group_norm, neuron_norms, point_margins
from elegans.theory.quadratic_constructions import representation_network
from elegans.theory.quadratic_nets import Network, logits


def construction(names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Errors of the construction as corrected and as printed, for each group."""
    rows = [_row(name) for name in names]
    return {key: np.array([row[key] for row in rows]) for key in rows[0]} | {"picture": logits(_network("S3"))[1, 2]}


def _network(name: str) -> Network:
    return representation_network(reps(name))


def _row(name: str) -> dict[str, float]:
    G, theta = group(name), _network(name)
    n, dims = G.order, table(name).dimensions[1:]
    factor, gamma = (
        2 / (3 * n) ** 1.5 / float(np.sum(dims**2.5)),
        gamma_star_real_type([rep.dimension for rep in reps(name)], n),
    )
    F = logits(theta)
    right = np.eye(n)[G.table]
    columns = dims @ table(name).values[1:]
    return {
        "width": float(len(theta["U"]) - 2 * sum(rep.dimension**3 for rep in reps(name)[1:])), "norm": abs(group_norm(theta) - 1),
        "logits": float(np.abs(F - factor * (n * right - 1)).max() / factor),
        "logits_zero": float(np.abs(F - factor * n * right).max() / factor),
        "margin": float(np.abs(point_margins(F, G.table) / gamma - 1).max()),
        "unit": _unit_norm(name, 0.5), "unit_printed": _unit_norm(name, 0.0),
        "margin_printed_index": float(np.abs(point_margins(logits(_printed_index(name)), G.table) / gamma - 1).max()),
        "columns": float(np.abs(columns[1:] + 1).max()),
        "columns_without_d": float(np.abs(table(name).values[1:, 1:].sum(axis=0) + 1).max()),
    }  # fmt: skip


def _unit_norm(name: str, power: float) -> float:
    """Largest | ‖ω‖ - 1 | of neurons with coefficient d^power / √(3|G|), before they are scaled."""
    norms = []
    for rep in reps(name)[1:]:
        entry = rep.dimension**power / np.sqrt(3 * rep.group.order) * rep.matrices[:, 0, :1].T
        norms.append(float(neuron_norms({"U": entry, "V": entry, "W": entry})[0]))
    return float(np.abs(np.array(norms) - 1).max())


def _printed_index(name: str) -> Network:
    """The network with w = ±s R_(i,j), whose third index pair is that of u."""
    theta = _network(name)
    signs = np.concatenate([np.repeat([1.0, -1.0], rep.dimension**3) for rep in reps(name)[1:]])
    return theta | {"W": signs[:, None] * theta["U"]}


def width(e: Evidence) -> Estimate:
    """Largest difference from 2 Σ d³."""
    return exact(float(np.abs(e.array("width")).max()), "width - 2 Σ d³")


class GroupConstruction(Experiment):
    """The network of maximum margin from representation matrices."""

    id = "lem-d.15-16"
    place = Place(PAPER, "lemmas D.15 and D.16")
    claims = (
        Claim("lem-d.15-16", "neurons with the printed coefficient 1/√(3|G|) have norm 1", of="printed", expect=at_most(1e-10),
              why="lemma D.15 asks for unit norm", value=lambda e: e.max("unit_printed")),
        Claim("lem-d.15-16", "neurons with coefficient √(d/(3|G|)) have norm 1", of="corrected", expect=at_most(1e-10),
              why="lemma D.10: ‖R_(i,j)‖² = |G|/d", value=lambda e: e.max("unit"), wrong=lambda e: e.max("unit_printed")),
        Claim("lem-d.15-16", "with w = R_(i,j), the printed index, the margin is γ*", of="printed", expect=at_most(1e-10),
              why="largest relative difference over all inputs", value=lambda e: e.max("margin_printed_index")),
        Claim("lem-d.15-16", "with w = R_(i,l) the margin is γ* at every input", of="corrected", expect=at_most(1e-10),
              why="an identity, largest relative difference", value=lambda e: e.max("margin"),
              wrong=lambda e: e.max("margin_printed_index")),
        Claim("lem-d.15-16", "the logits are factor × (|G| - 1) at ab and factor × (-1) elsewhere", of="corrected",
              expect=at_most(1e-9), why="columns of the character table are orthogonal; in units of the factor",
              value=lambda e: e.max("logits"), wrong=lambda e: e.max("logits_zero")),
        Claim("lem-d.15-16", "Σ_{R≠1} d_R χ_R(C) = -1 for every class C ≠ {e}", of="corrected", expect=at_most(1e-10),
              why="the same orthogonality; a stray factor in the middle of (D.16) is left out (erratum E11)",
              value=lambda e: e.max("columns"), wrong=lambda e: e.max("columns_without_d")),
        Claim("lem-d.15-16", "width 2 Σ d³", expect=at_most(0), why="a count", value=width,
              wrong=lambda e: exact(float(np.abs(e.array("width") + 2).max()), "width - 2 Σ d³, trivial irrep included")),
    )  # fmt: skip
    given = {"groups": "S3, S4, S5 in the experiments; the construction is for all irreps of real type"}
    chosen = {"further groups": "D4, D5, D6 and Z2^3, where all irreps are of real type, too"}
    remarks = (
        "Printed coefficient and index are slips (errata E9, E10): 1/√(3|G|) gives neurons of norm d^(-1/2), and w with the "
        "index pair of u misses the margin, on some groups with a wrong answer ahead. "
        "fig-d.2 starts training from this network, where it stays."
    )
    shows = "The logits of S3 at one input: the right answer stands out by γ*, and all wrong answers are level."

    def work(self, scale: Scale) -> Calculation:
        names = ("S3", "D4", "D5", "D6", "Z2^3", "S4", "S5")
        return Calculation(construction, names=names[: scale(6, 7, 7)])

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.8)
        values = e.array("picture")
        colours = ["C1" if x == values.max() else "C0" for x in values]
        ax.bar(range(6), values, color=colours)
        ax.axhline(0, color="0.3", lw=1)
        ax.set_axisbelow(True)
        ax.annotate("", (5.7, values.max()), (5.7, values.min()), arrowprops={"arrowstyle": "<->"})
        ax.text(5.8, values.mean() + 0.3 * np.ptp(values), "γ*")
        ax.set(
            xlabel="answer c", ylabel="logit f(a, b)[c]", title="K4 on S3, ‖θ‖₂,₃ = 1; orange: c = ab", xlim=(-0.6, 6.2)
        )
        return figure
