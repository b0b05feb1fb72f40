"""Figure 5.2 (center): the initialisation, and not the sampled batches, decides when a run converges.

    ICC = (variance of log t_c between initialisations) / (all of its variance)

Every initialisation meets every stream of samples. The same grid, read by streams, says what a stream decides alone.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.presets import setting
from elegans.probes.accuracy import TrainLoss
from elegans.stats import Estimate, Times, first_times, icc_of_times
from elegans.training.stops import Budget, Solved

ROW = "fig-5.2-center"
BUDGET = 30_000
PANELS = {"ReLU 10": ("i", 0.1, 0.5), "sinusoid": ("xiv", 0.01, 0.3)}  # name: (setting, learning rate, least ICC)
DRAWN = 5  # initialisations, and streams of each, whose curves are drawn


def share(name: str, of: str) -> Callable[[Evidence], Estimate]:
    """Share of the variance of log t_c that lies between the groups: "init" or "data"."""
    return lambda e: icc_of_times(times(e[name], of), groups=e[name].runs[of].n_unique())


def times(e: Evidence, by: str) -> Times:
    """Censored times, group by group."""
    runs = e.runs.sort(by, maintain_order=True)
    return first_times(runs["solved"].cast(pl.Float64).fill_null(np.inf).to_numpy(), BUDGET)


def claims_of(name: str) -> tuple[Claim, ...]:
    """What is claimed of one architecture."""
    _, _, least = PANELS[name]
    return (
        Claim(
            ROW,
            f"{name}: initialisations explain at least {least:.0%} of the variance of log t",
            expect=at_least(least),
            why="the figure's curves cluster by initialisation; specification 5.4 puts this share to it",
            value=share(name, "init"),
        ),
        Claim(
            ROW,
            f"{name}: streams of samples explain at most a tenth of it",
            of="derived",
            expect=at_most(0.1),
            why="the text's other half, 'not the samples': a stream shared by all initialisations decides nothing",
            value=share(name, "data"),
        ),
    )


class InitSetsTheTime(Experiment):
    """The initialisation sets the time of convergence, not the samples."""

    id = ROW
    place = Place(PAPER, "figure 5.2 (center)")
    claims = tuple(claim for name in PANELS for claim in claims_of(name))
    given = {"batch and learning rate": "B = 128, η = 0.01"}
    chosen = {
        "architecture and task": "ReLU width 10 with η = 0.1, which is quicker, and the sinusoid (xiv) with the paper's "
        "η, both on (30, 3)-parity: neither is given; 2 programs",
        "grid": "30 initialisations times 12 streams: enough groups for an interval of ±0.1",
        "validation": "8192 points every 10 steps, the same ones for every run",
    }
    shows = "Curves of one colour, which share their first weights, fall together; other colours fall at other times."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        n, inits, streams = scale(10, 30, 30), range(scale(4, 30, 30)), range(scale(4, 12, 30))
        sweeps: dict[str, Sweep] = {}
        for name, (id, lr, _) in PANELS.items():
            p = setting(id, n, 3, lr=lr, batch=128)
            stage = Stage(p.task, p.algorithm, Solved(every=10) | Budget(BUDGET))
            sweeps[name] = Sweep(Run(p.model, stage, watch=(TrainLoss(every=50),)), init=inits, data=streams)
        return sweeps

    def condense(self, e: Evidence) -> Evidence:
        return replace(e, parts={name: condensed(part) for name, part in e.parts.items()})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import COLOURS, panels

        figure, grid = panels(2, 2, height=4.6)
        for row, (name, part) in zip(grid, e.parts.items(), strict=False):
            curves, dots = row
            for trace, init in zip(part.traces, part.array("init"), strict=True):
                curves.plot(trace["t"], trace["loss"], lw=0.8, color=COLOURS[init])
            ranked = part.runs.with_columns(pl.col("solved").median().over("init").rank("dense").alias("rank"))
            for init in ranked["init"].unique().to_list():
                some = ranked.filter(pl.col("init") == init)
                colour = COLOURS[init] if init < DRAWN else "0.7"
                dots.plot(some["rank"], some["solved"], ".", ms=3, color=colour)
            icc, lost = share(name, "init")(part_of(name, part)).value, part.runs["solved"].null_count()
            curves.set(title=f"{name}: one colour, one initialisation", ylabel="training loss", xlabel="step")
            dots.set_title(f"ICC of log t by initialisation: {icc:.2f}" + (f" ({lost} censored)" if lost else ""))
            dots.set(xlabel="initialisation, by its median", ylabel="steps to success", yscale="log")
            for formatted in (dots.yaxis.set_major_formatter, dots.yaxis.set_minor_formatter):
                formatted("{x:.0f}")
        return figure


def part_of(name: str, part: Evidence) -> Evidence:
    """Evidence with this one part."""
    return Evidence(parts={name: part})


def condensed(part: Evidence) -> Evidence:
    """Times of all runs, and smoothed losses of the runs that are drawn."""
    runs = part.runs.select("init", "data", "solved")
    drawn = [i for i, r in enumerate(runs.iter_rows(named=True)) if r["init"] < DRAWN and r["data"] < DRAWN]
    curves = tuple(smoothed(part.traces[i]["TrainLoss.t"], part.traces[i]["TrainLoss.loss"]) for i in drawn)
    return Evidence(runs, curves, {"init": runs["init"].to_numpy()[drawn]})


def smoothed(t: np.ndarray, loss: np.ndarray, window: int = 3, points: int = 80) -> dict[str, np.ndarray]:
    """A running mean of the loss, at evenly spaced steps."""
    mean = np.convolve(loss[1:].astype(np.float64), np.ones(window) / window, "valid")  # there is no loss at step 0
    centre = t[1:][window // 2 :][: len(mean)]
    at = np.unique(np.linspace(0, len(mean) - 1, min(len(mean), points)).round().astype(int))
    return {"t": centre[at].astype(np.int32), "loss": mean[at].astype(np.float16)}
