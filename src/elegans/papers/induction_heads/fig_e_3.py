"""Figure E.3: ten seeds of the two-layer transformer. The same shape, with transitions at different times.

KL(truth || model) at the last token; drop: first time with loss <= (unigram + bigram) / 2
"""

from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.flat_reading import COLOUR, phases, plateau, thinned
from elegans.papers.induction_heads.flat_runs import BATCH, CHOSEN, GIVEN, level, levels, transformer
from elegans.stats import Estimate, bootstrap

ROW = "fig-e.3"


def of_these(e: Evidence, name: str) -> Estimate:
    """The share of these seeds, about which alone the figure speaks."""
    flags = e["runs"].runs[name].to_numpy()
    return Estimate(
        float(flags.mean()), float(flags.mean()), float(flags.mean()), len(flags), what="share of these runs"
    )


def variation(e: Evidence) -> Estimate:
    """The coefficient of variation of the drop's time, over the runs that have one; 0 if fewer than two have."""
    times = e["runs"].runs["second"].drop_nulls().to_numpy()
    if len(times) < 2:
        return Estimate(0.0, 0.0, np.inf, len(e["runs"].runs), len(e["runs"].runs) - len(times), what="variation")
    return bootstrap(times, lambda x: float(x.std() / x.mean()), seed=3, what="variation of the time of the drop")


class TenSeeds(Experiment):
    """Ten transformers fall, rest and fall again, each at its own time."""

    id = "fig-e.3"
    place = Place(PAPER, "figure E.3")
    claims = (
        Claim(
            ROW,
            "nine of ten seeds end below half of the unigram strategy's loss",
            expect=at_least(0.9),
            why="specification 5, figure E.3: all ten, with one failure allowed",
            value=lambda e: of_these(e, "learned"),
        ),
        Claim(
            ROW,
            "nine of ten seeds have a plateau: three looks in a row within 10 % of the unigram strategy's loss",
            expect=at_least(0.9),
            why="'the training dynamics are consistent for each model'; a plateau as in specification 5, figure 8.4 (a)",
            value=lambda e: of_these(e, "rested"),
        ),
        Claim(
            ROW,
            "times of the drop differ between seeds by more than 3 % of their mean",
            expect=at_least(0.03),
            why="'though the exact position of the phase transitions' varies; bound of specification 5, figure E.3",
            value=variation,
        ),
    )
    given = GIVEN | {"seeds": "0, 1, ..., 9 for initialisation and data"}
    chosen = CHOSEN | {
        "k": "3 symbols: not stated for this figure",
        "looks": "every 40 steps, times between them linear",
    }
    shows = (
        "Ten curves rest on the green line and fall to the orange one; the ticks below are the times of their falls."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        return {"runs": transformer(scale, 3), "levels": levels(scale, 3)}

    def condense(self, e: Evidence) -> Evidence:
        known = level(e["levels"], "unigram"), level(e["levels"], "bigram")
        rows = [
            {
                "second": phases(t, *known)["second"],
                "learned": bool(t["StrategyKL.truth"][-1] <= known[0] / 2),
                "rested": three_in_a_row(plateau(t, *known)),
            }
            for t in e["runs"].traces
        ]
        traces = tuple(
            {n: thinned(t, "StrategyKL")[f"StrategyKL.{n}"] for n in ("t", "truth")} for t in e["runs"].traces
        )
        runs = Evidence(pl.DataFrame(rows, infer_schema_length=None), traces)
        return replace(e, parts={**e.parts, "runs": runs})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        for i, trace in enumerate(e["runs"].traces):
            ax.plot(trace["t"] * BATCH / 1e3, trace["truth"], lw=1, color=f"C{i % 8}", ls="-" if i < 8 else "--")
        for s in ("unigram", "bigram"):
            ax.axhline(level(e["levels"], s), color=COLOUR[s], ls="--", lw=1.4, label=f"{s} strategy")
        times = e["runs"].runs["second"].drop_nulls().to_numpy() * BATCH / 1e3
        ax.plot(times, np.zeros(len(times)), "|", color="k", ms=9, label="half-way down")
        ax.set(xlabel="sequences seen, thousands", ylabel="KL(truth ‖ model), nats", ylim=(0, None))
        ax.set_title(f"{len(e['runs'].traces)} seeds")
        ax.legend()
        return figure


def three_in_a_row(flags: np.ndarray) -> bool:
    """Whether three neighbouring entries hold."""
    return bool((flags[:-2] & flags[1:-1] & flags[2:]).any())
