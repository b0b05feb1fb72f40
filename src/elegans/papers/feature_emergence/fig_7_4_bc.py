"""Figure 7.4 (b, c): after training on Z_71 the largest share of a neuron's power is about 0.9 (ReLU) or 1 (quadratic).

max_j |û(j)|² / Σ_j |û(j)|²,    j = 1 … (p-1)/2;    at the start H_35/35 = 0.118 in the mean (panel a)
"""

from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.z71_runs import CHOSEN, GIVEN, NU, alive, column, trained

BINS = np.linspace(0, 1, 51)
TITLES = {"relu": "(b) ReLU, L₂", "quadratic": "(c) quadratic, L₂,₃"}


class PowerAtTheEnd(Experiment):
    """Trained neurons have a frequency: nearly with ReLU, entirely with squares."""

    id = "fig-7.4b-c"
    place = Place(PAPER, "figure 7.4 (b, c)")
    claims = (
        Claim(
            "fig-7.4b",
            "ReLU: the median over neurons of the largest share of the power of u is about 0.9",
            expect=between(0.85, 0.97),
            why="'concentrated around 0.9'; bounds of specification 5.3",
            value=column("relu", "median_u"),
            wrong=column("relu", "median_u_start"),
        ),
        Claim(
            "fig-7.4b",
            "ReLU: no neuron reaches 0.99",
            expect=at_most(0.99),
            why="specification 5.3: almost, but not exactly, of one frequency. The quadratic network passes it",
            value=column("relu", "largest_u"),
            wrong=column("quadratic", "largest_u"),
        ),
        Claim(
            "fig-7.4c",
            "quadratic: the median over neurons is above 0.999",
            expect=at_least(0.999),
            why="'essentially all at 1'; bound of specification 5.3",
            value=column("quadratic", "median_u"),
            wrong=column("quadratic", "median_u_start"),
        ),
        Claim(
            "fig-7.4c",
            "quadratic: the medians for v and w are above 0.999, too",
            of="derived",
            expect=at_least(0.999),
            why="the paper does not say whose spectrum it shows (ambiguity A4); theorem 7.7 (1) is about all three",
            value=column("quadratic", "median_vw"),
            wrong=column("relu", "median_vw"),
        ),
    )
    given = GIVEN
    chosen = CHOSEN | {
        "power": "of u, conjugate pairs merged, mean left out (ambiguities A3, A4)",
        "neurons": "at the end those whose norm is over 1 % of the largest (A5); at the start all",
    }
    shows = (
        "From the grey start, ReLU neurons move to about 0.9 and quadratic neurons to 1. The dashed line is the median."
    )

    def work(self, scale: Scale) -> dict[str, Sweep]:
        return trained(scale)

    def condense(self, e: Evidence) -> Evidence:
        return replace(e, parts={name: condensed(part, NU[name]) for name, part in e.parts.items()})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (axes,) = panels(1, 2, height=2.9)
        for ax, (name, title) in zip(axes, TITLES.items(), strict=True):
            part, middle = e[name], (BINS[1:] + BINS[:-1]) / 2
            for when, colour in (("start", "0.7"), ("end", "C0")):
                counts = part.array(when)
                ax.stairs(counts.mean(0), BINS, fill=True, color=colour, alpha=0.85, label=f"neurons at the {when}")
                ax.vlines(middle, counts.min(0), counts.max(0), color="0.25", lw=0.8)
            ax.axvline(part.runs["median_u"].median(), ls="--", lw=0.9, color="k", label="median at the end")
            ax.set(xlabel="largest share of power in one frequency", xlim=(0, 1.02), title=title)
        axes[0].set_ylabel("neurons (mean and range of seeds)")
        axes[0].legend(loc="upper center")
        return figure


def condensed(part: Evidence, nu: int) -> Evidence:
    """Medians and maxima of the largest shares, and histograms of those of u: of all neurons at the start, of the living
    ones at the end."""
    rows, counts = [], {"start": [], "end": []}
    for trace in part.traces:
        power, mass = trace["CyclicNeurons.power"], trace["CyclicNeurons.mass"]
        start, end = power[0], power[-1][alive(mass[-1], nu)]
        middle = np.median(end, axis=0)
        rows.append({
            "median_u": float(middle[0]), "median_vw": float(middle[1:].min()), "largest_u": float(end[:, 0].max()),
            "median_u_start": float(np.median(start[:, 0])), "alive": len(end),
        })  # fmt: skip
        for when, shares in (("start", start), ("end", end)):
            counts[when].append(np.histogram(np.minimum(shares[:, 0], 1), BINS)[0].astype(np.int16))
    return Evidence(pl.DataFrame(rows), arrays={when: np.stack(c) for when, c in counts.items()}, meta=part.meta)
