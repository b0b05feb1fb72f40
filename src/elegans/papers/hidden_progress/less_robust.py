"""The exceptions to finding 5.1: networks of width k and Transformers need batches of at least 16."""

from dataclasses import replace

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.hidden_progress import robust
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.finding_5_1 import WHY
from elegans.papers.hidden_progress.presets import NAMES
from elegans.papers.hidden_progress.robust import (
    BATCHES,
    IDS,
    PAPER_SEEDS,
    PAPER_STEPS,
    Settings,
    by_value,
    share,
    sweep,
)
from elegans.stats import Estimate, difference, wilson

ROW = "less-robust"
MINIMAL, ADAM = ("*i", "*ii"), "*iii"
STEPS = 3000  # of the small Transformer


def of(e: Evidence, *ids: str) -> Settings:
    """The settings of some architectures."""
    s = robust.settings(e["all"])
    return s.where(np.isin(s.places["setting"], [IDS.index(i) for i in ids]))


def minimal(e: Evidence, low: float, high: float) -> Estimate:
    """Share of the settings of width k that are solved, over batches of this range."""
    s = of(e, *MINIMAL)
    return share(s.where((s.places["batch"] >= low) & (s.places["batch"] <= high)))


def gain(e: Evidence) -> Estimate:
    """How much larger that share is at B = 32 than at B = 1, within the steps that were taken."""
    s = of(e, *MINIMAL)
    some = [s.where(s.places["batch"] == b).solved for b in (32, 1)]
    if not all(len(x) for x in some):
        return share(s.where(s.places["batch"] < 0))
    return difference(*(wilson(int(x.sum()), len(x)) for x in some))


def transformer(e: Evidence) -> Estimate:
    """Share of the Transformer's runs at B ≥ 16 that are solved, at the best rate of each setting."""
    p, row = e["all"], at_setting(e["all"])
    if row is None:
        return share(of(e, ADAM))
    large = p.array("values/batch") >= 16
    runs, solved = (p.array(c)[row][:, :, large] for c in ("runs", "solved"))
    return wilson(int(solved.max(-1).sum()), int(runs.max(-1).sum()))


def at_setting(p: Evidence) -> int | None:
    """The Transformer's place on the axis of architectures."""
    found = np.flatnonzero(p.array("values/setting") == IDS.index(ADAM))
    return int(found[0]) if found.size else None


class LessRobust(Experiment):
    """The smallest networks and Transformers need larger batches."""

    id = "less-robust"
    place = Place(PAPER, "empirical finding 5.1, the starred settings")
    claims = (
        Claim(
            ROW,
            "(*i) and (*ii): at least 95 % of the settings with B ≥ 16 are solved at some rate",
            expect=at_least(0.95),
            why=WHY + "; the paper claims it for these from B = 16 on",
            value=lambda e: minimal(e, 16, np.inf),
        ),
        Claim(
            ROW,
            "(*i) and (*ii): at B = 1 fewer than 95 % are solved",
            expect=at_most(0.95),
            why="the paper lists them as exceptions there",
            value=lambda e: minimal(e, 1, 1),
        ),
        Claim(
            ROW,
            "(*i) and (*ii) are solved more often at B = 32 than at B = 1",
            expect=at_least(0.0),
            why="the same exception, without the bound",
            value=gain,
        ),
        Claim(
            ROW,
            "(*iii), with Adam and B ≥ 16: at least 20 % of the runs are solved at the best rate",
            expect=at_least(0.2),
            why="finding 5.1 for the Transformer",
            value=transformer,
        ),
    )
    given = {"exceptions": "(*i) and (*ii), networks of width k, and (*iii), Transformers with Adam, need B ≥ 16"}
    chosen = {
        "on a laptop": "(*i), (*ii): the runs of finding 5.1; (*iii): d_embed 128, 16 heads, n = 10, k = 2 and 3, hinge loss, "
        f"B = 1 and 32, η = 0.001 and 0.0003, 3 seeds, {STEPS} steps: minutes instead of days",
        "Adam's rates": "0.01, 0.001, 0.0003, 0.0001 around the 0.0003 of figures B.2 and B.6: only SGD's are given",
    }
    remarks = (
        "(*ii), z^k of width k, does what the paper says: 77 of 81 settings at B = 32 are solved, and 76, with 3 open, at "
        "B = 256. (*i), ReLU of width k, does not: 51 of 81 at B = 32, and 33 at B = 256, where 48 are open. With hinge loss, "
        "uniform initialisation and 5 seeds all 18 settings of both are solved at B = 32, and 17 of 18 at B = 256 with one open. "
        "So the claim fails on the other losses and laws, which had 2 seeds (1 at B = 256), where the paper has 25: a network "
        "that succeeds in a fifth to a half of its runs, as (*i) does, is missed by two seeds with probability 0.64 to 0.25. "
        "The failure is therefore ours to a large part, and not decidable with so few seeds. Runs at B = 256 end after 48 820 "
        "steps, which leaves most of their unsolved settings open."
    )
    shows = (
        "Share of settings solved at some rate: smaller at B = 1 than at B = 32. Bars also say how many open settings, cut "
        "before 10^5 steps, could still be solved, which is much at B = 256."
    )

    def work(self, scale: Scale) -> dict[str, Sweep]:
        return robust.grid(scale, ("r = k",)) | scale(dict, _small, _full)()

    def condense(self, e: Evidence) -> Evidence:
        return replace(e, parts={"all": robust.condensed(e)})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        for i, id in enumerate(IDS[IDS.index("*i") :]):
            each = by_value(of(e, id), "batch")
            if not each:
                continue
            x = np.array(list(each)) * 1.06 ** (i - 1)
            found = [share(s) for s in each.values()]
            y = np.array([f.value for f in found])
            bars = [y - [f.low for f in found], np.array([f.high for f in found]) - y]
            n = len(next(iter(each.values())).solved)
            ax.errorbar(x, y, yerr=bars, fmt="o-", ms=4, capsize=2, label=f"({id}) {NAMES[id]}, {n} settings")
        ax.axvline(16, lw=0.8, ls="--", color="0.4")
        ax.text(15, 0.28, "paper: from B = 16 on", ha="right", fontsize=8)
        ax.axhline(0.95, lw=0.8, ls=":", color="0.4")
        ax.text(2, 0.955, "95 %", fontsize=8, va="bottom", color="0.4")
        ax.set(xscale="log", ylim=(0, 1.08), xlabel="batch size B", ylabel="share of settings solved")
        ax.set_title("bars: 95 %, with the settings that were cut early counted both ways", fontsize=8)
        ax.minorticks_off()
        ax.set_xticks(sorted(set(of(e, *IDS).places["batch"])), minor=False)
        ax.set_xticklabels([f"{b:.0f}" for b in sorted(set(of(e, *IDS).places["batch"]))])
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 0.0))
        return figure


def _small() -> dict[str, Sweep]:
    axes = {"n": (10,), "k": (2, 3), "objective": (0,), "lr": (1e-3, 3e-4)}
    return {f"small Transformer, B = {b}": sweep("small Transformer", b, STEPS, range(3), **axes) for b in (1, 32)}


def _full() -> dict[str, Sweep]:
    return {f"Transformer, B = {b}": sweep("Transformer", b, PAPER_STEPS, range(PAPER_SEEDS)) for b in BATCHES}
