"""The initialisation of the theory (Theorem 5.5): neurons in pairs of opposite u, so that f = 0 at the start.

f(x) = Σ_{i≤r} u_i ReLU(w_i·x + b_i),   u_{i + r/2} = -u_i,   ∂ℓ/∂f at f = 0 is a negative multiple of y
"""

import numpy as np
from numpy.typing import NDArray

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.enumerated import points
from elegans.stats import Estimate, exact
from elegans.theory.boolean import parity
from elegans.theory.symmetric_start import symmetric_start

Floats = NDArray[np.float64]


def starts(n: int, k: int, width: int, networks: int, seed: int) -> dict[str, np.ndarray]:
    """Outputs over all inputs of symmetrised starts and of their first halves alone, and how near neurons are to a tie."""
    rng, x, half = np.random.default_rng(seed), points(n), width // 2
    whole, alone, tie, even = (list[Floats]() for _ in range(4))
    for _ in range(networks):
        net, other = symmetric_start(rng, n, k, width), symmetric_start(rng, n + 1, k, width)
        hidden = np.maximum(x @ net["W"] + net["b"], 0)
        whole.append(np.abs(hidden @ net["u"]).max())
        alone.append(hidden[:, :half] @ net["u"][:half])
        tie.append(np.abs(x @ net["W"] + net["b"]).min())
        even.append(np.abs(points(n + 1) @ other["W"] + other["b"]).min())
    one = np.array(alone)
    return {
        "output": np.array(whole), "output_of_half": np.abs(one).max(1), "tie": np.array(tie), "tie_even": np.array(even),
        "histogram": np.histogram(one[0], 40)[0], "edges": np.histogram_bin_edges(one[0], 40),
    }  # fmt: skip


def losses_agree(n: int, k: int, width: int, seed: int) -> dict[str, np.ndarray]:
    """Population gradients by W of hinge, twice the logistic and half the square loss, minus that of the correlation."""
    rng, x = np.random.default_rng(seed), points(n)
    y, net = parity(x, range(k)), symmetric_start(rng, n, k, width)
    moved = {**net, "u": net["u"] + rng.normal(size=width)}
    return {"error": _disagreement(net, x, y), "error_elsewhere": _disagreement(moved, x, y)}


def _disagreement(net: dict[str, Floats], x: Floats, y: Floats) -> Floats:
    pre = x @ net["W"] + net["b"]
    f = np.maximum(pre, 0) @ net["u"]
    slopes = {
        "correlation": -y, "hinge": -y * (y * f < 1), "logistic": -2 * y / (1 + np.exp(y * f)), "square": f - y
    }  # fmt: skip
    by_w = {name: x.T @ (s[:, None] * (pre > 0) * net["u"]) / len(x) for name, s in slopes.items()}
    return np.array([np.abs(g - by_w["correlation"]).max() for g in by_w.values()])


def too_near(e: Evidence, name: str) -> Estimate:
    """How much nearer than 1/k = 1/4 some neuron is to a tie."""
    return exact(max(0.0, round(0.25 - float(e["starts"].array(name).min()), 12)), "1/k minus smallest distance")


class TheoryInitialisation(Experiment):
    """The symmetrised initialisation of the theory computes zero and treats all losses alike."""

    id = "model-theory-init"
    place = Place(PAPER, "theorem 5.5 and appendix B.2.2")
    claims = (
        Claim(
            "model-theory-init",
            "f = 0 on every input at the start",
            expect=at_most(1e-12),
            why="pairs of neurons cancel; double precision leaves rounding errors of sums of order one",
            value=lambda e: e["starts"].max("output"),
            wrong=lambda e: e["starts"].max("output_of_half"),
        ),
        Claim(
            "model-theory-init",
            "hinge, logistic (times 2) and square loss (times ½) have the gradient of the correlation loss",
            of="derived",
            expect=at_most(1e-12),
            why="at f = 0 their slopes are -y, -y/2 and -2y; all inputs listed, double precision",
            value=lambda e: e["losses"].max("error"),
            wrong=lambda e: e["losses"].max("error_elsewhere"),
        ),
        Claim(
            "model-theory-init",
            "for odd n no neuron is nearer to a tie than 1/k",
            of="corrected",
            expect=at_most(0),
            why="w·x is odd and |b| <= 1 - 1/k, so |w·x + b| >= 1/k; the theorem needs odd n (erratum E31)",
            value=lambda e: too_near(e, "tie"),
            wrong=lambda e: too_near(e, "tie_even"),
        ),
    )
    given = {"law": "w_i ~ Unif{±1}^n, u_i ~ Unif{±1}, b_i ~ Unif{-1 + 1/k, ..., 1 - 1/k}"}
    chosen = {"sizes": "n = 9 (10 for the wrong variant), k = 4, 200 neurons; 40 for the gradients"}
    shows = "Half of the network alone gives outputs far from zero; with its mirror image they cancel on every input."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "starts": Calculation(starts, n=9, k=4, width=200, networks=scale(3, 20, 100), seed=0),
            "losses": Calculation(losses_agree, n=9, k=4, width=40, seed=1),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.6)
        part = e["starts"]
        ax.stairs(
            part.array("histogram"), part.array("edges"), fill=True, color="0.75", label="first 100 neurons alone"
        )
        ax.axvline(0, ymax=0.74, lw=2.5, color="C1", label="with their mirror images: 0 on all 512 inputs")
        ax.set(xlabel="f(x) at the start", ylabel="inputs", ylim=(0, 1.35 * part.array("histogram").max()))
        ax.legend(loc="upper left")
        return figure
