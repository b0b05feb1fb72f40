"""The trained transformer comes near the Bayes predictor: the gap that is left, as a share of what unigrams leave.

    left = (KL(truth || model) - KL(truth || Bayes)) / (KL(truth || unigram) - KL(truth || Bayes))

Bayes is the bigram strategy (8.3); what it loses by ignoring x_1 ~ π (Remark 8.1) is below 0.0001 nats at t = 100, k = 2.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.flat_runs import CHOSEN, GIVEN, level, levels, transformer
from elegans.stats import Estimate, median

ROW = "claim-bayes-optimal"
KS = (2, 3)


def unigram_gap(e: Evidence, k: int) -> float:
    """What the unigram strategy loses against the bigram strategy."""
    return level(e[f"levels {k}"], "unigram") - level(e[f"levels {k}"], "bigram")


def left(k: int) -> Callable[[Evidence], Estimate]:
    """The share of the unigram strategy's gap that is left, median over seeds."""
    return lambda e: median(e[f"k = {k}"].runs["gap"].to_numpy() / unigram_gap(e, k))


def smallest(e: Evidence) -> Estimate:
    """The smallest gap of any run, both k, with its range: below 0 by more than chance is impossible."""
    gaps = np.concatenate([e[f"k = {k}"].runs["gap"].to_numpy() for k in KS])
    return Estimate(float(gaps.min()), float(gaps.min()), float(gaps.max()), len(gaps), what="smallest gap")


class NearTheBayesPredictor(Experiment):
    """The two-layer transformer ends near the Bayes predictor."""

    id = "claim-bayes-optimal"
    place = Place(PAPER, "section 8.3.1, text: all the models converge near the Bayesian optimal solution")
    claims = (
        *(
            Claim(
                ROW,
                f"for {k} symbols at most 15 % of the unigram strategy's gap to Bayes is left",
                expect=at_most(0.15),
                why="specification 4.2 calls a read-out near optimal that closes 85 % of the way from unigrams to bigrams",
                value=left(k),
            )
            for k in KS
        ),
        Claim(
            ROW,
            "no run is better than the Bayes predictor, up to 0.001 nats",
            of="derived",
            expect=at_least(-0.001),
            why="the posterior mean has the smallest expected KL; the slack is for 2048 sequences and for Remark 8.1",
            value=smallest,
        ),
    )
    given = GIVEN
    chosen = CHOSEN | {"Bayes": "the bigram strategy, on the same 2048 sequences as the model"}
    shows = (
        "Solid: what the trained model loses against the bigram strategy at each position, in the end far less than the unigram "
        "strategy (dashed). At the first positions it may win: there x_1 ~ π helps, which bigrams ignore (Remark 8.1)."
    )

    remarks = (
        "With two symbols one of eight runs is still on its plateau after 2000 steps, and with eight seeds one run can take the "
        "interval's upper end with it: the median gap left is 11 %, and all runs that dropped are within the bound."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        trained = {f"k = {k}": transformer(scale, k) for k in KS}
        return trained | {f"levels {k}": levels(scale, k) for k in KS}

    def condense(self, e: Evidence) -> Evidence:
        parts: dict[str, Evidence] = {}
        for k in KS:
            traces = e[f"k = {k}"].traces
            end = np.stack([t["BayesGap.by_position"][-1] for t in traces])
            rows = {"gap": end[:, -1].astype(np.float64), "bayes": [float(t["BayesGap.bayes"][-1]) for t in traces]}
            parts[f"k = {k}"] = Evidence(pl.DataFrame(rows), arrays={"by_position": end})
        return replace(e, parts={**e.parts, **parts})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import COLOURS, axes

        figure, ax = axes()
        for k, colour in zip(KS, COLOURS, strict=False):
            gap = e[f"k = {k}"].array("by_position")
            p = np.arange(1, gap.shape[1] + 1)
            ax.fill_between(p, gap.min(0), gap.max(0), color=colour, alpha=0.2, lw=0)
            ax.plot(p, np.median(gap, axis=0), color=colour, label=f"k = {k}: trained transformers")
            ax.axhline(unigram_gap(e, k), color=colour, ls="--", lw=1)
            ax.text(
                p[-1],
                unigram_gap(e, k),
                f"unigram strategy, k = {k}, last token",
                ha="right",
                va="bottom",
                fontsize=7.5,
            )
        ax.axhline(0, color="k", lw=0.8)
        ax.set(xlabel="position p", ylabel="loss above the bigram strategy's, nats")
        ax.legend(loc="center right")
        return figure
