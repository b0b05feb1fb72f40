"""Equations (E.26)-(E.29): the first step of v favours near offsets, quadratically.

    v_j - c = c η [N(N+1)/(2t) D + O(1)],   N = t-j+1,   D = E[π_1² + π_2²] - ½ = 3/2 - ln 4

Ours: the O(1) term is D N/t, so that v_j - c is c η D N(N+3)/(2t) up to ln t / t; for k symbols D = E Σ π² - 1/k.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.first_step import (
    D,
    leading_offsets,
    logit_slope,
    mean_offset_gradient,
    next_offsets,
    offset_gradient,
    offset_gradient_of_tokens,
    printed_logit_slope,
    printed_offset_gradient,
)
from elegans.theory.induction import gradient_tensor
from elegans.theory.margin_loss import all_sequences, chances
from elegans.theory.markov import Floats, flat_mean, stationary, two_state
from elegans.theory.strategies import one_hot

SHOWN = 100  # tokens of the figure


def slopes(t: int, chains: int, seed: int) -> dict[str, np.ndarray]:
    """Largest errors of (E.26) and (E.27): over all sequences, by powers, as printed."""
    rng, rows = np.random.default_rng(seed), list[list[float]]()
    for a, b in rng.uniform(0.05, 0.95, (chains, 2)):
        P = two_state(a, b)
        each, own = slopes_by_enumeration(P, t)
        printed, powers = printed_logit_slope(a, b, t), logit_slope(P, t)
        rows.append([
            np.abs(printed[0] - each).max(), np.abs(printed[0][:, ::-1] - each).max(),
            max(np.abs(printed[1] - own).max(), np.abs(powers[1] - own).max()), np.abs(printed[0].mean(1) - own).max(),
        ])  # fmt: skip
    return dict(zip(("each", "exchanged", "own", "unrelated"), np.array(rows).T, strict=True))


def slopes_by_enumeration(P: Floats, t: int) -> tuple[Floats, Floats]:
    """E ∂f_{p,i}/∂v_j and E ∂f_{p,x_{p+1}}/∂v_j at p = t and W = 1 1^T, over all sequences: (t, 2) and (t,)."""
    tokens = all_sequences(2, t + 1)
    chance, E = chances(P, tokens), one_hot(tokens, 2)
    later = np.cumsum(E[:, t - 1 :: -1], axis=1)[:, ::-1]  # Σ_{t'=j}^p 1{x_t' = i}
    return np.einsum("b,bji->ji", chance, later), np.einsum("b,bji,bi->j", chance, later, E[:, t])


def chain_by_chain(t: int, chains: int, seed: int) -> dict[str, np.ndarray]:
    """(E.28) for random chains against the tensor, relative to its largest entry; also with tokens for indices."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.02, 0.98, (2, chains))
    truth = gradient_tensor(two_state(a, b), t).sum((1, 2))
    size = np.abs(truth).max()
    tokens = np.array([offset_gradient_of_tokens(two_state(*pair), t) for pair in zip(a[:20], b[:20], strict=True)])
    wrong = printed_offset_gradient(a, b, t) + 0.5 * np.arange(t, 0, -1) / t
    found = {
        "printed": printed_offset_gradient(a, b, t) - truth, "stable": offset_gradient(a, b, t) - truth,
        "shifted": wrong - truth, "tokens": tokens - truth[:20],
    }  # fmt: skip
    return {name: np.array(np.abs(error).max() / size) for name, error in found.items()}


