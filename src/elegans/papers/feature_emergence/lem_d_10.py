"""Lemmas D.10 and D.12: matrix entries as a basis of the functions on a group, and norms in its coefficients.

Σ_a ρ_i(a) ρ_j(a) = δ_ij |G|/d,       Σ_{a∈C} ρ_(i,j)(a) = δ_ij |C| χ_R(C)/d,       u = Σ_R Σ_ij (α_R)_ij R_ij
‖u‖² + ‖v‖² + ‖w‖² = Σ_R (|G|/d_R) (‖α_R‖² + ‖β_R‖² + ‖γ_R‖²)
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.at_hand import EVERY_TYPE, REAL_TYPE, group, reps
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.theory.representations import Irrep, coefficients

EXACT = "an identity in double precision; largest error over all groups"


def entries(names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Errors of the statements of lemma D.10 for each group of real type, and of wrong ones."""
    rows = [[_entries_of(rep) for rep in reps(name)] for name in names]
    worst = [np.max(row, axis=0) for row in rows] + [np.array([_across(reps(name)), 0, 0, 0, 0]) for name in names]
    length, length_without_d, off, diagonal, diagonal_without_d = np.array(worst).T
    return {
        "length": length, "length_without_d": length_without_d, "off": off, "diagonal": diagonal,
        "diagonal_without_d": diagonal_without_d, "sums": _picture(names[-1]),
    }  # fmt: skip


def norms(names: tuple[str, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Both sides of lemma D.12 for random neurons, δ for d where irreps are not of real type, and the sum without |G|/d."""
    rng = np.random.default_rng(seed)
    rows = [
        _both_sides(reps(name), rng.standard_normal((3, group(name).order))) for name in names for _ in range(draws)
    ]
    direct, by_irreps, bare = np.array(rows).T
    return {"direct": direct, "by_irreps": by_irreps, "error": np.abs(by_irreps / direct - 1),
            "error_without_d": np.abs(bare / direct - 1)}  # fmt: skip


def _entries_of(rep: Irrep) -> list[float]:
    """Errors of squared lengths (with and without d), of off-diagonal and of diagonal class sums (with and without d)."""
    n, d = rep.group.order, rep.dimension
    flat = rep.matrices.reshape(n, -1)
    gram = flat.T @ flat
    sums = _class_sums(rep)
    expected = np.array([len(c) * rep.character[c[0]] for c in rep.group.classes])
    diagonal = np.einsum("kii->ki", sums)
    return [
        float(np.abs(gram - np.eye(d * d) * n / d).max()),
        float(np.abs(gram - np.eye(d * d) * n).max()),
        float(np.abs(sums * (1 - np.eye(d))).max()),
        float(np.abs(diagonal - expected[:, None] / d).max()),
        float(np.abs(diagonal - expected[:, None]).max()),
    ]


def _across(irreps: tuple[Irrep, ...]) -> float:
    """Largest product of entries of different irreps."""
    flat = [rep.matrices.reshape(rep.group.order, -1) for rep in irreps]
    return max(float(np.abs(a.T @ b).max()) for i, a in enumerate(flat) for b in flat[:i])


def _class_sums(rep: Irrep) -> np.ndarray:
    return np.array([rep.matrices[members].sum(axis=0) for members in rep.group.classes])


def _picture(name: str) -> np.ndarray:
    """Class sums of the entries of the last irrep of dimension over 1, (K, d, d)."""
    return _class_sums([rep for rep in reps(name) if rep.dimension > 1][-1])


def _both_sides(irreps: tuple[Irrep, ...], uvw: np.ndarray) -> tuple[float, float, float]:
    squares = np.array([np.sum(coefficients(rep, uvw) ** 2) for rep in irreps])
    weights = np.array([rep.group.order / rep.delta for rep in irreps])
    return float(np.sum(uvw**2)), float(weights @ squares), float(irreps[0].group.order * squares.sum())


class BasisVectors(Experiment):
    """Matrix entries as a basis: orthogonality, class sums, norms."""

    id = "lem-d.10"
    place = Place(PAPER, "lemmas D.10 and D.12")
    claims = (
        Claim("lem-d.10", "entries ρ are orthogonal with Σ_a ρ(a)² = |G|/d", expect=at_most(1e-10), why=EXACT,
              value=lambda e: e["entries"].max("length"), wrong=lambda e: e["entries"].max("length_without_d")),
        Claim("lem-d.10", "off-diagonal entries sum to 0 over each conjugacy class", expect=at_most(1e-10),
              why="class sums commute with R, so they are multiples of 1 (Schur); diagonal ones do not vanish",
              value=lambda e: e["entries"].max("off"), wrong=lambda e: e["entries"].max("sums")),
        Claim("lem-d.10", "diagonal entries of one irrep have equal class sums |C| χ(C)/d", expect=at_most(1e-10), why=EXACT,
              value=lambda e: e["entries"].max("diagonal"), wrong=lambda e: e["entries"].max("diagonal_without_d")),
        Claim("lem-d.12", "‖u‖² + ‖v‖² + ‖w‖² = Σ_R (|G|/d_R) (‖α_R‖² + ‖β_R‖² + ‖γ_R‖²) for random neurons",
              expect=at_most(1e-11), why="D.10 and Pythagoras; relative error. Other types have δ = D/t in place of d",
              value=lambda e: e["norms"].max("error"), wrong=lambda e: e["norms"].max("error_without_d")),
    )  # fmt: skip
    chosen = {
        "groups": "D.10: seven of real type up to S4, as the lemma asks; D.12: fourteen of every type",
        "draws": "Gaussian neurons, 20 a group",
    }
    shows = "Class sums of the entries of a 3-dimensional irrep of S4: zero off the diagonal, equal along it."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        names = (*(n for n in REAL_TYPE if n != "S4"), "S4")
        return {
            "entries": Calculation(entries, names=names),
            "norms": Calculation(norms, names=EVERY_TYPE, draws=scale(3, 20, 20), seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        sums = e["entries"].array("sums")
        figure, (row,) = panels(1, len(sums), height=2.2)
        for ax, one, name in zip(row, sums, ("e", "(34)", "(234)", "(12)(34)", "(1234)"), strict=True):
            ax.imshow(one, cmap="RdBu", vmin=-6, vmax=6)
            for (i, j), x in np.ndenumerate(one):
                ax.text(j, i, f"{x + 0.0:.3g}" if abs(x) > 1e-9 else "0", ha="center", va="center", color="0.15")
            ax.set(title=f"class of {name}", xticks=(), yticks=())
            ax.grid(False)
        return figure
