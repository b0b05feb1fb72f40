"""Figure B.14: the activations, and why one neuron is enough.

w_S·x = k - 2m  with m relevant -1s,   so σ(k - 2m) = (-1)^m makes σ(w_S·x) the parity χ_S(x)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.program import precision
from elegans.lab.words import Calculation
from elegans.models.activations import OscillatingPolynomial, Power, Sinusoid, TriangleWave, Zigzag, relu
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.enumerated import outputs, points
from elegans.papers.hidden_progress.presets import MODELS
from elegans.theory.boolean import parity

Floats = NDArray[np.float64]
OSCILLATING = {
    "zigzag": Zigzag, "polynomial": OscillatingPolynomial, "triangle wave": TriangleWave, "sinusoid": Sinusoid
}  # fmt: skip
LARGEST = 8
ALL = tuple(range(1, LARGEST + 1))
Z = np.linspace(-LARGEST, LARGEST, 16 * LARGEST + 1)  # eighths, so that k - 2m is always among them
NEURONS = ("vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv")


def values(functions: list[Callable[[Any], Any]]) -> Floats:
    """The functions on the grid, one a row, in double precision."""
    import jax
    import jax.numpy as jnp

    with precision("float64"):
        return np.asarray(jax.jit(lambda z: jnp.stack([σ(z) for σ in functions]))(Z))


def deviation(f: Floats, k: int) -> float:
    """Largest distance of f(k - 2m) from (-1)^m over m = 0..k, for f on the grid."""
    m = np.arange(k + 1)
    return float(np.abs(f[8 * (k - 2 * m + LARGEST)] - (-1.0) ** m).max())


def printed_wave(z: Floats) -> Floats:
    """The infinite zigzag through the printed points (2i, +1) and (2i + 1, -1), of period 2."""
    return 2 * np.abs(np.mod(z, 2) - 1) - 1


def pieces(f: Floats) -> int:
    """Linear pieces of a function on the grid."""
    return 1 + int((np.abs(np.diff(f, 2)) > 1e-9).sum())


def clipped(f: Floats, k: int) -> Floats:
    """f on the grid, constant beyond ±k."""
    return f[np.clip(np.arange(len(Z)), 8 * (LARGEST - k), 8 * (LARGEST + k))]


def activation_table(k: tuple[int, ...]) -> dict[str, np.ndarray]:
    """The oscillating activations on a grid, and how far they are from (-1)^m at the k + 1 points."""
    shown, degrees = [m for m in k if m in (2, 3, 4)], sorted({*k, *(m + 1 for m in k)})
    oscillating = [σ(m) for m in degrees for σ in OSCILLATING.values()]
    found = values([*oscillating, *(Power(m) for m in shown), relu])
    curves = dict(zip(degrees, found[: len(oscillating)].reshape(len(degrees), -1, len(Z)), strict=True))
    zigzag, polynomial = {m: curves[m][0] for m in k}, {m: curves[m][1] for m in k}
    return {
        "k": np.array(shown), "curves": np.array([curves[m] for m in shown]),
        "powers": found[len(oscillating) : -1], "relu": found[-1],
        "error": np.array([deviation(f, m) for m in k for f in curves[m]]),
        "error_shifted": np.array([deviation(f, m) for m in k for f in curves[m + 1]]),
        "error_printed_wave": np.array([deviation(printed_wave(Z), m) for m in k]),
        "pieces": np.array([abs(pieces(f) - m) for m, f in zigzag.items()]),
        "pieces_clipped": np.array([abs(pieces(clipped(f, m)) - m) for m, f in zigzag.items()]),
        "mirror": np.array([np.abs(f[::-1] - (-1) ** m * f).max() for m, f in polynomial.items()]),
        "mirror_even": np.array([np.abs(f[::-1] - f).max() for f in polynomial.values()]),
    }  # fmt: skip


def neuron_table(n: int, k: tuple[int, ...], settings: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Largest |f - χ_S| of the named neurons at w = w_S, b = 0, u = 1, and with one weight of S missing."""
    x, rows = points(n), []
    for id in settings:
        for m in k:
            S = range(n - m, n)
            w, short = np.zeros(n), np.zeros(n)
            w[list(S)] = short[list(S)[1:]] = 1
            one = {"b": 0.0, "u": 1.0} if id in ("vii", "viii", "ix", "x") else {"b": 0.0}
            rows.append([np.abs(outputs(MODELS[id](m), {"w": v, **one}, x) - parity(x, S)).max() for v in (w, short)])
    error, missing = np.array(rows).T
    return {"error": error, "error_missing": missing}