def means(t: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Over the flat prior: slope of log growth against log N(N+1)/2, smallest step down, the rest at offset 1."""
    rows: list[list[float]] = []
    for length in t:
        v = mean_offset_gradient(length)
        N = length - np.arange(length, dtype=float)
        first = slice(0, round(0.8 * length))
        slope = np.polyfit(np.log(N * (N + 1) / 2)[first], np.log(v)[first], 1)[0]
        linear = np.polyfit(np.log(N)[first], np.log(v)[first], 1)[0]
        rest, beyond = v - leading_offsets(length), v - leading_offsets(length) - next_offsets(length)
        rows.append([
            slope, linear, -np.diff(v).max(), rest[0], np.abs(rest).max(), np.abs(beyond).max() * length / np.log(length),
            np.abs(rest).max() * length / np.log(length), np.abs(v - leading_offsets(length) * (D + 0.5) / D).max(),
        ])  # fmt: skip
    names = ("slope", "linear", "fall", "rest at 1", "rest", "beyond", "not beyond", "rest without half")
    return {"t": np.array(t), "shown": mean_offset_gradient(SHOWN), **dict(zip(names, np.array(rows).T, strict=True))}


def constant(n: int, k: tuple[int, ...], chains: int, seed: int) -> dict[str, np.ndarray]:
    """D by quadrature, and E Σ π² - 1/k over random chains with its standard error."""
    squares = flat_mean(lambda a, b: np.sum(stationary(two_state(a, b)) ** 2, -1), n)
    rows: list[list[float]] = []
    for m in k:
        pi = stationary(np.random.default_rng((seed, m)).dirichlet(np.ones(m), size=(chains, m)))
        excess = np.sum(pi**2, -1) - 1 / m
        rows.append([excess.mean(), excess.std() / chains**0.5])
    value, error = np.array(rows).T
    return {"squares": squares, "k": np.array(k), "value": value, "error": error, "chains": np.array(chains)}


def span(e: Evidence, name: str) -> Estimate:
    """The entry farthest from 1."""
    x = e["means"].array(name)
    return exact(float(x[np.abs(x - 1).argmax()]), name)


def falls(e: Evidence, sign: int = 1) -> Estimate:
    """Smallest fall of D_k from one k to the next, with two standard errors."""
    part = e["constant"]
    fall, error = -np.diff(part.array("value")), part.array("error")
    at = int(np.argmin(sign * fall))
    value, half = sign * float(fall[at]), 2 * float(np.hypot(error[at], error[at + 1]))
    return Estimate(value, value - half, value + half, int(part.array("chains")), what="smallest fall of D_k")


class FirstStepOfOffsets(Experiment):
    """The first step of v: a push to near offsets that knows nothing of bigrams."""

    id = "eq-e.26-e.29-vgrad"
    place = Place(PAPER, "equations (E.26)-(E.29)")
    claims = (
        Claim(
            "eq-e.26-e.29-vgrad",
            "(E.26): E ∂f_{p,i}/∂v_j = c π_i (p-j+1)",
            expect=at_most(1e-12),
            why="stationarity; over all sequences, rounding. With the symbols exchanged it is not",
            value=lambda e: e["slopes"].max("each"),
            wrong=lambda e: e["slopes"].max("exchanged"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "(E.27): the last line is E ∂f_{p,x_{p+1}}/∂v_j",
            expect=at_most(1e-11),
            why="over all sequences; rounding ε/(1-λ)³ with 1-λ ≥ 0.1. The mean over symbols is another number",
            value=lambda e: e["slopes"].max("own"),
            wrong=lambda e: e["slopes"].max("unrelated"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "(E.28): the last line is c Σ_ml T_mlj for every chain",
            expect=at_most(1e-10),
            why="an identity; rounding ε/(1-λ)⁴ with 1-λ ≥ 0.04, relative. With one term N/2t more it is not",
            value=lambda e: e["chains"].max("printed"),
            wrong=lambda e: e["chains"].max("shifted"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "(E.28): in its second line, 1/k Σ_i runs over the slopes of f_{p,x_i}",
            of="printed",
            expect=at_most(1e-10),
            why="largest relative distance from Σ_ml T_mlj, with x_i the i-th token",
            value=lambda e: e["chains"].max("tokens"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "(E.28): it runs over the slopes of f_{p,i}",
            of="corrected",
            expect=at_most(1e-12),
            why="all symbols have the mean slope (p-j+1)/k; term by term, rounding ε t. With tokens it is not",
            value=lambda e: e["chains"].max("stable"),
            wrong=lambda e: e["chains"].max("tokens"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "E Σ π² = 2 - ln 4, so D = 3/2 - ln 4 > 0",
            expect=at_most(1e-9),
            why="quadrature reaches nine digits; ½ less or more is far away",
            value=lambda e: exact(abs(float(e["constant"].array("squares")) - 0.5 - D), "distance from D"),
            wrong=lambda e: exact(abs(float(e["constant"].array("squares")) - D), "distance from D"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "(E.29): what is left after the leading order is O(1): at most D",
            expect=at_most(D),
            why="the next order is D N/t, approached from below; without the ½ in D the rest grows like t",
            value=lambda e: e["means"].max("rest"),
            wrong=lambda e: e["means"].max("rest without half"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "the next order is D N/t; beyond it the rest is at most ln t / t",
            of="derived",
            expect=at_most(1.0),
            why="2 E π_1π_2 λ/(1-λ) = D, and chains near a = b = 1 add ln t / t; without the next order this ratio grows like t",
            value=lambda e: e["means"].max("beyond"),
            wrong=lambda e: exact(float(e["means"].array("not beyond").max()), "without it"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "the push falls with the offset",
            of="derived",
            expect=at_least(0.0),
            why="smallest v_j - v_{j+1} over all j and t, strictly positive. The same with the sign of the gradient is negative",
            value=lambda e: exact(float(e["means"].array("fall").min()), "smallest fall"),
            wrong=lambda e: exact(-float(e["means"].array("fall").max()), "largest rise"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "it falls quadratically: log v against log N(N+1)/2 has slope 1",
            expect=between(0.97, 1.01),
            why="specification 4.4, over the first 80 % of the offsets for t ≥ 100; against log N the slope is 2",
            value=lambda e: span(e, "slope"),
            wrong=lambda e: span(e, "linear"),
        ),
        Claim(
            "eq-e.26-e.29-vgrad",
            "for 2, 3, 4, 8 symbols D_k = E Σπ² - 1/k falls",
            of="derived",
            expect=at_least(0.0),
            why="π flattens with k; smallest fall over sampled chains, two standard errors. In the other direction it rises",
            value=falls,
            wrong=lambda e: falls(e, -1),
        ),
    )
    chosen = {
        "sequences": "all 2^(t+1) with t = 7 for (E.26) and (E.27), in a few chains with a, b in [0.05, 0.95]",
        "chains, t": "a, b in [0.02, 0.98] and t = 20 for (E.28); t = 100 to 800 for its mean",
    }
    remarks = (
        "(E.28) prints f_{p,x_i} in the mean over logits; taken by the letter, x_i is a token and the gradient another one. It "
        "must be f_{p,i}, as in (E.8). The next lines are right."
    )
    shows = "The push on v at t = 100. Left: the leading order lies just below it. Right: what is left is nearly D N/t."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "slopes": Calculation(slopes, t=7, chains=scale(20, 200, 200), seed=0),
            "chains": Calculation(chain_by_chain, t=20, chains=scale(200, 2000, 2000), seed=1),
            "means": Calculation(means, t=scale((100, 200), (100, 200, 400, 800), (100, 200, 400, 800, 1600))),
            "constant": Calculation(constant, n=80, k=(2, 3, 4, 8), chains=scale(10_000, 100_000, 400_000), seed=2),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.8)
        v, j = e["means"].array("shown"), np.arange(1, SHOWN + 1)
        leading, following = leading_offsets(SHOWN), next_offsets(SHOWN)
        left.plot(j, v, label="exact")
        left.plot(j, leading, "--", label="D N(N+1)/2t")
        left.set(xlabel="offset j", ylabel="(v - c) / (c η)")
        left.legend()
        right.plot(j, v - leading, label="exact less leading order")
        right.plot(j, following, "--", label="D N/t")
        right.set(xlabel="offset j", ylabel="(v - c) / (c η)", ylim=(0, 1.25 * D))
        right.legend()
        return figure
