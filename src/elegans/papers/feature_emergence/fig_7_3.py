"""Figure 7.3 in numbers: along a path of networks through θ*, the curve of g' lies above the curve of g and meets it at θ*.

h(θ) ≤ E_q[g(θ)] ≤ E_q[g'(θ)] ≤ γ*        for every θ of norm 1, with all four equal at θ = θ*
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.maximisers import GROUNDS
from elegans.stats import exact


def paths(points: int, directions: int, seed: int) -> dict[str, np.ndarray]:
    """h, E_q[g], E_q[g'] over γ* at norm 1 on lines θ* + t ξ, t ∈ [-1, 1], (tasks, directions, points, 3)."""
    rng, t = np.random.default_rng(seed), np.linspace(-1, 1, points)
    values = np.zeros((len(GROUNDS), directions, points, 3))
    for i, ground in enumerate(make() for make in GROUNDS):
        for j in range(directions):
            step = ground.draw(len(ground.best["U"]), rng)
            reach = np.sqrt(sum(np.sum(p**2) for p in ground.best.values()) / sum(np.sum(p**2) for p in step.values()))
            for s in range(points):
                theta = {n: p + t[s] * reach * step[n] for n, p in ground.best.items()}
                g, unit = ground.margins(theta).min(1), ground.gamma * ground.size(theta)
                values[i, j, s] = np.array([g.min(), g.mean(), ground.expected(theta)]) / unit
    steps = np.diff(np.concatenate([values, np.ones((*values.shape[:3], 1))], axis=3), axis=3)
    at_star = np.abs(values[:, :, points // 2] - 1)
    return {
        "t": t, "values": values[:, :3].astype(np.float32), "fall": -steps.min((1, 2, 3)), "rise": steps.max((1, 2, 3)),
        "at_star": at_star.max((1, 2)), "elsewhere": np.abs(values[:, :, [0, -1]] - 1).min((1, 2, 3)),
        "binary": np.abs(values[0, ..., 2] - values[0, ..., 1]).max(keepdims=True),
        "classes": np.abs(values[1:, ..., 2] - values[1:, ..., 1]).max(keepdims=True),
    }  # fmt: skip


class MarginsAlongPaths(Experiment):
    """The four quantities of the proof keep their order on any path, and meet at the network of maximum margin."""

    id = "fig-7.3"
    place = Place(PAPER, "figure 7.3")
    claims = (
        Claim(
            "fig-7.3",
            "h ≤ E_q[g] ≤ E_q[g'] ≤ γ* everywhere on random lines through θ*: the largest fall in this chain",
            expect=at_most(1e-12),
            why="minimum, mean over inputs, mean over wrong answers, bound by the certificate; over γ*. The reverse chain fails",
            value=lambda e: e.max("fall"),
            wrong=lambda e: e.max("rise"),
        ),
        Claim(
            "fig-7.3",
            "all four are equal at θ*",
            expect=at_most(1e-10),
            why="that is what makes (θ*, q*, τ) a certificate; relative to γ*. At the ends of the lines they differ",
            value=lambda e: e.max("at_star"),
            wrong=lambda e: exact(float(e.array("elsewhere").min()), "distance at the ends"),
        ),
        Claim(
            "fig-7.3",
            "with two classes g' = g",
            expect=at_most(1e-12),
            why="there is one wrong answer, so τ has no choice; with more classes g' is larger",
            value=lambda e: e.max("binary"),
            wrong=lambda e: e.max("classes"),
        ),
    )
    chosen = {
        "paths": "θ* + tξ, ξ Gaussian of the length of θ*, t from -1 to 1, scaled to norm 1",
        "tasks": "parity of 3 of 5 bits, Z5 and S3 with their certificates",
    }
    shows = "The curves keep their order and touch γ* together at θ* only. (The paper's figure is a drawing; these are numbers.)"

    def work(self, scale: Scale) -> Calculation:
        return Calculation(paths, points=scale(21, 61, 61), directions=scale(3, 8, 30), seed=0)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, row = panels(1, 3, height=2.8, sharey=True)
        names = ("h = min g", "E_q[g]", "E_q[g']")
        for ax, lines, task in zip(row[0], e.array("values"), ("parity (5, 3)", "Z5", "S3"), strict=True):
            for i in (2, 1, 0):
                ax.plot(e.array("t"), lines[0][:, i], label=names[i], ls="--" if i == 1 else "-", color=f"C{i}")
            ax.axhline(1, ls=":", lw=1, color="0.3", label="γ*")
            ax.set(xlabel="t, with θ* at 0", title=task, ylim=(-1.5, 1.3))
        row[0][0].set(ylabel="margin of norm 1 / γ*")
        row[0][1].legend(fontsize=7, loc="lower center")
        return figure
