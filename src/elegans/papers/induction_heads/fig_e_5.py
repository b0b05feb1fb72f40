"""Figure E.5: scores of both layers before the softmax, at one input and several times. The page moves with their softmax.

    A_ij = (z_i W_Q) (z_j W_K + v_{i-j+1})^T / sqrt(d),   j <= i                                                (8.5)

A constant added to a row of A changes nothing. So each row is shown without its mean, and band and pattern are measured as

    band     mean_{i>=2} (A_{i,i-1} - mean of the other A_ij, j <= i)
    pattern  the same for {2 <= j <= i: x_{j-1} = x_i}, over the rows that have both such j and others
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.flat_reading import phases
from elegans.papers.induction_heads.flat_runs import CHOSEN, GIVEN, Floats, Trace, level, levels, transformer
from elegans.papers.induction_heads.watching import TOKENS
from elegans.stats import Estimate, median

ROW = "fig-e.5"
PAST = np.tri(len(TOKENS), dtype=bool)
BAND = np.eye(len(TOKENS), k=-1, dtype=bool)
AFTER = PAST & (np.array((-1, *TOKENS[:-1])) == np.array(TOKENS)[:, None])  # the token before j is the one at i
FRAMES = 40


def stands_out(A: Floats, where: np.ndarray) -> float:
    """Mean over rows of A's mean on `where` minus its mean on the rest of the past."""
    rest = PAST & ~where
    rows = np.flatnonzero(where.any(1) & rest.any(1))
    return float(np.mean([A[i, where[i]].mean() - A[i, rest[i]].mean() for i in rows]))


def centred(A: Floats) -> Floats:
    """A without the means of its rows, over j <= i; nan elsewhere."""
    mean = np.where(PAST, A, 0).sum(-1, keepdims=True) / PAST.sum(-1, keepdims=True)
    return np.where(PAST, A - mean, np.nan)


def column(name: str) -> Callable[[Evidence], Estimate]:
    """The median over seeds."""
    return lambda e: median(e["runs"].runs[name].to_numpy())


class ScoresOverTime(Experiment):
    """Layer 1 grows a band below the diagonal, layer 2 a pattern that follows the symbols."""

    id = "fig-e.5"
    place = Place(PAPER, "figure E.5")
    claims = (
        Claim(
            ROW,
            "layer 1 ends with scores on the previous token at least 1 above the others in their rows",
            expect=at_least(1.0),
            why="specification 5, figure E.5: attention e times as large, for one score against another",
            value=column("band"),
        ),
        Claim(
            ROW,
            "layer 2 ends with scores on tokens that follow the row's own symbol at least 1 above the others",
            of="derived",
            expect=at_least(1.0),
            why="the content pattern of proposition 8.2, held to the bound of layer 1",
            value=column("pattern"),
        ),
    )
    given = GIVEN
    chosen = CHOSEN | {
        "k, input": "3 symbols and the input of figure 8.2; the paper prints neither",
        "times": "start, 80 % of the way to the drop, just after it, end; all of the first seed",
        "rows": "shown without their means, which the softmax does not see",
    }
    shows = (
        "Top: a band just below the diagonal comes with the drop. Bottom: at the end every row is high on what followed its "
        "own symbol, and columns of one symbol look alike."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        return {"runs": transformer(scale, 3), "levels": levels(scale, 3)}

    def condense(self, e: Evidence) -> Evidence:
        rows = [
            {
                "band": stands_out(trace["FixedInputScores.scores0"][-1, 0], BAND),
                "pattern": stands_out(trace["FixedInputScores.scores1"][-1, 0], AFTER),
            }
            for trace in e["runs"].traces
        ]
        film = e["runs"].traces[0]
        second = phases(film, level(e["levels"], "unigram"), level(e["levels"], "bigram"))["second"]
        runs = Evidence(pl.DataFrame(rows), arrays=stills(film, second) | frames(film))
        return replace(e, parts={**e.parts, "runs": runs})

    def motion(self, e: Evidence) -> dict[str, Any]:
        return {
            "kind": "attention",
            "tokens": list(TOKENS),
            "times": [int(t) for t in e["runs"].array("frame_step")],
            "layers": [e["runs"].array(f"frames{l}") / 255.0 for l in (0, 1)],
            "caption": "Softmax of the scores of both layers at one input; the step counts batches of 64 sequences.",
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        steps = e["runs"].array("step")
        figure, grid = panels(2, len(steps), height=4.6)
        for l in (0, 1):
            A = centred(e["runs"].array(f"scores{l}").astype(np.float64))
            bound = max(float(np.nanmax(np.abs(A))), 1e-6)
            for i, ax in enumerate(grid[l]):
                ax.imshow(A[i], cmap="RdBu_r", vmin=-bound, vmax=bound)
                _labels(ax, f"layer {l + 1}: from" if i == 0 else "", f"step {steps[i]}" if l == 0 else "")
            figure.colorbar(grid[l, 0].images[0], ax=list(grid[l]), label="score − row mean", fraction=0.03)
        return figure


def stills(film: Trace, second: float | None) -> dict[str, np.ndarray]:
    """Scores of both layers at four times."""
    t = film["FixedInputScores.t"]
    drop = t[-1] / 2 if second is None else second
    at = [int(np.argmin(np.abs(t - time))) for time in (0, 0.8 * drop, 1.1 * drop, t[-1])]
    return {"step": t[at]} | {
        f"scores{l}": film[f"FixedInputScores.scores{l}"][at, 0].astype(np.float16) for l in (0, 1)
    }


def frames(film: Trace) -> dict[str, np.ndarray]:
    """Attention of both layers at many times, in 255ths."""
    t = film["FixedInputAttention.t"]
    at = np.unique(np.linspace(0, len(t) - 1, FRAMES).round().astype(int))
    maps = {f"frames{l}": film[f"FixedInputAttention.attention{l}"][at, 0] for l in (0, 1)}
    return {"frame_step": t[at]} | {name: np.round(255 * a).astype(np.uint8) for name, a in maps.items()}


def _labels(ax: Any, left: str, title: str) -> None:
    ax.grid(visible=False)
    ticks, names = range(len(TOKENS)), [str(s) for s in TOKENS]
    ax.set_xticks(ticks, names, fontsize=6)
    ax.set_yticks(ticks, names if left else [], fontsize=6)
    ax.set(ylabel=left, title=title)
