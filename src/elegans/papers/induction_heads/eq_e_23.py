"""Equations (E.23)-(E.25): after one step the diagonal of W has grown about four times as much as the rest.

    W_ml - c = c η [(t+1)(t+2)/6 · E π_m π_l (b-a)(P_m1 - ½)/(λ-1) + O(t)],    B = (ln 256 - 5)/12,   A = (7 - 10 ln 2)/6

Ours: the term of order t is t/24 on the diagonal and t (2 - 3 ln 2)/6 beside it, and for k symbols the bracket is
E π_m π_l (Σ_i P_mi π_i - 1/k).
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.first_step import (
    A,
    B,
    leading_of_many,
    leading_weight_gradient,
    leading_weights,
    mean_weight_gradient,
    next_weight_gradient,
    next_weights,
)
from elegans.theory.markov import Floats, flat_mean
from elegans.theory.triangle_rule import triangle_mean

TABLE = {  # specification 4.4: (W - c) / (c η) on the diagonal and beside it
    10: (1.24327, 0.131041), 20: (4.08291, 0.630158), 50: (21.7954, 4.40498), 100: (81.70266, 18.30678),
    200: (315.1913, 74.66165), 400: (1236.586, 301.5837), 800: (4896.743, 1212.281),
}  # fmt: skip
RATIO = B / A


def constants(n: int) -> dict[str, np.ndarray]:
    """Leading and next order by quadrature on triangles, and the two printed integrands by another rule."""

    def integrands(a: Floats, b: Floats) -> Floats:
        diagonal = (b - 1) ** 2 * (b - a) * (a - 0.5) / (a + b - 2) ** 3
        return np.stack([diagonal, (b - 1) * (a - 1) * (b - a) * (a - 0.5) / (a + b - 2) ** 3], -1)

    return {
        "leading": triangle_mean(leading_weight_gradient, n), "next": triangle_mean(next_weight_gradient, n),
        "printed": flat_mean(integrands, 2 * n),
    }  # fmt: skip


def table(t: tuple[int, ...]) -> dict[str, np.ndarray]:
    """(W - c) / (c η), diagonal and beside it, at every length of the context."""
    W = np.array([mean_weight_gradient(length)[0] for length in t])
    return {"t": np.array(t), "diagonal": W[:, 0], "beside": W[:, 1]}


def more_symbols(k: tuple[int, ...], chains: int, seed: int) -> dict[str, np.ndarray]:
    """Leading order for k symbols over random chains: mean diagonal and off-diagonal entries with standard errors."""
    rows: list[list[float]] = []
    for m in k:
        P = np.random.default_rng((seed, m)).dirichlet(np.ones(m), size=(chains, m))
        G = leading_of_many(P)
        diagonal = np.trace(G, axis1=1, axis2=2) / m
        beside = (G.sum((1, 2)) - m * diagonal) / (m * (m - 1))
        ratio, root = diagonal.mean() / beside.mean(), chains**0.5
        rows.append([ratio, float((diagonal - ratio * beside).std() / root / beside.mean())])
    ratio, error = np.array(rows).T
    return {"k": np.array(k), "ratio": ratio, "error": error, "chains": np.array(chains)}


def rest(e: Evidence, with_next: bool = False, swapped: bool = False) -> np.ndarray:
    """(W - c) / (c η) less the leading order (and the next), over t; (lengths, 2)."""
    part, out = e["table"], list[np.ndarray]()
    for t, W in zip(part.array("t"), np.stack([part.array("diagonal"), part.array("beside")], 1), strict=True):
        known = leading_weights(int(t))[0] + (next_weights(int(t))[0] if with_next else 0)
        out.append((W - (known[::-1] if swapped else known)) / t)
    return np.array(out)


def apart(found: np.ndarray, expected: tuple[float, float], what: str) -> Estimate:
    """The larger of two distances."""
    return exact(float(np.abs(np.asarray(found).ravel()[:2] - expected).max()), what)


def tabulated(e: Evidence, rows: slice = slice(None), swapped: bool = False) -> Estimate:
    """Largest relative distance from the table of the specification."""
    part = e["table"]
    found = np.stack([part.array("diagonal"), part.array("beside")], 1)[rows]
    quoted = np.array([TABLE[int(t)] for t in part.array("t")])[rows]
    return exact(float(np.abs((found[:, ::-1] if swapped else found) / quoted - 1).max()), "relative distance")


def ratios(e: Evidence) -> np.ndarray:
    return e["table"].array("diagonal") / e["table"].array("beside")


def fades(e: Evidence, sign: int = 1) -> Estimate:
    """Smallest fall of the ratio from one k to the next, with two standard errors."""
    part = e["more symbols"]
    fall, error = -np.diff(part.array("ratio")), part.array("error")
    at = int(np.argmin(sign * fall))
    value, half = sign * float(fall[at]), 2 * float(np.hypot(error[at], error[at + 1]))
    return Estimate(value, value - half, value + half, int(part.array("chains")), what="smallest fall")


class DiagonalBias(Experiment):
    """One step makes the diagonal of W grow about four times as much as the rest."""

    id = "eq-e.23-e.25-diag-bias"
    place = Place(PAPER, "equations (E.23)-(E.25)")
    claims = (
        Claim(
            "eq-e.23-e.25-diag-bias",
            "the printed integrals are B = (ln 256 - 5)/12 and A = (7 - 10 ln 2)/6",
            expect=at_most(1e-8),
            why="quadrature with a corner singularity reaches nine digits; exchanged they are not",
            value=lambda e: apart(e["constants"].array("printed"), (B, A), "distance from B, A"),
            wrong=lambda e: apart(e["constants"].array("printed"), (A, B), "distance from A, B"),
        ),
        Claim(
            "eq-e.23-e.25-diag-bias",
            "both diagonal entries of (E.23) are B, both others A",
            expect=at_most(1e-12),
            why="exponentially convergent quadrature on triangles; exchanged they are not",
            value=lambda e: exact(float(np.abs(e["constants"].array("leading") - [[B, A], [A, B]]).max()), "distance"),
            wrong=lambda e: exact(float(np.abs(e["constants"].array("leading") - [[A, B], [B, A]]).max()), "distance"),
        ),
        Claim(
            "eq-e.23-e.25-diag-bias",
            "the diagonal gets about 4 times as much: B/A = 3.978",
            expect=near(3.978, 5e-4),
            why="four printed digits of the two constants; with 5 - ln 256 the diagonal would shrink",
            value=lambda e: exact(float(np.divide(*e["constants"].array("printed"))), "B/A"),
            wrong=lambda e: exact(-float(np.divide(*e["constants"].array("printed"))), "-B/A"),
        ),
        Claim(
            "eq-e.23-e.25-diag-bias",
            "the exact step at t = 10 to 800, as tabulated",
            of="derived",
            expect=at_most(1e-5),
            why="the table of the specification has six digits; relative. Diagonal and other entries exchanged do not fit",
            value=tabulated,
            wrong=lambda e: tabulated(e, swapped=True),
        ),
        Claim(
            "eq-e.23-e.25-diag-bias",
            "what is left after the leading order is O(t): at most t/24",
            expect=at_most(1 / 24),
            why="the next order is t/24 on the diagonal, approached from below; with A and B exchanged the rest grows like t²",
            value=lambda e: exact(float(np.abs(rest(e)).max()), "rest / t"),
            wrong=lambda e: exact(float(np.abs(rest(e, swapped=True)).max()), "rest / t"),
        ),
        Claim(
            "eq-e.23-e.25-diag-bias",
            "the next order is t/24 on the diagonal and t (2 - 3 ln 2)/6 beside it",
            of="derived",
            expect=at_most(1e-12),
            why="from Σλ^{p-t'} ~ t²/2(1-λ) in (B) and (C), by quadrature; exchanged it is not",
            value=lambda e: apart(e["constants"].array("next"), tuple(next_weights(1)[0]), "distance"),
            wrong=lambda e: apart(e["constants"].array("next"), tuple(next_weights(1)[1]), "distance"),
        ),
        Claim(
            "eq-e.23-e.25-diag-bias",
            "and beyond it the rest is at most ln t / 6",
            of="derived",
            expect=at_most(1 / 6),
            why="terms of order 1 and, from chains near a = b = 1, of order ln t; without the next order the rest grows like t",
            value=lambda e: exact(
                float((np.abs(rest(e, True)).max(1) * e["table"].array("t") / np.log(e["table"].array("t"))).max()),
                "rest / ln t",
            ),
            wrong=lambda e: exact(
                float((np.abs(rest(e)).max(1) * e["table"].array("t") / np.log(e["table"].array("t"))).max()),
                "rest / ln t",
            ),
        ),
        Claim(
            "eq-e.23-e.25-diag-bias",
            "the exact ratio falls with t and stays above 3.978",
            of="derived",
            expect=at_least(0.0),
            why="smallest step down, also from the last t to the limit, approached like 1/t. The diagonal itself rises",
            value=lambda e: exact(float(-np.diff([*ratios(e), RATIO]).max()), "smallest fall"),
            wrong=lambda e: exact(float(-np.diff(e["table"].array("diagonal")).max()), "smallest fall of the diagonal"),
        ),
        Claim(
            "eq-e.23-e.25-diag-bias",
            "for 2, 3, 4, 8 symbols the ratio falls",
            of="derived",
            expect=at_least(0.0),
            why="π flattens with k; smallest fall over sampled chains, two standard errors. In the other direction it rises",
            value=fades,
            wrong=lambda e: fades(e, -1),
        ),
    )
    chosen = {"t": "10 to 800", "k": "2, 3, 4 and 8 symbols, chains from the flat prior"}
    shows = "Left: the exact ratio falls to 3.978. Right: the rest over t tends to 1/24 and (2 - 3 ln 2)/6."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "constants": Calculation(constants, n=60),
            "table": Calculation(table, t=scale(tuple(TABLE)[:6], tuple(TABLE), tuple(TABLE))),
            "more symbols": Calculation(more_symbols, k=(2, 3, 4, 8), chains=scale(10_000, 100_000, 400_000), seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.8)
        t, left_over = e["table"].array("t"), rest(e)
        left.semilogx(t, ratios(e), "o-", label="exact")
        left.axhline(RATIO, ls="--", lw=1, color="0.3", label="B/A = 3.978")
        left.set(xlabel="t", ylabel="growth of the diagonal / of the rest", ylim=(3, None))
        left.legend()
        for i, name in enumerate(("diagonal", "beside it")):
            right.semilogx(t, left_over[:, i], "o-", color=f"C{i}", label=name)
            right.axhline(next_weights(1)[0, i], ls="--", lw=1, color=f"C{i}")
        right.set(xlabel="t", ylabel="(exact - leading order) / t")
        right.legend()
        return figure
