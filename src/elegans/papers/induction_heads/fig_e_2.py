"""Figure E.2: what the diagonal of W adds to the gradient of v in the second step, over offsets.

(ρ - c') d_j,     ρ - c' = c η (D - O),     v²_j = v¹_j + η (c' g_j + (ρ - c') d_j),     c = 0.02, η = 0.03, t = 100
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.even_odd_gradient import peaks
from elegans.stats import Estimate, exact, mean
from elegans.theory.induction import population_gradient
from elegans.theory.population_tensor import diagonal_part, flat_law, flat_tensor, law_mean
from elegans.theory.second_step import diagonal_gradient, printed_diagonal_gradient

ROW, C, ETA, T = "fig-e.2", 0.02, 0.03, 100
DIAGONAL = {
    1: 0.0059521, 2: 0.0071508, 3: 0.0050053, 4: 0.0057685, 5: 0.0048349, 6: 0.0052008, 7: 0.0046631, 8: 0.0048459,
    9: 0.0044836, 10: 0.0045715, 20: 0.0035478, 50: 0.0014197,
}  # η (ρ-c') d_j, quoted in section 5 of the specification # fmt: skip
V2 = (0.03489, 0.035913, 0.033593, 0.034184, 0.03308, 0.033278, 0.032573, 0.032591, 0.032065, 0.031991)
W2 = (0.123315, 0.043073)


def exact_step(t: int) -> dict[str, np.ndarray]:
    """The gradient (ρ-c') d_j exactly and by the printed formulas, W², v², v² after one step only."""
    T, law = flat_tensor(t), flat_law()
    W, v = np.full((2, 2), C), np.full(t, C)
    steps = list[tuple[np.ndarray, np.ndarray]]()
    for _ in range(2):
        down_W, down_v = population_gradient(T, W, v)
        W, v = W + ETA * down_W, v + ETA * down_v
        steps.append((W, v))
    (W1, v1), (W2, v2) = steps
    excess = W1[0, 0] - W1[0, 1]
    printed = law_mean(printed_diagonal_gradient(law[0], law[1], t), law)
    return {"gradient": excess * diagonal_part(T), "printed": excess * printed, "excess": np.array(excess),
            "v1": v1, "v2": v2, "W1": W1, "W2": W2}  # fmt: skip


def sampled(n: int, t: int, seed: int) -> dict[str, np.ndarray]:
    """Means of (ρ-c') d_j over sampled (a, b), as in the paper, their standard errors, and hundred group means of d_2 - d_1."""
    a, b = np.random.default_rng(seed).uniform(size=(2, n))
    d = float(exact_step(t)["excess"]) * diagonal_gradient(a, b, t)
    lead = (d[:, 1] - d[:, 0]).reshape(100, -1).mean(1)
    return {"mean": d.mean(0), "error": d.std(0) / n**0.5, "lead": lead}


def from_quoted(e: Evidence, name: str) -> Estimate:
    """Largest relative distance of η times a gradient from the quoted numbers."""
    found = ETA * e["exact"].array(name)[np.array(list(DIAGONAL)) - 1]
    return exact(float(np.abs(found / np.array(list(DIAGONAL.values())) - 1).max()), "relative error")


def after(e: Evidence, step: int) -> Estimate:
    """Largest relative distance of W and v after this step from the quoted ones after two."""
    v, W = e["exact"].array(f"v{step}")[: len(V2)], e["exact"].array(f"W{step}")[0]
    return exact(float(max(np.abs(v / V2 - 1).max(), np.abs(W / W2 - 1).max())), "relative error")


def standard_errors(e: Evidence, shift: int = 0) -> Estimate:
    """Largest distance of the sampled from the exact gradient over j ≤ 20, in standard errors."""
    part, true = e["sampled"], np.roll(e["exact"].array("gradient"), shift)
    return exact(float(np.abs((part.array("mean") - true) / part.array("error"))[:20].max()), "standard errors")


class DiagonalGradient(Experiment):
    """The second step through the diagonal: offset 2 first, then a zigzag."""

    id = ROW
    place = Place(PAPER, "figure E.2")
    claims = (
        Claim(ROW, "η (ρ-c') d_j at twelve offsets", of="derived", expect=at_most(1e-4),
              why="quoted to five digits; relative error. The printed (E.37) and (E.38) give other numbers",
              value=lambda e: from_quoted(e, "gradient"), wrong=lambda e: from_quoted(e, "printed")),
        Claim(ROW, "the curve has its maximum at offset 2", expect=near(2, 0),
              why="what the figure is for; with v after one step only it is offset 1",
              value=lambda e: exact(int(np.argmax(e["exact"].array("gradient"))) + 1, "offset"),
              wrong=lambda e: exact(int(np.argmax(e["exact"].array("v1"))) + 1, "offset")),
        Claim(ROW, "it zigzags: even offsets up to 10 are local maxima", expect=near(0, 0),
              why="even/odd pattern; number of even j ≤ 10 that are not. v after one step has no local maximum",
              value=lambda e: exact(len({2, 4, 6, 8, 10} - peaks(e["exact"].array("gradient"))), "missing"),
              wrong=lambda e: exact(len({2, 4, 6, 8, 10} - peaks(e["exact"].array("v1"))), "missing")),
        Claim(ROW, "v² and W² after the whole second step", of="derived", expect=at_most(2e-4),
              why="v² quoted to four digits at least; relative error", value=lambda e: after(e, 2), wrong=lambda e: after(e, 1)),
        Claim(ROW, "sampled as in the paper, the curve is the exact one within four standard errors", of="derived",
              expect=at_most(4.0), why="offsets 1 to 20, strongly correlated; the exact curve shifted by one offset is far away",
              value=standard_errors, wrong=lambda e: standard_errors(e, 1)),
        Claim(ROW, "and that many samples tell offset 2 from offset 1", expect=at_least(0.0),
              why="d_2 - d_1 of the same chains, 95 % interval over a hundred groups",
              value=lambda e: mean(e["sampled"].array("lead")), wrong=lambda e: mean(-e["sampled"].array("lead"))),
    )  # fmt: skip
    given = {"c, η, t": "0.02, 0.03, 100; outer expectations from 10,000 samples"}
    remarks = (
        "The text does not say by which form of (E.37) and (E.38) the figure was drawn. With the printed ones all offsets but "
        "the first are nearly right, and v_1 is lower, so that the figure looks almost the same."
    )
    shows = "A peak at offset 2, then even offsets above odd ones, on a slope; dots are 10,000 samples as in the paper."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "exact": Calculation(exact_step, t=T),
            "sampled": Calculation(sampled, n=scale(10_000, 10_000, 10_000), t=T, seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        j, part = np.arange(1, T + 1), e["sampled"]
        ax.plot(j, e["exact"].array("gradient"), color="C0", lw=1.2, label="exact")
        ax.errorbar(
            j, part.array("mean"), part.array("error"), fmt=".", ms=4, lw=0.7, color="C1", label="10,000 samples"
        )
        ax.plot(j, e["exact"].array("printed"), ":", color="0.4", lw=1, label="(E.37), (E.38) as printed")
        ax.set(
            xlabel="offset j",
            ylabel=r"$(\rho-c')\,d_j$, gradient of $v_j$ by the diagonal",
            ylim=(0, None),
            xlim=(0, T),
        )
        ax.legend(loc="lower left")
        near_by = ax.inset_axes((0.52, 0.5, 0.46, 0.48))
        near_by.plot(j[:16], e["exact"].array("gradient")[:16], "o-", ms=3, lw=1, color="C0")
        near_by.plot(j[:16], e["exact"].array("printed")[:16], ":", lw=1, color="0.4")
        near_by.set(xticks=(1, 2, 4, 6, 8, 10, 12, 14, 16))
        return figure
