"""Which layer is learned first? Train to the plateau, then go on with one of the two layers frozen: a run in two stages."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.presets import small
from elegans.papers.induction_heads.watching import baselines
from elegans.probes.strategies import StrategyKL
from elegans.stats import Estimate, median
from elegans.training.stops import Steps

PLATEAU = 150  # steps: on the unigram plateau at this size


def two_stages(frozen: int, scale: Scale) -> Sweep:
    """All parameters to the plateau, then all but those of one layer."""
    p = small(2)
    names = list(shapes_of(p))
    rest = tuple(n for n in names if not n.endswith(str(frozen)))
    stages = (
        Stage(p.task, p.algorithm, Steps(PLATEAU)),
        Stage(p.task, p.algorithm, Steps(scale(50, 850, 3850)), train=rest),
    )
    return Sweep(Run(p.model, *stages, watch=(StrategyKL(every=50),)), seed=range(scale(1, 6, 10)))


def shapes_of(p: object) -> tuple[str, ...]:
    """Names of the model's parameters."""
    from elegans.lab.program import Blueprint

    return tuple(Blueprint(p.model, Stage(p.task, p.algorithm, Steps(1))).shapes)  # type: ignore[attr-defined]


def share_of_the_drop(part: str) -> Callable[[Evidence], Estimate]:
    """How much of the way from the unigram to the bigram level is covered at the end: 0 none, 1 all."""

    def value(e: Evidence) -> Estimate:
        unigram, bigram = (float(e["baselines"].array(s)[0]) for s in ("unigram", "bigram"))
        final = np.array([float(t["StrategyKL.truth"][-1]) for t in e[part].traces])
        return median((unigram - final) / (unigram - bigram))

    return value


class WhichLayerFirst(Experiment):
    """With layer 2 frozen on the plateau the drop still comes; with layer 1 frozen it does not."""

    id = "layer2-first"
    place = Place(PAPER, "section 8.3, text: the second layer is learned before the first")
    claims = (
        Claim(
            "layer2-first",
            "with layer 2 frozen on the plateau, at least half of the way to bigrams is still covered",
            of="derived",
            expect=at_least(0.5),
            why="if layer 2 is learned first it is ready on the plateau; half-way separates 'drop' from 'no drop'",
            value=share_of_the_drop("without layer 2"),
        ),
        Claim(
            "layer2-first",
            "with layer 1 frozen on the plateau, less than half of the way is covered",
            of="derived",
            expect=at_most(0.5),
            why="if layer 1 is learned last it cannot be missing",
            value=share_of_the_drop("without layer 1"),
        ),
    )
    chosen = {
        "experiment": "ours: the paper states the order for the minimal model and calls it unclear for transformers",
        "plateau": f"{PLATEAU} steps at k = 2, t = 50, lr 2e-3",
    }
    shows = "The curve with layer 2 frozen falls to the bigram level if layer 2 was ready; the one with layer 1 frozen stays."

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        return {
            "without layer 2": two_stages(1, scale),
            "without layer 1": two_stages(0, scale),
            "baselines": Calculation(baselines, k=2, t=50, n=4000, seed=7),
        }

    def condense(self, e: Evidence) -> Evidence:
        parts = {
            n: replace(p, traces=tuple({k: t[k] for k in ("StrategyKL.t", "StrategyKL.truth")} for t in p.traces))
            for n, p in e.parts.items()
        }
        return replace(e, parts=parts)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        for part, colour in (("without layer 2", "C0"), ("without layer 1", "C1")):
            for i, t in enumerate(e[part].traces):
                label = f"layer {part[-1]} frozen" if i == 0 else None
                ax.plot(t["StrategyKL.t"] + PLATEAU, t["StrategyKL.truth"], color=colour, lw=1, label=label)
        for s, ls in (("unigram", "--"), ("bigram", ":")):
            ax.axhline(float(e["baselines"].array(s)[0]), color="0.4", ls=ls, lw=1, label=f"{s} strategy")
        ax.set(xlabel=f"step (frozen from step {PLATEAU} on)", ylabel="KL(truth ‖ model), nats", ylim=(0, None))
        ax.legend()
        return figure
