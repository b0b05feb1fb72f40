"""Equations (8.6), (8.7), (E.3)-(E.6): the in-context losses, and the margin from which on the margin loss is linear.

    L = E 1/t Σ_p l(f_p, x_{p+1}),      l_M(f, y) = 1/k Σ_{i≠y} max{0, Δ + f_i - f_y}
    every hinge active:  l_M = Δ (k-1)/k + 1/k Σ_i f_i - f_y          at W = c 1 1^T, v = c 1 from Δ = c² t(t+1)/2 on

Expectations are over all sequences of one chain, with their probabilities.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.induction import cross_entropy, gradient_tensor, minimal_logits
from elegans.theory.margin_loss import (
    all_sequences,
    chances,
    hinge_arguments,
    linear_from,
    linear_margin_loss,
    margin_loss,
)
from elegans.theory.markov import Floats, entropy, kl
from elegans.theory.strategies import Contexts, bigram_at_all_positions

SIZES = ((2, 7), (3, 5))
C = 0.3


def losses(draws: int, seed: int) -> dict[str, np.ndarray]:
    """Errors and smallest arguments of hinges over random chains and weights, one row a draw."""
    rng = np.random.default_rng(seed)
    rows = [_losses(*SIZES[i % len(SIZES)], rng) for i in range(draws)]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _losses(k: int, t: int, rng: np.random.Generator) -> dict[str, float]:
    P, W, v = rng.dirichlet(np.ones(k), size=k), rng.normal(size=(k, k)), rng.normal(size=t)
    tokens = all_sequences(k, t + 1)
    chance, delta, y = chances(P, tokens), linear_from(W, v), tokens[:, 1:]
    f = minimal_logits(tokens[:, :-1], W, v)
    full = margin_loss(f, y, delta)
    bilinear = delta * (k - 1) / k - float(np.einsum("ml,j,mlj->", W, v, gradient_tensor(P, t)))
    narrow = margin_loss(f, y, 0.1 * delta) - linear_margin_loss(f, y, 0.1 * delta)
    return {
        "linear": np.abs(full - linear_margin_loss(f, y, delta)).max(),
        "divided by k-1": np.abs(full * k / (k - 1) - linear_margin_loss(f, y, delta)).max(),
        "mean": abs(float(chance @ full.mean(1)) - bilinear), "sum": abs(float(chance @ full.sum(1)) - bilinear),
        "argument": float(hinge_arguments(f, y, delta).min()) / delta,
        "above": float(narrow.min()), "below": float((-narrow).min()),
    }  # fmt: skip


def constant_weights(t: tuple[int, ...], factors: tuple[float, ...]) -> dict[str, np.ndarray]:
    """(E.6) at W = c 1 1^T, v = c 1: errors over t, and how far a loss of the longest context can exceed its linear form."""
    logits, unweighted, ends, argument, short = np.array([_constant(length) for length in t]).T
    x, y, bound = _sequences(t[-1])
    f = minimal_logits(x, np.full((2, 2), C), np.full(t[-1], C))
    gaps = [float((margin_loss(f, y, q * bound) - linear_margin_loss(f, y, q * bound)).max()) for q in factors]
    return {
        "logits": logits, "unweighted": unweighted, "ends": ends, "argument": argument, "short": short,
        "factor": np.array(factors), "gap": np.array(gaps) / bound,
    }  # fmt: skip


def _sequences(t: int) -> tuple[Contexts, Contexts, float]:
    """All contexts, their targets, and the margin of (E.6)."""
    tokens = all_sequences(2, t + 1)
    return tokens[:, :-1], tokens[:, 1:], C**2 * t * (t + 1) / 2


def _constant(t: int) -> list[float]:
    """Errors of the logits as printed and without t', of their range, and smallest arguments over the margin."""
    x, y, bound = _sequences(t)
    f, E, p = minimal_logits(x, np.full((2, 2), C), np.full(t, C)), np.eye(2)[x], np.arange(1, t + 1)
    return [
        float(np.abs(f - C**2 * np.cumsum(p[:, None] * E, axis=1)).max()),
        float(np.abs(f - C**2 * np.cumsum(E, axis=1)).max()),
        float(np.abs(f.max((0, 2)) - C**2 * p * (p + 1) / 2).max()) + abs(float(f.min())),
        float(hinge_arguments(f, y, bound).min()) / bound,
        float(hinge_arguments(f, y, 0.99 * bound).min()) / bound,
    ]


def cross_entropies(draws: int, seed: int) -> dict[str, np.ndarray]:
    """E of the cross-entropy of bigram predictions against entropy plus divergence, over all sequences."""
    rng, rows = np.random.default_rng(seed), list[list[float]]()
    for i in range(draws):
        k, t = SIZES[i % len(SIZES)]
        P, tokens = rng.dirichlet(np.ones(k), size=k), all_sequences(k, t + 1)
        chance, truth = chances(P, tokens), P[tokens[:, :-1]]
        guess = bigram_at_all_positions(tokens[:, :-1], k)
        found = sum(
            c * cross_entropy(np.log(g[None]), s[None, 1:]) for c, g, s in zip(chance, guess, tokens, strict=True)
        )
        rows.append([
            abs(found - expected(chance, entropy(truth) + kl(truth, guess))),
            abs(found - expected(chance, entropy(truth) + kl(guess, truth))),
        ])  # fmt: skip
    forward, backward = np.array(rows).T
    return {"forward": forward, "backward": backward}