class Activations(Experiment):
    """The activations, with the points at which they spell out a parity."""

    id = "fig-B.14"
    place = Place(PAPER, "figure B.14 and appendix B.1.2")
    claims = (
        Claim(
            "fig-B.14",
            "zigzag, polynomial, triangle wave and sinusoid take the value (-1)^m at k - 2m, m = 0..k, k = 1..8",
            of="corrected",
            expect=at_most(1e-12),
            why="the definition, in double precision; the triangle wave has period 4 (erratum E23)",
            value=lambda e: e["activations"].max("error"),
            wrong=lambda e: e["activations"].max("error_shifted"),
        ),
        Claim(
            "fig-B.14",
            "the infinite zigzag through (2i, +1) and (2i + 1, -1) does the same",
            of="printed",
            expect=at_most(1e-12),
            why="as printed; k - 2m moves in steps of two, which is the period of these points",
            value=lambda e: e["activations"].max("error_printed_wave"),
            wrong=lambda e: e["activations"].max("error_shifted"),
        ),
        Claim(
            "model-neurons",
            "neurons (vii)-(xiv) with w = w_S, b = 0 and u = 1 compute χ_S on the whole cube",
            of="corrected",
            expect=at_most(1e-12),
            why="w_S·x = k - 2m; all inputs are listed, in double precision",
            value=lambda e: e["neurons"].max("error"),
            wrong=lambda e: e["neurons"].max("error_missing"),
        ),
        Claim(
            "model-neurons",
            "the k-zigzag has k linear pieces",
            of="corrected",
            expect=at_most(0),
            why="the text counts k regions but lists k + 2; with its outer pieces extended there are k (erratum E22)",
            value=lambda e: e["activations"].max("pieces"),
            wrong=lambda e: e["activations"].max("pieces_clipped"),
        ),
        Claim(
            "model-neurons",
            "the oscillating polynomial has the parity of k: σ(-z) = (-1)^k σ(z)",
            of="derived",
            expect=at_most(1e-6),
            why="the points have it and the interpolant is unique; values reach 1e4 on this grid, in double precision",
            value=lambda e: e["activations"].max("mirror"),
            wrong=lambda e: e["activations"].max("mirror_even"),
        ),
    )
    remarks = (
        "The printed points of the infinite zigzag have period 2, so all k - 2m get the same value and the neuron is "
        "constant; period 4 is meant (erratum E23). Likewise the sinusoid with its input scaled by 2 is constant at w_S "
        "(erratum E24)."
    )
    shows = "Every oscillating curve passes through +1 and -1 in turn at k, k-2, ..., -k (dots); ReLU and z^k do not."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        settings, k = scale(("viii", "xiv"), NEURONS, NEURONS), scale((3,), (2, 3, 4), (1, 2, 3, 4, 5))
        return {
            "activations": Calculation(activation_table, k=scale((2, 3), ALL, ALL)),
            "neurons": Calculation(neuron_table, n=7, k=k, settings=settings),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(2, 3, sharex=True)
        part, near = e["activations"], np.abs(Z) <= 6
        curves, k = part.array("curves"), part.array("k")
        grid[0, 0].plot(Z[near], part.array("relu")[near], color="k")
        grid[0, 0].set_title("ReLU (i)-(iii)")
        titles = (
            "$z^k$ (iv)-(vi)",
            "k-zigzag (vii), (xi)",
            "polynomial (viii), (xii)",
            "infinite zigzag (ix), (xiii)",
            "sinusoid (x), (xiv)",
        )
        for ax, title, column in zip(grid.flat[1:], titles, range(-1, 4), strict=True):
            for i, m in enumerate(k):
                f = part.array("powers")[i] if column < 0 else curves[i, column]
                ax.plot(Z[near], f[near], color=f"C{i}", lw=1.1, label=f"k = {m}")
                if column >= 0:
                    s = m - 2 * np.arange(m + 1)
                    ax.plot(s, (-1.0) ** np.arange(m + 1), "o", ms=3.5, color=f"C{i}")
            ax.set(title=title, ylim=(-3, 3))
        grid[0, 0].set_ylim(-3, 3)
        grid[0, 1].legend(loc="lower right")
        for ax in grid[-1]:
            ax.set_xlabel("z")
        for ax in grid[:, 0]:
            ax.set_ylabel("σ(z)")
        return figure
