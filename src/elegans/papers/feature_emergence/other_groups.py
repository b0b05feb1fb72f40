"""Groups that the paper did not train on: does training end where the programmes say (ours)?

    min_θ L_λ from the characters of G alone, shares of Σ ‖ω_i‖³ included        λ = γ*(G)/20

A4 and F21 have irreps of complex type and Q8 one of quaternionic type, about which the paper's theorems say nothing.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.models.group_net import GroupNet
from elegans.papers.feature_emergence.at_hand import group
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.probes.margins import Margin
from elegans.probes.representations import RepresentationPower
from elegans.stats import Estimate, exact
from elegans.tasks.composition import Alphabet, GroupComposition
from elegans.tasks.finite_groups import Alternating, Dihedral, Elementary, Frobenius21, Quaternion
from elegans.theory.prediction import Prediction, prediction
from elegans.training.algorithms import SGD
from elegans.training.losses import cross_entropy
from elegans.training.penalties import NeuronNorm
from elegans.training.regimes import Full
from elegans.training.schedules import Doubling
from elegans.training.stops import Steps

GROUPS: dict[str, Alphabet] = {
    "D4": Dihedral(4), "Q8": Quaternion(), "Z2^3": Elementary(3), "A4": Alternating(4), "F21": Frobenius21(),
}  # fmt: skip
SHARE = 1 / 20  # λ over γ*
DOUBLED = (200, 400, 600, 800, 1000, 1200)


def strength(name: str) -> float:
    """λ."""
    return SHARE * prediction(group(name), 1.0).gamma


def predictions(names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Of each group: γ*, and at λ and at 2λ the exact minimum, its margin, and its shares padded with zeros to seven."""
    found: list[list[Prediction]] = [[prediction(group(n), factor * strength(n)) for factor in (1, 2)] for n in names]
    shares = [np.array(list(at.shares.values())) for at, _ in found]
    return {
        "gamma": np.array([at.gamma for at, _ in found]),
        "loss": np.array([at.loss for at, _ in found]),
        "loss_at_twice": np.array([twice.loss for _, twice in found]),
        "margin": np.array([at.margin for at, _ in found]),
        "shares": np.array([np.pad(s, (0, 7 - len(s))) for s in shares]),
    }


