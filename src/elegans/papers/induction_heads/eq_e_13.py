"""Equations (E.7)-(E.13): the population gradient under the margin loss, as a tensor over (m, l, j), for any k.

    T_mlj = 1/t Σ_i (P_mi - 1/k) π_l (P^{j-1})_li (S_{t-j+1})_im,   S_N = Σ_{r<N} (N-r) P^r
    -∇_W L = Σ_j v_j T_mlj,   -∂L/∂v_j = Σ_ml W_ml T_mlj            while every hinge is active

It is compared with the definition over all sequences and with automatic derivatives of the model itself.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.program import precision
from elegans.lab.words import Calculation
from elegans.models.minimal_induction import MinimalInduction
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.induction import gradient_tensor, population_gradient
from elegans.theory.margin_loss import all_sequences, chances, linear_from
from elegans.theory.markov import Floats, stationary
from elegans.theory.strategies import Contexts

SIZES = ((2, 7), (3, 5), (4, 3))


def margin(params: Any, tokens: Any, delta: Any) -> Any:
    """(8.7) of the minimal model, averaged over positions, for one sequence of t + 1 tokens."""
    x, y = tokens[:-1], tokens[1:]
    f = MinimalInduction().trace(params, x)["out"]
    k = f.shape[-1]
    hinges = jnp.maximum(delta + f - jnp.take_along_axis(f, y[:, None], axis=-1), 0)
    return (jnp.sum(hinges * (1 - jax.nn.one_hot(y, k, dtype=f.dtype))) / k) / len(y)


@jax.jit
def _downhill(params: Any, tokens: Any, delta: Any) -> Any:
    return jax.vmap(jax.grad(margin), in_axes=(None, 0, None))(params, tokens, delta)


def downhill(W: Floats, v: Floats, tokens: Contexts, delta: float) -> tuple[Floats, Floats]:
    """-∇ of the margin loss for every sequence by automatic differentiation: (B, k, k) and (B, t)."""
    with precision("float64"):
        slopes = _downhill({"W": W, "v": v}, tokens.astype(np.int32), np.float64(delta))
        return -np.asarray(slopes["W"]), -np.asarray(slopes["v"])


def all_of_them(seed: int) -> dict[str, np.ndarray]:
    """Expectations over every sequence of one random chain of each size: derivatives and the definition against T."""
    rng, rows = np.random.default_rng(seed), list[list[float]]()
    for k, t in SIZES:
        P, W, v = rng.dirichlet(np.ones(k), size=k), rng.normal(size=(k, k)), rng.normal(size=t)
        tokens, T = all_sequences(k, t + 1), gradient_tensor(P, t)
        chance, delta = chances(P, tokens), linear_from(W, v)
        by_autograd = [np.tensordot(chance, part, axes=1) for part in downhill(W, v, tokens, 1.01 * delta)]
        narrow = [np.tensordot(chance, part, axes=1) for part in downhill(W, v, tokens, 0.05 * delta)]
        expected = population_gradient(T, W, v)
        rows.append([
            _apart(by_autograd, expected), _apart(narrow, expected),
            float(np.abs(definition(P, t) - T).max()), float(np.abs(np.swapaxes(definition(P, t), 0, 1) - T).max()),
        ])  # fmt: skip
    autograd, narrow, defined, transposed = np.array(rows).T
    return {"autograd": autograd, "narrow": narrow, "defined": defined, "transposed": transposed}


def _apart(found: list[Any], expected: tuple[Floats, Floats]) -> float:
    return max(float(np.abs(one - other).max()) for one, other in zip(found, expected, strict=True))


def definition(P: Floats, t: int) -> Floats:
    """T (k, k, t) as the expectation of (1{x_t' = x_{p+1}} - 1/k) 1{x_p = m} 1{x_{t'-j+1} = l}, over all sequences."""
    k, x = len(P), all_sequences(len(P), t + 1)
    chance, T, E = chances(P, x), np.zeros((len(P), len(P), t)), np.eye(len(P))
    for p in range(t):
        for t1 in range(p + 1):
            for j in range(t1 + 1):
                agree = chance * ((x[:, t1] == x[:, p + 1]) - 1 / k)
                T[..., j] += np.einsum("b,bm,bl->ml", agree, E[x[:, p]], E[x[:, t1 - j]]) / t
    return T


def sampled(k: int, t: int, sequences: int, seed: int) -> dict[str, np.ndarray]:
    """Sequences of one chain from W = 1 1^T, v = 1: their gradients along the prediction, over its length, mean and s.e."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(k), size=k)
    tokens = draw(P, t + 1, sequences, rng)
    W, v = np.ones((k, k)), np.ones(t)
    found = downhill(W, v, tokens, linear_from(W, v))
    expected = population_gradient(gradient_tensor(P, t), W, v)
    out: dict[str, np.ndarray] = {"n": np.array(sequences)}
    for name, part, predicted in zip("Wv", found, expected, strict=True):
        along = np.tensordot(part, predicted, predicted.ndim) / np.sum(predicted**2)
        out[name] = np.array([along.mean(), along.std() / sequences**0.5])
        out |= {f"{name}_found": part.mean(0), f"{name}_expected": predicted}
    return out


