"""The main task: sequences from fresh chains with flat rows, started in their stationary law. Nothing is trained.

P_i ~ Dir(1, ..., 1),   π P = π,   Pr(x_s = i | P) = π_i for every s,   E P_ij² = 2/(k(k+1)),   E H(P_i) = H_k - 1
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
from elegans.tasks.markov import MarkovChains
from elegans.theory.chain_priors import (
    dirichlet_entropy,
    dirichlet_second_moment,
    equal_eigenvalue_moment,
    flat_eigenvalue_moment,
)
from elegans.theory.markov import MEAN_SQUARED_PI, Floats, entropy

LAGS = (1, 2, 5)
ORDERS = (1, 2, 3, 4)
BINS = 40


def row_moments(P: Floats, alpha: float) -> np.ndarray:
    """Distances of E P_ij, E P_ij² and E H(P_i) from those of Dir(α, ..., α)."""
    k = P.shape[-1]
    law = np.full(k, alpha)
    parts = (
        (P, np.full((k, k), 1 / k)),
        (P**2, np.tile(dirichlet_second_moment(law), k)),
        (entropy(P), dirichlet_entropy(law)),
    )
    return np.concatenate([standard_errors(values, expected) for values, expected in parts])


def places(x: np.ndarray, law: Floats, pi: Floats) -> np.ndarray:
    """Distances of E (1{x_s = i} - law_i) π_i from zero over symbols and twelve positions; π weighs chain by chain."""
    picks = np.unique(np.linspace(0, x.shape[1] - 1, 12).astype(int))
    return standard_errors((np.eye(pi.shape[-1])[x[:, picks]] - law[:, None]) * pi[:, None])


def chains(k: tuple[int, ...], t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Invariants and laws for every number of symbols, each with a wrong variant."""
    rows = [_chains(m, t, n, seed) for m in k]
    joined = {key: np.concatenate([np.ravel(row[key]) for row in rows]) for key in rows[0]}
    return joined | {"n": np.array(n)}


