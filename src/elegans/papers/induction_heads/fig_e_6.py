"""Figure E.6: trained on flat chains, judged on flat chains, independent tokens and doubly stochastic chains.

    loss on each = KL(truth || model) at the last token,      fall = first time at half of the uniform strategy's loss
    plateau: from τ₁, loss on flat chains <= 1.1 unigram, half of the way to τ₂, <= (unigram + bigram) / 2

For the minimal model, whose loss rises again after τ₁, the plateau is the look at τ₁ alone.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.flat_reading import COLOUR, DROP, MODEL, crossing, middle, phases, share
from elegans.papers.induction_heads.flat_runs import BATCH, STRATEGIES, Floats, Trace, tiny
from elegans.papers.induction_heads.presets import Preset, fig, minimal_fig, minimal_small, small
from elegans.probes.strategies import StrategyKL
from elegans.probes.transfer import Transfer
from elegans.stats import Estimate
from elegans.tasks.markov import MarkovChains
from elegans.tasks.markov_priors import DoublyStochasticChains, IndependentTokens
from elegans.theory.markov import kl
from elegans.theory.strategies import bigram, truth_oracle, uniform, unigram
from elegans.training.stops import Steps

K = 2
TASKS = {"flat": MarkovChains, "independent": IndependentTokens, "doubly": DoublyStochasticChains}
PROBES = {"flat": "StrategyKL", **{name: f"Transfer{TASKS[name].__name__}" for name in ("independent", "doubly")}}
TITLES = {"flat": "in distribution", "independent": "independent tokens", "doubly": "doubly stochastic chains"}
MODELS = {"transformer": "the transformer", "minimal": "the minimal model"}
SURE = 1.96  # standard errors on either side


# --- lines, runs and what is read from them ------------------------------------------------------------------------------


def levels(t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """By test distribution: mean KL(truth || strategy) over n sequences; on doubly stochastic chains also how much more
    unigrams cost than guessing, and the standard error of that."""
    risks = {name: _risks(task(K, t).numpy(n, seed)) for name, task in TASKS.items()}
    more = risks["doubly"][1] - risks["doubly"][0]
    means = {name: each.mean(1) for name, each in risks.items()}
    return {**means, "more": np.array([more.mean(), more.std() / n**0.5]), "n": np.array(n)}


def _risks(batch: Any) -> Floats:
    """KL(truth || uniform, unigram, bigram) for every sequence: (3, n)."""
    truth = truth_oracle(batch.x, batch.latent["P"].astype(np.float64))
    return np.array([kl(truth, predict(batch.x, K)) for predict in (uniform, unigram, bigram)])


def runs(p: Preset, every: int, on: int, seeds: int) -> Sweep:
    """Seeds of a preset, watched on the three distributions."""
    t = p.task.signature.x[0]
    there = [Transfer(every=every, on=on, task=TASKS[name](K, t)) for name in ("independent", "doubly")]
    watch = StrategyKL(every=every, on=on), *there
    return Sweep(Run(p.model, Stage(p.task, p.algorithm, Steps(p.steps)), watch=watch), seed=range(seeds))


def facts(losses: Trace, lines: dict[str, Floats], model: str) -> dict[str, float | bool | None]:
    """All that the claims need of one run, from its losses by test distribution."""
    t, (_, uni, bi) = losses["t"], lines["flat"]
    found = phases({"StrategyKL.t": t, "StrategyKL.truth": losses["flat"]}, uni, bi)
    first, second = found["first"], found["second"]
    rest = resting(t, first, second, model)
    shares = {name: losses[name].astype(np.float64) / lines[name][0] for name in TASKS}
    independent, flat, doubly = (crossing(t, shares[name], 0.5) or np.inf for name in ("independent", "flat", "doubly"))
    return {
        "first": first,
        "second": second,
        "early": 1.0 if first is None or second is None else first / second,
        "independent_rest": float(np.median(shares["independent"][rest])),
        "doubly_rest": float(np.median(shares["doubly"][rest])),
        "doubly_end": float(shares["doubly"][-1]),
        "one_by_one": bool(independent <= flat <= doubly < np.inf),
    }


def resting(t: np.ndarray, first: float | None, second: float | None, model: str) -> np.ndarray:
    """Indices of the looks on the plateau; the last look if the loss never came down to it."""
    began = len(t) - 1 if first is None else int(np.searchsorted(t, first))
    if model == "minimal" or first is None:
        return np.array([began])
    half = t[-1] if second is None else (first + second) / 2
    return np.arange(began, max(began + 1, int(np.searchsorted(t, half, side="right"))))


def condensed(part: Evidence, lines: dict[str, Floats], model: str) -> Evidence:
    """One row of facts a run, and its three losses."""
    losses = [{"t": t["StrategyKL.t"], **{n: t[f"{p}.truth"] for n, p in PROBES.items()}} for t in part.traces]
    rows = [{"seed": i, **facts(x, lines, model)} for i, x in enumerate(losses)]
    return Evidence(pl.DataFrame(rows, infer_schema_length=None), tuple(losses), meta=part.meta)


def lines_of(e: Evidence) -> dict[str, Floats]:
    """By test distribution: the losses of the three strategies."""
    return {name: e["levels"].array(name) for name in TASKS}


def more_than_guessing(e: Evidence) -> Estimate:
    """On doubly stochastic chains: the unigram strategy's loss minus that of guessing, in parts of the latter."""
    (value, error), guessing = e["levels"].array("more").tolist(), lines_of(e)["doubly"][0]
    low, high = value - SURE * error, value + SURE * error
    parts = (float(x / guessing) for x in (value, low, high))
    return Estimate(*parts, n=int(e["levels"].array("n")), what="part of the loss of guessing")


