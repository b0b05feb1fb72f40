"""Equation (E.16): four sums of powers of λ over positions s ≤ t' ≤ p ≤ t, and their closed forms (I)-(IV).

    Σλ^{p-s} = (I)/(λ-1),   Σλ^{p-t'} = (II)/(λ-1)²,   Σλ^{t'-s} = (III)/(λ-1),   Σ1 = (IV) = t(t+1)(t+2)/6

Ours: the second and the third sum are equal, and polynomials in λ replace the quotients, which cancel near λ = 1.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.geometric_sums import position_sums, position_sums_by_loop, printed_brackets, printed_sums

NAMES = ("A", "B", "C", "D")


def against_loops(t: tuple[int, ...], points: int) -> dict[str, np.ndarray]:
    """Largest error of each sum over λ and t, relative to the number of terms (IV); (4,) each."""
    away = np.linspace(-0.95, 0.85, points)
    away, whole = away[np.abs(away) > 1e-9], np.linspace(-1, 1, points)
    rows = [_errors(away, whole, length) for length in t]
    return {name: np.array([row[name] for row in rows]).max(0) for name in rows[0]}


def _errors(away: np.ndarray, whole: np.ndarray, t: int) -> dict[str, np.ndarray]:
    loop, everywhere, terms = position_sums_by_loop(away, t), position_sums_by_loop(whole, t), t * (t + 1) * (t + 2) / 6
    one, two, three, four = printed_brackets(away, t)
    flawed = np.stack(
        [two / (away - 1) ** 2, one / (away - 1), (three + t * (t + 1) / 2) / (away - 1), four * t / (t + 2)]
    )
    found = {
        "printed": printed_sums(away, t) - loop, "flawed": flawed - loop, "polynomial": position_sums(whole, t) - everywhere,
        "shifted": position_sums(whole, t + 1) - everywhere,
        "reversed": everywhere[2:3] - everywhere[1:2], "not_reversed": everywhere[:1] - everywhere[1:2],
    }  # fmt: skip
    return {name: np.abs(error).max(1) / terms for name, error in found.items()}


def near_one(t: int, low: int, high: int, points: int) -> dict[str, np.ndarray]:
    """Relative errors of printed and polynomial forms at 1-λ = 10^low .. 10^high, (4, points); loops are the truth."""
    lam = 1 - np.logspace(low, high, points)
    loop = position_sums_by_loop(lam, t)
    return {
        "distance": 1 - lam, "printed": np.abs(printed_sums(lam, t) / loop - 1),
        "polynomial": np.abs(position_sums(lam, t) / loop - 1),
    }  # fmt: skip


def smallest(e: Evidence, name: str) -> Estimate:
    """The smallest of the four sums' entries."""
    return exact(float(e["loops"].array(name).min()), f"smallest {name}")


def lost(e: Evidence, name: str) -> Estimate:
    """Relative error of (A) nearest to λ = 1."""
    part = e["near one"]
    return exact(float(part.array(name)[0][part.array("distance").argmin()]), f"{name} form of (A)")


class GeometricSums(Experiment):
    """Four sums over positions, and where their closed forms can be trusted."""

    id = "eq-e.16-sums"
    place = Place(PAPER, "equations (E.16) and (E.17), (A)-(D) and (I)-(IV)")
    claims = (
        Claim(
            "eq-e.16-sums",
            "(I)-(IV) as printed give the four sums",
            expect=at_most(1e-10),
            why="identities; over the number of terms, rounding ε/(1-λ)³ with 1-λ ≥ 0.15. Exchanged or shortened they fail",
            value=lambda e: e["loops"].max("printed"),
            wrong=lambda e: smallest(e, "flawed"),
        ),
        Claim(
            "eq-e.16-sums",
            "Σλ^{p-t'} = Σλ^{t'-s}",
            of="derived",
            expect=at_most(1e-13),
            why="time reversal maps p-t' to t'-s; the first sum is another one",
            value=lambda e: e["loops"].max("reversed"),
            wrong=lambda e: e["loops"].max("not_reversed"),
        ),
        Claim(
            "eq-e.16-sums",
            "the polynomials Σ_r (t-r)(r+1) λ^r and Σ_r (t-r)(t-r+1)/2 λ^r give them for every λ in [-1, 1]",
            of="derived",
            expect=at_most(1e-13),
            why="counting the triples with the same exponent r; over the number of terms, rounding ε t. One more token fails",
            value=lambda e: e["loops"].max("polynomial"),
            wrong=lambda e: smallest(e, "shifted"),
        ),
        Claim(
            "eq-e.16-sums",
            "in double precision the printed (I) has no correct digit at 1-λ = 1e-7, t = 12",
            of="derived",
            expect=at_least(1.0),
            why="terms of size t/(1-λ)³ cancel down to t³/6, which leaves a relative error of about 6ε/(t²(1-λ)³) = 9000",
            value=lambda e: lost(e, "printed"),
            wrong=lambda e: lost(e, "polynomial"),
        ),
    )
    chosen = {"λ, t": "a grid of [-0.95, 0.85] for quotients and of [-1, 1] for polynomials; t = 1, 2, 5, 12"}
    remarks = (
        "The last line of (C) is missing in print; (III), which it leads to, is right. Chains near a = b = 1 have λ near 1 and "
        "carry most of the gradient's variance, so this library uses the polynomials."
    )
    shows = "Relative error near λ = 1: the printed quotients lose all digits, the polynomials none."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "loops": Calculation(against_loops, t=(1, 2, 5, 12), points=scale(61, 1001, 1001)),
            "near one": Calculation(near_one, t=12, low=-7, high=-1, points=61),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.9)
        part = e["near one"]
        for i, name in enumerate(NAMES[:3]):
            for form, style in (("printed", "-"), ("polynomial", ":")):
                error = np.maximum(part.array(form)[i], 1e-17)
                ax.loglog(part.array("distance"), error, style, color=f"C{i}", label=f"({name}), {form}")
        ax.axhline(1, ls="--", lw=0.8, color="0.3")
        ax.set(xlabel="1 - λ", ylabel="relative error", ylim=(5e-18, 1e8))
        ax.legend(ncols=2)
        return figure
