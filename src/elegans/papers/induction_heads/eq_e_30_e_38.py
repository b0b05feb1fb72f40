"""Equations (E.30)-(E.38): the gradient of v at a W with a diagonal, term by term.

    E ∂f_{p,i}/∂v_j = c' π_i (p-j+1) + (ρ-c') Σ_l C_il(p, j),     C_il = Σ_{t'=j}^p P[x_{t'} = i, x_{t'-j+1} = x_p = l]
    E ∂f_{p,x_{p+1}}/∂v_j = c' Σ_{t'=j}^p P[x_{t'} = x_{p+1}] + (ρ-c') Σ_il P_li C_il(p, j)

Closed forms are held against sums of matrix powers, against all 2^p contexts, and against the tensor of the population
gradient. Of the printed formulas (E.36), (E.37), (E.38) and a line of (E.32) are not right.
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import exact
from elegans.theory import second_step as s
from elegans.theory.induction import gradient_tensor
from elegans.theory.markov import Floats, stationary, two_state
from elegans.theory.population_tensor import diagonal_part

ROW = "eq-e.30-e.38-second-step"
ROUNDING = "(λ-1)⁴ ≥ 10⁻⁴ in denominators costs four of sixteen digits, sums of up to 40 terms two more"


def draw(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Chains with a, b ~ U(0.05, 0.95): (n,), (n,)."""
    a, b = rng.uniform(0.05, 0.95, (2, n))
    return a, b


def sums(n: int, longest: int, seed: int) -> dict[str, np.ndarray]:
    """Largest errors of the closed forms of sums over t', for n random chains, positions p and offsets j."""
    rng, rows = np.random.default_rng(seed), list[dict[str, float]]()
    for a, b in zip(*draw(n, rng), strict=True):
        p = int(rng.integers(1, longest + 1))
        rows.append(_errors(float(a), float(b), p, int(rng.integers(1, p + 1))))
    return {name: np.array(max(row[name] for row in rows)) for name in rows[0]}


def _errors(a: float, b: float, p: int, j: int) -> dict[str, float]:
    P, closed = two_state(a, b), s.meetings(a, b, p, j)
    C, same = (s.meetings_by_powers(a, b, p, offset) for offset in (j, 1))
    each, true = s.first_offset(a, b, p)
    agree = sum(float(stationary(P) @ np.diag(np.linalg.matrix_power(P, m))) for m in range(1, p - j + 2))
    return {
        "e31": float(np.abs(each - same.sum(1)).max()), "e31_swapped": float(np.abs(each[::-1] - same.sum(1)).max()),
        "e34": abs(true - float(np.sum(P.T * same))), "e34_without_P": abs(float(each.sum() - np.sum(P.T * same))),
        "e32": float(np.abs(closed - C).max()), "e27": abs(s.repeats(a, b, p, j) - agree),
        "e27_long": abs(s.repeats(a, b, p + 1, j) - agree),
        "e32_line": float(np.abs(s.meetings_without_parentheses(a, b, p, j) - C).max()),
        "e36": abs(float(np.sum(P.T * (closed - C)))),
        "e36_printed": abs(s.printed_true_meetings(a, b, p, j) - float(np.sum(P.T * C))),
    }  # fmt: skip


def enumerated(n: int, p: int, seed: int) -> dict[str, np.ndarray]:
    """Largest errors of (E.30) and (E.33) over all contexts of p tokens, with c' and ρ - c' at random, and without ρ - c'."""
    rng, rows = np.random.default_rng(seed), list[list[float]]()
    for a, b in zip(*draw(n, rng), strict=True):
        W = rng.uniform() * np.ones((2, 2)) + rng.uniform(0.2, 1.0) * np.eye(2)
        logits, true = s.logit_gradients_by_enumeration(two_state(a, b), W, p)
        found = [s.logit_gradients(float(a), float(b), W, p, j) for j in range(1, p + 1)]
        flat = [s.logit_gradients(float(a), float(b), np.full((2, 2), W[0, 1]), p, j) for j in range(1, p + 1)]
        rows.append([_off(part, logits, true, which) for part in (found, flat) for which in (0, 1)])
    return dict(zip(("e30", "e33", "e30_uniform", "e33_uniform"), np.array(rows).max(0), strict=True))


def _off(found: list[tuple[Floats, float]], logits: Floats, true: Floats, which: int) -> float:
    """Largest error over offsets of the logits (which = 0) or of the true logit (1)."""
    return float(np.abs(np.array([pair[which] for pair in found]) - (logits, true)[which]).max())


def gradients(n: int, t: int, seed: int) -> dict[str, np.ndarray]:
    """Errors of d_j of every chain against the tensor, over the largest |d_j| of the chain: printed and corrected."""
    a, b = draw(n, np.random.default_rng(seed))
    d = np.stack([diagonal_part(T) for T in gradient_tensor(two_state(a, b), t)])
    size = np.abs(d).max(1, keepdims=True)
    off = np.abs(s.diagonal_gradient(a, b, t) - d) / size
    printed = np.abs(s.printed_diagonal_gradient(a, b, t) - d) / size
    return {
        "first": off[:, 0].max(), "rest": off[:, 1:].max(), "first_printed": printed[:, 0].max(),
        "rest_printed": printed[:, 1:].max(), "typical": np.median(printed, axis=0), "rounding": np.median(off, axis=0),
    }  # fmt: skip


