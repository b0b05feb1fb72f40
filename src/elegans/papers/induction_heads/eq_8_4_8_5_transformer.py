"""Equations (8.4)-(8.5): the attention-only transformer against the same formulas written out position by position.

A_ij = (z_i W_Q)(z_j W_K + v_{i-j+1})ᵀ/√d for j ≤ i, else -∞;   2kd + L(3d² + td) parameters, 4800 at k = 2, d = 16, t = 100
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from elegans.base import stream
from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.models.attention import AttentionOnly
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.tasks.base import Signature
from elegans.theory.attention_only import forward, parameters
from elegans.theory.markov import Floats

CASES = (
    AttentionOnly(6, 2, 1, "plain"),
    AttentionOnly(6, 2, 3, "mingpt"),
    AttentionOnly(8, 3, 2, "plain"),
    AttentionOnly(5, 1, 1, "mingpt"),
)
SIZES = ((2, 16, 100, 2), (3, 48, 200, 2), (4, 8, 7, 1))  # k, d, t, L


def signature(k: int, t: int) -> Signature:
    """Sequences of t tokens over k symbols."""
    return Signature(x=(t,), out=(t, k), symbols=k)


def weights_of(model: AttentionOnly, k: int, t: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Gaussian parameters of the model's names and shapes, large enough that attention is far from uniform."""
    shapes = jax.eval_shape(lambda: model.init(stream.key(0, stream.Purpose.INIT), signature(k, t)))
    return {name: rng.normal(0, 0.7, a.shape) for name, a in shapes.items()}


def traced(model: AttentionOnly, weights: Mapping[str, Floats], x: np.ndarray) -> dict[str, np.ndarray]:
    """The model's trace in single precision, a context at a time."""
    params = {name: jnp.asarray(w, jnp.float32) for name, w in weights.items()}
    return jax.tree.map(np.asarray, jax.jit(jax.vmap(lambda row: model.trace(params, row)))(x.astype(np.int32)))


def shifted(weights: Mapping[str, Floats]) -> dict[str, Floats]:
    """The same weights with offset index 0 for the token itself, v_{i-j}, in place of v_{i-j+1}."""
    return {n: np.roll(w, -1, axis=0) if n.startswith("pos") else w for n, w in weights.items()}


