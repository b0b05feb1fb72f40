"""Which two-layer networks can compute a parity of k bits at all (appendix B.4.1).

    ReLU, width k, output bias     f = (1 - 2k) + 2 ReLU(k - m) + 4 Σ_{j<k} (-1)^{j+1} ReLU(m - j)
    ReLU, width k + 1, without     the constant as a multiple of ReLU(m) + ReLU(k - m) = k
    z^k, width k, without          a binary form of degree k is a sum of k powers of linear forms

with m relevant -1s. Width k is said to suffice for ReLU; without an output bias it does not: at k = 2 one neuron would have to
be positive on both inputs of label +1, the other on both of label -1, and by convexity the sums over the two pairs contradict.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.parity_networks import (
    alternating,
    counts,
    evaluate,
    largest_margin,
    power_network,
    relu_network,
    relu_network_without_bias,
)

SHOWN = 4


def constructions(k: tuple[int, ...], powers: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Largest |f - χ| of the three constructions over all inputs, with widths, and their curves for k = 4."""
    relu = [np.abs(evaluate(relu_network(a), counts(a)) - alternating(a)).max() for a in k]
    bare = [np.abs(evaluate(relu_network(a) | {"c": np.zeros(())}, counts(a)) - alternating(a)).max() for a in k]
    wider = [np.abs(evaluate(relu_network_without_bias(a), counts(a)) - alternating(a)).max() for a in k]
    power = [np.abs(evaluate(power_network(a), counts(a), a) - alternating(a)).max() for a in powers]
    lower = [np.abs(evaluate(power_network(a), counts(a), a - 1) - alternating(a)).max() for a in powers if a > 1]
    s = np.linspace(-SHOWN - 0.5, SHOWN + 0.5, 181)
    sizes = [len(relu_network(a)["u"]) - a for a in k] + [len(relu_network_without_bias(a)["u"]) - a - 1 for a in k]
    return {
        "relu": np.array(relu + wider), "relu_without_constant": np.array(bare), "power": np.array(power),
        "power_lower": np.array(lower), "extra_width": np.abs(sizes), "s": s,
        "relu_curve": evaluate(relu_network(SHOWN), s), "power_curve": evaluate(power_network(SHOWN), s, SHOWN),
    }  # fmt: skip


def margins(k: int, widths: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Largest margin (at most 1) of ReLU networks of these widths, without and with output bias."""
    found = [[largest_margin(k, r, bias) for r in widths] for bias in (False, True)]
    return {"widths": np.array(widths), "without": np.array(found[0]), "with": np.array(found[1])}


def margin(e: Evidence, name: str, width: int) -> Estimate:
    """The largest margin at a width, without or with output bias."""
    part = e["margins"]
    return exact(float(part.array(name)[part.array("widths") == width][0]), f"largest margin {name} output bias")


def two_with_three_without(e: Evidence) -> Estimate:
    """The smaller of the margins of the two remedies."""
    return min(margin(e, "with", 2), margin(e, "without", 3), key=lambda m: m.value)


class Representability(Experiment):
    """Networks that compute a parity exactly, and one that cannot."""

    id = "representability"
    place = Place(PAPER, "appendix B.4.1")
    claims = (
        Claim(
            "representability",
            "k ReLUs with an output bias, or k + 1 without, compute the parity of k bits exactly, k = 1..8",
            of="corrected",
            expect=at_most(1e-12),
            why="piecewise linear with kinks at the counts; all counts listed, double precision",
            value=lambda e: e["networks"].max("relu"),
            wrong=lambda e: e["networks"].max("relu_without_constant"),
        ),
        Claim(
            "representability",
            "k neurons z^k without output bias compute it, k = 1..6",
            expect=at_most(1e-8),
            why="real Waring rank of binary forms; a Vandermonde system solved in double precision",
            value=lambda e: e["networks"].max("power"),
            wrong=lambda e: e["networks"].max("power_lower"),
        ),
        Claim(
            "representability",
            "two ReLUs without output bias can classify the parity of two bits",
            of="printed",
            expect=at_least(1e-6),
            why="'width r >= k suffices', with the printed formula f = u·σ(Wx + b): a positive margin is needed",
            value=lambda e: margin(e, "without", 2),
            wrong=lambda e: margin(e, "with", 1),
        ),
        Claim(
            "representability",
            "two ReLUs with an output bias can, and so can three without",
            of="corrected",
            expect=at_least(1e-6),
            why="the constructions above; margins are scaled to at most 1 and found by linear programmes (HiGHS)",
            value=two_with_three_without,
            wrong=lambda e: margin(e, "without", 2),
        ),
    )
    chosen = {
        "margins": "one linear programme for every way in which half spaces split the four inputs; irrelevant inputs only "
        "shift biases, so two inputs are enough"
    }
    remarks = (
        "Without an output bias no network of two ReLUs has the signs of a parity of two bits: all splits of the four "
        "inputs were tried, none leaves a positive margin. The experiments of the chapter must have had an output bias "
        "(erratum E5)."
    )
    shows = "Four neurons draw the zigzag of the parity of four bits: as straight pieces, or as a sum of fourth powers."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "networks": Calculation(constructions, k=tuple(range(1, 9)), powers=tuple(range(1, 7))),
            "margins": Calculation(margins, k=2, widths=(1, 2, 3)),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        part = e["networks"]
        s = counts(SHOWN)
        left.plot(part.array("s"), part.array("relu_curve"), label="4 ReLUs and an output bias")
        left.plot(part.array("s"), part.array("power_curve"), label="4 powers z⁴, no output bias")
        left.plot(s, alternating(SHOWN), "ko", ms=4, label="parity of k = 4 bits")
        left.set(xlabel="sum s of the relevant bits", ylabel="f", ylim=(-3, 4.5))
        left.legend(loc="upper center", fontsize=7)
        part = e["margins"]
        for i, (name, label) in enumerate((("without", "no output bias"), ("with", "output bias"))):
            bars = right.bar(part.array("widths") + 0.2 * (2 * i - 1), part.array(name), 0.38, label=label)
            right.bar_label(bars, fmt="%.0f", fontsize=8)
        right.set(
            xlabel="ReLUs", ylabel="largest margin at k = 2 (at most 1)", xticks=part.array("widths"), ylim=(0, 1.4)
        )
        right.legend(loc="upper left")
        return figure
