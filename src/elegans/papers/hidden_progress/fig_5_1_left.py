"""Figure 5.1 (left): eight architectures, each with a plateau and a sudden drop.

Seven of them learn (50, 3)-parity; the Transformer does at paper scale only, and a shorter one, (10, 3), below it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.activations import Power, Sinusoid, Zigzag
from elegans.models.base import Model
from elegans.models.mlp import MLP
from elegans.models.neuron import Neuron
from elegans.models.parity_transformer import ParityTransformer
from elegans.models.polynet import PolyNet
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.probes.accuracy import Accuracy
from elegans.stats import Estimate, median, reached, wilson
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD, Adam
from elegans.training.stops import Budget, Solved

PANELS = {  # name: (model, batch, learning rate, budget, cadence of the accuracy curve)
    "ReLU 10": (MLP(10), 32, 0.5, 20_000, 20),
    "ReLU 10, B=1024": (MLP(10), 1024, 0.05, 20_000, 50),
    "ReLU 100, B=1": (MLP(100), 1, 0.05, 60_000, 200),
    "z³ 10": (MLP(10, activation=Power(3)), 32, 0.05, 20_000, 20),
    "3-zigzag": (Neuron(Zigzag(3)), 32, 0.2, 20_000, 20),
    "sinusoid": (Neuron(Sinusoid(3)), 32, 0.05, 20_000, 20),
    "PolyNet": (PolyNet(3), 32, 0.07, 20_000, 10),
}
JUDGED = ("ReLU 10", "ReLU 10, B=1024", "ReLU 100, B=1", "PolyNet")  # whose plateau the specification gives a share
TRANSFORMER = "Transformer"
ORDER = (*tuple(PANELS)[:6], TRANSFORMER, "PolyNet")  # of the paper's figure
BOUNDS = dict(zip(JUDGED, (0.55, 0.4, 0.4, 0.4), strict=True))  # least shares of the plateau
PLATEAU = 0.55  # accuracy that has to be left behind, for three checks in a row


def panel(model: Model, batch: int, lr: float, budget: int, every: int, seeds: int) -> Sweep:
    """One panel: a network on (50, 3)-parity, fresh data, hinge loss, until 8192 points are right."""
    stage = Stage(SparseParity(50, 3), SGD(lr, batch=batch), Solved(every=10) | Budget(budget))
    return Sweep(Run(model, stage, watch=(Accuracy(every=every),)), seed=range(seeds))


def transformer(scale: Scale) -> Sweep:
    """The Transformer panel; below paper size it is a smaller network on a shorter input."""
    n, model = scale(
        (10, ParityTransformer(d_embed=32, d_attn=8, heads=4, d_mlp=64)),
        (10, ParityTransformer(d_embed=128, d_attn=8, heads=16, d_mlp=256)),
        (50, ParityTransformer(d_embed=1024, d_attn=8, heads=128, d_mlp=4096)),
    )
    stage = Stage(
        SparseParity(n, 3),
        Adam(scale(1e-3, 3e-4, 5e-4), batch=32),
        Solved(every=10, on=1024) | Budget(scale(400, 3000, 100_000)),
    )
    return Sweep(Run(model, stage, watch=(Accuracy(every=10, on=512),)), seed=range(scale(1, 2, 1)))


def left_plateau(trace: Mapping[str, np.ndarray]) -> float:
    """First check from which accuracy stays at 0.55 or more for three checks (nan if it never does)."""
    above = trace["Accuracy.accuracy"] >= PLATEAU
    runs = above[:-2] & above[1:-1] & above[2:] if len(above) > 2 else above[:0]
    late = np.append(runs, above[-2:])  # the last checks need not be followed by others
    return float(trace["Accuracy.t"][np.argmax(late)]) if late.any() else float("nan")


def plateau_share(name: str) -> Callable[[Evidence], Estimate]:
    """Median over the solved runs of (time at which the plateau is left) / (time at which the task is solved)."""

    def value(e: Evidence) -> Estimate:
        runs = e[name].runs.drop_nulls("solved")
        return median((runs["left_plateau"] / runs["solved"]).to_numpy())

    return value


def transformer_share(e: Evidence) -> Estimate:
    """Share of solved runs of the Transformer."""
    return reached(e[TRANSFORMER].times())


def solved_share(e: Evidence) -> Estimate:
    """Share of solved runs over the seven SGD panels."""
    runs = pl.concat([e[name].runs.select("solved") for name in PANELS if name in e.parts])
    return wilson(len(runs) - runs["solved"].null_count(), len(runs))


class AssortedCurves(Experiment):
    """Eight architectures learn a 3-parity after a long plateau."""

    id = "fig-5.1-left"
    place = Place(PAPER, "figure 5.1 (left)")
    claims = (
        Claim(
            "fig-5.1-left",
            "at least 80 % of the runs of the seven SGD panels solve the task",
            expect=at_least(0.8),
            why="the figure shows every panel solved; the specification asks for 80 % of seeds",
            value=solved_share,
        ),
        Claim(
            "fig-5.1-left",
            "ReLU, width 10: more than half of the time to success is spent below 55 % accuracy",
            expect=at_least(0.55),
            why="specification 5.1: median plateau share at least 0.55 for this panel",
            value=plateau_share("ReLU 10"),
        ),
        *(
            Claim(
                "fig-5.1-left",
                f"{name}: the plateau takes at least 40 % of the time to success",
                expect=at_least(0.4),
                why="specification 5.1: median plateau share at least 0.4 for this panel",
                value=plateau_share(name),
            )
            for name in JUDGED[1:]
        ),
        Claim(
            "fig-5.1-left",
            "the Transformer's panel is solved: at least 20 % of its runs, on (10, 3)-parity below paper scale",
            of="derived",
            expect=at_least(0.2),
            why="finding 5.1 speaks of a positive result from 20 % of the runs on; two runs without exception show 0.34",
            value=transformer_share,
        ),
    )
    given = {
        "task": "(50, 3)-parity, fresh examples, hinge loss",
        "batch and learning rate": "per panel: "
        + "; ".join(f"{n}: B={b}, η={lr}" for n, (_, b, lr, _, _) in PANELS.items()),
        "Transformer": "d_emb 1024, d_attn 8, 128 heads, Adam, η = 5e-4 (run at paper scale only)",
    }
    chosen = {
        "initialisation": "U(±1/√fan_in) with output bias: the paper names two conventions, and width 10 needs the bias",
        "sinusoid scale": "1, because the printed factor 2 nearly always fails (erratum E24)",
        "validation": "8192 points, checked every 10 steps",
        "Transformer below paper scale": "d_emb 128, 16 heads, (10, 3)-parity, so that a laptop does it in seconds",
    }
    remarks = (
        "ReLU 100 with B = 1: the curves look as in the paper, but all 8192 validation points are right only long after the "
        "jump, because single examples keep moving the network: the median time is 26 130 steps, that of the jump 7000. The "
        "bound comes from pilots with 1024 points; with as many, the same 12 runs take 14 615 steps and the share is 0.49 "
        "[0.45, 0.56]. So the measure is what fails, and that is ours; the claim was left as it was fixed. ReLU 10 with B = "
        "1024 and PolyNet: 12 runs do not decide. For PolyNet 200 other runs give 0.56 [0.50, 0.60], which is inside the "
        "bound; of B = 1024, whose runs cost most, no more were made. The Transformer's panel shows a smaller network on a "
        "shorter input, and says nothing about (50, 3)."
    )
    shows = (
        "Accuracy stays near one half and then jumps to one, in every panel; three runs of each are drawn. Plateau: the share of "
        "the time to success before the accuracy leaves 55 % (dotted), in the median with its interval."
    )

    def work(self, scale: Scale) -> dict[str, Sweep]:
        names = [n for n in PANELS if scale is not Scale.SMOKE or n in JUDGED]
        sweeps = {n: panel(*PANELS[n], seeds=scale(2, 12, 25)) for n in names}
        return {**sweeps, TRANSFORMER: transformer(scale)}

    def condense(self, e: Evidence) -> Evidence:
        parts = {}
        for name, part in e.parts.items():
            left = [left_plateau(t) for t in part.traces]
            runs = part.runs.select("seed", "outcome", "t", "solved").with_columns(pl.Series("left_plateau", left))
            parts[name] = Evidence(runs, tuple(thin(t) for t in part.traces[:3]))
        return replace(e, parts=parts)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(2, 4)
        for ax, name in zip(grid.flat, [name for name in ORDER if name in e.parts], strict=False):
            part = e[name]
            for trace in part.traces:
                ax.plot(trace["Accuracy.t"], trace["Accuracy.accuracy"], lw=1)
            solved = part.runs["solved"].drop_nulls()
            times = f"median {solved.median():.0f}" if len(solved) else "none solved"
            ax.set_title(
                f"{heading(name, e)}\n{len(solved)}/{len(part.runs)} solved, {times}\n{plateau(e, name)}", fontsize=7
            )
            ax.axhline(0.5, lw=0.5, color="0.7")
            ax.axhline(PLATEAU, lw=0.7, ls=":", color="0.4")
            ax.set(ylim=(0.4, 1.03))
        for ax in grid[-1]:
            ax.set_xlabel("step")
        for ax in grid[:, 0]:
            ax.set_ylabel("accuracy")
        return figure


def heading(name: str, e: Evidence) -> str:
    """A panel's name with its setting."""
    if name == TRANSFORMER:
        return f"{name}, (50, 3)" if e.meta.get("scale") == Scale.PAPER.value else f"small {name}, (10, 3)"
    _, batch, lr, _, _ = PANELS[name]
    return f"{name.partition(',')[0]}, B = {batch}, η = {lr:g}"


def plateau(e: Evidence, name: str) -> str:
    """The share of the plateau, with its bound where there is one."""
    share = plateau_share(name)(e)
    bound = f" (≥ {BOUNDS[name]:g})" if name in BOUNDS else ""
    ends = f" [{share.low:.2f}, {share.high:.2f}]" if np.isfinite(share.low) else ""
    return f"plateau {share.value:.2f}{ends}{bound}"


def thin(trace: Mapping[str, np.ndarray], points: int = 120) -> dict[str, np.ndarray]:
    """A curve at evenly spaced checks, its last one included."""
    n = len(trace["Accuracy.t"])
    at = np.unique(np.linspace(0, n - 1, min(n, points)).round().astype(int))
    return {
        "Accuracy.t": trace["Accuracy.t"][at].astype(np.int32),
        "Accuracy.accuracy": trace["Accuracy.accuracy"][at].astype(np.float16),
    }
