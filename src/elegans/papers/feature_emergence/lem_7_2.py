"""Lemma 7.2: a network θ* and a distribution q* that are best responses to each other prove the maximum margin.

    h(θ) ≤ E_q g(θ) ≤ E_q g'(θ) ≤ γ₁ ‖θ‖^ν        with q uniform and γ₁ the best expected margin of one unit neuron

All four agree for K1, K3 and K4; for the memoriser (K5) and for one frequency (K6), which classify as well, the first is smaller.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.at_hand import group, reps, table
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory import power_nets
from elegans.theory.boolean import cube
from elegans.theory.certificates import Certificate
from elegans.theory.margin_optima import exact_margin
from elegans.theory.margins import best_neurons, group_norm
from elegans.theory.neuron_optima import best_of
from elegans.theory.parity_margins import gamma_star_parity, parity_network
from elegans.theory.quadratic_constructions import (
    cyclic_network,
    memorising_network,
    representation_network,
    single_frequency_network,
)
from elegans.theory.quadratic_nets import Network, logits

SHOWN = ("K1 on Z11", "K3, 4 of 6 bits", "K4 on S4", "K5 on Z11", "K6 on Z11")


def certificates(
    p: tuple[int, ...], bits: tuple[tuple[int, int], ...], symmetric: tuple[int, ...]
) -> dict[str, np.ndarray]:
    """The four numbers over γ₁ of K1, K3, K4, which should pass, and of K5, K6, which should not."""
    passing = [on_group(f"Z{q}", cyclic_network(q)) for q in p] + [on_parity(n, k) for n, k in bits]
    passing += [on_group(f"S{n}", representation_network(reps(f"S{n}"))) for n in symmetric]
    failing = [on_group(f"Z{q}", memorising_network(group(f"Z{q}").table)) for q in p]
    failing += [on_group(f"Z{q}", single_frequency_network(q, 1)) for q in p]
    shown = [
        on_group("Z11", cyclic_network(11)), on_parity(6, 4), on_group("S4", representation_network(reps("S4"))),
        on_group("Z11", memorising_network(group("Z11").table)), on_group("Z11", single_frequency_network(11, 1)),
    ]  # fmt: skip
    four = [c.values() / c.best_neuron for c in passing + failing]
    return {
        "passing": np.array([c.disagreement() for c in passing]), "failing": np.array([c.disagreement() for c in failing]),
        "order": np.array([np.min(np.diff(x)) for x in four]),
        "not_coprime": on_group("Z9", single_frequency_network(9, 3)).values()[:1],
        "reversed": np.array([-np.max(np.diff(x)) for x in four]),
        "correct": np.array([c.values()[0] for c in failing]),
        "four": np.array([c.values() / c.best_neuron for c in shown]),
    }  # fmt: skip


def single_neurons(names: tuple[str, ...], starts: int, seed: int) -> dict[str, np.ndarray]:
    """γ₁ in closed form, and half of it, against the best of many ascents."""
    found = []
    for name in names:
        tau = exact_margin(table(name)).tau
        closed, ascent = best_neurons(table(name), tau).max(), best_of(group(name), tau, starts, seed).value
        found.append((ascent / closed - 1, ascent / (closed / 2) - 1))
    return {"error": np.abs(found)[:, 0], "error_without_the_two": np.abs(found)[:, 1]}


def on_group(name: str, theta: Network) -> Certificate:
    """The certificate of a quadratic network on a group: uniform q, and τ on wrong answers from the dual programme."""
    G, optimum = group(name), exact_margin(table(name))
    n, y = G.order, G.table.ravel()
    tau = optimum.tau[G.class_of][
        G.table[G.inverse[y]]
    ]  # a wrong answer c = y·x has the weight of the class of x = y⁻¹c
    best = float(best_neurons(table(name), optimum.tau).max())
    return Certificate(logits(theta).reshape(n * n, n), y, np.full(n * n, 1 / n**2), tau, group_norm(theta) ** 3, best)


def on_parity(n: int, k: int) -> Certificate:
    """The certificate of K3: uniform q, and the one wrong label has all the weight."""
    theta, x = parity_network(n, range(k)), cube(n).astype(np.float64)
    labels = np.equal(x[:, :k].prod(axis=1), -1).astype(np.int64)
    tau = np.eye(2)[1 - labels]
    size = group_norm(theta, k + 1) ** (k + 1)
    q = np.full(len(x), 1 / len(x))
    return Certificate(power_nets.logits(theta, x, k), labels, q, tau, size, gamma_star_parity(k))


def smallest(e: Evidence, name: str) -> Estimate:
    """The smallest entry of an array."""
    return exact(float(e["certificates"].array(name).min()), f"min {name}")


class MaxMinCertificate(Experiment):
    """A certificate that proves a maximum margin, and networks that do not pass it."""

    id = "lem-7.2"
    place = Place(PAPER, "lemma 7.2")
    claims = (
        Claim("lem-7.2", "K1, K3 and K4 pass: h, E g, E g' and γ₁ agree", expect=at_most(1e-10),
              why="identities in double precision; (largest - smallest)/γ₁ with γ₁ in closed form",
              value=lambda e: e["certificates"].max("passing"), wrong=lambda e: smallest(e, "failing")),
        Claim("lem-7.2", "K5 and K6, which classify, do not pass", of="derived", expect=at_least(1e-3),
              why="their margins are known shares of γ*, at most 0.6 for p ≥ 5; the smallest disagreement",
              value=lambda e: smallest(e, "failing"), wrong=lambda e: smallest(e, "passing")),
        Claim("lem-7.2", "K5 and K6 have a positive margin", of="derived", expect=at_least(1e-9),
              why="they are correct at every input, so it is not errors that fail them; frequency 3 on Z9 has ties",
              value=lambda e: smallest(e, "correct"), wrong=lambda e: smallest(e, "not_coprime")),
        Claim("lem-7.2", "h ≤ E g ≤ E g' ≤ γ₁ in every case", of="derived", expect=at_least(-1e-12),
              why="a minimum, a maximum and a best response; the smallest step over γ₁",
              value=lambda e: smallest(e, "order"), wrong=lambda e: smallest(e, "reversed")),
        Claim("lem-7.2", "γ₁ is the best of many ascents of one neuron", of="derived", expect=at_most(1e-6),
              why="multistart; relative difference", value=lambda e: e["neurons"].max("error"),
              wrong=lambda e: e["neurons"].max("error_without_the_two")),
    )  # fmt: skip
    given = {"q": "uniform on all inputs, τ as in the proofs: equal on Z_p, from characters on groups"}
    chosen = {
        "cases": "K1, K5, K6 on Z_p; K3 on 3 of 5, 4 of 6 and 5 of 7 bits; K4 on S3 and S4",
        "norm": "all scaled to ‖θ‖ = 1",
    }
    shows = (
        "Four numbers a network: level for K1, K3, K4, which is the proof; rising for networks that are merely correct."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "certificates": Calculation(
                certificates, p=scale((5, 7, 11), (5, 7, 11, 23), (5, 7, 11, 23, 37)), bits=((5, 3), (6, 4), (7, 5)),
                symmetric=(3, 4),
            ),
            "neurons": Calculation(single_neurons, names=("Z5", "Z7", "S3", "S4"), starts=scale(10, 40, 40), seed=0),
        }  # fmt: skip

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=3.0)
        four = e["certificates"].array("four")
        for k, name in enumerate(("h", "E g", "E g'", "γ₁")):
            ax.bar(np.arange(len(four)) + 0.2 * (k - 1.5), four[:, k], 0.18, label=name)
        ax.set_xticks(range(len(four)), SHOWN, fontsize=7)
        ax.set_axisbelow(True)
        ax.set(ylabel="over γ₁", ylim=(0, 1.35))
        ax.legend(ncols=4, loc="upper center")
        return figure
