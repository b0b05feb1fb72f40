"""Empirical finding 5.1: SGD learns parities in every corner of a large grid of settings."""

from collections.abc import Callable

import numpy as np

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress import robust
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.presets import NAMES
from elegans.papers.hidden_progress.robust import IDS, LAWS, LOSSES, Settings, by_value, share
from elegans.stats import Estimate

ROW = "finding-5.1"
WHY = "the specification keeps of the finding: success of at least 1/5 in at least 95 % of the settings for some rate"
LABELS: dict[str, tuple[str, Callable[[float], str]]] = {
    "n": ("n", lambda v: f"n = {v:.0f}"),
    "k": ("k", lambda v: f"k = {v:.0f}"),
    "batch": ("batch size", lambda v: f"B = {v:.0f}"),
    "law": ("initialisation", lambda v: LAWS[int(v)]),
    "objective": ("loss", lambda v: LOSSES[int(v)]),
    "setting": ("architecture", lambda v: f"({IDS[int(v)]}) {NAMES[IDS[int(v)]]}"),
}


def found(e: Evidence) -> Settings:
    """The settings of the fifteen architectures."""
    return robust.robust_only(robust.settings(e))


def small(e: Evidence) -> Estimate:
    """Share of settings solved at n ≤ 20 and k ≤ 3."""
    s = found(e)
    return share(s.where((s.places["n"] <= 20) & (s.places["k"] <= 3)))


def least(axis: str) -> Callable[[Evidence], Estimate]:
    """The share at the value of an axis at which it is smallest."""

    def value(e: Evidence) -> Estimate:
        each = {LABELS[axis][1](v): share(s) for v, s in by_value(found(e), axis).items()}
        name = min(each, key=lambda v: each[v].value)
        return share_named(each[name], name)

    return value


def share_named(estimate: Estimate, name: str) -> Estimate:
    """The estimate, saying where it was found."""
    return Estimate(estimate.value, estimate.low, estimate.high, estimate.n, estimate.censored, what=f"share at {name}")


