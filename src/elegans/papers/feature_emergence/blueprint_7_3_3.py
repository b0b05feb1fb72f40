"""Section 7.3.3, the blueprint as a computation: guess q and τ, solve for one neuron, combine. Nothing is trained.

The guess gives γ₁, a bound on every network's margin. Best neurons, found by ascent from random starts, are combined by a linear
programme. Where both numbers agree, the guess was right and the margin is γ*; where they do not, it was wrong.
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import exact
from elegans.theory.boolean import cube
from elegans.theory.character_tables import character_table
from elegans.theory.groups import cyclic, symmetric
from elegans.theory.margin_optima import exact_margin
from elegans.theory.margin_recipe import Neurons, power_neurons, quadratic_neurons, recipe, uniform_weights, weights
from elegans.theory.margins import gamma_star_cyclic, tau_of_formula
from elegans.theory.parity_margins import gamma_star_parity
from elegans.theory.representations import irreps

NAMES = ("Z3", "Z5", "Z7", "parity (4, 2)", "parity (5, 3)", "S3")


def right_guesses(starts: int, seed: int) -> dict[str, np.ndarray]:
    """Bound and combined margin over γ* for six tasks with the right guess; and with single neurons left out."""
    rows: list[list[float]] = []
    for p in (3, 5, 7):
        kind = quadratic_neurons(cyclic(p).table)
        rows.append(_row(kind, uniform_weights(kind.labels, p), gamma_star_cyclic(p), starts * p // 3, seed))
    for n, k in ((4, 2), (5, 3)):
        x = cube(n).astype(np.float64)
        kind = power_neurons(x, x[:, :k].prod(1), k)
        rows.append(_row(kind, uniform_weights(kind.labels, 2), gamma_star_parity(k), starts, seed))
    kind, M, gamma = _s3()
    rows.append(_row(kind, M, gamma, 6 * starts, seed))
    bound, margin, count, few = np.array(rows).T
    return {"bound": bound, "margin": margin, "count": count, "few": few}


def wrong_guess(starts: int, seed: int) -> dict[str, np.ndarray]:
    """S_3 with uniform τ: bound and combined margin over γ*."""
    kind, _, gamma = _s3()
    return {"s3": np.array(_row(kind, uniform_weights(kind.labels, 6), gamma, starts, seed)[:2])}


def _s3() -> tuple[Neurons, np.ndarray, float]:
    group = symmetric(3)
    table = character_table(irreps(group))
    kind = quadratic_neurons(group.table)
    tau = tau_of_formula(table)[group.class_of][group.table[group.inverse[kind.labels]]]
    return kind, weights(kind.labels, np.full(36, 1 / 36), tau), exact_margin(table).gamma


def _row(kind: Neurons, M: np.ndarray, gamma: float, starts: int, seed: int) -> list[float]:
    """Bound and margin over γ*, neurons with a share, and the margin of one best neuron alone."""
    found = recipe(kind, M / gamma, starts, seed)
    few = recipe(kind, M / gamma, 1, seed)
    return [found.bound, found.margin / gamma, float(len(found.shares)), few.margin / gamma]


class Blueprint(Experiment):
    """Three steps find the maximum margin without knowing any theorem, and notice a wrong guess."""

    id = "blueprint-7.3.3"
    place = Place(PAPER, "section 7.3.3")
    claims = (
        Claim(
            "blueprint-7.3.3",
            "step 2: with the right q and τ the best single neuron has the theorem's γ*, on all six tasks",
            expect=at_most(1e-8),
            why="relative distance of the best of all ascents; uniform τ on S3 gives more",
            value=lambda e: exact(float(np.abs(e["right"].array("bound") - 1).max()), "distance of γ₁ from γ*"),
            wrong=lambda e: exact(float(e["wrong"].array("s3")[0] - 1), "with the wrong guess on S3"),
        ),
        Claim(
            "blueprint-7.3.3",
            "step 3: a network combined from the neurons that were met has margin γ*, so the guess is a certificate",
            expect=at_most(1e-5),
            why="neurons are good to 1e-9, the linear programme to 1e-7 of its largest entry, some ten times γ*. One neuron "
            "alone suffices on no task",
            value=lambda e: exact(float(1 - e["right"].array("margin").min()), "relative gap"),
            wrong=lambda e: exact(float(1 - e["right"].array("few").max()), "gap of one neuron"),
        ),
        Claim(
            "blueprint-7.3.3",
            "no combination exceeds the bound",
            expect=at_most(1 + 1e-9),
            why="weak duality: h ≤ E_q[g'] ≤ γ₁‖θ‖^ν; the largest margin over γ₁. Against half of it, it fails",
            value=lambda e: exact(float((e["right"].array("margin") / e["right"].array("bound")).max()), "margin / γ₁"),
            wrong=lambda e: exact(
                float((2 * e["right"].array("margin") / e["right"].array("bound")).max()), "margin / (γ₁/2)"
            ),
        ),
        Claim(
            "blueprint-7.3.3",
            "a wrong guess is noticed: with uniform τ on S3 the best neurons combine to no positive margin",
            expect=at_most(1e-6),
            why="they are those of the sign representation, which alone cannot classify (section 7.6); over γ*",
            value=lambda e: exact(float(e["wrong"].array("s3")[1]), "combined margin / γ*"),
            wrong=lambda e: exact(float(e["right"].array("margin")[-1]), "with the right guess"),
        ),
    )
    chosen = {
        "tasks": "Z3, Z5, Z7, parity of 2 of 4 and of 3 of 5 bits, S3",
        "ascent": "L-BFGS on the unit sphere from Gaussian starts; all within 1e-9 of the best are combined",
        "τ": "uniform; from lemma D.14 on S3",
    }
    shows = "Bound and combined margin meet at γ* on six tasks; with a wrong guess (right) they are far apart."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        starts = scale(100, 120, 200)
        return {
            "right": Calculation(right_guesses, starts=starts, seed=0),
            "wrong": Calculation(wrong_guess, starts=starts // 2, seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(5.2, 3.0)
        x = np.arange(len(NAMES) + 1)
        bound = np.append(e["right"].array("bound"), e["wrong"].array("s3")[0])
        margin = np.append(e["right"].array("margin"), e["wrong"].array("s3")[1])
        ax.plot(x, bound, "_", ms=18, mew=2, label="bound γ₁ of the guess")
        ax.plot(x, margin, "o", ms=6, label="margin of the combined network")
        ax.plot(x[:-1], e["right"].array("few"), "x", ms=5, color="0.5", label="of one best neuron alone")
        ax.axhline(1, ls="--", lw=0.8, color="0.3")
        ax.set(xticks=x, ylabel="over γ*", ylim=(-4, 3.4))
        ax.set_xticklabels([*NAMES, "S3,\nwrong τ"], rotation=25)
        ax.legend(loc="upper left", fontsize=7)
        return figure
