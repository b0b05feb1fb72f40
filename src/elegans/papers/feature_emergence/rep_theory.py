"""Appendix D.3: the theorems on representations that the proof uses, for groups of every type.

D.2   B = (1/|G|) Σ RᵀR,  B^{1/2} R B^{-1/2} is orthogonal            D.4   functions of a set = sum of irreps
D.5   Σ d² = |G|                                                     D.7   ⟨R_ij, R'_kl⟩ = δ_RR' δ_ik δ_jl / d
D.8   irreducible characters are orthonormal                         D.9   and span the class functions
"""

from typing import Any

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.at_hand import EVERY_TYPE, REAL_TYPE, group, reps, table
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.theory.groups import Group, permutations, symmetric
from elegans.theory.representations import Irrep

Arrays = dict[str, np.ndarray]


def theorems(names: tuple[str, ...], seed: int) -> Arrays:
    """For each group the largest error of each statement, and of a wrong one beside it."""
    rng = np.random.default_rng(seed)
    rows = [_row(name, rng) for name in names]
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def permuting(n: tuple[int, ...]) -> Arrays:
    """⟨χ, χ⟩ of the permutations of n things, and the distance of χ from trivial + standard and from trivial alone."""
    found = np.array([_permutation_character(symmetric(m), permutations(m)) for m in n])
    return {"commutant": np.abs(found[:, 0] - 2), "error": found[:, 1], "error_without_standard": found[:, 2]}


def _row(name: str, rng: np.random.Generator) -> dict[str, Any]:
    G, R, T = group(name), reps(name), table(name)
    gram = (T.values * T.sizes) @ T.values.T / G.order
    columns = T.values.T @ (T.copies[:, None] * T.values)
    separate = np.unique(T.inseparable)
    degrees = np.array([rep.matrices.shape[1] for rep in R])
    real = np.sum(degrees**2)
    squares = G.table.diagonal()
    return {
        "order": G.order, "homomorphism": max(_homomorphism(rep, G.table) for rep in R),
        "other_way": max(_homomorphism(rep, G.table.T) for rep in R),
        "unitary": max(_unitarised(rep, rng)[0] for rep in R), "conjugated": max(_unitarised(rep, rng)[1] for rep in R),
        "dimensions": abs(T.copies @ T.dimensions**2 - G.order), "real_dimensions": float(abs(real - G.order)),
        "entries": _entries(R, 1.0), "entries_without_d": _entries(R, 0.0),
        "characters": np.abs(gram - np.diag(1 / T.copies)).max(), "characters_all_real": np.abs(gram - np.eye(len(gram))).max(),
        "spanning": float(abs(len(separate) - len(R))), "spanning_all_real": float(abs(len(T.sizes) - len(R))),
        "columns_once": np.abs(T.dimensions @ T.values - G.order * (np.arange(len(T.sizes)) == 0)).max(),
        "columns": np.abs(columns[0] - G.order * (np.arange(len(T.sizes)) == 0)).max(),
        "types": max(abs(np.mean(rep.character[squares]) - rep.indicator) for rep in R),
        "types_all_real": max(abs(np.mean(rep.character[squares]) - 1) for rep in R),
    }  # fmt: skip


def _homomorphism(rep: Irrep, table: np.ndarray) -> float:
    first = slice(0, 12)
    products = rep.matrices[first, None] @ rep.matrices[None]
    return float(np.abs(products - rep.matrices[table[first]]).max())


def _unitarised(rep: Irrep, rng: np.random.Generator) -> tuple[float, float]:
    """Distance from orthogonality of a conjugated irrep, after averaging and before."""
    D = rep.matrices.shape[1]
    A = np.eye(D) + 0.5 * rng.standard_normal((D, D)) / np.sqrt(D) + np.eye(D)
    R = np.linalg.inv(A) @ rep.matrices @ A
    values, Q = np.linalg.eigh(np.einsum("gji,gjk->ik", R, R) / len(R))
    root, back = Q * np.sqrt(values) @ Q.T, Q / np.sqrt(values) @ Q.T
    return _orthogonal(root @ R @ back), _orthogonal(R)


def _orthogonal(R: np.ndarray) -> float:
    return float(np.abs(R @ R.transpose(0, 2, 1) - np.eye(R.shape[1])).max())