def expected(chance: Floats, values: Floats) -> float:
    """E of the mean over positions of values (B, t)."""
    return float(chance @ values.mean(1))


def smallest(e: Evidence, part: str, name: str) -> Estimate:
    return exact(float(e[part].array(name).min()), f"smallest {name}")


class InContextLosses(Experiment):
    """Cross-entropy and margin loss, and where the margin loss is linear."""

    id = "eq-8.6-8.7-losses"
    place = Place(PAPER, "equations (8.6), (8.7) and (E.3)-(E.8)")
    claims = (
        Claim(
            "eq-8.6-8.7-losses",
            "(8.6): expected cross-entropy is the entropy of the next token plus KL(truth ‖ prediction)",
            of="derived",
            expect=at_most(1e-12),
            why="an identity; bigram predictions, all sequences, rounding. With the divergence turned around it is not",
            value=lambda e: e["cross-entropy"].max("forward"),
            wrong=lambda e: smallest(e, "cross-entropy", "backward"),
        ),
        Claim(
            "eq-8.6-8.7-losses",
            "(8.7), with 1/k, is Δ (k-1)/k + 1/k Σ f_i - f_y while every hinge is active",
            of="derived",
            expect=at_most(1e-11),
            why="the term i = y adds Δ/k to both sides (E.8); rounding over logits of size Δ. With 1/(k-1) for 1/k it is not",
            value=lambda e: e["random"].max("linear"),
            wrong=lambda e: smallest(e, "random", "divided by k-1"),
        ),
        Claim(
            "eq-8.6-8.7-losses",
            "Δ = max|W| Σ_t' Σ_{j≤t'} |v_j| makes every hinge active, on every sequence",
            of="derived",
            expect=at_least(-1e-12),
            why="|f_i - f_y| is at most that; smallest argument over Δ. For constant weights 1 % less is not enough",
            value=lambda e: smallest(e, "random", "argument"),
            wrong=lambda e: smallest(e, "constant", "short"),
        ),
        Claim(
            "eq-8.6-8.7-losses",
            "for smaller margins the loss is above the linear form, never below",
            of="derived",
            expect=at_least(-1e-12),
            why="max{0, z} ≥ z; smallest difference at a tenth of that margin. The other way round it fails",
            value=lambda e: smallest(e, "random", "above"),
            wrong=lambda e: smallest(e, "random", "below"),
        ),
        Claim(
            "eq-8.6-8.7-losses",
            "(E.6): at constant weights f_{p,i} = c² Σ_{t'≤p} t' 1{x_t' = i}",
            expect=at_most(1e-12),
            why="v is summed over t' offsets; every sequence. Without the factor t' it is a count",
            value=lambda e: e["constant"].max("logits"),
            wrong=lambda e: e["constant"].max("unweighted"),
        ),
        Claim(
            "eq-8.6-8.7-losses",
            "(E.6): it fills [0, c² p(p+1)/2]",
            expect=at_most(1e-12),
            why="both ends are attained by constant sequences; distance from the ends. Counts end at c² p",
            value=lambda e: e["constant"].max("ends"),
            wrong=lambda e: e["constant"].max("unweighted"),
        ),
        Claim(
            "eq-8.6-8.7-losses",
            "(E.6): Δ = c² t(t+1)/2 makes every hinge active",
            expect=at_least(-1e-12),
            why="smallest argument over Δ, every sequence: 0 is attained. One per cent less and a hinge is off",
            value=lambda e: smallest(e, "constant", "argument"),
            wrong=lambda e: smallest(e, "constant", "short"),
        ),
        Claim(
            "eq-8.6-8.7-losses",
            "the total loss (E.3) is the sum of the losses across all positions",
            of="printed",
            expect=at_most(1e-11),
            why="smallest distance from Δ (k-1)/k - Σ W_ml v_j T_mlj, the loss whose gradient is (E.13)",
            value=lambda e: smallest(e, "random", "sum"),
        ),
        Claim(
            "eq-8.6-8.7-losses",
            "it is their mean",
            of="corrected",
            expect=at_most(1e-11),
            why="as the formula (E.3) says; over all sequences, rounding over logits of size Δ. The sum is t times that",
            value=lambda e: e["random"].max("mean"),
            wrong=lambda e: smallest(e, "random", "sum"),
        ),
    )
    chosen = {
        "sizes": "all sequences for k = 2, t = 7 and k = 3, t = 5; t = 1 to 9 for constant weights",
        "weights, chains": "Gaussian W and v, chains from the flat prior; c = 0.3 for constant weights",
    }
    remarks = (
        "The text before (E.3) calls the loss a sum across positions; the formula divides by t, as (8.6) and (E.13) do."
    )
    shows = "The largest excess of the loss over its linear form ends exactly at Δ = c² t(t+1)/2."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "random": Calculation(losses, draws=scale(10, 100, 400), seed=0),
            "constant": Calculation(
                constant_weights, t=(1, 2, 5, 9), factors=tuple(float(q) for q in np.linspace(0, 1.2, 25))
            ),
            "cross-entropy": Calculation(cross_entropies, draws=scale(4, 20, 20), seed=1),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.8)
        part = e["constant"]
        ax.plot(part.array("factor"), part.array("gap"), "o-", ms=3)
        ax.axvline(1, ls="--", lw=1, color="0.3", label="Δ of (E.6)")
        ax.set(xlabel="Δ / (c² t(t+1)/2), t = 9", ylabel="largest (loss - linear form) / bound")
        ax.legend()
        return figure
