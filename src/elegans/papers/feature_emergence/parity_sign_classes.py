"""Derived: which sets of optimal neurons are networks of maximum margin on parity. Nothing is trained.

Optimal neurons fall into 2^{k-1} classes {σ, -σ} of signs on S. The margin is γ* if and only if each class has the same share
2^{-(k-1)} of ‖θ‖^{k+1}. So the width 2^{k-1} is tight; without one class nothing is even classified with optimal neurons.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory import parity_margins as parity
from elegans.theory.power_nets import signed_margins

LEFT = (0.0, -1 / 6, -1 / 9)


def programmes(k: tuple[int, ...]) -> dict[str, np.ndarray]:
    """For each k: best margin with all classes and without one, and how far shares may be from 2^{-(k-1)} at margin γ*."""
    complete, dropped, apart, apart_with_slack = [], [], [], []
    least: list[list[float]] = []
    for j in k:
        everyone = range(2 ** (j - 1))
        complete.append(parity.best_margin(j, everyone))
        dropped.append(max(parity.best_margin(j, [c for c in everyone if c != one]) for one in everyone))
        due, some = 2.0 ** (1 - j), list(everyone)[:4]
        apart.append(max(abs(end - due) for one in some for end in parity.share_range(j, one)))
        apart_with_slack.append(max(abs(end - due) for one in some for end in parity.share_range(j, one, 0.1)))
        game, repeated = parity.class_game(j), parity.class_game(j)
        repeated[0] = repeated[1]
        least.append([float(np.linalg.svd(m, compute_uv=False).min()) * due for m in (game, repeated)])
    return {
        "k": np.array(k), "complete": np.array(complete), "dropped": np.array(dropped), "apart": np.array(apart),
        "apart_with_slack": np.array(apart_with_slack), "least": np.array(least)[:, 0], "least_repeated": np.array(least)[:, 1],
    }  # fmt: skip


def random_shares(k: tuple[int, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Margins of whole networks with random shares of the classes: over γ*, with the largest excess of a share."""
    rng = np.random.default_rng(seed)
    rows: list[list[float]] = []
    for j in k:
        x = parity.sign_classes(j)
        for spread in np.geomspace(0.01, 2, draws):
            mu = np.exp(spread * rng.standard_normal(len(x)))
            theta = parity.parity_network(j, range(j), mu / mu.sum())
            margin = signed_margins(theta, x, x.prod(1), j).min() / parity.gamma_star_parity(j)
            excess = np.abs(parity.class_masses(theta, range(j)) * len(x) - 1).max()
            least = excess / (len(x) * (len(x) - 1)) ** 0.5
            rows.append([j, excess, margin, least - (1 - margin), least])
    order, excess, margin, over, over_if_free = np.array(rows).T
    return {"k": order, "excess": excess, "margin": margin, "over": over, "over_if_free": over_if_free}


def values_left(e: Evidence, name: str) -> Estimate:
    """Largest distance of best margins from 0, -1/6 and -1/9 for k = 2, 3, 4."""
    part = e["programmes"]
    return exact(float(np.abs(part.array(name)[: len(LEFT)] - LEFT).max()), "distance from 0, -1/6, -1/9")


class SignClasses(Experiment):
    """All sign classes, with equal masses: neither more nor less is needed for the maximum margin."""

    id = "parity-sign-classes"
    place = Place(PAPER, "theorem 7.8, a sharper form of ours")
    claims = (
        Claim(
            "parity-sign-classes",
            "at margin γ* every class has the share 2^{-(k-1)}: neither more nor less is possible",
            of="derived",
            expect=at_most(1e-6),
            why="two linear programmes a class, for the least and the largest share; HiGHS is good to 1e-7",
            value=lambda e: e["programmes"].max("apart"),
            wrong=lambda e: e["programmes"].max("apart_with_slack"),
        ),
        Claim(
            "parity-sign-classes",
            "the matrix of margins of classes has no eigenvalue below 2^{k-1}, in units of γ*",
            of="derived",
            expect=at_least(1 - 1e-9),
            why="eigenvalues are 2^{k-1} c_T/k!, and c_T ≥ k! C(2m, m)/2^m ≥ k! words with odd letters T, m = (k - |T|)/2. "
            "Value over 2^{k-1}; a class in place of another makes it singular",
            value=lambda e: exact(float(e["programmes"].array("least").min()), "smallest eigenvalue / 2^{k-1}"),
            wrong=lambda e: exact(float(e["programmes"].array("least_repeated").max()), "with two equal rows"),
        ),
        Claim(
            "parity-sign-classes",
            "width 2^{k-1} is tight: without one class no margin is positive",
            of="derived",
            expect=at_most(1e-7),
            why="a linear programme for every class that may be missing; with all classes it gives 1",
            value=lambda e: e["programmes"].max("dropped"),
            wrong=lambda e: e["programmes"].max("complete"),
        ),
        Claim(
            "parity-sign-classes",
            "what is left without one class is 0, -1/6 and -1/9 of γ* for k = 2, 3, 4",
            of="derived",
            expect=at_most(1e-6),
            why="a linear programme; the values stand in the specification",
            value=lambda e: values_left(e, "dropped"),
            wrong=lambda e: values_left(e, "complete"),
        ),
        Claim(
            "parity-sign-classes",
            "with N = 2^{k-1} unequal shares the margin falls by at least the largest relative excess over √(N(N-1)), of γ*",
            of="derived",
            expect=at_most(1e-12),
            why="eigenvalues ≥ N give ‖margins - γ*‖₂ ≥ excess γ*; they have mean 0, so their least is -‖·‖₂/√(N(N-1)) at most",
            value=lambda e: e["random"].max("over"),
            wrong=lambda e: e["random"].max("over_if_free"),
        ),
    )
    chosen = {"k": "2 to 6 for the programmes (32 classes), 2 to 4 for random shares"}
    shows = "Left: margin falls as soon as shares are unequal. Right: with one class missing nothing positive is left."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "programmes": Calculation(programmes, k=(2, 3, 4, 5, 6)[: scale(3, 5, 5)]),
            "random": Calculation(random_shares, k=(2, 3, 4), draws=scale(20, 100, 300), seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        part = e["random"]
        for i, k in enumerate((2, 3, 4)):
            own = part.array("k") == k
            left.plot(part.array("excess")[own], part.array("margin")[own], "o", ms=3, color=f"C{i}", label=f"k = {k}")
        left.axhline(1, ls="--", lw=0.8, color="0.3")
        left.set(
            xlabel="largest excess of a share, of 2^-(k-1)",
            ylabel="normalised margin / γ*",
            xscale="log",
            ylim=(-2, 1.2),
        )
        left.legend(loc="lower left")
        part = e["programmes"]
        k = part.array("k")
        right.bar(k - 0.2, part.array("complete"), 0.36, label="all classes")
        right.bar(k + 0.2, part.array("dropped"), 0.36, label="one class missing")
        right.axhline(0, color="k", lw=0.8)
        right.set(xlabel="k", ylabel="best margin / γ*", xticks=k, ylim=(-0.3, 1.5))
        right.legend()
        return figure
