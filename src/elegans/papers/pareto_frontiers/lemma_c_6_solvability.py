"""Lemma C.6: after one step a readout of ReLU features of s_x = Σ_{i∈S} x_i is the parity, if no bias is forgotten.

    v(s_x) = (1, σ(s_x/2k + β_i), σ(-s_x/2k + β_i))_i        β_i = (-k + 2i + ω)/2k

As printed, i runs from 1 to k/2 - 1: k - 1 features for k + 1 values of s_x. With i = 0 there are k + 1.
"""

from collections.abc import Iterable

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.pareto_frontiers.checklist import PAPER

ROW, EXACT = "lemma-c.6-solvability", at_most(1e-7)
WHY = "an exact solution, up to rounding: 1.1e-16 times weights of size 2.3e7 (k = 8), with a margin of 40"


def misfit(k: int, omega: float, first: int) -> float:
    """Largest error of the least-squares readout of the parity, with biases i = first, ..., k/2 - 1."""
    s = np.arange(-k, k + 1, 2)[:, None]
    beta = (-k + 2 * np.arange(first, k // 2) + omega) / (2 * k)
    V = np.hstack([np.ones_like(s), np.maximum(s / (2 * k) + beta, 0), np.maximum(-s / (2 * k) + beta, 0)])
    y = (-1.0) ** ((k - s[:, 0]) // 2)
    return float(np.abs(V @ np.linalg.lstsq(V, y, rcond=0)[0] - y).max())


def misfits(k: Iterable[int], omega: float) -> dict[str, np.ndarray]:
    """Errors with the printed and with the corrected biases, for every k."""
    errors = {name: [misfit(a, omega, i) for a in k] for name, i in (("printed", 1), ("corrected", 0))}
    return {"k": np.array(list(k))} | {name: np.array(e) for name, e in errors.items()}


class Solvability(Experiment):
    """The features after one step represent the parity, once a bias is added."""

    id = ROW
    place = Place(PAPER, "appendix C.2.2, proof of lemma C.6, explicit features")
    claims = (
        Claim(ROW, "with the printed biases some readout is the parity, for k = 2, 4, 6, 8", of="printed",
              expect=EXACT, why=WHY, value=lambda e: e.max("printed")),
        Claim(ROW, "the same with the bias i = 0 added", of="corrected",
              expect=EXACT, why=WHY, value=lambda e: e.max("corrected"), wrong=lambda e: e.max("printed")),
    )  # fmt: skip
    given = {"ω": "1/16"}
    remarks = "The printed biases fail: k + 1 equations with k - 1 unknowns. The chapter forgets the bias i = 0."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(misfits, k=(2, 4, 6, 8), omega=1 / 16)
