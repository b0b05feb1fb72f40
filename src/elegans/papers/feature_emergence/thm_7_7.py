"""Theorem 7.7: the exact maximum margin of modular addition. Nothing is trained."""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.theory.character_tables import character_table
from elegans.theory.groups import cyclic
from elegans.theory.margin_optima import exact_margin
from elegans.theory.margins import gamma_star_cyclic, normalised_margin
from elegans.theory.quadratic_constructions import cyclic_network, single_frequency_network
from elegans.theory.quadratic_nets import Network, logits
from elegans.theory.representations import irreps


def margin_of(network: Network, p: int) -> float:
    """Normalised margin of a network on addition modulo p."""
    return normalised_margin(network, logits(network), cyclic(p).table)


def margin_table(p: tuple[int, ...]) -> dict[str, np.ndarray]:
    """γ* from the formula, from construction K1, from the linear programme, and the margin of a single frequency."""
    formula = np.array([gamma_star_cyclic(q) for q in p])
    attained = np.array([margin_of(cyclic_network(q), q) for q in p])
    bound = np.array([exact_margin(character_table(irreps(cyclic(q)))).upper for q in p])
    single = np.array([margin_of(single_frequency_network(q, 1), q) for q in p])
    return {
        "p": np.array(p), "formula": formula, "attained": attained, "bound": bound, "single": single,
        "gap": np.abs(attained / formula - 1), "duality": np.abs(bound / formula - 1),
        "gap_of_single": np.abs(single / formula - 1)[1:],  # p = 3 has one frequency only
    }  # fmt: skip


class CyclicMargin(Experiment):
    """The maximum margin of modular addition is √(2/27) / (√p (p-1))."""

    id = "thm-7.7-margin"
    place = Place(PAPER, "theorem 7.7")
    claims = (
        Claim(
            "thm-7.7-margin",
            "construction K1 attains the formula's margin",
            expect=at_most(1e-10),
            why="an identity; relative difference in double precision. One frequency alone, correct as it is, falls short",
            value=lambda e: e.max("gap"),
            wrong=lambda e: e.max("gap_of_single"),
        ),
        Claim(
            "thm-7.7-margin",
            "no network does better: the dual programme's bound is the same number",
            of="derived",
            expect=at_most(1e-8),
            why="weak duality makes the bound valid for every network; solved by HiGHS to about 1e-9",
            value=lambda e: e.max("duality"),
            wrong=lambda e: e.max("gap_of_single"),
        ),
    )
    given = {"p": "odd primes; 71 in the figures"}
    chosen = {"p": "3 to 71, with the composite 9 and 15: the proof needs odd p only (erratum E18)"}
    shows = "K1 (dots) lies on the curve; a network with one frequency classifies too, at an ever smaller margin."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(
            margin_table,
            p=scale((3, 5, 7, 9, 11), (3, 5, 7, 9, 11, 15, 23, 37, 53, 71), (3, 5, 7, 9, 11, 15, 23, 37, 53, 71)),
        )

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        p = e.array("p")
        ax.plot(p, e.array("formula"), color="0.6", label="γ* = √(2/27) / (√p (p-1))")
        ax.plot(p, e.array("attained"), "o", ms=4, label="all frequencies (K1)")
        ax.plot(p, e.array("single"), "s", ms=4, label="one frequency (K6)")
        ax.set(xlabel="p", ylabel="normalised margin", xscale="log", yscale="log")
        ax.legend()
        return figure