class RobustSpace(Experiment):
    """SGD solves parities for nearly every architecture, batch size, initialisation and loss."""

    id = "finding-5.1"
    place = Place(PAPER, "empirical finding 5.1 and appendix B.1.1")
    claims = (
        Claim(
            ROW,
            "at least 95 % of the settings are solved within 10^5 steps at some rate (open ones counted both ways)",
            expect=at_least(0.95),
            why=WHY,
            value=lambda e: share(found(e)),
        ),
        Claim(
            ROW,
            "the same at n ≤ 20 and k ≤ 3",
            expect=at_least(0.95),
            why=WHY + ", on the specification's scaled grid",
            value=small,
        ),
        *(
            Claim(
                ROW,
                f"the same at each {LABELS[axis][0]}: the one that is solved least",
                expect=at_least(0.95),
                why="the finding speaks of every setting, so no value of an axis may be an exception",
                value=least(axis),
            )
            for axis in LABELS
        ),
    )
    given = {
        "grid": "n 10, 20, 30; k 2, 3, 4; B = 1, 2, 4, ..., 1024; uniform, Gaussian, Bernoulli initialisation; hinge, "
        "square, cross-entropy loss; architectures (i) to (xv); η = 0.001, 0.01, 0.1, 1; 25 seeds",
        "success": "100 % of 2^13 samples, checked every 10 steps, within 10^5 steps; in 20 % of the runs at the best η",
    }
    chosen = {
        "runs on a laptop": "all n, k, initialisations, losses, architectures and rates at B = 1 and 32 (2 seeds) and "
        "256 (1 seed); 5 seeds with hinge loss and uniform initialisation; also (*i) and (*ii)",
        "steps on a laptop": "100 000 as in the paper (20 000 at r = 1000), fewer where B max(r, 16) steps would pass 2·10^8; "
        "a run cut there leaves its setting open, which the interval shows",
        "initialisation": "U(±1/√fan_in), N(0, 2/fan_in), ±1/√fan_in, biases alike; output bias in two-layer networks (E5)",
        "programs": "77: seven shapes times eleven batch sizes; n, k, activation, initialisation, loss and rate are numbers "
        "that a program serves at every value (inputs padded to 32, PolyNets to 4 factors, width k to 4)",
    }
    remarks = (
        "Of 3645 settings 3341 are solved, 135 are open and 169 fail. With hinge loss and uniform initialisation, the loss and "
        "the law of the paper's figures, and 5 seeds, 404 of 405 are solved and one is open: there the finding holds. "
        "The failures are of three kinds. (1) 75 are networks with z^k under square loss with the Gaussian or the Bernoulli "
        "law, a half of these settings: all of their runs diverge, at every rate. A step on one example overshoots if "
        "η |σ(Wx)|² > 1; with Kaiming's law |σ(Wx)|² is about r (2k-1)!! 2^k, which is 12 000 at k = 2 and 1 680 000 at k = 4 "
        "for r = 1000, so that η = 0.001 is far too large. More seeds or steps change nothing. Here the printed finding goes "
        "too far, if its laws are read as the specification reads them (Kaiming: variance 2/fan_in, in both layers). "
        "(2) 72 are at B = 1, 58 of them with k = 4: they had 2 seeds, of which none succeeded in 10^5 steps. "
        "(3) 22 are at B = 32, 18 of them the oscillating polynomial, mostly with square loss, which diverges at the large rates "
        "and is slow at the small ones. Kinds 2 and 3 are not decidable with 2 seeds: a setting in which a fifth of 25 runs "
        "succeed is missed by two with probability 0.64. The open settings are ours: 72 have r = 1000 and 63 others B = 256, "
        "where runs were cut early to fit a laptop. Without kind 1, 3262 of 3483 settings are solved and 94 fail."
    )
    shows = "Blue: settings solved at some rate. Grey: open, cut before 10^5 steps. Red: every run failed."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        return robust.grid(scale)

    def condense(self, e: Evidence) -> Evidence:
        return robust.condensed(e)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        s = found(e)
        figure, grid = panels(1, 2, height=4.2)
        draw(grid[0, 0], s, ("n", "k", "batch", "law", "objective"))
        draw(grid[0, 1], s, ("setting",))
        runs, ended = int(e.array("runs").sum()), int(e.array("solved").sum())
        figure.suptitle(f"{len(s.solved):,} settings, {runs:,} runs, {ended:,} of them solved", fontsize=9)
        figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        return figure


def draw(ax: object, s: Settings, axes: tuple[str, ...]) -> None:
    """One bar a value: solved, open, failed, with Wilson's interval of the solved ones."""
    from elegans.claims.drawing import COLOURS
    from elegans.stats import wilson

    at, names, y = [], [], 0.0
    for axis in axes:
        for v, some in by_value(s, axis).items():
            n = len(some.solved)
            solved = wilson(int(some.solved.sum()), n)
            parts = (solved.value, float(some.open.mean()), 1 - solved.value - float(some.open.mean()))
            left = np.cumsum([0.0, *parts[:-1]])
            for width, start, colour in zip(parts, left, (COLOURS[0], "0.8", COLOURS[1]), strict=True):
                ax.barh(y, width, left=start, height=0.75, color=colour)  # type: ignore[attr-defined]
            error = [[solved.value - solved.low], [solved.high - solved.value]]
            ax.errorbar(solved.value, y, xerr=error, color="black", lw=1, capsize=2)  # type: ignore[attr-defined]
            at.append(y)
            names.append(LABELS[axis][1](v))
            y += 1
        y += 0.6
    for name, colour in (("solved", COLOURS[0]), ("open (cut early)", "0.8"), ("failed", COLOURS[1])):
        ax.barh([0], [0], color=colour, label=name)  # type: ignore[attr-defined]
    ax.axvline(0.95, lw=0.8, ls=":", color="black", label="95 %")  # type: ignore[attr-defined]
    ax.set_yticks(at, names)  # type: ignore[attr-defined]
    ax.set(xlim=(0, 1), ylim=(y - 0.6, -1), xlabel="share of settings")  # type: ignore[attr-defined]
