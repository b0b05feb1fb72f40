"""Equation (E.15): all powers of a two-state transition matrix in closed form.

(P^n)_ij = (β_ij λ^n + γ_ij) / (λ-1),   λ = a+b-1,   γ_ij = (λ-1) π_j,   π = (b-1, a-1) / (λ-1)
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.theory.first_step import beta_gamma, eigen_factors, eigenvalue
from elegans.theory.markov import Floats, stationary, two_state

SHOWN = ((0.9, 0.7), (0.2, 0.1), (0.3, 0.8))


def powers(chains: int, longest: int, seed: int) -> dict[str, np.ndarray]:
    """Largest deviations from repeated matrix products over random chains and n = 0..longest."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(size=(2, chains))
    P, (beta, gamma), lam = two_state(a, b), beta_gamma(a, b), eigenvalue(a, b)
    vectors, values, inverse = eigen_factors(a, b)
    pi, gap = stationary(P), (lam - 1)[:, None, None]
    rows: list[list[float]] = []
    product = np.broadcast_to(np.eye(2), P.shape)
    for n in range(longest + 1):
        decay = lam[:, None, None] ** n
        diagonal = np.eye(2) * np.diagonal(values, axis1=1, axis2=2)[:, None, :] ** n
        rows.append([
            _apart((beta * decay + gamma) / gap, product),
            _apart((-beta * decay + gamma) / gap, product),
            _apart(vectors @ diagonal @ inverse, product),
            _apart(np.swapaxes(inverse, 1, 2) @ diagonal @ np.swapaxes(vectors, 1, 2), product),
        ])  # fmt: skip
        product = product @ P
    closed, flipped, eigen, transposed = np.array(rows).max(0)
    pushed = np.einsum("ni,nij->nj", pi, P)
    named = np.stack([b - 1, a - 1], -1) / (lam - 1)[:, None]
    found = {
        "closed": closed, "flipped": flipped, "eigen": eigen, "transposed": transposed,
        "pi": _apart(named, pi), "swapped": _apart(named[:, ::-1], pi), "gamma": _apart(gamma, gap * pi[:, None, :]),
        "gamma_beta": _apart(beta, gap * pi[:, None, :]),
        "fixed": _apart(pushed, named), "shrunk": _apart(pushed, lam[:, None] * named),
    }  # fmt: skip
    return {name: np.array(error) for name, error in found.items()}


def _apart(x: Floats, y: Floats) -> float:
    return float(np.abs(x - y).max())


def shown(longest: int) -> dict[str, np.ndarray]:
    """(P^n)_11 of a few chains by repeated products, (chain, n)."""
    chains = [two_state(a, b) for a, b in SHOWN]
    return {
        "corner": np.array([[np.linalg.matrix_power(P, n)[0, 0] for n in range(longest + 1)] for P in chains]),
        "limit": np.array([stationary(P)[0] for P in chains]),
    }


class Powers(Experiment):
    """All powers of the transition matrix, and what they tend to."""

    id = "eq-e.15-powers"
    place = Place(PAPER, "equations (E.14) and (E.15)")
    claims = (
        Claim(
            "eq-e.15-powers",
            "(β λ^n + γ) / (λ-1) is the n-th power",
            expect=at_most(1e-12),
            why="an identity; rounding ε n / (1-λ), 1-λ > 0.01 over the chains drawn. With -β it is not even I at n = 0",
            value=lambda e: e["errors"].max("closed"),
            wrong=lambda e: e["errors"].max("flipped"),
        ),
        Claim(
            "eq-e.15-powers",
            "so is the product of the three printed factors",
            expect=at_most(1e-11),
            why="an identity; the factor (1-a)/(b-1) costs digits where b is near 1. Factors of the transpose are others",
            value=lambda e: e["errors"].max("eigen"),
            wrong=lambda e: e["errors"].max("transposed"),
        ),
        Claim(
            "eq-e.15-powers",
            "γ_ij = (λ-1) π_j",
            of="derived",
            expect=at_most(1e-13),
            why="what is left as λ^n vanishes; π is from a linear system of its own. β is no such matrix",
            value=lambda e: e["errors"].max("gamma"),
            wrong=lambda e: e["errors"].max("gamma_beta"),
        ),
        Claim(
            "eq-e.15-powers",
            "(b-1, a-1) / (λ-1) is the stationary distribution",
            expect=at_most(1e-12),
            why="against a linear system; rounding ε / (1-λ). In the other order it is not",
            value=lambda e: e["errors"].max("pi"),
            wrong=lambda e: e["errors"].max("swapped"),
        ),
        Claim(
            "eq-e.15-powers",
            "π is the eigenvector that corresponds to λ",
            of="printed",
            expect=at_most(1e-12),
            why="largest entry of πP - λπ",
            value=lambda e: e["errors"].max("shrunk"),
        ),
        Claim(
            "eq-e.15-powers",
            "π is the eigenvector that corresponds to 1",
            of="corrected",
            expect=at_most(1e-12),
            why="largest entry of πP - π; with λ in place of 1 it does not vanish",
            value=lambda e: e["errors"].max("fixed"),
            wrong=lambda e: e["errors"].max("shrunk"),
        ),
    )
    given = {"P": "rows (a, 1-a) and (1-b, b) with a, b ~ U(0, 1)"}
    chosen = {"n": "0 to 60"}
    remarks = (
        "The text calls π the normalised eigenvector that corresponds to λ; it corresponds to the eigenvalue 1. The formulas "
        "use the right one. This slip is not in the specification."
    )
    shows = "Lines are the closed form, dots are matrix products. Chains with λ < 0 oscillate; all tend to π."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "errors": Calculation(powers, chains=scale(300, 3000, 3000), longest=60, seed=0),
            "shown": Calculation(shown, longest=16),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.9)
        part = e["shown"]
        n = np.arange(part.array("corner").shape[1])
        for i, (a, b) in enumerate(SHOWN):
            beta, gamma = beta_gamma(a, b)
            lam = eigenvalue(a, b)
            ax.plot(n, (beta[0, 0] * lam**n + gamma[0, 0]) / (lam - 1), color=f"C{i}")
            ax.plot(n, part.array("corner")[i], "o", ms=4, color=f"C{i}", label=f"a = {a}, b = {b}: λ = {lam:.1f}")
            ax.axhline(part.array("limit")[i], ls=":", lw=1, color=f"C{i}")
        ax.set(xlabel="n", ylabel="(Pⁿ)₁₁ (dotted: π₁)", ylim=(0, 1.05))
        ax.legend()
        return figure