def draw(P: Floats, n: int, sequences: int, rng: np.random.Generator) -> Contexts:
    """Stationary sequences (sequences, n) of one chain."""
    x = np.zeros((sequences, n), int)
    row = np.broadcast_to(stationary(P), (sequences, len(P)))
    for s in range(n):
        x[:, s] = np.minimum((rng.random((sequences, 1)) > np.cumsum(row, -1)).sum(-1), len(P) - 1)
        row = P[x[:, s]]
    return x


def length(e: Evidence, k: int, name: str) -> Estimate:
    """Mean length of sampled gradients along the prediction, 1 if it is their mean."""
    part = e[f"k = {k}"]
    value, error = (float(x) for x in part.array(name))
    return Estimate(value, value - 2 * error, value + 2 * error, int(part.array("n")), what="mean length")


def least(e: Evidence, name: str) -> Estimate:
    """The smallest of the sizes' deviations."""
    return exact(float(e["all"].array(name).min()), f"smallest, {name}")


class PopulationGradient(Experiment):
    """The tensor that holds the whole population gradient."""

    id = "eq-e.13-tensor"
    place = Place(PAPER, "equations (E.7)-(E.13)")
    claims = (
        Claim(
            "eq-e.13-tensor",
            "T is its definition, an expectation over all sequences",
            expect=at_most(1e-13),
            why="the Markov property and stationarity; rounding ε t. Its transpose is not",
            value=lambda e: e["all"].max("defined"),
            wrong=lambda e: least(e, "transposed"),
        ),
        Claim(
            "eq-e.13-tensor",
            "automatic derivatives of the margin loss at random W, v have the expectations Σ_j v_j T and Σ_ml W_ml T",
            expect=at_most(1e-12),
            why="every hinge is active; all sequences, double precision. With 1/20 of that margin hinges are off",
            value=lambda e: e["all"].max("autograd"),
            wrong=lambda e: least(e, "narrow"),
        ),
        *(
            Claim(
                "eq-e.13-tensor",
                f"k = {k}: sampled gradients of {what} average to the prediction",
                expect=near(1.0, 0.1),
                why="mean length along the prediction; unbiased, and 10 % is above twice the standard error at 20,000 sequences",
                value=lambda e, k=k, name=name: length(e, k, name),
            )
            for k in (2, 3)
            for name, what in (("W", "W"), ("v", "v"))
        ),
    )
    given = {"loss": "margin loss with every hinge active"}
    chosen = {
        "all sequences": "k = 2, t = 7; k = 3, t = 5; k = 4, t = 3; one chain from the flat prior each",
        "sampled sequences": "t = 30 from W = 1 1^T, v = 1, one chain each: the mean over chains has heavy tails",
    }
    shows = "Averages of automatic derivatives over sampled sequences against the tensor: they lie on the diagonal."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        n = scale(1000, 20_000, 100_000)
        parts = {f"k = {k}": Calculation(sampled, k=k, t=30, sequences=n, seed=k) for k in (2, 3)}
        return {"all": Calculation(all_of_them, seed=0), **parts}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, 2, height=3.0)
        for ax, name in zip(grid[0], "Wv", strict=True):
            for i, k in enumerate((2, 3)):
                part = e[f"k = {k}"]
                found, expected = part.array(f"{name}_found").ravel(), part.array(f"{name}_expected").ravel()
                ax.plot(expected, found, "os"[i], ms=4, color=f"C{i}", label=f"k = {k}")
            low, high = ax.get_xlim()
            ax.plot([low, high], [low, high], lw=0.8, color="0.3", zorder=0)
            ax.set(xlabel=f"predicted -∂L/∂{name}", ylabel="mean over sampled sequences")
            ax.legend()
        return figure
