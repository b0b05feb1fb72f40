"""Parities are an orthonormal basis: E[χ_S χ_S'] = 1[S = S'], f = Σ_S f̂(S) χ_S, and Σ_S f̂(S)² = E f² (B.1, B.2)."""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
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
    shows = "Each identity holds up to rounding (dots); its wrong variant (crosses) is off by order one."
    chosen = {"n": "8 for the matrix of all pairs, 12 to 20 for the transform (specification: at most 10 and 20)"}

    def work(self, scale: Scale) -> Calculation:
        return Calculation(basis_table, n=8, larger=scale(12, 16, 20), functions=3)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.3)
        rows = {
            "orthonormal": ("orthonormal", "orthonormal_bits", "products of 0/1 bits"),
            "fast transform": ("transform", "transform_reversed", "sets in another order"),
            "expansion": ("expansion", "expansion_without_mean", "without the empty set"),
            "Parseval": ("parseval", "parseval_sum", "sum in place of mean"),
        }
        for i, (right, wrong, name) in enumerate(rows.values()):
            found, off = max(e.max(right).value, 1e-17), e.max(wrong).value
            ax.plot(found, i, "o", ms=6, color="C0", label="identity (0 drawn at 10⁻¹⁷)" if i == 0 else None)
            ax.plot(off, i, "x", ms=7, mew=2, color="C1", label="wrong variant" if i == 0 else None)
            ax.annotate(name, (off, i), (-8, 0), textcoords="offset points", ha="right", va="center", fontsize=8)
        ax.axvline(1e-12, ymax=0.8, ls="--", lw=1, color="0.3", label="bound of the claims")
        ax.set_yticks(range(len(rows)), list(rows))
        ax.set(xscale="log", xlabel="largest error", xlim=(1e-18, 1e6), ylim=(3.6, -1.7))
        ax.legend(loc="upper center", ncols=3, fontsize=7)
        return figure
