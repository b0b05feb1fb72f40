"""The sinusoidal neuron: loss and gradient over the whole cube in closed form, for any n.

E[χ_T e^{i(w·x + b)}] = e^{ib} i^{|T|} Π_{j∈T} sin w_j Π_{j∉T} cos w_j
E[sin²(w·x + b)] = ½ - ½ cos(2b) Π_j cos 2w_j
"""

from math import pi

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.enumerated import points
from elegans.theory.boolean import parity
from elegans.theory.sinusoid import correlation, correlation_gradient, mean_square, mean_square_gradient, wave

IRRELEVANT = (0.0, 0.05, 0.1)


def closed_forms(n: int, draws: int, seed: int) -> dict[str, np.ndarray]:
    """Formulas against sums over the cube, at random weights, phases and sets; with a forgotten factor each."""
    rng, x = np.random.default_rng(seed), points(n)
    rows = [_errors(x, rng.normal(size=n), rng.uniform(-pi, pi), rng.random(n) < 0.5) for _ in range(draws)]
    names = ("wave", "wave_without_power", "square", "square_plus", "gradient", "gradient_by_sine")
    return dict(zip(names, np.array(rows).T, strict=True))


def _errors(x: np.ndarray, w: np.ndarray, b: float, inside: np.ndarray) -> list[float]:
    T = tuple(int(i) for i in np.flatnonzero(inside))
    y, pre, size = parity(x, T), x @ w + b, len(x)
    truth, found = np.mean(y * np.exp(1j * pre)), complex(wave(w, b, T))
    square, slope = (
        float(np.mean(np.sin(pre) ** 2)),
        np.concatenate([(y * np.cos(pre)) @ x, np.sin(2 * pre) @ x]) / size,
    )
    formula = np.concatenate([correlation_gradient(w, b, T), mean_square_gradient(w, b)])
    sine = np.concatenate([(y * np.sin(pre)) @ x, np.sin(2 * pre) @ x]) / size
    return [
        float(abs(found - truth)), float(abs(found / 1j ** len(T) - truth)), abs(float(mean_square(w, b)) - square),
        abs(1 - float(mean_square(w, b)) - square), np.abs(formula - slope).max(), np.abs(formula - sine).max(),
    ]  # fmt: skip


def walk_to_the_solution(n: int, k: int, steps: int) -> dict[str, np.ndarray]:
    """E[y σ] on the way w = t w_S + a (1 - w_S): relevant weights t, irrelevant ones a, σ(z) = cos(π/2 (z - k))."""
    t, S = np.linspace(0, 1.5, steps), range(k)
    rows = []
    for a in IRRELEVANT:
        w = np.full((steps, n), pi / 2 * a)
        w[:, :k] = pi / 2 * t[:, None]
        rows.append(correlation(w, pi / 2 * (1 - k), S))
    x = points(n)[:, None, :]
    some = np.linspace(0, 1.5, 7)
    listed = [np.cos(pi / 2 * (x[..., :k].sum(-1) * some + a * x[..., k:].sum(-1) - k)) for a in IRRELEVANT]
    y = parity(points(n), S)[:, None]
    return {"t": t, "formula": np.array(rows), "some": some, "listed": np.array([(y * f).mean(0) for f in listed])}


class SinusoidClosedForm(Experiment):
    """The sinusoidal neuron has its whole population landscape in closed form."""

    id = "model-sinusoid-closed-form"
    place = Place(PAPER, "settings (x) and (xiv); the formulas are the specification's")
    claims = (
        Claim(
            "model-sinusoid-closed-form",
            "E[χ_T e^{i(w·x+b)}] = e^{ib} i^{|T|} Π_T sin w_j Π_rest cos w_j",
            of="derived",
            expect=at_most(1e-12),
            why="the expectation of a product of independent factors; all inputs listed, double precision",
            value=lambda e: e["forms"].max("wave"),
            wrong=lambda e: e["forms"].max("wave_without_power"),
        ),
        Claim(
            "model-sinusoid-closed-form",
            "E[sin²(w·x+b)] = ½ - ½ cos(2b) Π_j cos 2w_j",
            of="derived",
            expect=at_most(1e-12),
            why="sin² = (1 - cos 2·)/2 and the formula above with T empty; double precision",
            value=lambda e: e["forms"].max("square"),
            wrong=lambda e: e["forms"].max("square_plus"),
        ),
        Claim(
            "model-sinusoid-closed-form",
            "∂/∂w_i of both follow from it with T △ {i} in place of T",
            of="derived",
            expect=at_most(1e-12),
            why="the derivative multiplies by x_i; compared with the listed E[y x_i cos] and E[x_i sin 2]",
            value=lambda e: e["forms"].max("gradient"),
            wrong=lambda e: e["forms"].max("gradient_by_sine"),
        ),
    )
    chosen = {"weights": "N(0, 1) on 8 bits, phases uniform, T any subset", "figure": "n = 12, k = 3, input scale 1"}
    shows = (
        "On the straight way to the solution the correlation starts like t^k: flat. Irrelevant weights of 0.1 already damp "
        "it, each by a cosine."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "forms": Calculation(closed_forms, n=8, draws=scale(20, 200, 1000), seed=0),
            "walk": Calculation(walk_to_the_solution, n=12, k=3, steps=61),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        part = e["walk"]
        for i, a in enumerate(IRRELEVANT):
            ax.plot(part.array("t"), part.array("formula")[i], color=f"C{i}", label=f"irrelevant weights {a:g}")
            ax.plot(part.array("some"), part.array("listed")[i], "o", ms=4, color=f"C{i}")
        ax.plot([], [], "o", ms=4, color="0.5", label="sum over all 4096 inputs")
        ax.axvline(1, ls=":", lw=1, color="0.4")
        ax.annotate("$w=w_S$", (1, 0.02), (1.02, 0.02), fontsize=8, color="0.4")
        ax.set(xlabel="relevant weights t", ylabel="correlation E[y f], n = 12, k = 3")
        ax.legend()
        return figure
