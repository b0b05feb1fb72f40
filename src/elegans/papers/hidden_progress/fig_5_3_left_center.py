"""Figure 5.3 (left, center): under a flat accuracy the relevant weights grow. The page moves: drag through the steps."""

from dataclasses import replace
from typing import Any

import numpy as np

from elegans.claims.claim import Claim, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.watching import RATES, film, median_of_reached, neuron, overtaking
from elegans.stats import Estimate

FRAMES = 100


def overtaking_share(e: Evidence, panel: str = "B = 32") -> Estimate:
    """Median over runs of (relevant weights overtake the others) / (accuracy exceeds 60 %)."""
    return median_of_reached(e[panel].array("overtakes") / e[panel].array("leaves"))


class WeightsUnderPlateau(Experiment):
    """The relevant weights of a neuron grow while its accuracy stands at one half."""

    id = "fig-5.3-left-center"
    place = Place(PAPER, "figure 5.3 (left, center)")
    claims = (
        Claim(
            "fig-5.3-left-center",
            "B = 32: the relevant weights overtake all others about when the accuracy first exceeds 60 %",
            of="derived",
            expect=between(0.75, 1.25),
            why="specification 5.6 (a): within 25 % of that time, in the median over runs",
            value=overtaking_share,
        ),
    )
    given = {"model": "one sinusoid neuron with bias and without second layer, setting (xiv)"}
    chosen = {
        "task": "(50, 3)-parity: the paper does not name its instance (specification 5.6)",
        "batch and learning rate": "B = 32 with η = 0.01 (specification); B = 1 with η = 0.001, because at 0.01 the noise of "
        "single examples keeps every run from success",
        "scale of the sinusoid": "1 (erratum E24)",
    }
    shows = (
        "The three relevant weights (green) leave the crowd while the accuracy is still flat; when they are the largest, "
        "the accuracy jumps."
    )

    def work(self, scale: Scale) -> dict[str, Sweep]:
        batches = scale((32,), (32, 1), (32, 1))
        return {f"B = {b}": neuron(range(scale(4, 40 if b > 1 else 8, 200)), b) for b in batches}

    def condense(self, e: Evidence) -> Evidence:
        parts = {}
        for name, part in e.parts.items():
            shown = next(i for i in range(len(part.traces)) if part.runs["solved"][i] is not None)
            arrays = {**overtaking(part), **film(part.traces[shown], FRAMES)}
            parts[name] = Evidence(part.runs.select("seed", "outcome", "t", "solved"), arrays=arrays)
        return replace(e, parts=parts)

    def motion(self, e: Evidence) -> dict[str, Any] | None:
        longest = max(len(part.array("t")) for part in e.parts.values())
        panels = [
            {
                "name": f"{name}, η = {RATES[int(name.split()[-1])]:g}",
                "times": part.array("t").tolist(),
                "weights": part.array("weights")[:, 0],
                "relevant": [0, 1, 2],
                "accuracy": part.array("accuracy"),
            }
            for name, part in e.parts.items()
            if len(part.array("t")) == longest
        ]
        caption = "The 50 weights of one sinusoid neuron on (50, 3)-parity; the label is the product of three inputs."
        return {"kind": "weights", "panels": panels, "caption": caption}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(2, len(e.parts), height=4.0, sharex="col")
        for (top, bottom), (name, part) in zip(grid.T, e.parts.items(), strict=True):
            t, W = part.array("t"), part.array("weights")[:, 0].astype(np.float32)
            top.plot(t, part.array("accuracy"), color="C1")
            bottom.plot(t, W[:, 3:], lw=0.5, color="0.7")
            bottom.plot(t, W[:, :3], lw=1.6, color="C2")
            bottom.plot([], [], color="0.7", label="47 others")
            bottom.plot([], [], color="C2", label="3 relevant weights")
            share = overtaking_share(e, name)
            said = f"overtake / jump: median {share.value:.2f} of {share.n - share.censored} runs"
            top.set_title(f"{name}, η = {RATES[int(name.split()[-1])]:g}\n{said}", fontsize=8)
            top.set(ylim=(0.4, 1.03))
            bottom.set(xlabel="step")
        grid[0, 0].set_ylabel("accuracy")
        grid[1, 0].set_ylabel("weights of one run")
        grid[1, 0].legend(loc="lower left")
        return figure
