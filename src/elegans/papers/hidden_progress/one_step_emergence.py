"""Footnote to theorem 5.5: the correct indices emerge in a single step of SGD on the first layer.

Each neuron's weights become -η times its gradient; its k largest weights are compared with the hidden set.
"""

import numpy as np
from numpy.typing import NDArray

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.two_stage import recovered, sampled_step
from elegans.stats import mean
from elegans.theory.majority import threshold_gap
from elegans.theory.symmetric_start import symmetric_start
from elegans.theory.theorem_5_5 import width

N, K, EPS = 51, 2, 0.1
BATCHES = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)


def shares(batches: tuple[int, ...], networks: int) -> dict[str, NDArray[np.float64]]:
    """Share of neurons whose k largest weights after the step are S, shape (batch, network), and one network's weights."""
    out, weights = np.empty((len(batches), networks)), np.empty((N, 0))
    for i, batch in enumerate(batches):
        for seed in range(networks):
            rng = np.random.default_rng((8, batch, seed))
            net = sampled_step(symmetric_start(rng, N, K, width(K, EPS / 8, "printed")), K, batch, rng)
            out[i, seed], weights = recovered(net, K).mean(), net["W"][:, : net["W"].shape[1] // 2]
    return {"batch": np.array(batches, np.float64), "share": out, "weights": weights}


class OneStepEmergence(Experiment):
    """After one step with a large batch the largest weights of every neuron are those of the hidden set."""

    id = "one-step-emergence"
    place = Place(PAPER, "footnote to theorem 5.5")
    claims = (
        Claim("one-step-emergence", "(51, 2), B = 10⁵: the k largest weights are those of S in 99 % of the neurons",
              expect=at_least(0.99), why="specification 4.13; five times the batch that Hoeffding asks for at δ = 0.05",
              value=lambda e: mean(e.array("share")[-1])),
    )  # fmt: skip
    given = {"step": "theorem 5.5: sign weights, hinge loss, decay 1"}
    chosen = {"n, k, r": "51, 2 and 42, the width of the theorem at ε = 0.1", "B": "100 to 10⁵"}
    shows = (
        "Left: the share of neurons that have found S rises from 0 to 1 at a few thousand examples. Right: two rows of the "
        "weights stand out."
    )

    def work(self, scale: Scale) -> Calculation:
        return Calculation(shares, batches=scale(BATCHES[-1:], BATCHES, BATCHES), networks=scale(2, 30, 200))

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, 2, height=2.8)
        left, right = grid[0]
        means = [mean(row) for row in e.array("share")]
        left.plot(e.array("batch"), [m.value for m in means], "o-", ms=4, label=f"mean of {means[0].n} networks")
        left.fill_between(e.array("batch"), [m.low for m in means], [m.high for m in means], alpha=0.2, lw=0)
        gap = threshold_gap(N, K)
        left.axvline(8 / gap**2 * np.log(2 * N / 0.05), ls=":", lw=1, color="0.3", label="Hoeffding, δ = 0.05")
        left.axhline(0.99, ls="--", lw=1, color="0.3", label="0.99")
        left.set(
            xlabel="examples in the step", ylabel="share of neurons with S on top", xscale="log", ylim=(-0.03, 1.03)
        )
        left.legend(fontsize=7, loc="upper left", bbox_to_anchor=(0, 0.93))
        image = right.imshow(np.abs(e.array("weights")).T, aspect="auto", cmap="Blues", interpolation="nearest")
        right.set(
            xlabel="coordinate (the first two are relevant)", ylabel="neuron", title="|W| after the step, B = 10⁵"
        )
        right.grid(visible=False)
        right.set_yticks(range(0, e.array("weights").shape[1], 5))
        figure.colorbar(image, ax=right, label="|weight|")
        return figure
