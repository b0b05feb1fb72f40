"""Figure B.7: exact Fourier gaps of random linear threshold functions, by summing over all inputs. Nothing is trained.

Γ(w) = max_{i∈[k]} |g_i| - max_{i∉[k]} |g_i|        g = E[y x 1[w·x > 0]]

For w ∈ {±1}^n it is half the gap of majority. For odd k it is zero whatever w, because 1[w·x > 0] - ½ is odd.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact, wilson
from elegans.theory.majority import majority_gap, threshold_gap
from elegans.theory.neuron_gradients import gradients, relaxed_gap, step, strict_gap

ROW, N, KS = "fig-B.7", 15, (2, 4, 6)
LAWS = ("uniform", "Gaussian")
WIDTH = 10  # of the narrowest network among (i) to (vi)
BINS = np.linspace(-3, 5, 41)  # in units of the reference; the outer two also hold what lies beyond
# Specification 5.15, 300 draws each: shares with Γ > 0 and with Γ > ½ of the reference, for k = 2, 4, 6
ANCHORS = {
    "uniform": {"positive": (1.0, 0.88, 0.66), "half": (0.92, 0.67, 0.50)},
    "Gaussian": {"positive": (1.0, 0.82, 0.57), "half": (0.86, 0.49, 0.39)},
}


def drawn(law: str, rng: np.random.Generator, draws: int, n: int) -> np.ndarray:
    """Weights from U(-1, 1), N(0, 1) or Unif{±1}; their scale does not matter to a threshold function."""
    if law == "sign":
        return rng.choice((-1.0, 1.0), (draws, n))
    return rng.uniform(-1, 1, (draws, n)) if law == "uniform" else rng.standard_normal((draws, n))


def gaps(law: str, n: int, k: tuple[int, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Γ of random threshold functions over that of sign vectors: how many are positive, above ½, in each bin, for each k;
    and how many functions have a gap in the sense of Definition 5.4."""
    W, rows = drawn(law, np.random.default_rng(seed), draws, n), []
    for d in k:
        g = gradients(step, W, d)
        ratio = relaxed_gap(g, d) / threshold_gap(n, d)
        held = np.histogram(np.clip(ratio, BINS[0], BINS[-1] - 1e-9), BINS)[0]
        rows.append([(ratio > 0).sum(), (ratio > 0.5).sum(), (strict_gap(g, d) > 0).sum(), *held])
    counts = np.array(rows, np.int64)
    found = {"positive": counts[:, 0], "half": counts[:, 1], "strict": counts[:, 2], "bins": counts[:, 3:]}
    return {"draws": np.array(draws), **found}


