"""Figure 5.4 (right): with fewer and fewer examples generalisation comes at once, then late (grokking), then never."""

from dataclasses import replace

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.grokking import CHOSEN, GIVEN, budget, curves, gap, generalised, grid, tabled

PANELS = (2000, 500, 300, 100)
DECAY = 1e-3


class Grokking(Experiment):
    """With few examples a network fits them long before it generalises."""

    id = "fig-5.4-right"
    place = Place(PAPER, "figure 5.4 (right)")
    claims = (
        Claim(
            "fig-5.4-right",
            "m = 300: the network generalises, but needs at least five times as long as for its sample (grokking)",
            expect=at_least(5.0),
            why="specification 5.8: t_test / t_train at least 5 at (300, 0.001), in the median over runs",
            value=lambda e: gap(e, 300, DECAY),
        ),
        Claim(
            "fig-5.4-right",
            "m = 300: most runs do generalise in the end",
            expect=at_least(0.5),
            why="a delayed transition is one that comes; most means more than half",
            value=lambda e: generalised(e, 300, DECAY),
        ),
        Claim(
            "fig-5.4-right",
            "m = 2000: the network generalises as soon as it fits its sample",
            expect=at_most(1.5),
            why="specification 5.8: t_test / t_train at most 1.5 at (2000, 0.001)",
            value=lambda e: gap(e, 2000, DECAY),
        ),
        Claim(
            "fig-5.4-right",
            "m = 100: no run generalises",
            expect=at_most(0.3),
            why="specification 5.8: never; 0.28 is what 10 runs without exception can show (Wilson)",
            value=lambda e: generalised(e, 100, DECAY),
        ),
    )
    given = {**GIVEN, "panels": "four sample sizes, decreasing; the two in the centre grok"}
    chosen = {**CHOSEN, "m": "2000, 500, 300, 100 at λ = 0.001 (specification 5.8)"}
    remarks = (
        "With 10 runs a sample size the share of runs that generalise at m = 300, 0.7 [0.40, 0.89], touched one half; 40 were "
        "then made, of which 30 generalise. The other 10 are censored at 40 000 steps, and the median of t_test / t_train "
        "counts them so."
    )
    shows = (
        "The gap between the rise on the sample (orange) and on fresh examples (blue) opens as m falls, until the second "
        "never comes."
    )

    def work(self, scale: Scale) -> Sweep:
        return grid(scale((300,), PANELS, PANELS), (DECAY,), scale(2, 40, 50), budget(scale))

    def condense(self, e: Evidence) -> Evidence:
        shown = [e.runs.with_row_index().filter(m=m, seed=0)["index"] for m in e.runs["m"].unique(maintain_order=True)]
        return replace(e, runs=tabled(e), traces=tuple(curves(dict(e.traces[i[0]])) for i in shown))

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, row = panels(1, len(e.traces), width=8.4, height=2.7, sharey=True)
        for ax, m, trace in zip(row[0], e.runs["m"].unique(maintain_order=True), e.traces, strict=True):
            ax.plot(trace["t"][1:], trace["train"][1:], color="C1", label="sample")
            ax.plot(trace["t"][1:], trace["test"][1:], color="C0", label="fresh")
            ratio, share = gap(e, m, DECAY), generalised(e, m, DECAY)
            said = f"t_test / t_train {ratio.value:.1f}" if share.value >= 0.5 else "no late rise"
            ax.set_title(f"m = {m}: {share.n - share.censored} of {share.n} generalise\n{said}", fontsize=8)
            ax.set(xlabel="step", xscale="log", ylim=(0.4, 1.03))
        row[0, 0].set_ylabel("accuracy of one run")
        row[0, -1].legend(loc="center right")
        return figure
