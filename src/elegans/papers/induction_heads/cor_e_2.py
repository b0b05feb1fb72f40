"""Corollary E.2, the first step on chains with a = b: W becomes diagonal, and v hardly moves towards unigrams.

E over a ~ U(0, 1), per c η:   W_mm: 1/(4t) Σ_{r odd < t} (t-r)(t-r+1)/(2(r+2)) ~ t ln t / 16,     W_12 = W_21: 0,
                               v_j: 1/(2t) Σ_{n even ≤ N} (N-n+1)/(n+1) ~ N ln N / (4t),           N = t - j + 1
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
from elegans.theory import symmetric_chains as c
from elegans.theory.induction import gradient_tensor
from elegans.theory.markov import two_state
from elegans.theory.population_tensor import first_step, flat_tensor, mean_tensor, symmetric_law

ROW = "cor-e.2-symmetric"
QUOTED_W = {10: 0.58751, 100: 16.01535, 1000: 294.2534}  # specification 4.6
QUOTED_V = {10: 0.27693, 100: 0.74332, 1000: 1.29812}
QUOTED_RATIO = {10: 0.405, 100: 0.127, 1000: 0.0228}
CHAINS = "matrix powers and geometric sums in double precision, λ - 1 ≥ 0.06 away from zero"


def chains(n: int, t: int, seed: int) -> dict[str, np.ndarray]:
    """Per chain the largest distances from the tensor, over t: our sums, (E.46), (E.48), and (III) with the other sign."""
    a = np.random.default_rng(seed).uniform(0.03, 0.97, n)
    W, v = zip(*map(first_step, gradient_tensor(two_state(a, a), t)), strict=True)
    diagonal, off, v = np.array(W)[:, 0, 0], np.array(W)[:, [0, 1], [1, 0]], np.array(v)
    e46, e48 = c.printed_w_push(a, t)
    gap = {
        "w": c.w_push(a, t) - diagonal, "off": off, "v": c.v_push(a, t) - v, "e46": e46 - diagonal, "e48": e48[:, None] - off,
        "on": diagonal, "reversed": c.v_push(1 - a, t) - v, "mirrored": c.w_push(1 - a, t) - diagonal,
    }  # fmt: skip
    return {name: np.array(np.abs(x).max() / t) for name, x in gap.items()}


def leading(a: tuple[float, ...], t: tuple[int, ...]) -> dict[str, np.ndarray]:
    """(1-λ) t |exact / (E.47) - 1| for fixed chains: (t, a); and the same with twice (E.47)."""
    x = np.array(a)
    ratio = np.array([c.w_push(x, n) / c.leading_w_push(x, n) for n in t])
    scale = (2 - 2 * x) * np.array(t)[:, None]
    return {"error": scale * np.abs(ratio - 1), "error_of_twice": scale * np.abs(ratio / 2 - 1)}


def means(t: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Means over a ~ U(0, 1) in closed form and by quadrature of the tensor, and the flat law's push on v_1."""
    rows = []
    for n in t:
        W, v = first_step(mean_tensor(symmetric_law(n=n // 2 + 2), n))  # exact: polynomials of degree up to n in a
        closed, flat = c.mean_v_push(n), flat_tensor(n, 80).sum((0, 1))
        rows.append([W[0, 0], c.mean_w_push(n), W[0, 1], v[0], closed[0], np.abs(v - closed).max(), flat[0],
                     np.abs(v - c.printed_v_push(n)).min()])  # fmt: skip
    names = ("W", "W_closed", "off", "v", "v_closed", "v_error", "flat", "v_printed_error")
    return {"t": np.array(t), **dict(zip(names, np.array(rows).T, strict=True))}


def growth(start: int, doublings: int) -> dict[str, np.ndarray]:
    """Increase of W_mm / t and of v_1 when t doubles."""
    t = [start * 2**i for i in range(doublings + 1)]
    return {
        "t": np.array(t),
        "W": np.diff([c.mean_w_push(n) / n for n in t]),
        "v": np.diff([c.mean_v_push(n)[0] for n in t]),
    }


def worst(e: Evidence, quoted: dict[int, float], found: np.ndarray) -> Estimate:
    """Largest relative distance from quoted numbers."""
    at = [int(np.flatnonzero(e["means"].array("t") == n)[0]) for n in quoted]
    return exact(float(np.abs(found[at] / np.array(list(quoted.values())) - 1).max()), "relative error")


def ratios(e: Evidence) -> np.ndarray:
    """Push on v_1 of symmetric over flat chains, for every t."""
    return e["means"].array("v_closed") / e["means"].array("flat")


def identity(name: str, says: str, wrong: str, of: str = "printed") -> Claim:
    """A formula for one chain that equals the tensor up to rounding."""
    return Claim(ROW, says, of=of, expect=at_most(1e-12), why=f"{CHAINS}; largest error over t",  # type: ignore[arg-type]
                 value=lambda e: e["chains"].max(name), wrong=lambda e: e["chains"].max(wrong))  # fmt: skip


class WithoutUnigrams(Experiment):
    """Without a unigram solution the first step makes W diagonal and leaves v almost alone."""

    id = ROW
    place = Place(PAPER, "corollary E.2, equations (E.44)-(E.49)")
    claims = (
        identity("e46", "(E.46): the push on the diagonal of W by one chain", "mirrored"),
        identity("e48", "(E.48): the off-diagonal of W does not move, chain by chain", "on"),
        identity("w", "W_mm moves by λ/(4t) Σ λ^r (t-r)(t-r+1)/2", "mirrored", "derived"),
        identity("v", "v_j moves by 1/(2t) Σ_{n ≤ N} (N-n+1) λ^n", "reversed", "corrected"),
        Claim(ROW, "(E.47): -t (a-½)/(8(a-1)) is the leading order for a fixed chain", expect=at_most(4.0),
              why="summing all terms, (1-λ) t |ratio - 1| = |1 - 3λ + 2λ²/((1-λ)t)|, below 4 for |λ| ≤ 0.8 and t ≥ 100",
              value=lambda e: e["leading"].max("error"), wrong=lambda e: e["leading"].max("error_of_twice")),
        Claim(ROW, "means in closed form are those of the tensor", of="corrected", expect=at_most(1e-10),
              why="Gauss-Legendre is exact for these polynomials; largest error of W and v over t",
              value=lambda e: exact(float(max(np.abs(e["means"].array("W") - e["means"].array("W_closed")).max(),
                                              e["means"].array("v_error").max(), np.abs(e["means"].array("off")).max())
                                          / e["means"].array("t").max()), "error"),
              wrong=lambda e: exact(float(e["means"].array("v_printed_error").max() / e["means"].array("t").max()), "error")),
        Claim(ROW, "(E.45), (E.49): v_j decreases by (t-j+1)/(2t), so v_1 by ½", expect=near(-0.5, 0.05),
              why="up to O(1/t); at t = 1000, per c η", value=lambda e: exact(float(e["means"].array("v")[-1]), "change of v_1")),
        Claim(ROW, "v_1 increases: by 0.277, 0.743, 1.298 at t = 10, 100, 1000", of="corrected", expect=at_most(1e-4),
              why="quoted to five digits; relative error. Printed is -½",
              value=lambda e: worst(e, QUOTED_V, e["means"].array("v")),
              wrong=lambda e: worst(e, QUOTED_V, np.full(len(e["means"].array("t")), -0.5))),
        Claim(ROW, "W_mm increases by 0.588, 16.0, 294 at t = 10, 100, 1000, not by infinity", of="corrected",
              expect=at_most(1e-5), why="quoted to five digits or more; relative error. Linear growth would be another number",
              value=lambda e: worst(e, QUOTED_W, e["means"].array("W")),
              wrong=lambda e: worst(e, QUOTED_W, e["means"].array("t") * 0.16)),
        Claim(ROW, "W_mm ~ t ln t / 16 and v_1 ~ ln t / 4", of="corrected", expect=at_most(0.01),
              why="increase of W_mm/t and of v_1 from t = 3200 to 6400, relative; what is left out of v_1 is ln t/(2t), 0.7 %",
              value=lambda e: exact(float(max(abs(e["growth"].array("W")[-1] / c.W_GROWTH - 1),
                                              abs(e["growth"].array("v")[-1] / c.V_GROWTH - 1))), "relative error"),
              wrong=lambda e: exact(abs(float(e["growth"].array("v")[-1]) / c.W_GROWTH - 1), "relative error")),
        Claim(ROW, "there is less push to unigrams: a falling share of that of flat chains, 0.405, 0.127, 0.0228", of="derived",
              expect=at_most(2.2e-3), why="the remark after the corollary; half of the last digit of 0.0228, relative error",
              value=lambda e: worst(e, QUOTED_RATIO, ratios(e)), wrong=lambda e: worst(e, QUOTED_RATIO, ratios(e)[::-1])),
        Claim(ROW, "the share falls at every t tried", expect=at_most(0.0),
              why="'less signal': O(ln t / t); largest increase from one t to the next. The push itself grows",
              value=lambda e: exact(float(np.diff(ratios(e)).max()), "increase"),
              wrong=lambda e: exact(float(np.diff(e["means"].array("v")).max()), "increase")),
        Claim(ROW, "W becomes diagonal: the diagonal gains more than v_1 from t = 10 on", of="derived", expect=at_least(1.0),
              why="t ln t / 16 against ln t / 4; smallest ratio over the t tried. The flat push on v_1 is of the order of t",
              value=lambda e: exact(float((e["means"].array("W") / e["means"].array("v")).min()), "ratio"),
              wrong=lambda e: exact(float((e["means"].array("v") / e["means"].array("flat")).min()), "ratio")),
    )  # fmt: skip
    chosen = {
        "chains": "a ~ U(0.03, 0.97) for identities of one chain",
        "t": "10 to 1000 for means; 100 to 6400 for growth",
    }
    remarks = (
        "Erratum 14. In (E.49) the factor 2λ = 2(2a-1) became 2(2a-2): sign and order of v are wrong, it grows like ln t. The ∞ "
        "in (E.45) is a mean that was expanded before it was taken; at finite t it is t ln t / 16. The conclusion stands."
    )
    shows = "Right: v_1 rises with ln t on symmetric chains, where print has it fall; flat chains push it in proportion to t."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "chains": Calculation(chains, n=scale(100, 1000, 4000), t=60, seed=0),
            "leading": Calculation(leading, a=(0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9), t=(100, 400, 1600)),
            "means": Calculation(means, t=(10, 30, 100, 300, 1000)),
            "growth": Calculation(growth, start=100, doublings=6),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        part = e["means"]
        t = part.array("t")
        rate = part.array("W") / t
        left.semilogx(t, rate, "o-", ms=4, label="diagonal of W, over t")
        left.semilogx(t, rate[-1] + np.log(t / t[-1]) / 16, "--", color="0.4", lw=1, label="slope 1/16 in ln t")
        left.set(xlabel="context length t", ylabel="gain in the first step, per c η t")
        left.legend()
        right.semilogx(t, part.array("v"), "o-", ms=4, label="$v_1$, a = b")
        right.semilogx(t, np.full(len(t), -0.5), "--", color="C1", label="as printed")
        right.semilogx(t, part.array("flat"), ":", color="0.4", label="$v_1$, flat chains")
        right.axhline(0, color="0.3", lw=0.8)
        right.set(xlabel="context length t", ylabel="gain in the first step, per c η", ylim=(-1, 3))
        right.legend(loc="upper right")
        return figure