def signs(n: int, k: tuple[int, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Γ at sign vectors, shape (k, draws)."""
    W = drawn("sign", np.random.default_rng(seed), draws, n)
    return {"gap": np.array([relaxed_gap(gradients(step, W, d), d) for d in k])}


def vanishing(n: int, k: tuple[int, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """The largest |g_i| over Gaussian draws for each k."""
    W = drawn("Gaussian", np.random.default_rng(seed), draws, n)
    return {"k": np.array(k), "largest": np.array([np.abs(gradients(step, W, d)).max() for d in k])}


def share(e: Evidence, law: str, what: str, i: int) -> Estimate:
    """Share of the draws that were counted, for the i-th k."""
    return wilson(int(e[law].array(what)[i]), int(e[law].array("draws")))


def least_comparable(law: str) -> Callable[[Evidence], Estimate]:
    """Of k = 2, 4, 6, the smallest share of draws with Γ above half of the reference."""
    return lambda e: min((share(e, law, "half", i) for i in range(len(KS))), key=lambda s: s.value)


def farthest(law: str) -> Callable[[Evidence], Estimate]:
    """The share that is farthest from the specification's, minus that."""

    def value(e: Evidence) -> Estimate:
        pairs = [(share(e, law, what, i), s) for what, known in ANCHORS[law].items() for i, s in enumerate(known)]
        found, known = max(pairs, key=lambda pair: abs(pair[0].value - pair[1]))
        return replace(found.through(lambda x: x - known), what=f"share - {known:g}")

    return value


def most_strict(law: str) -> Callable[[Evidence], Estimate]:
    """Of k = 4 and 6, the larger share of draws with a gap in the sense of Definition 5.4."""
    return lambda e: max((share(e, law, "strict", i) for i in (1, 2)), key=lambda s: s.value)


def from_reference(e: Evidence, of: Callable[[int, int], float]) -> Estimate:
    """Largest relative distance of a sign vector's gap from a formula."""
    formula = np.array([[of(N, k)] for k in KS])
    return exact(float(np.abs(e["sign"].array("gap") / formula - 1).max()), "relative distance")


def odd(e: Evidence, parity: int) -> Estimate:
    """The largest |g_i| over the k of this parity."""
    part = e["vanishing"]
    return exact(float(part.array("largest")[part.array("k") % 2 == parity].max()), "max |g_i|")


class RandomThresholdGaps(Experiment):
    """Random threshold functions often have a Fourier gap like that of majority."""

    id = ROW
    place = Place(PAPER, "figure B.7")
    claims = (
        *(
            Claim(
                ROW,
                f"{law}: Γ is comparable to that of majority, at least half of it, with non-negligible probability",
                expect=at_least(1 / WIDTH),
                why="at probability 1/10 a network of width 10, the paper's narrowest, has one such neuron on average; "
                "the k with the smallest share counts",
                value=least_comparable(law),
            )
            for law in LAWS
        ),
        *(
            Claim(
                ROW,
                f"{law}: the shares with Γ > 0 and with Γ above half of majority's are those of the specification",
                of="derived",
                expect=between(-0.08, 0.08),
                why="specification 5.15: an independent implementation with 300 draws, and ±0.08 for both samples; the "
                "share that is farthest off counts",
                value=farthest(law),
            )
            for law in LAWS
        ),
        *(
            Claim(
                ROW,
                f"{law}: at k = 4 and 6 most threshold functions have no gap in the sense of Definition 5.4",
                of="derived",
                expect=at_most(0.5),
                why="most means more than half; so Γ, which the paper calls slightly relaxed, is much weaker",
                value=most_strict(law),
            )
            for law in LAWS
        ),
        Claim(
            ROW,
            "sign vectors: Γ is exactly half of majority's gap",
            of="corrected",
            expect=at_most(1e-12),
            why="Lemma B.2 for 1[w·x > 0] = (1 + sign)/2, symmetric in the signs of the inputs; all inputs summed. The "
            "paper says that the coefficients are the same, which forgets the half",
            value=lambda e: from_reference(e, threshold_gap),
            wrong=lambda e: from_reference(e, majority_gap),
        ),
        Claim(
            ROW,
            "for odd k ≥ 3 the whole gradient is zero, for every w",
            of="derived",
            expect=at_most(1e-12),
            why="k ± 1 is even and positive, and 1[w·x > 0] - ½ is an odd function; k = 3 and 5, all inputs summed",
            value=lambda e: odd(e, 1),
            wrong=lambda e: odd(e, 0),
        ),
    )
    given = {"n": "15", "σ": "ReLU", "w": "uniform or Gaussian, independent entries", "sums": "over all 2^n inputs"}
    chosen = {
        "k": "2, 4, 6: the paper says only that there are several, and odd k give zero",
        "draws": "5000 of each law: the paper does not say",
        "reference": "½ (|ξ_{k-1}| - |ξ_{k+1}|), the gap at sign vectors: the same σ' at other weights",
    }
    shows = (
        "At k = 2 the gaps lie around that of majority (dashed). With k they spread out, and more and more of them are "
        "negative, yet a large part stays above half of majority's. The outer bins also hold what lies beyond."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        draws = scale(60, 5000, 20_000)
        return {
            **{law: Calculation(gaps, law=law, n=N, k=KS, draws=draws, seed=i) for i, law in enumerate(LAWS)},
            "sign": Calculation(signs, n=N, k=KS, draws=8, seed=2),
            "vanishing": Calculation(vanishing, n=N, k=(2, 3, 4, 5), draws=scale(8, 50, 50), seed=3),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, len(KS), width=8.2, height=2.9, sharey=True)
        for i, (ax, k) in enumerate(zip(grid[0], KS, strict=True)):
            for j, law in enumerate(LAWS):
                positive, half = (share(e, law, what, i).value for what in ("positive", "half"))
                held = e[law].array("bins")[i] / e[law].array("draws")
                ax.stairs(held, BINS, lw=1.4, color=f"C{j}", label=f"{law}: {positive:.0%} > 0, {half:.0%} > ½")
            ax.axvline(1, ymax=0.78, ls="--", lw=1.2, color="C7", label="majority (sign vectors)")
            ax.axvline(0, ymax=0.78, lw=0.8, color="0.3")
            ax.set_title(f"k = {k}, majority Γ = {threshold_gap(N, k):.3g}", fontsize=8)
            ax.set(xlabel="Γ / Γ of majority")
            ax.margins(y=0.35)
            ax.legend(fontsize=6.5, loc="upper left")
        grid[0, 0].set_ylabel("share of draws, n = 15")
        return figure
