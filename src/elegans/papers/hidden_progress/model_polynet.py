"""PolyNets and disjoint PolyNets: their correlation with a parity, and its gradient, in closed form.

PolyNet           f = Π_{i≤k} (w_i·x + b_i)       E[y f] = perm(W_{:,S}),  whatever b
DisjointPolyNet   f = Π_{i≤k} w_i·x_{P_i}          E[∇_{w_i} (-y f)] = -(Π_{j≠i} v_j) e_1,  v_i relevant, at place 1
"""

import numpy as np
from numpy.typing import NDArray

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.models.polynet import DisjointPolyNet, PolyNet
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.enumerated import drawn, gradient, outputs, parameter_count, points
from elegans.theory.boolean import parity
from elegans.theory.permanent import permanent, permanent_gradient

Floats = NDArray[np.float64]


def permanents(n: int, degrees: tuple[int, ...], networks: int, seed: int) -> dict[str, np.ndarray]:
    """E[y f] and its gradient over all inputs against permanents and their minors; determinants for comparison."""
    rng, x, rows, slopes = np.random.default_rng(seed), points(n), list[list[float]](), list[list[float]]()
    for k in degrees:
        model, S, y = PolyNet(k), list(range(1, k + 1)), parity(x, range(1, k + 1))
        for i in range(networks):
            p = drawn(model, n, rng, 1.0)
            A = p["W"][:, S]
            rows.append([k, float(np.mean(y * outputs(model, p, x))), permanent(A), np.linalg.det(A)])
            if i == 0:
                slope, minors = gradient(model, p, x, y), permanent_gradient(A)
                outside = np.delete(slope["W"], S, axis=1)
                slopes.append(
                    [np.abs(-slope["W"][:, S] - minors).max(), max(np.abs(outside).max(), np.abs(slope["b"]).max())]
                )
    k, found, perm, det = np.array(rows).T
    return {
        "k": k, "found": found, "permanent": perm, "determinant": det, "error": np.abs(found - perm),
        "error_determinant": np.abs(found - det)[k > 1], "slope_error": np.array(slopes),
    }  # fmt: skip


def unit_vectors(n: int, degrees: tuple[int, ...], seed: int) -> dict[str, np.ndarray]:
    """Largest |f - χ_S| of {w_i} = {e_j : j ∈ S} in random order, and with one vector repeated; then how far the number
    of parameters is from k(n + 1)."""
    rng, x, rows = np.random.default_rng(seed), points(n), list[list[float]]()
    for k in degrees:
        S = rng.permutation(n)[:k]
        W, again = np.eye(n)[S], np.eye(n)[np.append(S[:-1], S[0])]
        error, repeated = (
            np.abs(outputs(PolyNet(k), {"W": V, "b": np.zeros(k)}, x) - parity(x, S)).max() for V in (W, again)
        )
        rows.append([error, repeated, abs(parameter_count(PolyNet(k), n) - k * (n + 1))])
    error, repeated, count = np.array(rows).T
    return {"error": np.concatenate([error, count]), "error_repeated": repeated}


def disjoint_gradients(n: int, k: int, networks: int, seed: int) -> dict[str, np.ndarray]:
    """Population gradient of the correlation loss by automatic differentiation, by the stochastic formula averaged over
    all inputs, and in closed form; and the closed form with its sign or its last factor wrong."""
    rng, x, model, size = np.random.default_rng(seed), points(n), DisjointPolyNet(k), n // k
    y = parity(x, range(0, n, size))
    found, formula, average = (np.zeros((networks, k, size)) for _ in range(3))
    for i in range(networks):
        p = drawn(model, n, rng, 1.0)
        found[i], average[i] = gradient(model, p, x, y)["W"], stochastic(p["W"], x, y).mean(0)
        formula[i, :, 0] = -others(p["W"][:, 0])
    return {
        "found": found, "formula": formula, "error": np.abs(found - formula), "error_sign": np.abs(found + formula),
        "bias": np.abs(average - formula), "bias_sign": np.abs(average + formula),
    }  # fmt: skip


def stochastic(W: Floats, x: Floats, y: Floats) -> Floats:
    """-y Π_{j≠i} ⟨w_j, x_{P_j}⟩ x_{P_i} for every example. Shapes (k, n'), (b, n), (b,) -> (b, k, n')."""
    blocks = x.reshape(len(x), *W.shape)
    rest = others((blocks * W).sum(-1))
    return -y[:, None, None] * rest[..., None] * blocks


