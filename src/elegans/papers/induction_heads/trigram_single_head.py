"""With one head a layer, a transformer on trigrams ends at bigrams.

final KL(truth || model) / KL(truth || bigram) at the last token
"""

from collections.abc import Callable
from dataclasses import replace

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.trigram_runs import (
    CHOSEN,
    GIVEN,
    banded,
    condensed,
    length,
    length_narrow,
    levels,
    lines,
    narrow,
    three,
    wide,
)
from elegans.stats import Estimate, mean

ROW = "trigram-single-head-fails"
LEVELS = {"three": "levels", "wide": "levels", "narrow": "levels narrow"}
LABELS = {"three": "three heads", "wide": "one head, same width", "narrow": "one head, a third of the width"}


def final(part: str) -> Callable[[Evidence], Estimate]:
    """The final loss over that of the bigram strategy, mean over seeds."""
    return lambda e: mean(e[part].runs["end_over_bigram"].to_numpy())


class OneHeadFails(Experiment):
    """One head a layer is not enough for trigrams."""

    id = "trigram-single-head-fails"
    place = Place(PAPER, "section 8.3.3, text: single headed models could not achieve better performance than bigrams")
    claims = (
        *(
            Claim(
                ROW,
                f"with {what} the final loss is at least 0.9 times the bigram strategy's",
                expect=at_least(0.9),
                why="'could not achieve better performance than bigrams'; bound of specification 5, figure 8.5",
                value=final(part),
            )
            for part, what in (("narrow", "one head, d = 16,"), ("wide", "one head, d = 48,"))
        ),
        Claim(
            ROW,
            "with three heads, d = 48, it is at most half of the bigram strategy's",
            of="derived",
            expect=at_most(0.5),
            why="otherwise it would not be for the number of heads; 0.04 nats of figure 8.5 are 0.44",
            value=final("three"),
        ),
    )
    given = GIVEN
    chosen = CHOSEN
    shows = (
        "One head comes down to the orange line of bigrams and stays; three heads go on to the pink line of trigrams."
    )

    remarks = (
        "The control with three heads is inconclusive for the reason of figure 8.5: three seeds, one of them late. That one head "
        "does not beat bigrams holds in all nine runs."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        known = {"levels": levels(scale, length(scale)), "levels narrow": levels(scale, length_narrow(scale))}
        return {"three": three(scale), "wide": wide(scale), "narrow": narrow(scale), **known}

    def condense(self, e: Evidence) -> Evidence:
        parts = {name: condensed(e[name], e[known]) for name, known in LEVELS.items()}
        losses = {
            n: replace(p, traces=tuple({s: t[s] for s in ("t", "truth")} for t in p.traces)) for n, p in parts.items()
        }
        return replace(e, parts={**e.parts, **losses})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=3.1, sharey=True)
        banded(left, e["three"], "truth", "#D55E00", LABELS["three"])
        banded(left, e["wide"], "truth", "k", LABELS["wide"])
        banded(right, e["narrow"], "truth", "k", LABELS["narrow"])
        for ax, known in ((left, "levels"), (right, "levels narrow")):
            lines(ax, e[known])
            ax.set(xlabel="sequences seen, thousands", ylim=(0, None))
            ax.legend(fontsize=7)
        left.set_ylabel("KL(truth ‖ model), nats")
        return figure