def passes(cases: int, k: int, t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Relative deviations from the reference, what the mask lets through, and one layer of attention to look at."""
    rng, rows = np.random.default_rng(seed), []
    for model in CASES[:cases]:
        weights, x = weights_of(model, k, t, rng), rng.integers(0, k, (n, t))
        seen = traced(model, weights, x)
        reference, other = (
            np.stack([forward(w, row, model.layers, model.heads) for row in x.tolist()])
            for w in (weights, shifted(weights))
        )
        rows.append(
            {"error": _apart(seen["out"], reference), "error_shifted": _apart(seen["out"], other)}
            | _mask(model, weights, x, seen)
        )
    return {key: np.array([row[key] for row in rows]) for key in rows[0]} | _picture(seed)


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """Largest deviation over the largest logit."""
    return float(np.abs(a - b).max() / np.abs(b).max())


def _mask(
    model: AttentionOnly, weights: Mapping[str, Floats], x: np.ndarray, seen: dict[str, np.ndarray]
) -> dict[str, float]:
    """Attention above the diagonal, rows that do not sum to one, and what changed tokens change before and at their place."""
    t = x.shape[1]
    above = np.triu(np.ones((t, t), bool), 1)
    attention = [seen[f"attention{l}"] for l in range(model.layers)]
    late = np.where(np.arange(t) < t // 2, x, (x + 1) % weights["embed"].shape[0])
    moved = np.abs(traced(model, weights, late)["out"] - seen["out"]).max((0, 2))
    return {
        "above": max(float(a[..., above].max()) for a in attention),
        "below": max(float(a[..., above.T].max()) for a in attention),
        "sums": max(float(np.abs(a.sum(-1) - 1).max()) for a in attention),
        "before": float(moved[: t // 2].max()), "behind": float(moved[t // 2 :].min()),
    }  # fmt: skip


def _picture(seed: int, t: int = 24) -> dict[str, np.ndarray]:
    """Attention of one layer whose W_K is zero: it depends on the current symbol and on the offset alone."""
    model, rng = AttentionOnly(6, 1, 1, "plain"), np.random.default_rng(seed)
    weights = weights_of(model, 2, t, rng)
    weights |= {"k0": 0 * weights["k0"], "pos0": 2 * weights["pos0"]}
    x = rng.integers(0, 2, (1, t))
    seen = traced(model, weights, x)
    scores = seen["scores0"][0, 0]
    spread = [
        np.ptp(scores.diagonal(-o)[x[0][o:] == s]) for o in range(t // 2) for s in (0, 1) if (x[0][o:] == s).any()
    ]
    mixed = [np.ptp(scores.diagonal(-o)) for o in range(t // 2)]
    return {
        "offsets": np.array(max(spread)), "offsets_of_all_symbols": np.array(max(mixed)),
        "picture": seen["attention0"][0, 0].astype(np.float32), "tokens": x[0],
    }  # fmt: skip


def counts() -> dict[str, np.ndarray]:
    """Numbers of parameters by formula and as the model has them."""
    rows = [_counts(variant, *size) for size in SIZES for variant in ("plain", "mingpt")]
    has, told, absolute = np.array(rows).T
    return {"has": has, "different": has - told, "different_absolute": has - absolute, "first": has[0]}


def _counts(variant: str, k: int, d: int, t: int, layers: int) -> tuple[int, int, int]:
    model = AttentionOnly(d, layers, 1, variant)  # type: ignore[arg-type]
    shapes = jax.eval_shape(lambda: model.init(stream.key(0, stream.Purpose.INIT), signature(k, t)))
    has, told = sum(a.size for a in shapes.values()), parameters(k, d, t, layers, variant == "mingpt")
    return has, told, told - layers * t * d + t * d  # one table for all layers, as with absolute positions


def largest(e: Evidence, *names: str) -> Estimate:
    """The largest entry of several arrays."""
    return exact(max(float(e["passes"].array(n).max()) for n in names), "max " + ", ".join(names))


class ForwardPass(Experiment):
    """The transformer of the chapter is what its two equations say."""

    id = "eq-8.4-8.5-transformer"
    place = Place(PAPER, "equations (8.4) and (8.5)")
    claims = (
        Claim("eq-8.4-8.5-transformer", "the model's logits are those of the formulas, with and without layer norms and heads",
              expect=at_most(2e-5), why="single against double precision, relative to the largest logit; offsets counted from "
              "0 in place of 1 give another network",
              value=lambda e: e["passes"].max("error"), wrong=lambda e: e["passes"].max("error_shifted")),
        Claim("eq-8.4-8.5-transformer", "no attention to later positions, and tokens change nothing before their place",
              expect=at_most(0), why="the mask is -∞ before the softmax, so this is exact; earlier positions are attended to",
              value=lambda e: largest(e, "above", "before"), wrong=lambda e: largest(e, "below", "behind")),
        Claim("eq-8.4-8.5-transformer", "with W_K = 0 the scores depend on the current symbol and the offset alone",
              expect=at_most(1e-5), why="A_ij = z_i W_Q v_{i-j+1}ᵀ/√d in layer 1; other symbols have other scores",
              value=lambda e: e["passes"].max("offsets"), wrong=lambda e: e["passes"].max("offsets_of_all_symbols")),
        Claim("eq-8.4-8.5-transformer", "2kd + L(3d² + td) parameters, and L(d² + 2d) + 2d more with norms and W_O", of="derived",
              expect=at_most(0), why="shapes of W_E, P, W_Q, W_K, W_V and v; one table for both layers would be fewer",
              value=lambda e: e["counts"].max("different"), wrong=lambda e: e["counts"].max("different_absolute")),
    )  # fmt: skip
    given = {"d": "16", "L": "2", "heads": "1", "t": "100"}
    chosen = {
        "variant": "layer norms, W_O and the start N(0, 0.02²) as in minGPT, on which the paper's code is based; or plain",
        "weights here": "N(0, 0.7²), so that attention is far from uniform",
    }
    remarks = (
        "(8.5) prints A_ij = twice. Its v is a table t × d and has nothing to do with the minimal model's vector v. "
        "The plain network of the figures has 4800 parameters at k = 2, d = 16, t = 100."
    )
    shows = "Attention with W_K = 0: stripes along the diagonals, one set for each of the two symbols, nothing above."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        size = scale(1, 4, 4)
        return {
            "passes": Calculation(passes, cases=scale(2, 4, 4), k=3, t=12, n=3 * size, seed=0),
            "counts": Calculation(counts),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(3.8, 3.4)
        part = e["passes"]
        picture = part.array("picture")
        image = ax.imshow(np.where(np.tri(len(picture)) > 0, picture, np.nan), cmap="viridis", vmax=0.4)
        ax.set_yticks(range(len(picture)), [str(s) for s in part.array("tokens")], fontsize=6)
        ax.set(xlabel="position attended to", ylabel="symbol at the attending position")
        ax.grid(visible=False)
        figure.colorbar(image, ax=ax, label="attention")
        return figure
