"""Figure 5.2 (center): the initialisation, and not the sampled batches, decides when a run converges.

    ICC = (variance of log t_c between initialisations) / (all of its variance)

Every initialisation meets every stream of samples. The same grid, read by streams, says what a stream decides alone.
"""

from collections.abc import Callable, Mapping
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


FRESH = "ReLU 10, further runs"
HALF = 0.5  # the loss is one on the plateau


def share(name: str, of: str, event: str = "solved") -> Callable[[Evidence], Estimate]:
    """Share of the variance of the log time of an event that lies between the groups: "init" or "data"."""
    return lambda e: icc_of_times(times(e[name], of, event), groups=e[name].runs[of].n_unique())


def times(e: Evidence, by: str, event: str) -> Times:
    """Censored times, group by group."""
    runs = e.runs.sort(by, maintain_order=True)
    return first_times(runs[event].cast(pl.Float64).fill_null(np.inf).to_numpy(), BUDGET)


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
    claims = (
        *(claim for name in PANELS for claim in claims_of(name)),
        Claim(
            ROW,
            "ReLU 10: initialisations explain at least 50% of the variance of the log time at which the loss has halved",
            of="derived",
            expect=at_least(0.5),
            why="the figure shows curves of the loss, not times of success; bound as above, on runs of their own",
            value=share(FRESH, "init", "halved"),
        ),
    )
    given = {"batch and learning rate": "B = 128, η = 0.01"}
    chosen = {
        "architecture and task": "ReLU width 10 with η = 0.1, which is quicker, and the sinusoid (xiv) with the paper's "
        "η, both on (30, 3)-parity: neither is given; 2 programs",
        "grid": "120 initialisations times 12 streams, and as many others for the last claim",
        "validation": "8192 points every 10 steps, the same ones for every run",
    }
    remarks = (
        "ReLU 10: the time of success is less decided by the initialisation than the specification's pilot found with 5 "
        "initialisations (0.75; our first 5 alone give 0.72). With 30 initialisations the share was 0.47 [0.34, 0.63], "
        "astride of 0.5; 120 were then made, and it lies above. With 1024 validation points the share is the same. What is "
        "decided more is when the loss falls; from there to the last wrong example chance has its part. This was seen on the "
        "runs of the first claim (0.75 [0.65, 0.85], with 30 initialisations) and is therefore tested on others. The streams' "
        "share is an estimate without bias, which is why it may be slightly below zero."
    )
    shows = "Curves of one colour, which share their first weights, fall together; other colours fall at other times."

    def work(self, scale: Scale) -> dict[str, Sweep]:
        n, inits, streams = scale(10, 30, 30), range(scale(4, 120, 120)), range(scale(4, 12, 30))
        sweeps: dict[str, Sweep] = {}
        for name, (id, lr, _) in PANELS.items():
            p = setting(id, n, 3, lr=lr, batch=128)
            stage = Stage(p.task, p.algorithm, Solved(every=10) | Budget(BUDGET))
            sweeps[name] = Sweep(Run(p.model, stage, watch=(TrainLoss(every=50),)), init=inits, data=streams)
        others = [range(1000, 1000 + len(axis)) for axis in (inits, streams)]
        sweeps[FRESH] = Sweep(sweeps["ReLU 10"].run_, init=others[0], data=others[1])
        return sweeps

    def condense(self, e: Evidence) -> Evidence:
        return replace(e, parts={name: condensed(part) for name, part in e.parts.items()})

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import COLOURS, panels

        figure, grid = panels(2, 2, height=4.6)
        for row, name in zip(grid, [name for name in PANELS if name in e.parts], strict=False):
            (curves, dots), part = row, e[name]
            for trace, init in zip(part.traces, part.array("init"), strict=True):
                curves.plot(trace["t"], trace["loss"], lw=0.8, color=COLOURS[init])
            ranked = part.runs.with_columns(pl.col("solved").median().over("init").rank("dense").alias("rank"))
            for init in ranked["init"].unique().to_list():
                some = ranked.filter(pl.col("init") == init)
                colour = COLOURS[init] if init < DRAWN else "0.7"
                dots.plot(some["rank"], some["solved"], ".", ms=3, color=colour)
            icc, lost, least = share(name, "init")(e), part.runs["solved"].null_count(), PANELS[name][2]
            curves.set(title=f"{name}: one colour, one initialisation", ylabel="training loss", xlabel="step")
            said = f"share of the initialisation {icc.value:.2f} [{icc.low:.2f}, {icc.high:.2f}], bound {least:g}"
            runs = f"{icc.n:,} runs, {lost} censored"
            dots.set_title(f"{said}\n{runs}", fontsize=8)
            dots.set(xlabel="initialisation, by its median", ylabel="steps to success", yscale="log")
            low, high = (part.runs["solved"].cast(float).quantile(q) or 1.0 for q in (0.0, 1.0))
            ticks = [t for t in (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000) if low / 1.5 < t < 1.5 * high]
            dots.set_yticks(ticks, [str(t) for t in ticks])
            dots.set_yticks([], minor=True)
        return figure


def condensed(part: Evidence) -> Evidence:
    """Times of all runs, and smoothed losses of the runs that are drawn."""
    runs = part.runs.select("init", "data", "solved").with_columns(
        pl.Series("halved", [halved(t) for t in part.traces])
    )
    drawn = [i for i, r in enumerate(runs.iter_rows(named=True)) if r["init"] < DRAWN and r["data"] < DRAWN]
    curves = tuple(thin(part.traces[i]) for i in drawn)
    return Evidence(runs, curves, {"init": runs["init"].to_numpy()[drawn]})


def halved(trace: Mapping[str, np.ndarray]) -> int | None:
    """The first step at which the smoothed loss is below one half."""
    t, loss = running_mean(trace)
    below = np.flatnonzero(loss < HALF)
    return int(t[below[0]]) if len(below) else None


def thin(trace: Mapping[str, np.ndarray], points: int = 80) -> dict[str, np.ndarray]:
    """The smoothed loss at evenly spaced steps."""
    t, loss = running_mean(trace)
    at = np.unique(np.linspace(0, len(t) - 1, min(len(t), points)).round().astype(int))
    return {"t": t[at].astype(np.int32), "loss": loss[at].astype(np.float16)}


def running_mean(trace: Mapping[str, np.ndarray], window: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Steps, and the mean loss of the last `window` looks; there is no loss at step 0."""
    t, loss = trace["TrainLoss.t"][1:], trace["TrainLoss.loss"][1:].astype(np.float64)
    window = min(window, len(t))
    return t[window - 1 :], np.convolve(loss, np.ones(window) / window, "valid")
