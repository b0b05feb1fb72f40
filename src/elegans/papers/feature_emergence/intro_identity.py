"""The introduction's identity, and why more than one frequency: (a + b) mod p = argmax_c cos(2πk(a+b-c)/p). Nothing is trained.

Σ_{ζ=1}^{(p-1)/2} cos(2πζx/p) = (p-1)/2 at x = 0 and -1/2 elsewhere: waves of all frequencies cancel on wrong answers
one frequency alone (K6) has the normalised margin (1 - cos(2π/p)) (p-1)/p γ*
"""

from math import cos, pi

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import exact
from elegans.theory.groups import cyclic
from elegans.theory.margins import gamma_star_cyclic, normalised_margin, point_margins
from elegans.theory.quadratic_constructions import single_frequency_network
from elegans.theory.quadratic_nets import logits


def identity(p: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Wrong answers of argmax_c cos, over all a, b, k, and for the composite 9."""

    def errors(q: int, k: int) -> int:
        a, b, c = np.ogrid[:q, :q, :q]
        return int((np.cos(2 * pi * k * (a + b - c) / q).argmax(2) != cyclic(q).table).sum())

    return {
        "errors": np.array([sum(errors(q, k) for k in range(1, q)) for q in p]),
        "errors_composite": np.array(errors(9, 3)),
    }


def interference(p: tuple[int, ...], shown: int) -> dict[str, np.ndarray]:
    """Largest deviation of the sum of waves from (p-1)/2 and -1/2, and from the printed 0; and the waves of one p."""
    off, off_zero = [], []
    for q in p:
        x, zeta = np.arange(q), np.arange(1, (q + 1) // 2)
        total = np.cos(2 * pi / q * np.outer(zeta, x)).sum(0)
        off.append(np.abs(total - np.where(x == 0, (q - 1) / 2, -0.5)).max())
        off_zero.append(np.abs(total - np.where(x == 0, (q - 1) / 2, 0.0)).max())
    x, zeta = np.arange(shown), np.arange(1, (shown + 1) // 2)
    return {"off": np.array(off), "off_zero": np.array(off_zero), "waves": np.cos(2 * pi / shown * np.outer(zeta, x))}


def single(p: tuple[int, ...], most: int) -> dict[str, np.ndarray]:
    """K6 at every ζ (the first `most`): margin over γ* against the closed form, and its number of wrong answers."""
    gaps, wrong, ratios = [], [], []
    for q in p:
        closed = (1 - cos(2 * pi / q)) * (q - 1) / q
        for zeta in range(1, q)[:most]:
            theta = single_frequency_network(q, zeta)
            F = logits(theta)
            ratio = normalised_margin(theta, F, cyclic(q).table) / gamma_star_cyclic(q)
            gaps.append(abs(ratio - closed))
            wrong.append(int((point_margins(F, cyclic(q).table) <= 0).sum()))
        ratios.append(closed)
    divided = single_frequency_network(9, 3)
    return {
        "p": np.array(p), "gap": np.array(gaps), "wrong": np.array(wrong), "ratio": np.array(ratios),
        "wrong_divisor": np.array((point_margins(logits(divided), cyclic(9).table) <= 1e-9).sum()),
        "from_one": 1 - np.array(ratios)[1:],
    }  # fmt: skip


class IntroIdentity(Experiment):
    """One frequency is enough to add, and all of them make the largest margin."""

    id = "intro-identity"
    place = Place(PAPER, "introduction and its footnote")
    claims = (
        Claim(
            "intro-identity",
            "(a + b) mod p = argmax_c cos(2πk(a+b-c)/p) for every k ≠ 0, p prime",
            expect=at_most(0),
            why="exhaustive over a, b, k; errors counted. It needs p prime: at p = 9, k = 3 three answers tie",
            value=lambda e: e["identity"].max("errors"),
            wrong=lambda e: e["identity"].max("errors_composite"),
        ),
        Claim(
            "intro-identity",
            "the waves of all frequencies add up to (p-1)/2 on the right answer and to -1/2 on every wrong one",
            of="corrected",
            expect=at_most(1e-10),
            why="a geometric sum; the proof prints 0 on wrong answers (erratum E2)",
            value=lambda e: e["interference"].max("off"),
            wrong=lambda e: e["interference"].max("off_zero"),
        ),
        Claim(
            "intro-identity",
            "a network of one frequency (K6) adds without error, whichever the frequency",
            expect=at_most(0),
            why="the identity in weights; errors counted over all pairs. At p = 9 the frequency 3 cannot",
            value=lambda e: e["single"].max("wrong"),
            wrong=lambda e: e["single"].max("wrong_divisor"),
        ),
        Claim(
            "intro-identity",
            "its normalised margin is (1 - cos(2π/p)) (p-1)/p of γ*",
            of="derived",
            expect=at_most(1e-10),
            why="4(1 - cos(2π/p)) over 8 (3p/2)^{3/2}; about 2π²/p², and 1 only for p = 3, where there is one frequency",
            value=lambda e: e["single"].max("gap"),
            wrong=lambda e: exact(float(e["single"].array("from_one").min()), "distance from γ*"),
        ),
    )
    chosen = {"p": "primes 3 to 31 for networks, 3 to 71 for the identity and the sum of waves"}
    remarks = "The footnote's embedding e^{2πika} lacks the division by p (erratum E19)."
    shows = (
        "Each wave (grey) has wrong answers nearly as high as the right one at 0; their mean (blue) is flat elsewhere."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        primes = (3, 5, 7, 11, 13, 17, 23, 31, 71)
        return {
            "identity": Calculation(identity, p=primes[: scale(5, 7, 9)]),
            "interference": Calculation(interference, p=primes, shown=23),
            "single": Calculation(single, p=primes[: scale(4, 8, 8)], most=scale(2, 12, 30)),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        waves = e["interference"].array("waves")
        half = waves.shape[1] // 2
        x = np.arange(-half, half + 1)
        for i, wave in enumerate(waves[:5]):
            left.plot(x, wave[x], color="0.75", lw=0.9, label="one frequency" if i == 0 else None)
        left.plot(x, waves.mean(0)[x], "o-", ms=4, label="mean of all frequencies")
        left.set(xlabel="a + b - c", ylabel=f"logit of c (p = {waves.shape[1]})")
        left.legend(loc="lower right", fontsize=7, frameon=True)
        part = e["single"]
        right.plot(part.array("p"), part.array("ratio"), "o-", color="C1", label="one frequency (K6)")
        right.axhline(1, ls="--", lw=0.8, color="0.3", label="all frequencies: γ*")
        right.set(xlabel="p", ylabel="normalised margin / γ*", yscale="log")
        right.legend()
        return figure