def _entries(R: tuple[Irrep, ...], power: float) -> float:
    """Proposition D.7; entries of one irrep are compared for real type only, where they are independent."""
    worst = 0.0
    for i, rep in enumerate(R):
        flat = rep.matrices.reshape(rep.group.order, -1)
        others = [S.matrices.reshape(rep.group.order, -1) for S in R[i + 1 :]]
        worst = max([worst, *(float(np.abs(flat.T @ S).max()) / len(flat) for S in others)])
        if rep.indicator == 1:
            gram = flat.T @ flat / len(flat)
            worst = max(worst, float(np.abs(gram - np.eye(len(gram)) / rep.dimension**power).max()))
    return worst


def _permutation_character(G: Group, sigma: np.ndarray) -> tuple[float, float, float]:
    chi = np.sum(sigma == np.arange(sigma.shape[1]), axis=1)
    trivial, standard = reps(G.name)[:2]
    both = trivial.character + standard.character
    return float(np.mean(chi**2)), float(np.abs(chi - both).max()), float(np.abs(chi - trivial.character).max())


def _claim(of: str, says: str, why: str, name: str, wrong: str, bound: float = 1e-10) -> Claim:
    return Claim(
        "rep-theory", says, expect=at_most(bound), why=why, of=of,  # type: ignore[arg-type]
        value=lambda e: e["theorems"].max(name), wrong=lambda e: e["theorems"].max(wrong),
    )  # fmt: skip


IDENTITY = "an identity in double precision, largest error over all groups and irreps"


class RepresentationTheory(Experiment):
    """Representation theory that the theorem on groups rests on."""

    id = "rep-theory"
    place = Place(PAPER, "appendix D.3, theorems D.2 to D.9")
    claims = (
        _claim("printed", "R(a) R(b) = R(ab)", IDENTITY, "homomorphism", "other_way"),
        _claim("printed", "D.2: averaging an inner product makes a conjugated irrep orthogonal", IDENTITY, "unitary",
               "conjugated"),
        Claim(
            "rep-theory",
            "D.4: the permutations of n things are trivial + standard, n = 3..5",
            expect=at_most(1e-10),
            why="⟨χ, χ⟩ = 2 and equal characters; χ counts fixed points",
            value=lambda e: max(e["permuting"].max("error"), e["permuting"].max("commutant"), key=lambda x: x.value),
            wrong=lambda e: e["permuting"].max("error_without_standard"),
        ),
        _claim("corrected", "D.5: Σ d² = |G| over complex irreps, a complex pair counted twice", IDENTITY, "dimensions",
               "real_dimensions"),
        _claim("printed", "D.7: entries are orthogonal with squared length 1/d", IDENTITY, "entries", "entries_without_d"),
        _claim("corrected", "D.8: characters are orthonormal (real parts of complex ones have length² 1/2)", IDENTITY,
               "characters", "characters_all_real"),
        _claim("corrected", "D.9: there are as many real irreps as classes up to inversion, so they span", "a count",
               "spanning", "spanning_all_real"),
        _claim("derived", "the first column is orthogonal to the others: Σ_ρ d_ρ χ_ρ(C) = |G| 1[C = e]", IDENTITY, "columns",
               "columns_once"),
        _claim("derived", "(1/|G|) Σ χ(g²) is 1, 0 or -1, as the type says", IDENTITY, "types", "types_all_real"),
    )  # fmt: skip
    given = {"inner product": "⟨f, h⟩ = (1/|G|) Σ f(g) h(g)"}
    chosen = {"groups": "14 groups of order at most 24, with irreps of real, complex and quaternionic type"}
    remarks = (
        "The paper counts real irreps as if all were of real type, which its theorem 7.9 assumes (ambiguity A8). "
        "For Z7, Z12, Z3xZ3, Q8, Dic3, A4 and F21 the dimensions of real irreps do not square to |G|; complex ones do."
    )
    shows = "For real types (left) the squares of dimensions fill |G| exactly; other types need the complex count."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "theorems": Calculation(theorems, names=EVERY_TYPE, seed=0),
            "permuting": Calculation(permuting, n=(3, 4, 5)),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.8)
        names = [*REAL_TYPE, *(n for n in EVERY_TYPE if n not in REAL_TYPE)]
        rows = [EVERY_TYPE.index(n) for n in names]
        order, excess = (e["theorems"].array(key)[rows] for key in ("order", "real_dimensions"))
        ax.bar(names, (order + excess) / order, color=["C0"] * len(REAL_TYPE) + ["C1"] * (len(names) - len(REAL_TYPE)))
        ax.set_axisbelow(True)
        ax.axhline(1, color="0.3", lw=1)
        ax.set(ylabel="Σ D² / |G| over real irreps")
        ax.tick_params(axis="x", rotation=60)
        return figure
