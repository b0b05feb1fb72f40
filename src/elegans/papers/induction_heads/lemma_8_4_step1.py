"""Lemma 8.4 (E.1), first step: W gets a diagonal bias, v only a push to near offsets.

    W = c 1 1^T + c η [(t+1)(t+2)/6 [[B, A], [A, B]] + O(t)],      v_j = c + c η/t [N(N+1)/2 D + O(t)],   N = t-j+1

with A, B, D > 0 and B ≈ 4A. The step is taken here from the tensor of the population gradient, chain by chain under
quadrature, and not from the closed forms that the proof goes through.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, between
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
    D,
    leading_offsets,
    leading_weights,
    mean_offset_gradient,
    mean_weight_gradient,
    next_offsets,
    next_weights,
)
from elegans.theory.induction import gradient_tensor, population_gradient
from elegans.theory.markov import Floats, two_state
from elegans.theory.triangle_rule import triangle_nodes

C, ETA = 0.02, 0.03


def steps(t: tuple[int, ...], n: int) -> dict[str, np.ndarray]:
    """One step from c = 0.02 at rate 0.03 for each t: the weights, what is left of the lemma's bounds, other ways."""
    rows: list[dict[str, float | Floats]] = []
    for length in t:
        W, v = one_step(length, n)
        grown, pushed = (W - C) / (C * ETA), (v - C) / (C * ETA)
        leading = leading_weights(length)
        rows.append({
            "grown": grown, "shares": 6 * grown / (length + 1) / (length + 2), "first": pushed[[0, 1, -1]],
            "rest W": np.abs(grown - leading).max() / length, "rest W exchanged": np.abs(grown - leading[::-1]).max() / length,
            "rest v": np.abs(pushed - leading_offsets(length)).max(),
            "rest v without half": np.abs(pushed - leading_offsets(length) * (D + 0.5) / D).max(),
            "closed W": np.abs(grown / mean_weight_gradient(length) - 1).max(),
            "closed v": np.abs(pushed - mean_offset_gradient(length)).max(),
            "next W": np.abs(grown - leading - next_weights(length)).max() / np.log(length),
            "next v": np.abs(pushed - leading_offsets(length) - next_offsets(length)).max(),
            "least": min(float(grown.min()), float(pushed.min())), "bias": float(grown[0, 0] - grown[0, 1]),
            "fall": float(-np.diff(v).max()) / (C * ETA),
        })  # fmt: skip
    return {"t": np.array(t), **{name: np.array([row[name] for row in rows]) for name in rows[0]}}


