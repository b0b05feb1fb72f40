"""Stationary laws become uniform: k E Σ π² - 1 is about 1/k, so symbols soon tell nothing by their frequency.

π ≈ column means of P, whose variance is 1/k³ each, so Σ π² ≈ 1/k + 1/k²;   k = 2: 2 (2 - ln 4) - 1 = 0.2274
"""

import numpy as np

from elegans.claims.claim import Claim, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.deviations import MOST, WHY
from elegans.stats import Estimate
from elegans.theory.bayes_chains import stationary_by_solving
from elegans.theory.markov import MEAN_SQUARED_PI, stationary


def excesses(k: tuple[int, ...], cells: int, seed: int) -> dict[str, np.ndarray]:
    """k (k Σ π² - 1) of about `cells` / k² flat chains for every k: mean, standard error, and those of absorbing chains."""
    rng = np.random.default_rng(seed)
    rows = [_excess(m, max(50, cells // m**2), rng) for m in k]
    return {"k": np.array(k)} | {key: np.array([row[key] for row in rows]) for key in rows[0]}


def _excess(k: int, n: int, rng: np.random.Generator) -> dict[str, float]:
    P = rng.dirichlet(np.ones(k), (n, k))
    pi, same = stationary_by_solving(P), rng.dirichlet(np.ones(k), n)
    values, of_same = (k * (k * (p**2).sum(-1) - 1) for p in (pi, same))
    check = np.abs(stationary(P[:5]) - pi[:5]).max()
    return {
        "mean": values.mean(), "error": values.std(ddof=1) / n**0.5, "n": n, "check": check,
        "mean_of_same_rows": of_same.mean(), "error_of_same_rows": of_same.std(ddof=1) / n**0.5,
    }  # fmt: skip


def widest(e: Evidence, suffix: str = "") -> Estimate:
    """The interval over all k ≥ 8 of the mean excess, two standard errors on either side."""
    large = e.array("k") >= 8
    values, error = e.array(f"mean{suffix}")[large], 2 * e.array(f"error{suffix}")[large]
    return Estimate(
        values.mean(), (values - error).min(), (values + error).max(), int(e.array("n")[large].sum()), what="k(kEΣπ²-1)"
    )


def from_two_symbols(e: Evidence, told: float) -> Estimate:
    """Distance of the sampled excess at k = 2 from an exact one, in standard errors."""
    value = float(abs(e.array("mean")[0] - 2 * (2 * told - 1)) / e.array("error")[0])
    return Estimate(value, value, value, int(e.array("n")[0]), what="distance")


class UniformInTheLimit(Experiment):
    """With many symbols all of them are equally frequent."""

    id = "stationary-large-k"
    place = Place(PAPER, "section 8.2.1, the result cited on stationary distributions")
    claims = (
        Claim("stationary-large-k", "k E Σπ² - 1 lies between 0.8/k and 1.05/k from k = 8 on", expect=between(0.8, 1.05),
              why="specification 4.1: sampled 0.90 (k = 8) to 0.99 (k = 128); intervals of all k together. Chains with equal "
              "rows, which are independent tokens, stay away from uniform",
              value=widest, wrong=lambda e: widest(e, "_of_same_rows")),
        Claim("stationary-large-k", "for two symbols it is 2(2 - ln 4) - 1", of="derived", expect=at_most(MOST),
              why=f"an integral over the square; {WHY}. The wrong variant is a uniform π",
              value=lambda e: from_two_symbols(e, MEAN_SQUARED_PI), wrong=lambda e: from_two_symbols(e, 0.5)),
        Claim("stationary-large-k", "π by two methods of linear algebra", of="derived", expect=at_most(1e-9),
              why="a solved system against an inverse; distance of entries", value=lambda e: e.max("check")),
    )  # fmt: skip
    chosen = {"k": "2 to 128; the number of chains falls like 1/k², as the scatter of Σπ² falls faster"}
    shows = "k(k E Σπ² - 1) tends to one: the squared distance of π from uniform is 1/k², a vanishing share of 1/k."

    def work(self, scale: Scale) -> Calculation:
        k = (2, 4, 8, 16, 32, 64, 128)
        return Calculation(excesses, k=k[: scale(5, 7, 7)], cells=scale(100_000, 3_000_000, 20_000_000), seed=0)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        ax.axhspan(0.8, 1.05, color="0.93", label="bound from k = 8 on")
        ax.errorbar(e.array("k"), e.array("mean"), 2 * e.array("error"), fmt="o-", ms=4, label="flat chains")
        ax.plot([2], [2 * (2 * MEAN_SQUARED_PI - 1)], "x", color="0.2", label="exact, k = 2")
        ax.axhline(1, color="0.4", ls=":", lw=1)
        ax.set(xscale="log", xlabel="symbols k", ylabel="k (k E Σπ² - 1)", ylim=(0, 1.2))
        ax.set_xticks(e.array("k"), [str(k) for k in e.array("k")])
        ax.legend()
        return figure
