"""Figure B.5: a coarse law t_c ≤ c (n - 9)^α for every architecture, batch size and k."""

import numpy as np

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.robust import N, slices
from elegans.papers.hidden_progress.robust_times import at, best, exponents, heat_map, middle, timed, words
from elegans.stats import Estimate, wilson

ROW = "fig-B.5"


def alphas(e: Evidence) -> np.ndarray:
    """α over (setting, k, batch), nan where a time is missing."""
    return exponents(best(e), tuple(e.array("values/n")))


def below_k(e: Evidence) -> Estimate:
    """Share of the cells with a law whose exponent is at most k."""
    α, k = alphas(e), e.array("values/k")[None, :, None]
    there, small = np.isfinite(α), np.where(np.isfinite(α), α, np.inf) <= k
    n = int(there.sum())
    return wilson(int(small.sum()), n) if n else middle(np.zeros(0), "share of exponents at most k")


def growth(e: Evidence) -> Estimate:
    """Median over architectures and batches of α(k = 4) - α(k = 2)."""
    low, high = at(e, "k", 2), at(e, "k", 4)
    if low is None or high is None:
        return middle(np.zeros(0), "median of α(k=4) - α(k=2)")
    gap = alphas(e)[:, high] - alphas(e)[:, low]
    return middle(gap[np.isfinite(gap)], "median of α(k=4) - α(k=2)")


class CoarseLaws(Experiment):
    """A coarse law t_c ≤ c (n - 9)^α with small α."""

    id = "fig-B.5"
    place = Place(PAPER, "figure B.5")
    claims = (
        Claim(
            ROW,
            "α ≤ k in at least 95 % of the cells that have a law",
            expect=at_least(0.95),
            why="finding 5.1 says n^{αk} with a small α, and the exponent of search over all k-sets is k; 5 % as there",
            value=below_k,
        ),
        Claim(
            ROW,
            "α grows with k",
            of="derived",
            expect=at_least(0.0),
            why="the finding's exponent is proportional to k",
            value=growth,
        ),
    )
    given = {"law": "10th percentiles at n = 10, 20, 30, n_0 = 9; missing where fewer than 10 % of the runs converge"}
    chosen = {
        "on a laptop": "B = 1, 32, 256; 5 seeds, whose earliest stands for the 10th percentile; steps of finding 5.1"
    }
    shows = "Left α, right c. Exponents stay well below k, that of a search over all k-sets."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        return slices(scale, n=N)

    def condense(self, e: Evidence) -> Evidence:
        return timed(e)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, 2, width=11.0, height=4.6, sharey=True)
        α, t = alphas(e), best(e)
        none = np.where((words(e) == "cut").any(-1), "cut", "–")
        left = heat_map(grid[0, 0], e, α, lambda v: f"{round(v, 1) + 0.0:.1f}", none, cmap="viridis_r", vmin=0, vmax=3)
        c = np.where(np.isfinite(α), t[..., 0], np.nan)
        right = heat_map(grid[0, 1], e, np.log10(c), lambda v: f"{10**v:.0f}", none, cmap="viridis_r", vmin=1, vmax=5)
        figure.colorbar(left, ax=grid[0, 0], label="α")
        figure.colorbar(right, ax=grid[0, 1], label="log₁₀ c, steps at n = 10")
        grid[0, 0].set_title("exponent α", fontsize=8, pad=18)
        grid[0, 1].set_title("factor c", fontsize=8, pad=18)
        return figure
