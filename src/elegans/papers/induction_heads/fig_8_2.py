"""Figure 8.2: attention at a fixed input over training. The page moves: drag through the steps and watch the heads form."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.watching import TOKENS, main_sweep
from elegans.stats import Estimate, median

FRAMES = 48


def at_the_end(name: str, reduce: Callable[[np.ndarray], float]) -> Callable[[Evidence], Estimate]:
    """Median over seeds of a final score."""
    return lambda e: median([reduce(t[name][-1]) for t in e.traces])


class AttentionOverTime(Experiment):
    """Layer 1 becomes a previous-token head, layer 2 looks at what followed the same symbol."""

    id = "fig-8.2"
    place = Place(PAPER, "figure 8.2")
    claims = (
        Claim(
            "fig-8.2",
            "layer 1 ends with at least 0.4 of its weight on the previous token, for every symbol",
            expect=at_least(0.4),
            why="specification 5, figure 8.2; the smallest over symbols, median over seeds",
            value=at_the_end("PreviousTokenScore.by_symbol", lambda a: float(a[0].min())),
        ),
        Claim(
            "fig-8.2",
            "layer 2 ends with its last token's mass on successors of the same symbol, 0.35 above the base rate",
            expect=at_least(0.35),
            why="specification 5, figure 8.2, for three symbols",
            value=at_the_end("InductionScore.score", lambda a: float(a[1].max())),
        ),
    )
    given = {"input": "a fixed sequence that ends with 2", "layers": "layer 1 in full, layer 2 its last row"}
    chosen = {"input": "16 tokens; the paper does not print its own", "k, t, rate": "as for figure 8.1 (right)"}
    shows = (
        "At first every token looks everywhere; then layer 1 puts a stripe just below the diagonal, and the last token "
        "of layer 2 picks the tokens that followed a 2."
    )

    def work(self, scale: Scale) -> Sweep:
        return main_sweep(scale)

    def condense(self, e: Evidence) -> Evidence:
        scores = [
            {n: a[-1:] for n, a in t.items() if n.startswith(("PreviousTokenScore", "InductionScore"))}
            for t in e.traces
        ]
        film = e.traces[0]
        at = np.unique(np.linspace(0, len(film["FixedInputAttention.t"]) - 1, FRAMES).round().astype(int))
        frames = {
            f"layer{l}": np.round(255 * film[f"FixedInputAttention.attention{l}"][at, 0]).astype(np.uint8)
            for l in (0, 1)
        }
        return replace(e, traces=tuple(scores), arrays={**frames, "step": film["FixedInputAttention.t"][at]})

    def motion(self, e: Evidence) -> dict[str, Any]:
        return {
            "kind": "attention",
            "tokens": list(TOKENS),
            "times": [int(t) for t in e.array("step")],
            "layers": [e.array("layer0") / 255.0, e.array("layer1") / 255.0],
            "caption": "Softmax attention of both layers at one input; the step counts batches of 64 sequences.",
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        steps = e.array("step")
        chosen = [0, len(steps) // 8, len(steps) // 4, len(steps) - 1]
        figure, grid = panels(2, len(chosen), height=4.1, gridspec_kw={"height_ratios": [8, 1.6]})
        for column, i in enumerate(chosen):
            top, bottom = grid[0, column], grid[1, column]
            top.imshow(e.array("layer0")[i] / 255, cmap="Blues", vmin=0, vmax=1)
            bottom.imshow(e.array("layer1")[i][-1:] / 255, cmap="Oranges", vmin=0, vmax=1, aspect="auto")
            top.set_title(f"step {steps[i]}")
            _labels(top, bottom, first=column == 0)
        return figure


def _labels(top: Any, bottom: Any, first: bool) -> None:
    for ax in (top, bottom):
        ax.grid(visible=False)
        ax.set_xticks(range(len(TOKENS)), [str(s) for s in TOKENS], fontsize=6)
    top.set_yticks(range(len(TOKENS)), [str(s) for s in TOKENS] if first else [], fontsize=6)
    bottom.set_yticks([])
    for j in np.flatnonzero(np.array(TOKENS[:-1]) == TOKENS[-1]) + 1:
        bottom.axvline(j, ymax=0.15, color="k", lw=2)  # what followed an earlier copy of the last token
    if first:
        top.set_ylabel("layer 1: from")
        bottom.set_ylabel("layer 2\nlast token", fontsize=7)
    bottom.set_xlabel("to (bars: after a 2)", fontsize=7)
