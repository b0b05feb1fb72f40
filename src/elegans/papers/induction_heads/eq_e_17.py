"""Equations (E.17)-(E.22): the gradient of W for one chain, and its four entries written out.

    -∂L/∂W_ml = c π_l (P_m1 - ½) / (t (λ-1)²) [(ββ)_ml/(λ-1) (I) + (βγ)_ml/(λ-1)² (II) + (γβ)_ml/(λ-1) (III) + (γγ)_ml (IV)]

(E.13) says the same as c Σ_j T_mlj with the tensor T of the population gradient.
"""

from typing import Any

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.first_step import (
    printed_weight_gradient,
    weight_gradient,
    weight_gradient_by_powers,
    weight_gradient_cases,
)
from elegans.theory.induction import gradient_tensor
from elegans.theory.markov import Floats, two_state
from elegans.theory.triangle_rule import triangle_mean

NEAREST = 0.1  # 1-λ of the chains on which the printed quotients are evaluated
CASES = {"E.19": (0, 0), "E.20": (0, 1), "E.21": (1, 0), "E.22": (1, 1)}


def chain_by_chain(t: tuple[int, ...], chains: int, seed: int) -> dict[str, np.ndarray]:
    """Largest errors over random chains, relative to the largest entry of the gradient over all of them."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(size=(2, chains))
    rows = [_errors(a, b, length) for length in t]
    return {name: np.array([row[name] for row in rows]).max(0) for name in rows[0]}


def _errors(a: np.ndarray, b: np.ndarray, t: int) -> dict[str, Floats]:
    truth, far = gradient_tensor(two_state(a, b), t).sum(-1), 2 - a - b > NEAREST
    size, cases = np.abs(truth).max(), weight_gradient_cases(a[far], b[far], t)
    found = {
        "printed": printed_weight_gradient(a[far], b[far], t) - truth[far],
        "transposed": np.swapaxes(printed_weight_gradient(a[far], b[far], t), 1, 2) - truth[far],
        "polynomial": weight_gradient(a, b, t) - truth, "cases": cases - truth[far],
        "exchanged": cases[:, ::-1, :] - truth[far],
    }  # fmt: skip
    return {name: np.abs(error).max(0) / size for name, error in found.items()}


def loops(t: int, k: tuple[int, ...], seed: int) -> dict[str, np.ndarray]:
    """(E.13) as its triple sum over positions against the tensor, for one random chain of each size."""
    rng, rows = np.random.default_rng(seed), list[list[float]]()
    for m in k:
        P = rng.dirichlet(np.ones(m), size=m)
        found, T = weight_gradient_by_powers(P, t), gradient_tensor(P, t)
        rows.append([np.abs(found - T.sum(-1)).max(), np.abs(found.T - T.sum(-1)).max()])
    error, transposed = np.array(rows).T
    return {"error": error, "transposed": transposed}


def averages(t: int, n: int, side: int) -> dict[str, np.ndarray]:
    """The mean over the flat prior by quadrature, and maps over the square of (a, b) for the figure."""
    grid = (np.arange(side) + 0.5) / side
    a, b = np.meshgrid(grid, grid, indexing="ij")
    mean = triangle_mean(lambda a, b: weight_gradient(a, b, t), n)
    one = weight_gradient(0.3, 0.8, t)
    return {"mean": mean, "one": one, "map": weight_gradient(a, b, t).astype(np.float32)}


def asymmetry(e: Evidence, name: str) -> Estimate:
    """Largest of |W_11 - W_22| and |W_12 - W_21| over the largest entry."""
    W = e["averages"].array(name)
    return exact(float(np.abs(W - W[::-1, ::-1]).max() / np.abs(W).max()), f"asymmetry, {name}")


def entry(e: Evidence, name: str, at: tuple[int, int]) -> Estimate:
    """The largest error at one entry of the gradient."""
    return exact(float(e["chains"].array(name)[at]), f"{name} at {at}")


class GradientOfOneChain(Experiment):
    """The gradient of W for one chain, in closed form."""

    id = "eq-e.17-wgrad"
    place = Place(PAPER, "equations (E.17)-(E.22)")
    claims = (
        Claim(
            "eq-e.17-wgrad",
            "the bracket of (E.17) is c Σ_j T_mlj",
            expect=at_most(1e-10),
            why="an identity; rounding ε/(1-λ)⁴ of the printed quotients with 1-λ > 0.1, relative. The transpose is not",
            value=lambda e: e["chains"].max("printed"),
            wrong=lambda e: e["chains"].max("transposed"),
        ),
        Claim(
            "eq-e.17-wgrad",
            "with polynomials for the four sums this holds for every chain",
            of="derived",
            expect=at_most(1e-12),
            why="then every factor is a probability; rounding ε t, relative. The transpose is not",
            value=lambda e: e["chains"].max("polynomial"),
            wrong=lambda e: e["chains"].max("transposed"),
        ),
        Claim(
            "eq-e.17-wgrad",
            "the triple sum (E.13) over positions is Σ_j T_mlj, for two and three symbols",
            expect=at_most(1e-12),
            why="offset j = t'-s+1; rounding ε t². The transpose is not",
            value=lambda e: e["loops"].max("error"),
            wrong=lambda e: exact(float(e["loops"].array("transposed").min()), "transposed"),
        ),
        *(
            Claim(
                "eq-e.17-wgrad",
                f"({name}) is entry {at[0] + 1}, {at[1] + 1}",
                expect=at_most(1e-10),
                why="as (E.17); the formula of the other row does not fit",
                value=lambda e, at=at: entry(e, "cases", at),
                wrong=lambda e, at=at: entry(e, "exchanged", at),
            )
            for name, at in CASES.items()
        ),
        Claim(
            "eq-e.17-wgrad",
            "over the flat prior W_11 = W_22 and W_12 = W_21",
            expect=at_most(1e-9),
            why="exchanging the two symbols exchanges a and b; by quadrature, relative. A single chain has no such symmetry",
            value=lambda e: asymmetry(e, "mean"),
            wrong=lambda e: asymmetry(e, "one"),
        ),
    )
    chosen = {
        "chains, t": "uniform a, b; t = 2, 12 and 100; quotients only where 1-λ > 0.1",
        "one chain": "a = 0.3, b = 0.8 for the wrong variant of the symmetry",
    }
    remarks = "Below (E.22) the text refers to (II), (III) of (E.23); they are defined in (E.17)."
    shows = (
        "Which chains push W: those that stay in state 1 (a near 1) push W₁₁, those that stay in state 2 push W₂₂; beside the "
        "diagonal all pushes are small."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "chains": Calculation(chain_by_chain, t=(2, 12, 100), chains=scale(200, 3000, 10_000), seed=0),
            "loops": Calculation(loops, t=scale(8, 12, 12), k=(2, 3), seed=1),
            "averages": Calculation(averages, t=100, n=40, side=40),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, 3, height=2.7)
        maps = e["averages"].array("map")
        top = float(np.quantile(np.abs(maps), 0.99))
        entries = ((0, 0), (0, 1), (1, 1))
        images = [_map(ax, e, m, l, top) for ax, (m, l) in zip(grid[0], entries, strict=True)]
        figure.colorbar(images[-1], ax=list(grid[0]), shrink=0.8)
        return figure


def _map(ax: Any, e: Evidence, m: int, l: int, top: float) -> Any:
    """One entry of the gradient over the square of (a, b)."""
    values, mean = e["averages"].array("map")[..., m, l], e["averages"].array("mean")[m, l]
    image = ax.imshow(values.T, origin="lower", extent=(0, 1, 0, 1), cmap="RdBu", vmin=-top, vmax=top)
    ax.set(xlabel="a", ylabel="b", title=f"-∂L/∂W{'₁₂'[m]}{'₁₂'[l]} / c: mean {mean:.1f}")
    ax.grid(visible=False)
    return image
