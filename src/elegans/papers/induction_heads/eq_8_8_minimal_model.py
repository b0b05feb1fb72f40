"""Equation (8.8): three ways to write the minimal model are one function, and its gradient has a closed form.

f = mask(E W (ME)ᵀ) E  =  Σ_{t'≤p} 1{x_t' = i} Σ_{s≤t'} v_{t'-s+1} W_{x_p,x_s}  =  Σ_j v_j (scores at offset j)
∇_W L = Σ Eᵀ H (ME),   ∇_{v_j} L = Σ_t' D_{t',t'-j+1},   H = mask(G Eᵀ),   D = (Hᵀ E W) Eᵀ
"""

import jax
import jax.numpy as jnp
import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.models.minimal_induction import MinimalInduction
from elegans.papers.induction_heads.checklist import PAPER
from elegans.theory.induction import (
    cross_entropy,
    minimal_gradient,
    minimal_logits,
    minimal_logits_by_index,
    minimal_logits_by_offset,
)
from elegans.theory.markov import Floats

STEP = 1e-4


def by_hand(x: list[int], W: Floats, v: Floats) -> Floats:
    """f (t, k) by four loops over integers, nothing else."""
    t, f = len(x), np.zeros((len(x), len(W)))
    for p in range(t):
        for end in range(p + 1):
            for s in range(end + 1):
                f[p, x[end]] += v[end - s] * W[x[p], x[s]]
    return f


def without_mask(x: np.ndarray, W: Floats, v: Floats) -> Floats:
    """f for a model that also reads what comes after p."""
    E = np.eye(len(W))[x]
    M = np.array([[v[a - s] if a >= s else 0.0 for s in range(len(v))] for a in range(len(v))])
    return E @ W @ np.swapaxes(M @ E, -1, -2) @ E


def forms(k: tuple[int, ...], t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Deviations of all forms and of the program from the loops, over the largest logit."""
    rng = np.random.default_rng(seed)
    rows = [_forms(m, t, n, rng) for m in k]
    return {"k": np.array(k)} | {key: np.array([row[key] for row in rows]) for key in rows[0]}


def _forms(k: int, t: int, n: int, rng: np.random.Generator) -> dict[str, object]:
    x, W, v = rng.integers(0, k, (n, t)), rng.normal(size=(k, k)), rng.normal(size=t)
    reference = np.stack([by_hand(row, W, v) for row in x.tolist()])
    apart = lambda f: np.abs(f - reference).max() / np.abs(reference).max()  # noqa: E731
    params = {"W": jnp.asarray(W, jnp.float32), "v": jnp.asarray(v, jnp.float32)}
    program = jax.jit(jax.vmap(lambda row: MinimalInduction().trace(params, row)["out"]))(x.astype(np.int32))
    three = (minimal_logits, minimal_logits_by_index, minimal_logits_by_offset)
    both = minimal_logits(x, W, v + 1) - minimal_logits(x, W, v) - minimal_logits(x, W, np.ones(t))
    return {
        "forms": [apart(f(x, W, v)) for f in three], "forms_transposed": [apart(f(x, W.T, v)) for f in three],
        "program": apart(np.asarray(program, np.float64)), "program_without_mask": apart(without_mask(x, W, v)),
        "linear": np.abs(both).max() / np.abs(reference).max(),
    }  # fmt: skip


def gradients(k: tuple[int, ...], t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Closed form against central differences of the loss, against automatic derivatives, and with the other sign of time."""
    rng = np.random.default_rng(seed)
    rows = [_gradients(m, t, n, rng) for m in k]
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def _gradients(k: int, t: int, n: int, rng: np.random.Generator) -> dict[str, float]:
    x, y = rng.integers(0, k, (2, n, t))
    theta = np.concatenate([rng.normal(0, 0.1, k * k), rng.normal(0, 0.1, t)])
    split = lambda a: (a[: k * k].reshape(k, k), a[k * k :])  # noqa: E731
    closed = np.concatenate([g.ravel() for g in minimal_gradient(x, y, *split(theta))])
    loss = lambda a: cross_entropy(minimal_logits(x, *split(a)), y)  # noqa: E731
    moves = STEP * np.eye(len(theta))
    slopes = np.array([(loss(theta + m) - loss(theta - m)) / (2 * STEP) for m in moves])
    apart = lambda g: float(np.abs(g - slopes).max() / np.abs(slopes).max())  # noqa: E731
    flipped = np.concatenate([closed[: k * k], closed[k * k :][::-1]])
    return {
        "closed": apart(closed),
        "closed_flipped": apart(flipped),
        "automatic": apart(_automatic(x, y, *split(theta))),
    }


def _automatic(x: np.ndarray, y: np.ndarray, W: Floats, v: Floats) -> np.ndarray:
    """The same gradient by automatic differentiation of the program, in single precision."""

    def loss(params: dict[str, jax.Array]) -> jax.Array:
        out = jax.vmap(lambda row: MinimalInduction().trace(params, row)["out"])(x.astype(np.int32))
        return -jnp.take_along_axis(jax.nn.log_softmax(out), y[..., None].astype(np.int32), -1).mean()

    g = jax.jit(jax.grad(loss))({"W": jnp.asarray(W, jnp.float32), "v": jnp.asarray(v, jnp.float32)})
    return np.concatenate([np.ravel(g["W"]), np.ravel(g["v"])]).astype(np.float64)


class MinimalModel(Experiment):
    """One function, written three ways, with a gradient that needs no machinery."""

    id = "eq-8.8-minimal-model"
    place = Place(PAPER, "equations (8.8) and (E.2)")
    claims = (
        Claim("eq-8.8-minimal-model", "matrix form, index form and sum over offsets are equal", expect=at_most(1e-12),
              why="rounding; each against four loops over positions, relative to the largest logit. The transposed W is another "
              "function", value=lambda e: e["forms"].max("forms"), wrong=lambda e: e["forms"].max("forms_transposed")),
        Claim("eq-8.8-minimal-model", "the program computes this function", expect=at_most(1e-5),
              why="single precision; without the mask it is another function",
              value=lambda e: e["forms"].max("program"), wrong=lambda e: e["forms"].max("program_without_mask")),
        Claim("eq-8.8-minimal-model", "the closed form of the gradient is the slope of the cross-entropy", of="derived",
              expect=at_most(1e-6), why="central differences, error of order 1e-8; with offsets in reverse order it is not",
              value=lambda e: e["gradients"].max("closed"), wrong=lambda e: e["gradients"].max("closed_flipped")),
        Claim("eq-8.8-minimal-model", "automatic derivatives of the program give it, too", of="derived", expect=at_most(1e-4),
              why="single precision; against the same differences",
              value=lambda e: e["gradients"].max("automatic"), wrong=lambda e: e["gradients"].max("closed_flipped")),
    )  # fmt: skip
    chosen = {"W, v": "Gaussian, so that no symmetry hides a mistake"}
    remarks = "The mask multiplies: masked scores are 0, not -∞, since no softmax follows inside the model."
    shows = "All deviations are rounding: double precision for the formulas, single for the program."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        k = (2, 3, 5)[: scale(2, 3, 3)]
        return {
            "forms": Calculation(forms, k=k, t=scale(10, 20, 30), n=scale(3, 10, 20), seed=0),
            "gradients": Calculation(gradients, k=k, t=scale(8, 16, 30), n=4, seed=1),
        }
