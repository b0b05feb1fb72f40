"""Three laws of two-state chains on which the theory stands: flat, a = b, and a = b near one half.

λ = a + b - 1:   E λ^{2m} = 2/((2m+1)(2m+2)),   1/(2m+1),   (2ε)^{2m}/(2m+1);   odd moments 0;   π = (1/2, 1/2) where a = b
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.deviations import MOST, WHY, farthest, standard_errors
from elegans.tasks.markov_priors import TwoStateChains
from elegans.theory.chain_priors import equal_eigenvalue_moment, flat_eigenvalue_moment
from elegans.theory.markov import MEAN_SQUARED_PI, flat_mean, two_state_power

EPS = 0.2
LAWS = {
    "flat": TwoStateChains("flat", 20),
    "equal": TwoStateChains("equal", 20),
    "near half": TwoStateChains("near half", 20, EPS),
}
ORDERS = tuple(range(1, 9))
BINS = 40


def told(law: str) -> np.ndarray:
    """E λ^m for m = 1..8."""
    if law == "flat":
        return np.array([flat_eigenvalue_moment(m) for m in ORDERS])
    return np.array([equal_eigenvalue_moment(m, EPS if law == "near half" else 0.5) for m in ORDERS])


def quadrature() -> dict[str, np.ndarray]:
    """The three formulas against integrals over (a, b), and each law's against another law's integral."""
    x, w = np.polynomial.legendre.leggauss(20)
    integrals = {
        "flat": np.array([flat_mean(lambda a, b, m=m: (a + b - 1) ** m, 40) for m in ORDERS]),
        "equal": np.array([w / 2 @ x**m for m in ORDERS]),
        "near half": np.array([w / 2 @ (2 * EPS * x) ** m for m in ORDERS]),
    }
    squares = flat_mean(lambda a, b: ((1 - a) ** 2 + (1 - b) ** 2) / (2 - a - b) ** 2, 160)
    turned = dict(zip(integrals, [*list(integrals)[1:], "flat"], strict=True))
    return {
        "error": np.append(np.concatenate([told(law) - integrals[law] for law in LAWS]), squares - MEAN_SQUARED_PI),
        "error_of_next": np.concatenate([told(law) - integrals[turned[law]] for law in LAWS]),
    }


def sampled(n: int, seed: int) -> dict[str, np.ndarray]:
    """Moments, stationary laws and correlations of what the tasks draw."""
    batches = {law: task.numpy(n, seed) for law, task in LAWS.items()}
    lam = {law: np.trace(b.latent["P"].astype(np.float64), axis1=1, axis2=2) - 1 for law, b in batches.items()}
    powers = {law: values[:, None] ** np.array(ORDERS) for law, values in lam.items()}
    turned = dict(zip(LAWS, [*list(LAWS)[1:], "flat"], strict=True))
    equal, flat = batches["equal"], batches["flat"].latent
    signs = 1 - 2 * equal.x
    lags = [(signs[:, r:] * signs[:, :-r]).mean(1) for r in (1, 2, 3)]
    return {
        "n": np.array(n), "moments": np.concatenate([standard_errors(powers[law], told(law)) for law in LAWS]),
        "moments_of_next": np.concatenate([standard_errors(powers[law], told(turned[law])) for law in LAWS]),
        "pi": np.array(max(np.abs(batches[law].latent["pi"] - 0.5).max() for law in ("equal", "near half"))),
        "pi_of_flat": np.array(np.abs(flat["pi"] - 0.5).max()), "outside": np.array(np.abs(lam["near half"]).max() - 2 * EPS),
        "lags": np.concatenate([standard_errors(c - lam["equal"] ** r) for r, c in enumerate(lags, 1)]),
        "lags_shifted": np.concatenate([standard_errors(c - lam["equal"] ** (r + 1)) for r, c in enumerate(lags, 1)]),
        "histograms": np.stack([np.histogram(lam[law], BINS, (-1, 1))[0] * BINS / (2 * n) for law in LAWS]),
        "powers": np.array(_powers(flat["P"][:200].astype(np.float64))),
    }  # fmt: skip


def _powers(P: np.ndarray) -> float:
    """Largest distance of P³ from its closed form."""
    closed = two_state_power(P[:, 0, 0], P[:, 1, 1], 3)
    return float(np.abs(np.linalg.matrix_power(P, 3) - closed).max())


class ThreeLaws(Experiment):
    """Flat chains, chains with a = b, and hard ones near one half."""

    id = "task-theory-k2"
    place = Place(PAPER, "appendix E, equations (E.1), (E.14), (E.44) and proposition E.3")
    claims = (
        Claim("task-theory-k2", "moments of λ up to the eighth are those of the formulas, and E Σπ² = 2 - ln 4", of="derived",
              expect=at_most(1e-9), why="quadrature over the square, or the interval; each formula misses the next law's",
              value=lambda e: e["quadrature"].max("error"), wrong=lambda e: e["quadrature"].max("error_of_next")),
        Claim("task-theory-k2", "sampled chains have these moments", of="derived", expect=at_most(MOST), why=WHY,
              value=lambda e: farthest(e["sampled"], "moments"), wrong=lambda e: farthest(e["sampled"], "moments_of_next")),
        Claim("task-theory-k2", "π = (1/2, 1/2) for every chain with a = b", expect=at_most(1e-6),
              why="P is symmetric, in single precision; flat chains are not",
              value=lambda e: e["sampled"].max("pi"), wrong=lambda e: e["sampled"].max("pi_of_flat")),
        Claim("task-theory-k2", "for a = b and symbols ±1, E[x_s x_{s+r} | P] = λ^r", of="derived", expect=at_most(MOST),
              why=f"each step changes sign with probability 1-a; {WHY}. The wrong variant has λ^{{r+1}}",
              value=lambda e: farthest(e["sampled"], "lags"), wrong=lambda e: farthest(e["sampled"], "lags_shifted")),
    )  # fmt: skip
    given = {"laws": "a, b ~ U(0, 1); a = b ~ U(0, 1); a = b ~ U(1/2 - ε, 1/2 + ε)"}
    chosen = {"ε": f"{EPS}", "density": "normalised, 1/(2ε); the paper's expansions in ε leave this factor out"}
    shows = (
        "Densities of λ: flat chains rarely have memory, chains with a = b as often as not, hard ones none to speak of."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "quadrature": Calculation(quadrature),
            "sampled": Calculation(sampled, n=scale(4000, 40_000, 200_000), seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        edges = np.linspace(-1, 1, BINS + 1)
        for law, heights in zip(LAWS, e["sampled"].array("histograms"), strict=True):
            ax.stairs(heights, edges, lw=1.4, label=law)
        ax.plot([-1, 0, 1], [0, 1, 0], color="0.3", lw=0.8, ls=":", label="1 - |λ|")
        ax.set(xlabel="λ = a + b - 1", ylabel="density")
        ax.legend()
        return figure
