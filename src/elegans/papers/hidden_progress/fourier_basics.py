"""Parities are an orthonormal basis: E[χ_S χ_S'] = 1[S = S'], f = Σ_S f̂(S) χ_S, and Σ_S f̂(S)² = E f² (B.1, B.2)."""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.theory import boolean

Arrays = dict[str, np.ndarray]


def characters(n: int) -> np.ndarray:
    """χ_S(x) for all x (rows) and S (columns), from products of coordinates."""
    x = boolean.cube(n).astype(np.int64)
    return np.stack([x[:, boolean.subset(j)].prod(1) for j in range(2**n)], axis=1)


def basis_table(n: int, larger: int, functions: int) -> Arrays:
    """Largest errors of orthonormality, expansion, Parseval and the fast transform."""
    chi, rng = characters(n), np.random.default_rng(0)
    bits = (1 + chi) // 2  # a product of 0/1 bits is no character
    f, g = rng.standard_normal((functions, 2**n)), rng.standard_normal((functions, 2**larger))
    fast, large = (np.array([boolean.spectrum(a) for a in values]) for values in (f, g))
    again = np.array([boolean.expansion(c) for c in large])
    identity = np.eye(2**n)
    return {
        "orthonormal": np.array(np.abs(chi.T @ chi / 2**n - identity).max()),
        "orthonormal_bits": np.array(np.abs(bits.T @ bits / 2**n - identity).max()),
        "transform": np.array(np.abs(fast - f @ chi / 2**n).max()),
        "transform_reversed": np.array(np.abs(fast - f @ chi[:, ::-1] / 2**n).max()),
        "expansion": np.array(np.abs(again - g).max()),
        "expansion_without_mean": np.array(np.abs(again - large[:, :1] - g).max()),
        "parseval": np.array(np.abs((large**2).sum(1) - (g**2).mean(1)).max()),
        "parseval_sum": np.array(np.abs((large**2).sum(1) - (g**2).sum(1)).max()),
    }


def claim(says: str, why: str, name: str, wrong: str) -> Claim:
    """An identity that holds to 1e-12, and a variant that does not."""
    return Claim(
        "fourier-basics",
        says,
        expect=at_most(1e-12),
        why=why,
        value=lambda e: e.max(name),
        wrong=lambda e: e.max(wrong),
    )


class FourierBasics(Experiment):
    """The characters of the cube are orthonormal, and one fast transform expands any function in them."""

    id = "fourier-basics"
    place = Place(PAPER, "sections B.1 and B.2")
    claims = (
        claim(
            "E[χ_S χ_S'] = 1[S = S'], for all pairs of subsets of 8 coordinates",
            "products of characters are characters, whose means vanish; products of 0/1 bits are not orthogonal",
            "orthonormal",
            "orthonormal_bits",
        ),
        claim(
            "the fast transform gives f̂(S) = E[f χ_S]",
            "compared with the matrix of characters on random functions; another order of the sets fails",
            "transform",
            "transform_reversed",
        ),
        claim(
            "f = Σ_S f̂(S) χ_S for every function",
            "random functions of 16 coordinates (12 at smoke scale); the expansion needs the empty set, too",
            "expansion",
            "expansion_without_mean",
        ),
        claim(
            "Σ_S f̂(S)² = E[f²]",
            "Parseval, on random functions; with the sum in place of the mean it fails",
            "parseval",
            "parseval_sum",
        ),
    )
    chosen = {"n": "8 for the matrix of all pairs, 12 to 20 for the transform (specification: at most 10 and 20)"}

    def work(self, scale: Scale) -> Calculation:
        return Calculation(basis_table, n=8, larger=scale(12, 16, 20), functions=3)