def training(name: str, steps: int, runs: int) -> Sweep:
    """All pairs of the group at every step, eight neurons an element."""
    alphabet, n = GROUPS[name], group(name).order
    learns = SGD(
        lr=0.05, batch=n * n, loss=cross_entropy, regime=Full(), penalty=NeuronNorm(strength(name)),
        schedule=Doubling(DOUBLED), precision="float64",
    )  # fmt: skip
    watch = (Margin(every=steps // 20), RepresentationPower(every=steps))
    return Sweep(
        Run(GroupNet(8 * n), Stage(GroupComposition(alphabet), learns, Steps(steps)), watch=watch), seed=range(runs)
    )


def over_all(e: Evidence, of: Callable[[pl.DataFrame, int], np.ndarray]) -> np.ndarray:
    """A number for every run of every group; `of` gets a group's runs and its place in the predictions."""
    return np.concatenate([of(e[name].runs, i) for i, name in enumerate(trained(e))])


def trained(e: Evidence) -> list[str]:
    """The groups of the evidence, in the order of the predictions."""
    return [name for name in GROUPS if name in e.parts]


def excess(e: Evidence, of: str = "loss") -> np.ndarray:
    """L/L* - 1 at the end of each run."""
    best = e["theory"].array(of)
    return over_all(e, lambda runs, i: runs["regularised"].to_numpy() / best[i] - 1)


def ratios(e: Evidence) -> np.ndarray:
    """The largest normalised margin at any checkpoint over γ*."""
    gamma = e["theory"].array("gamma")
    return over_all(e, lambda runs, i: runs["best"].to_numpy() / gamma[i])


def largest(what: str, of: Callable[[Evidence], np.ndarray]) -> Callable[[Evidence], Estimate]:
    """The largest value over all runs."""
    return lambda e: exact(float(of(e).max()), f"max {what}")


class OtherGroups(Experiment):
    """On D4, Q8, Z2^3, A4 and F21 training ends where the exact programmes say."""

    id = "other-groups"
    place = Place(PAPER, "beyond appendix D.9.2")
    claims = (
        Claim(
            "finite-lambda",
            "trained on groups of every type, the regularised loss ends within 1 % of the exact minimum",
            of="derived",
            expect=at_most(0.01),
            why="the programme's minimum is global; gradient descent may miss it, and 1 % is what is granted to its slow end",
            value=largest("L/L* - 1", excess),
            wrong=lambda e: exact(float(-excess(e, "loss_at_twice").min()), "max 1 - L/L*, L* at twice λ"),
        ),
        Claim(
            "finite-lambda",
            "and never below it",
            of="derived",
            expect=at_least(-1e-9),
            why="theorem: a lower bound for every network of any width; the slack is rounding",
            value=lambda e: exact(float(excess(e).min()), "min L/L* - 1"),
            wrong=lambda e: exact(float(excess(e, "loss_at_twice").min()), "min L/L* - 1, L* at twice λ"),
        ),
        Claim(
            "finite-lambda",
            "each representation has the predicted share of the mass, within 0.02",
            of="derived",
            expect=at_most(0.02),
            why="the specification allows a few per cent on S3 and S4, and these groups are as small",
            value=largest("|share - predicted|", lambda e: over_all(e, lambda runs, i: runs["distance"].to_numpy())),
            wrong=largest("|share - equal|", lambda e: over_all(e, lambda runs, i: runs["from_equal"].to_numpy())),
        ),
        Claim(
            "margin-lp",
            "no network, at any checkpoint, has a normalised margin above the programme's γ*",
            of="derived",
            expect=at_most(1 + 1e-9),
            why="theorem: the dual solution is a certificate for every network; the slack is rounding",
            value=largest("margin / γ*", ratios),
            wrong=largest("margin / γ*, logits doubled", lambda e: 2 * ratios(e)),
        ),
    )  # fmt: skip
    chosen = {
        "groups": "one with each kind of irrep, none of them in the paper; D4 and Q8 only at the smallest scale",
        "network": "8|G| neurons, (u + v)² w",
        "λ": "γ*/20, L_{2,3}",
        "η": "0.05, doubled at 200, 400, ..., 1200: with two doublings more Q8 diverged in a trial",
        "steps": "20 000 (3000 at the smallest scale), full batch, double precision",
    }
    shows = (
        "Left, margins climb to the optimum at their λ (dots at the right edge). Right, shares of mass on the diagonal."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        names = ("D4", "Q8") if scale is Scale.SMOKE else tuple(GROUPS)
        runs = {name: training(name, scale(3000, 20_000, 40_000), scale(1, 3, 6)) for name in names}
        return {**runs, "theory": Calculation(predictions, names=names)}

    def condense(self, e: Evidence) -> Evidence:
        shares = e["theory"].array("shares")
        parts = {
            name: summary(e[name], strength(name), group(name).order, shares[i]) for i, name in enumerate(trained(e))
        }
        return replace(e, parts={**parts, "theory": e["theory"]})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, 2, height=3.0)
        left, right = grid[0]
        gamma, margin, shares = (e["theory"].array(name) for name in ("gamma", "margin", "shares"))
        for i, name in enumerate(trained(e)):
            for k, trace in enumerate(e[name].traces):
                label = name if k == 0 else None
                left.plot(trace["Margin.t"], trace["Margin.normalised"] / gamma[i], lw=1, color=f"C{i}", label=label)
                at = trace["shares"] > 0
                right.plot(shares[i][at], trace["shares"][at], "o", ms=4, mfc="none", color=f"C{i}", label=label)
            end = e[name].traces[0]["Margin.t"][-1]
            left.plot(end, margin[i] / gamma[i], "o", ms=5, color=f"C{i}", clip_on=False)
        left.axhline(1, ls="--", lw=0.8, color="0.3")
        left.set(xlabel="step", ylabel="normalised margin / γ*", ylim=(0, 1.05))
        left.legend(loc="lower right", ncols=2)
        right.plot([0, 1], [0, 1], lw=0.8, color="0.3")
        right.set(xlabel="share of mass predicted", ylabel="share of mass found", xlim=(0, 1), ylim=(0, 1))
        return figure


def summary(part: Evidence, lam: float, order: int, shares: np.ndarray) -> Evidence:
    """Of each run the regularised loss, the largest margin and how far its shares are from the prediction."""
    rows, traces = [], []
    for trace in part.traces:
        mass = trace["RepresentationPower.mass"][-1]
        found = mass / mass.sum()
        count = len(found)
        rows.append({
            "regularised": float(trace["Margin.loss"][-1] + lam * trace["Margin.norm"][-1]),
            "best": float(trace["Margin.normalised"].max()),
            "distance": float(np.abs(found - shares[:count]).max()),
            "from_equal": float(np.abs(found - 1 / count).max()) if np.ptp(shares[:count]) > 0.01 else 0.0,
        })  # fmt: skip
        keep = {name: trace[name] for name in ("Margin.t", "Margin.normalised")}
        traces.append({**keep, "shares": np.pad(found, (0, 7 - count))})
    return Evidence(pl.DataFrame(rows), tuple(traces))
