"""Figure B.8 (left): Fourier gaps of the gradient of a sine at random weights, in closed form. Nothing is trained.

g_i = E[y x_i sin(w·x / √n)]        Γ(w) = max_{i∈[k]} |g_i| - max_{i∉[k]} |g_i|

With v = w/√n it is positive exactly where min_{i≤k} |tan v_i| max_{i>k} |tan v_i| < 1, so for all |w_i| < π√n/4.
"""

from collections.abc import Callable
from dataclasses import replace
from math import log, sqrt

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.fig_b_7 import KS, N, drawn
from elegans.stats import Estimate, exact, mean, wilson
from elegans.theory import neuron_gradients
from elegans.theory.majority import gap_limit, majority_gap
from elegans.theory.sine_gaps import LIMIT_AT_SIGNS, gap_at_signs, relaxed_gap, strict_gap
from elegans.theory.sinusoid import correlation_gradient

ROW, LAWS, SMALL = "fig-B.8-left", ("uniform", "Gaussian"), (2, 4)
LARGE_N = 10_001


def gaps(law: str, n: int, k: tuple[int, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Γ and the gap of Definition 5.4 at random weights, shape (k, draws)."""
    v = drawn(law, np.random.default_rng(seed), draws, n) / sqrt(n)
    relaxed, strict = [np.array([f(v, d) for d in k]) for f in (relaxed_gap, strict_gap)]
    return {"k": np.array(k), "gap": relaxed, "strict": strict}


def against_enumeration(n: int, k: tuple[int, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Γ by summing over all inputs, minus two closed forms of it, and minus one with S and its complement exchanged."""
    v = drawn("Gaussian", np.random.default_rng(seed), draws, n)
    listed = [neuron_gradients.relaxed_gap(neuron_gradients.gradients(np.sin, v, d), d) for d in k]
    other = [neuron_gradients.relaxed_gap(correlation_gradient(v, -np.pi / 2, range(d)), d) for d in k]
    forms = {"formula": [relaxed_gap(v, d) for d in k], "gradient": other}
    forms["exchanged"] = [relaxed_gap(np.roll(v, -d, axis=1), n - d - (n - d) % 2) for d in k]
    return {name: np.abs(np.array(form) - np.array(listed)) for name, form in forms.items()}


def at_signs(n: tuple[int, ...], k: tuple[int, ...]) -> dict[str, np.ndarray]:
    """n^((k-1)/2) Γ at sign vectors, shape (k, n)."""
    return {"n": np.array(n), "scaled": np.array([[gap_at_signs(m, d) * m ** ((d - 1) / 2) for m in n] for d in k])}


def against_majority(law: str) -> Callable[[Evidence], Estimate]:
    """Mean Γ over the gap of majority; of k = 2 and 4 the one that is farthest from 1."""

    def value(e: Evidence) -> Estimate:
        found = [mean(e[law].array("ratio")[KS.index(k)]) for k in SMALL]
        return replace(max(found, key=lambda m: abs(log(m.value))), what="mean Γ / gap of majority")

    return value


def signs_against_majority() -> Estimate:
    """The same at sign vectors, where nothing is random."""
    return exact(max((gap_at_signs(N, k) / majority_gap(N, k) for k in SMALL), key=lambda r: abs(log(r))), "ratio")


def least_positive(name: str, *laws: str) -> Callable[[Evidence], Estimate]:
    """The smallest share of draws with a positive gap, over laws and k."""

    def value(e: Evidence) -> Estimate:
        rows = [row for law in laws for row in e[law].array(name)]
        return min((wilson(int((row > 0).sum()), len(row)) for row in rows), key=lambda s: s.value)

    return value


def from_limit(e: Evidence, limit: Callable[[int], float]) -> Estimate:
    """Largest relative distance of n^((k-1)/2) Γ at sign vectors from a limit, at the largest n."""
    formula = np.array([limit(k) for k in KS])
    return exact(float(np.abs(e["signs"].array("scaled")[:, -1] / formula - 1).max()), f"at n = {LARGE_N}")


class SineGaps(Experiment):
    """Sines have Fourier gaps as well, of the order of majority's."""

    id = ROW
    place = Place(PAPER, "figure B.8 (left)")
    claims = (
        *(
            Claim(
                ROW,
                f"{law} weights: at k = 2 and 4 the mean gap is comparable to that of majority",
                expect=between(0.1, 10),
                why="specification 5.16: the same order, that is a factor of ten either way; the k that is farther off "
                "counts",
                value=against_majority(law),
            )
            for law in LAWS
        ),
        Claim(
            ROW,
            "sign vectors: at k = 2 and 4 the gap is comparable to that of majority",
            expect=between(0.1, 10),
            why="specification 5.16, as above",
            value=lambda e: signs_against_majority(),
        ),
        Claim(
            ROW,
            "the gap is positive in at least 99 % of draws, for both laws and k = 2, 4, 6",
            expect=at_least(0.99),
            why="specification 5.16: all positive; 99 % is what 1000 draws without exception can show (Wilson: 99.6 %)",
            value=least_positive("ratio", *LAWS),
        ),
        Claim(
            ROW,
            "uniform weights: it is positive in the strict sense of Definition 5.4 as well",
            of="derived",
            expect=at_least(0.99),
            why="all |w_i| ≤ 1 < π√n/4, so that every |tan v_i| is below 1 and no draw can be an exception",
            value=least_positive("strict", "uniform"),
        ),
        Claim(
            ROW,
            "Γ = P (1 / min_{i≤k} |tan v_i| - max_{i>k} |tan v_i|), P = Π_{i≤k} |sin v_i| Π_{i>k} |cos v_i|",
            of="derived",
            expect=at_most(1e-12),
            why="specification 2.4: the expectation of a product of independent factors; against all inputs of n = 9",
            value=lambda e: e["enumeration"].max("formula"),
            wrong=lambda e: e["enumeration"].max("exchanged"),
        ),
        Claim(
            ROW,
            "sign vectors: n^((k-1)/2) Γ → e^(-1/2) for every even k, the power of n that majority has",
            of="derived",
            expect=at_most(0.01),
            why="sin^(k-1) cos^(n-k-1) cos(2/√n) at 1/√n; the next term is of order k/n = 0.06 % at n = 10001",
            value=lambda e: from_limit(e, lambda k: LIMIT_AT_SIGNS),
            wrong=lambda e: from_limit(e, gap_limit),
        ),
    )
    given = {"gradient": "E[y x_i sin(w·x/√n)], exact", "w": "random initialisations", "reference": "majority"}
    chosen = {
        "n, k": "15 as in figure B.7; 2, 4, 6: the gradient of an odd activation is zero for odd k",
        "laws": "U(-1, 1), N(0, 1) and Unif{±1} for each entry of w: the paper names none for this panel",
        "draws": "2000 of each law",
        "reference": "the gap of the ±1-valued majority (Lemma B.2), as sin is of both signs too; figure B.7 has half of it",
    }
    remarks = (
        "Comparable gaps belong to small k and to this scale of weights: Γ falls like the (k-1)-st power of the scale, so "
        "uniform weights, which are √3 times smaller than Gaussian ones, fall behind as k grows (k = 6 in the figure)."
    )
    shows = (
        "Every gap is positive. On average they are within a factor of ten of majority's (dashed) at k = 2 and 4; at k = 6 "
        "uniform weights, which are smaller, stay behind."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        draws = scale(500, 2000, 2000)
        return {
            **{law: Calculation(gaps, law=law, n=N, k=KS, draws=draws, seed=i) for i, law in enumerate(LAWS)},
            "signs": Calculation(at_signs, n=(N, 101, 1001, LARGE_N), k=KS),
            "enumeration": Calculation(against_enumeration, n=9, k=(2, 3, 4, 6), draws=50, seed=2),
        }

    def condense(self, e: Evidence) -> Evidence:
        return replace(e, parts={n: _condensed(part) if n in LAWS else part for n, part in e.parts.items()})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, len(KS), width=8.2, height=2.9, sharey=True)
        bins = np.geomspace(2e-5, 10, 49)
        for i, (ax, k) in enumerate(zip(grid[0], KS, strict=True)):
            for j, law in enumerate(LAWS):
                ratio = e[law].array("ratio")[i].astype(np.float64)
                label = f"{law}, mean {ratio.mean():.2g}"
                weights = np.full(len(ratio), 1 / len(ratio))
                held = np.clip(ratio, bins[0] * 1.001, None)
                ax.hist(held, bins, weights=weights, histtype="step", lw=1.4, color=f"C{j}", label=label)
            there = gap_at_signs(N, k) / majority_gap(N, k)
            ax.axvline(there, ls=":", lw=1.6, color="C2", label=f"sign vectors, {there:.2g}")
            ax.axvline(1, ls="--", lw=1.2, color="C7", label="majority")
            ax.set_title(f"k = {k}, majority {majority_gap(N, k):.3g}", fontsize=8)
            ax.set(xlabel="Γ / gap of majority", xscale="log", xlim=(bins[0], 10), xticks=10.0 ** np.arange(-4, 2))
            ax.margins(y=0.25)
            ax.legend(fontsize=6.5, loc="upper left")
        grid[0, 0].set_ylabel("share of draws, n = 15")
        return figure


def _condensed(part: Evidence) -> Evidence:
    """Γ in units of majority's gap, and whether the strict gap is positive."""
    reference = np.array([[majority_gap(N, int(k))] for k in part.array("k")])
    ratio = (part.array("gap") / reference).astype(np.float16)
    return replace(part, arrays={"k": part.array("k"), "ratio": ratio, "strict": part.array("strict") > 0})