def others(v: Floats) -> Floats:
    """Π_{j≠i} v_j for every i, along the last axis, without division."""
    return np.stack([np.delete(v, i, axis=-1).prod(-1) for i in range(v.shape[-1])], axis=-1)


class PolyNets(Experiment):
    """Products of linear forms: correlation with a parity is a permanent, or a product where blocks are disjoint."""

    id = "model-polynet"
    place = Place(PAPER, "sections 5.3.1 and 5.4.2, appendix B.2.4")
    claims = (
        Claim(
            "model-polynet",
            "E[y f] = perm(W_{:,S}), independent of the biases",
            of="derived",
            expect=at_most(1e-10),
            why="only terms with each relevant bit from another form survive; all inputs listed, double precision",
            value=lambda e: e["permanent"].max("error"),
            wrong=lambda e: e["permanent"].max("error_determinant"),
        ),
        Claim(
            "model-polynet",
            "its gradient is the matrix of permanental minors on S and zero elsewhere",
            of="derived",
            expect=at_most(1e-10),
            why="the derivative of a permanent; automatic differentiation over all inputs",
            value=lambda e: e["permanent"].max("slope_error"),
            wrong=lambda e: e["permanent"].max("error_determinant"),
        ),
        Claim(
            "model-polynet",
            "with {w_i} = {e_j : j ∈ S} in any order and b = 0 it is χ_S; it has k(n + 1) parameters",
            expect=at_most(0),
            why="a product of the relevant bits, exact in floating point",
            value=lambda e: e["units"].max("error"),
            wrong=lambda e: e["units"].max("error_repeated"),
        ),
        Claim(
            "model-disjoint-polynet",
            "E[∇_{w_i} (-y f)] = -(Π_{j≠i} v_j) e_1: irrelevant weights have no gradient",
            expect=at_most(1e-10),
            why="section B.2.4; automatic differentiation over all inputs, double precision",
            value=lambda e: e["disjoint"].max("error"),
            wrong=lambda e: e["disjoint"].max("error_sign"),
        ),
        Claim(
            "model-disjoint-polynet",
            "the stochastic gradient -y Π_{j≠i} ⟨w_j, x_{P_j}⟩ x_{P_i} is unbiased",
            expect=at_most(1e-10),
            why="its mean over all inputs is the population gradient; double precision",
            value=lambda e: e["disjoint"].max("bias"),
            wrong=lambda e: e["disjoint"].max("bias_sign"),
        ),
    )
    chosen = {
        "sizes": "n = 6 for PolyNets, (n, k) = (9, 3) for disjoint ones (specification 4.15)",
        "weights": "N(0, 1)",
    }
    shows = (
        "Left: enumerated correlations lie on the diagonal against permanents, not against determinants. Right: a disjoint "
        "PolyNet has a population gradient at the first weight of each block only."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        degrees = scale((2, 3), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5))
        return {
            "permanent": Calculation(permanents, n=6, degrees=degrees, networks=scale(5, 40, 200), seed=0),
            "units": Calculation(unit_vectors, n=6, degrees=degrees, seed=1),
            "disjoint": Calculation(disjoint_gradients, n=9, k=3, networks=scale(5, 20, 100), seed=2),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        part = e["permanent"]
        rows = part.array("k") > 1
        found = part.array("found")[rows]
        left.plot(part.array("determinant")[rows], found, "x", ms=4, color="0.6", label="determinant of $W_{:,S}$")
        left.plot(part.array("permanent")[rows], found, "o", ms=3, label="permanent of $W_{:,S}$")
        left.set(xlabel="formula", ylabel="E[y f] over all inputs", xscale="symlog", yscale="symlog")
        left.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize=7)
        found, formula = e["disjoint"].array("found")[0].ravel(), e["disjoint"].array("formula")[0].ravel()
        place = np.arange(1, len(found) + 1)
        right.bar(place, found, color="C0", label="automatic differentiation")
        right.plot(
            place, formula, "_", ms=14, mew=2, color="C1", label=r"$-\prod_{j\neq i}v_j$ at the relevant weight, else 0"
        )
        for edge in (3.5, 6.5):
            right.axvline(edge, ls=":", lw=1, color="0.5")
        right.set(xlabel="weight (three blocks of three)", ylabel="population gradient", xticks=place)
        right.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize=7)
        return figure