# --- the experiment ------------------------------------------------------------------------------------------------------


def claims_for(model: str) -> tuple[Claim, ...]:
    """The same for both models."""
    row, who = f"fig-e.6-{model}", MODELS[model]
    when = "on the first half of the plateau" if model == "transformer" else "when the loss reaches unigrams"
    return (
        Claim(
            row,
            f"{who}: in distribution the loss is down at the unigram strategy's before 40 % of the time of the second drop",
            expect=at_most(0.4),
            why="'the in distribution test loss quickly drops to the level of the unigram algorithm'; as figure 8.3 (i)",
            value=middle(model, "early"),
        ),
        Claim(
            row,
            f"{who}: {when} the loss on independent tokens is at most 35 % of guessing",
            of="derived",
            expect=at_most(0.35),
            why="a unigram model is right there; bound of specification 5, figure E.6",
            value=middle(model, "independent_rest"),
        ),
        Claim(
            row,
            f"{who}: {when} the loss on doubly stochastic chains is within 20 % of guessing",
            of="derived",
            expect=near(1.0, 0.2),
            why="a unigram model learns nothing there; bound of specification 5, figure E.6",
            value=middle(model, "doubly_rest"),
        ),
        Claim(
            row,
            f"{who}: at the end the loss on doubly stochastic chains is at most 35 % of guessing",
            of="derived",
            expect=at_most(0.35),
            why="bigrams serve on every distribution of chains; bound of specification 5, figure E.6",
            value=middle(model, "doubly_end"),
        ),
        Claim(
            row,
            f"{who}: in most runs the loss falls on independent tokens first and on doubly stochastic chains last",
            of="derived",
            expect=at_least(0.5),
            why="unigrams come before bigrams: specification 5, figure E.6; most means more than half of the runs",
            value=share(model, "one_by_one"),
        ),
    )