def _chains(k: int, t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    batch = MarkovChains(k, t).numpy(n, seed)
    P, pi = (batch.latent[name].astype(np.float64) for name in ("P", "pi"))
    step = lambda chain: np.abs(np.einsum("ni,nij->nj", pi, chain) - pi).max()  # noqa: E731
    sums = np.abs(P.sum(-1) - 1).max()
    outside = np.sum((batch.x < 0) | (batch.x >= k)) + np.sum(batch.x[:, 1:] != batch.y[:, :-1])
    return {
        "fixed": np.array([sums, step(P)]), "fixed_transposed": np.array([sums, step(np.swapaxes(P, 1, 2))]),
        "outside": np.array(outside), "outside_unshifted": np.array(np.sum(batch.x != batch.y)),
        "places": places(batch.x, pi, pi), "places_uniform": places(batch.x, np.full_like(pi, 1 / k), pi),
        "moments": row_moments(P, 1.0), "moments_of_two": row_moments(P, 2.0),
    }  # fmt: skip


def two_states(t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Moments of λ and of π, and covariances at three lags, for k = 2; with the laws of a = b for comparison."""
    batch = MarkovChains(2, t).numpy(n, seed)
    P, pi = (batch.latent[name].astype(np.float64) for name in ("P", "pi"))
    lam = np.trace(P, axis1=1, axis2=2) - 1
    first = (batch.x == 0) - pi[:, :1]
    both = {r: (first[:, r:] * first[:, :-r]).mean(1) for r in LAGS}
    powers, squares = lam[:, None] ** np.array(ORDERS), (pi**2).sum(1)
    flat = np.array([flat_eigenvalue_moment(m) for m in ORDERS])
    equal = np.array([equal_eigenvalue_moment(m) for m in ORDERS])
    covariance = lambda shift: [standard_errors(both[r] - pi.prod(1) * lam ** (r + shift)) for r in LAGS]  # noqa: E731
    return {
        "n": np.array(n), "lags": np.concatenate(covariance(0)), "lags_shifted": np.concatenate(covariance(1)),
        "moments": np.append(standard_errors(powers, flat), standard_errors(squares, MEAN_SQUARED_PI)),
        "moments_of_equal": np.append(standard_errors(powers, equal), standard_errors(squares, 0.5)),
        "histogram": np.histogram(lam, BINS, (-1, 1))[0] / (n * 2 / BINS),
        "agreement": np.array([[(batch.x[:, r:] == batch.x[:, : t - r]).mean() for r in range(1, 21)],
                               [(1 - 2 * pi.prod(1) * (1 - lam**r)).mean() for r in range(1, 21)]]),
    }  # fmt: skip


class FlatChains(Experiment):
    """Every sequence has its own chain, and starts in its stationary law."""

    id = "task-icl-mc"
    place = Place(PAPER, "section 8.2.1")
    claims = (
        Claim("task-icl-mc", "rows sum to one and π P = π", expect=at_most(2e-6),
              why="single precision, 1.2e-7 a rounding; π of the transposed matrix is another vector",
              value=lambda e: e["chains"].max("fixed"), wrong=lambda e: e["chains"].max("fixed_transposed")),
        Claim("task-icl-mc", "tokens are symbols, and the target at position p is x_{p+1}", expect=at_most(0),
              why="violations counted over all tokens; the wrong variant takes the input itself for the target",
              value=lambda e: e["chains"].max("outside"), wrong=lambda e: e["chains"].max("outside_unshifted")),
        Claim("task-icl-mc", "Pr(x_s = i) is π_i at the start and at every later position", expect=at_most(MOST), why=WHY,
              value=lambda e: farthest(e["chains"], "places"), wrong=lambda e: farthest(e["chains"], "places_uniform")),
        Claim("task-icl-mc", "E P_ij = 1/k, E P_ij² = 2/(k(k+1)) and E H(P_i) = H_k - 1", of="derived", expect=at_most(MOST),
              why=f"moments of the flat Dirichlet law; {WHY}. The wrong variant has the moments of Dir(2, ..., 2)",
              value=lambda e: farthest(e["chains"], "moments"), wrong=lambda e: farthest(e["chains"], "moments_of_two")),
        Claim("task-icl-mc", "two symbols: E λ^{2m} = 2/((2m+1)(2m+2)), odd moments 0, E Σπ² = 2 - ln 4", of="derived",
              expect=at_most(MOST), why=f"λ has the density 1 - |λ|; {WHY}. The wrong variant is the law of a = b",
              value=lambda e: farthest(e["two"], "moments"), wrong=lambda e: farthest(e["two"], "moments_of_equal")),
        Claim("task-icl-mc", "two symbols: Cov(1[x_s = 1], 1[x_{s+r} = 1] | P) = π₁ π₂ λ^r", of="derived", expect=at_most(MOST),
              why=f"P^r = Π + λ^r (I - Π); {WHY}. The wrong variant has λ^{{r+1}}",
              value=lambda e: farthest(e["two"], "lags"), wrong=lambda e: farthest(e["two"], "lags_shifted")),
    )  # fmt: skip
    given = {"rows": "flat Dirichlet", "t": "100", "k": "2 and 3"}
    chosen = {"k": "5 and 8, too", "lags": f"{LAGS}, positions: twelve from the first to the last"}
    shows = (
        "Left: the eigenvalue of two-state chains has a triangular law. Right: tokens r apart agree as often as the chain "
        "says, and for large r as often as E Σπ²."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        n = scale(2000, 20_000, 100_000)
        return {
            "chains": Calculation(chains, k=(3, 2, 5, 8)[: scale(1, 4, 4)], t=100, n=n, seed=0),
            "two": Calculation(two_states, t=100, n=n, seed=1),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        two = e["two"]
        edges = np.linspace(-1, 1, BINS + 1)
        left.stairs(two.array("histogram"), edges, fill=True, alpha=0.4, label="sampled chains")
        left.plot([-1, 0, 1], [0, 1, 0], color="C1", label="1 - |λ|")
        left.set(xlabel="λ = a + b - 1", ylabel="density")
        left.legend()
        seen, told = two.array("agreement")
        right.plot(range(1, 21), seen, "o", ms=3, label="share of equal tokens")
        right.plot(range(1, 21), told, color="C1", lw=1, label="mean of 1 - 2π₁π₂(1 - λʳ)")
        right.axhline(MEAN_SQUARED_PI, color="0.4", ls=":", label="2 - ln 4")
        right.set(xlabel="distance r of two tokens", ylabel="probability that they agree")
        right.legend()
        return figure
