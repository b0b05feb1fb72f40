"""The minimal model spends less of its time at unigrams than the transformer does.

time at unigrams = share of the looks before the drop with loss within 10 % of the unigram strategy's
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.flat_reading import COLOUR, NEAR, phases, thinned
from elegans.papers.induction_heads.flat_runs import CHOSEN, GIVEN, level, levels, minimal, transformer
from elegans.stats import Estimate, combine, median

ROW = "claim-minimal-short-plateau"
KS = (3, 2)
MODELS = {"transformer": transformer, "minimal": minimal}


def spent(model: str, k: int) -> Callable[[Evidence], Estimate]:
    """The share of a model's time at unigrams, median over seeds."""
    return lambda e: median(e[f"{model} {k}"].runs["at_unigram"].to_numpy())


def against(k: int) -> Callable[[Evidence], Estimate]:
    """The minimal model's share minus half of the transformer's."""
    return lambda e: combine(
        (1.0, -0.5), (spent("minimal", k)(e), spent("transformer", k)(e)), "minimal - transformer/2"
    )


class ShortPlateau(Experiment):
    """The minimal model hardly stops at unigrams."""

    id = "claim-minimal-short-plateau"
    place = Place(PAPER, "section 8.3.2, text: spending significantly less time, if any, at the unigram solution")
    claims = (
        *(
            Claim(
                ROW,
                f"for {k} symbols the minimal model's share of time at unigrams is at most half of the transformer's",
                expect=at_most(0.0),
                why="'significantly less time': read as half, of the time up to each model's own drop; their difference",
                value=against(k),
            )
            for k in KS
        ),
        *(
            Claim(
                ROW,
                f"for {k} symbols it is at most a quarter of the time up to the drop",
                of="derived",
                expect=at_most(0.25),
                why="'if any': a small share, read as a quarter",
                value=spent("minimal", k),
            )
            for k in KS
        ),
    )
    given = GIVEN
    chosen = CHOSEN | {
        "time": "in shares of each run up to its drop: steps of AdamW and of SGD cannot be compared",
        "at unigrams": "by the loss; on its way down the minimal model's loss passes the band a second time, which counts",
    }
    shows = (
        "Green band: the loss of the unigram strategy. Black curves lie in it for long; orange ones pass through it."
    )

    remarks = (
        "Read as shares of the time up to the drop, this fails. The minimal model's loss crosses the unigram strategy's, rises "
        "over it (its logits are counts, so it is over-confident) and comes back: with three symbols it is within 10 % of that "
        "level for half of the time, though it is not the unigram model all that while. Its visit is short in the sense of "
        "figure 8.3, where KL(model ‖ unigram) has a brief minimum."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        trained = {f"{name} {k}": made(scale, k) for name, made in MODELS.items() for k in KS}
        return trained | {f"levels {k}": levels(scale, k) for k in KS}

    def condense(self, e: Evidence) -> Evidence:
        parts = {f"{name} {k}": _condensed(e[f"{name} {k}"], e[f"levels {k}"]) for name in MODELS for k in KS}
        return replace(e, parts={**e.parts, **parts})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (axes,) = panels(1, 2, height=2.9)
        for ax, k in zip(axes, KS, strict=True):
            unigram, bigram = (level(e[f"levels {k}"], s) for s in ("unigram", "bigram"))
            ax.axhspan(1 - NEAR, 1 + NEAR, color=COLOUR["unigram"], alpha=0.2, lw=0, label="within 10 % of unigram")
            ax.axhline(bigram / unigram, color=COLOUR["bigram"], ls="--", lw=1, label="bigram")
            for name, colour in (("transformer", "k"), ("minimal", "#D55E00")):
                for i, trace in enumerate(e[f"{name} {k}"].traces):
                    second = e[f"{name} {k}"].runs["second"][i] or float(trace["t"][-1])
                    ax.plot(trace["t"] / second, trace["ratio"], lw=0.8, color=colour, label=name if i == 0 else None)
            ax.set(xlabel="step / step of the drop", xlim=(0, 1.5), ylim=(0, 2.2), title=f"{k} symbols")
        axes[0].set_ylabel("loss / loss of the unigram strategy")
        axes[0].legend(fontsize=7)
        return figure


def _condensed(part: Evidence, levels: Evidence) -> Evidence:
    known = level(levels, "unigram"), level(levels, "bigram")
    rows = [{n: p for n, p in phases(t, *known).items() if n != "first"} for t in part.traces]
    thin = [thinned(t, "StrategyKL") for t in part.traces]
    traces = tuple(
        {"t": t["StrategyKL.t"], "ratio": (t["StrategyKL.truth"] / known[0]).astype(np.float32)} for t in thin
    )
    return Evidence(pl.DataFrame(rows, infer_schema_length=None), traces)