def one_step(t: int, n: int) -> tuple[Floats, Floats]:
    """W (2, 2) and v (t,) after one step of population gradient descent from constant weights."""
    a, b, weight = triangle_nodes(n)
    T = np.zeros((2, 2, t))
    for some in np.array_split(np.arange(len(a)), 1 + len(a) * t // 100_000):
        T += np.tensordot(weight[some], gradient_tensor(two_state(a[some], b[some]), t), axes=1)
    W, v = np.full((2, 2), C), np.full(t, C)
    down_W, down_v = population_gradient(T, W, v)
    return W + ETA * down_W, v + ETA * down_v


def smallest(e: Evidence, name: str, sign: int = 1) -> Estimate:
    return exact(float((sign * e.array(name)).min()), f"smallest {name}")


class FirstStep(Experiment):
    """The first gradient step: a diagonal bias in W, a push to near offsets in v."""

    id = "lemma-8.4-step1"
    place = Place(PAPER, "lemma 8.4 (E.1), first step")
    claims = (
        Claim(
            "lemma-8.4-step1",
            "A, B and D are positive",
            expect=at_least(1e-3),
            why="the smallest of (7 - 10 ln 2)/6, (ln 256 - 5)/12, 3/2 - ln 4 is A = 0.011; with signs changed it is not",
            value=lambda e: exact(min(A, B, D), "min(A, B, D)"),
            wrong=lambda e: exact(min(-A, -B, -D), "min(-A, -B, -D)"),
        ),
        Claim(
            "lemma-8.4-step1",
            "B ≈ 4A",
            expect=between(3.5, 4.5),
            why="what ≈ 4 says at least: it rounds to 4. A/B does not",
            value=lambda e: exact(B / A, "B/A"),
            wrong=lambda e: exact(A / B, "A/B"),
        ),
        Claim(
            "lemma-8.4-step1",
            "W - c is c η [(t+1)(t+2)/6 [[B, A], [A, B]] + O(t)], here at most t/24",
            expect=at_most(1 / 24),
            why="the next order is t/24 (row e.23), approached from below; with A and B exchanged the rest grows like t²",
            value=lambda e: e.max("rest W"),
            wrong=lambda e: e.max("rest W exchanged"),
        ),
        Claim(
            "lemma-8.4-step1",
            "v_j - c is c η/t [N(N+1)/2 D + O(t)], here at most D t",
            expect=at_most(D),
            why="the next order is D N (row e.26), approached from below; with D + ½ for D the rest grows like t²",
            value=lambda e: e.max("rest v"),
            wrong=lambda e: e.max("rest v without half"),
        ),
        Claim(
            "lemma-8.4-step1",
            "every entry of W and v grows",
            of="derived",
            expect=at_least(0.0),
            why="smallest growth over entries and t: leading orders are positive. In the direction of the gradient all shrink",
            value=lambda e: smallest(e, "least"),
            wrong=lambda e: smallest(e, "least", -1),
        ),
        Claim(
            "lemma-8.4-step1",
            "the diagonal of W grows more than the rest, at every t",
            expect=at_least(0.0),
            why="diagonal bias; smallest difference. Uphill it would be the other way round",
            value=lambda e: smallest(e, "bias"),
            wrong=lambda e: smallest(e, "bias", -1),
        ),
        Claim(
            "lemma-8.4-step1",
            "v falls with the offset: its largest entry is v_1, not v_2",
            of="derived",
            expect=at_least(0.0),
            why="N(N+1)/2 falls with j; smallest v_j - v_{j+1}. Uphill it rises",
            value=lambda e: smallest(e, "fall"),
            wrong=lambda e: smallest(e, "fall", -1),
        ),
        Claim(
            "lemma-8.4-step1",
            "the closed forms (E.17) and (E.28) give the same step",
            expect=at_most(1e-9),
            why="the same integral by two formulas; quadrature and rounding. Two orders in t alone are 1e-3 away at least",
            value=lambda e: max(e.max("closed W"), e.max("closed v"), key=lambda x: x.value),
            wrong=lambda e: smallest(e, "next v"),
        ),
    )
    given = {"start": "W = c 1 1^T, v = c 1 with c = 0.02, rate 0.03 (figure E.1)"}
    chosen = {"t": "10 to 200; the rest of the proof's rows goes to 800"}
    remarks = (
        "O(t²) in the lemma stands for the positive factor (t+1)(t+2)/6. The proof announces stochastic gradient descent and "
        "takes a step on the population loss, as the lemma says."
    )
    shows = "Entries of W over (t+1)(t+2)/6 tend to B and A: the diagonal grows about four times as much."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(
            steps, t=scale((10, 20, 50), (10, 20, 50, 100, 200), (10, 20, 50, 100, 200)), n=scale(30, 60, 80)
        )

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.9)
        shares = e.array("shares")
        for i, (name, limit) in enumerate((("diagonal, → B", B), ("beside it, → A", A))):
            ax.semilogx(e.array("t"), shares[:, 0, i], "o-", color=f"C{i}", label=name)
            ax.axhline(limit, ls="--", lw=1, color=f"C{i}")
        ax.set(xlabel="t", ylabel="(W - c) / (c η (t+1)(t+2)/6)", ylim=(0, None))
        ax.legend()
        return figure