class ThreeTestDistributions(Experiment):
    """Independent tokens are learned first, doubly stochastic chains last."""

    id = "fig-e.6"
    place = Place(PAPER, "figure E.6")
    claims = (
        *claims_for("transformer"),
        *claims_for("minimal"),
        Claim(
            "fig-e.6-transformer",
            "on doubly stochastic chains the unigram strategy's loss is that of guessing, within 5 %",
            expect=near(0.0, 0.05),
            why="'unigram based guesses are as good as guessing uniform probability'; counts of t tokens cost about 1/2t nats",
            value=more_than_guessing,
        ),
    )
    given = {
        "transformer": "two attention-only layers, AdamW, batch 64, trained on flat chains",
        "minimal model": "(8.8), SGD, batch 64, trained on flat chains",
        "loss": "KL from the true probabilities of the last token",
        "test distributions": "flat chains; independent tokens; uniformly random doubly stochastic chains",
    }
    chosen = {
        "k": "2 symbols: not stated for this figure",
        "lengths and rates": "t = 50 with lr 2e-3 (transformer, 1500 steps) and 8e-3 (minimal model, 1000 steps), whose rate "
        "scales like 1/t²; t = 100 with 5e-4 and 2e-3 at paper scale",
        "law of independent tokens": "flat on the simplex, as in figure 8.4 (a)",
        "doubly stochastic": "the caption says that the stationary distribution is 'identity'; uniform is meant",
        "unigram strategy": "add-one frequencies",
        "seeds": "8 (16 at paper scale); lines are medians, bands all seeds",
        "smoke": "t = 24, 300 steps, higher rates",
    }
    shows = (
        "Middle: independent tokens are predicted well at once. Right: on doubly stochastic chains the loss stays near the "
        "blue line of guessing, and falls only with the second drop in distribution (dotted)."
    )

    remarks = (
        "Two claims on the transformer are inconclusive. On the plateau its loss on doubly stochastic chains is 0.85 of that of "
        "guessing, and 0.78 in one of eight seeds: it already uses a little of the current symbol. At the end it is 0.15 in five "
        "seeds and 0.40 in three, whose drop has stopped half-way."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        transformer = scale(tiny(small(K), 2e-3), small(K), fig(K))
        minimal = scale(tiny(minimal_small(K), 3.5e-2), minimal_small(K), minimal_fig(K))
        on, seeds = scale(512, 2048, 2048), scale(1, 8, 16)
        t, n = transformer.task.signature.x[0], scale(4000, 20_000, 20_000)
        return {
            "transformer": runs(transformer, transformer.steps // 60, on, seeds),
            "minimal": runs(minimal, minimal.steps // 100, on, seeds),
            "levels": Calculation(levels, t=t, n=n, seed=7),
        }

    def condense(self, e: Evidence) -> Evidence:
        return replace(e, parts={**e.parts, **{m: condensed(e[m], lines_of(e), m) for m in MODELS}})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(2, 3, height=5.0, sharey="row")
        for row, model in zip(grid, MODELS, strict=True):
            for ax, name in zip(row, TASKS, strict=True):
                draw(ax, e[model], name, lines_of(e)[name])
            row[0].set_ylabel(f"{MODELS[model].removeprefix('the ')}\nKL(truth ‖ model), nats")
            row[0].set_ylim(0, None)
        for ax, name in zip(grid[0], TASKS, strict=True):
            ax.set_title(TITLES[name])
        for ax in grid[1]:
            ax.set_xlabel("sequences seen, thousands")
        grid[0][1].legend(fontsize=7, loc="center right")
        return figure


def draw(ax: Any, part: Evidence, name: str, line: Floats) -> None:
    """One model on one distribution, with the lines of the strategies."""
    x, curves = part.traces[0]["t"] * BATCH / 1e3, np.stack([trace[name] for trace in part.traces])
    ax.fill_between(x, curves.min(0), curves.max(0), color=MODEL, alpha=0.2, lw=0)
    ax.plot(x, np.median(curves, axis=0), color=MODEL, label="model")
    for s, value in zip(STRATEGIES, line, strict=True):
        ax.axhline(value, color=COLOUR[s], ls="--", lw=1.1, label=s)
    if len(second := part.runs["second"].drop_nulls()):
        ax.axvline(float(np.median(second)) * BATCH / 1e3, color=DROP, ls=":", lw=1.2)