def example() -> dict[str, np.ndarray]:
    """The worked numbers of the specification at a = 0.3, b = 0.8: (E.36) at p = 9, j = 2; t d_1 at t = 12."""
    a, b = np.array([0.3]), np.array([0.8])
    true = float(np.sum(two_state(0.3, 0.8).T * s.meetings(0.3, 0.8, 9, 2)))
    found = np.array([true, s.diagonal_gradient(a, b, 12)[0, 0]])
    printed = np.array([s.printed_true_meetings(0.3, 0.8, 9, 2), s.printed_diagonal_gradient(a, b, 12)[0, 0]])
    quoted = np.array([3.606420, 1.13446])
    return {"found": np.abs(found / quoted - 1), "printed": np.abs(printed / quoted - 1)}


def holds(name: str, says: str, wrong: str, of: str = "printed") -> Claim:
    """A closed form that equals its sum up to rounding, with another that does not."""
    part = "enumerated" if wrong.endswith("uniform") else "sums"
    return Claim(ROW, says, of=of, expect=at_most(1e-10), why=f"an identity; {ROUNDING}",  # type: ignore[arg-type]
                 value=lambda e: e[part].max(name), wrong=lambda e: e[part].max(wrong))  # fmt: skip


def printed(part: str, name: str, says: str) -> Claim:
    """The same for a formula as printed."""
    return Claim(ROW, says, expect=at_most(1e-10), why=f"an identity; {ROUNDING}", value=lambda e: e[part].max(name))


class SecondStepGradient(Experiment):
    """The gradient of v in the second step, as printed and as corrected."""

    id = ROW
    place = Place(PAPER, "equations (E.30)-(E.38)")
    claims = (
        holds("e30", "(E.30), (E.32): mean gradient of every logit, over all contexts", "e30_uniform"),
        holds("e33", "(E.33) with (E.27) and (E.36), corrected: mean gradient of the true logit", "e33_uniform", "corrected"),
        holds("e31", "(E.31): the sum for j = 1", "e31_swapped"),
        holds("e32", "(E.32), last line: the sum for j ≥ 2, and also for j = 1", "e32_line"),
        printed("sums", "e32_line", "(E.32), third line: terms (β λ^{p-t'} + γβ λ^{j-1} + γ)/(λ-1)"),
        holds("e27", "(E.33): its first sum is that of (E.27)", "e27_long"),
        holds("e34", "(E.34): the sum for j = 1", "e34_without_P"),
        printed("sums", "e36_printed", "(E.36) with the factor π_i"),
        holds("e36", "(E.36) with the factor π_l", "e36_printed", "corrected"),
        printed("gradients", "first_printed", "(E.37): the diagonal's gradient of v_1"),
        Claim(ROW, "(E.37) with λ(a-1)(b-1)/(λ-1)³ and t(t+1)/2", of="corrected", expect=at_most(1e-10),
              why=f"equals the tensor of matrix powers; {ROUNDING}; over the largest |d_j| of the chain",
              value=lambda e: e["gradients"].max("first"), wrong=lambda e: e["gradients"].max("first_printed")),
        printed("gradients", "rest_printed", "(E.38): the diagonal's gradient of v_j, j ≥ 2"),
        Claim(ROW, "(E.38) with 1 - λ in the denominator of its second sum", of="corrected", expect=at_most(1e-10),
              why=f"equals the tensor of matrix powers; {ROUNDING}; over the largest |d_j| of the chain",
              value=lambda e: e["gradients"].max("rest"), wrong=lambda e: e["gradients"].max("rest_printed")),
        Claim(ROW, "numbers worked out at a = 0.3, b = 0.8 for (E.36) and (E.37)", of="corrected", expect=at_most(1e-5),
              why="quoted to six digits; relative error", value=lambda e: e["example"].max("found"),
              wrong=lambda e: exact(float(e["example"].array("printed").min()), "relative error")),
    )  # fmt: skip
    chosen = {
        "chains": "a, b ~ U(0.05, 0.95): near a = b = 1 the closed forms divide by almost nothing",
        "p, t": "p ≤ 40 for sums, p = 6 for the enumeration of all contexts, t = 40 for the gradient",
    }
    remarks = (
        "Errata 7 to 10. The third line of (E.32) lost the parentheses of (β_il λ^{p-t'} + γ_il)(β_li λ^{j-1} + γ_li)/(λ-1)²; "
        "its last line is right. (E.36) has π_i for π_l, which (E.38) has right. (E.37) lacks a factor λ/(λ-1) and has t(t-1) "
        "for t(t+1). (E.38) has λ-1 for 1-λ in its second sum."
    )
    shows = (
        "Corrected, both agree with the tensor to rounding; as printed (E.37) is off by a tenth, (E.38) in digit four."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "sums": Calculation(sums, n=scale(40, 1000, 4000), longest=40, seed=0),
            "enumerated": Calculation(enumerated, n=scale(10, 100, 400), p=6, seed=1),
            "gradients": Calculation(gradients, n=scale(200, 4000, 10_000), t=40, seed=2),
            "example": Calculation(example),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.9)
        j = np.arange(1, len(e["gradients"].array("typical")) + 1)
        ax.semilogy(j, e["gradients"].array("typical"), "o", ms=3.5, color="C1", label="as printed")
        ax.semilogy(j, e["gradients"].array("rounding"), "o", ms=3.5, color="C0", label="as corrected")
        ax.axhline(1e-10, ls="--", lw=1, color="0.4", label="bound of the claims")
        ax.set(xlabel="offset j", ylabel="median error of $d_j$ / max$_j$ |$d_j$|", ylim=(1e-20, 10))
        ax.legend(loc=(0.62, 0.5))
        return figure
