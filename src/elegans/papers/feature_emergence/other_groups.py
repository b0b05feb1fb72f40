"""Groups that the paper did not train on: does training end where the programmes say (ours)?

    min_θ L_λ from the characters of G alone, shares of Σ ‖ω_i‖³ included        λ = γ*(G)/20

A4 and F21 have irreps of complex type and Q8 one of quaternionic type, about which the paper's theorems say nothing.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.models.group_net import GroupNet
from elegans.papers.feature_emergence.at_hand import group
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.estimates import each
from elegans.probes.margins import Margin
from elegans.probes.representations import RepresentationPower
from elegans.stats import Estimate
from elegans.tasks.composition import Alphabet, GroupComposition
from elegans.tasks.finite_groups import Alternating, Dihedral, Elementary, Frobenius21, Quaternion
from elegans.theory.prediction import Prediction, largest_margin, prediction
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
    return SHARE * largest_margin(group(name))


def predictions(names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Of each group: γ*, the exact minimum at λ and at 2λ, its margin, and its shares padded with zeros to one length."""
    found: list[list[Prediction]] = [[prediction(group(n), factor * strength(n)) for factor in (1, 2)] for n in names]
    shares = [np.array(list(at.shares.values())) for at, _ in found]
    return {
        "gamma": np.array([at.gamma for at, _ in found]),
        "loss": np.array([at.loss for at, _ in found]),
        "loss_at_2λ": np.array([twice.loss for _, twice in found]),
        "margin": np.array([at.margin for at, _ in found]),
        "shares": np.array([np.pad(s, (0, max(map(len, shares)) - len(s))) for s in shares]),
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


def over(name: str, unit: str) -> Callable[[Evidence], np.ndarray]:
    """A column of every run over its group's prediction `unit`."""
    return lambda e: over_all(e, lambda runs, i: runs[name].to_numpy() / e["theory"].array(unit)[i])


def every(what: str, of: Callable[[Evidence], np.ndarray]) -> Callable[[Evidence], Estimate]:
    """`each` over the runs of all groups."""
    return lambda e: each(of(e), what)


class OtherGroups(Experiment):
    """On D4, Q8, Z2^3, A4 and F21 training comes to the exact programmes' loss and shares; the margin is slower."""

    id = "other-groups"
    place = Place(PAPER, "beyond appendix D.9.2")
    claims = (
        Claim(
            "other-groups",
            "trained on groups of every type, the regularised loss ends within 1 % of the exact minimum",
            of="derived",
            expect=near(1.0, 0.01),
            why="the programme's minimum is global, gradient descent might miss it; S3 and S4 leave less than 0.1 %",
            value=every("L/L*", over("regularised", "loss")),
            wrong=every("L/L*, L* at 2λ", over("regularised", "loss_at_2λ")),
        ),
        Claim(
            "other-groups",
            "each representation has the predicted share of the mass, within 0.02",
            of="derived",
            expect=at_most(0.02),
            why="the specification allows a few per cent on S3 and S4, and these groups are as small",
            value=every("|share - predicted|", lambda e: over_all(e, lambda runs, i: runs["distance"].to_numpy())),
            wrong=every(
                "|share - equal|, but for Z2^3",
                lambda e: np.concatenate([e[n].runs["from_equal"].to_numpy() for n in trained(e) if n != "Z2^3"]),
            ),
        ),
        Claim(
            "other-groups",
            "the normalised margin ends within 2 % of the best network's",
            of="derived",
            expect=near(1.0, 0.02),
            why="as on S3 (theorem 7.1); the margin is the slowest of the three, being that of the worst pair",
            value=every("margin / margin of the optimum", over("last", "margin")),
        ),
        Claim(
            "finite-lambda",
            "trained on groups of every type, no network at any checkpoint is below the exact minimum of the loss",
            of="derived",
            expect=at_least(1 - 1e-9),
            why="theorem: a lower bound for every network of any width; the slack is rounding. The minimum at 2λ is passed",
            value=every("least L/L*", over("least", "loss")),
            wrong=every("least L/L*, L* at 2λ", over("least", "loss_at_2λ")),
        ),
        Claim(
            "margin-lp",
            "nor has any a normalised margin above the programme's γ*",
            of="derived",
            expect=at_most(1 + 1e-9),
            why="theorem: the dual solution is a certificate for every network; the slack is rounding",
            value=every("largest margin / γ*", over("best", "gamma")),
            wrong=every("largest margin / γ*, logits doubled", lambda e: 2 * over("best", "gamma")(e)),
        ),
    )
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

    remarks = (
        "The margin is inconclusive over all groups: D4, Q8 and Z2^3 attain the best network's to 0.1 %, A4 ends 1 to 2 % below "
        "and F21 at 0.87 to 0.90 of it, still rising slowly, while its loss is within 1 % and its masses within 0.005. The "
        "claim was added in review, after these numbers had been seen."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        names = ("D4", "Q8") if scale is Scale.SMOKE else tuple(GROUPS)
        runs = {name: training(name, scale(3000, 20_000, 40_000), scale(1, 3, 6)) for name in names}
        return {**runs, "theory": Calculation(predictions, names=names)}

    def condense(self, e: Evidence) -> Evidence:
        shares = e["theory"].array("shares")
        parts = {name: summary(e[name], strength(name), shares[i]) for i, name in enumerate(trained(e))}
        return replace(e, parts={**parts, "theory": e["theory"]})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=3.0)
        gamma, margin, shares = (e["theory"].array(name) for name in ("gamma", "margin", "shares"))
        for i, name in enumerate(trained(e)):
            for k, trace in enumerate(e[name].traces):
                label = name if k == 0 else None
                left.plot(trace["Margin.t"], trace["Margin.normalised"] / gamma[i], lw=1, color=f"C{i}", label=label)
                found = trace["shares"]
                right.plot(
                    shares[i][: len(found)], found - shares[i][: len(found)], "o", ms=4, mfc="none", color=f"C{i}"
                )
            end = e[name].traces[0]["Margin.t"][-1]
            best = "best network at λ" if i == 0 else None
            left.plot(end, margin[i] / gamma[i], "o", ms=5, color=f"C{i}", clip_on=False, label=best)
        left.axhline(1, ls="--", lw=0.8, color="0.3")
        left.set(xlabel="step", ylabel="normalised margin / γ*", ylim=(0, 1.05), title="(a) margin, one line a seed")
        left.legend(loc="lower right", ncols=2)
        right.axhspan(-0.02, 0.02, color="0.93", lw=0, label="± 0.02")
        right.axhline(0, ls="--", lw=0.8, color="0.3")
        right.set(xlabel="share of ‖θ‖³ predicted for an irrep", ylabel="found - predicted", xlim=(0, 1), ylim=(-0.04, 0.04),
                  title="(b) mass of each irrep")  # fmt: skip
        right.legend(loc="upper right")
        return figure


def summary(part: Evidence, lam: float, shares: np.ndarray) -> Evidence:
    """Of each run the regularised loss, the largest margin and how far its shares are from the prediction."""
    rows, traces = [], []
    for trace in part.traces:
        loss, margin = trace["Margin.loss"] + lam * trace["Margin.norm"], trace["Margin.normalised"]
        mass = trace["RepresentationPower.mass"][-1]
        found = mass / mass.sum()
        best = shares[: len(found)]
        rows.append({
            "regularised": float(loss[-1]), "least": float(loss.min()), "last": float(margin[-1]), "best": float(margin.max()),
            "distance": float(np.abs(found - best).max()), "from_equal": float(np.abs(found - 1 / len(found)).max()),
        })  # fmt: skip
        traces.append({"Margin.t": trace["Margin.t"], "Margin.normalised": margin, "shares": found})
    return Evidence(pl.DataFrame(rows), tuple(traces))
