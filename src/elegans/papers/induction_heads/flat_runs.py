"""The transformer and the minimal model on flat Markov chains, which figures 8.3, 8.4 (b), E.3, E.5 and E.7 all look at.

    transformer   two attention layers, AdamW, lr 5e-4, 2000 steps       KL to strategies, v̂, scores at a fixed input
    minimal       f = mask(E W (ME)^T) E, SGD, lr 2e-3, 2000 steps       KL to strategies, v, W

Both see t = 100 tokens and batches of 64, for k = 3 and k = 2. At smoke t = 24 tokens and 300 steps stand in for them.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.induction_heads.presets import Preset, fig, minimal_fig, minimal_small, small
from elegans.papers.induction_heads.watching import TOKENS, baselines
from elegans.probes.attention import FixedInputAttention
from elegans.probes.base import Probe
from elegans.probes.bayes_gap import BayesGap
from elegans.probes.fixed_scores import FixedInputScores
from elegans.probes.minimal_order import MinimalOrder
from elegans.probes.positions import EffectivePositions
from elegans.probes.reverse_kl import StrategyReverseKL
from elegans.probes.strategies import StrategyKL
from elegans.tasks.markov import MarkovChains
from elegans.training.stops import Steps

Floats = NDArray[np.float64]
Trace = Mapping[str, np.ndarray]
BATCH = 64
TINY = 24  # tokens at smoke
STRATEGIES = ("uniform", "unigram", "bigram")

GIVEN = {
    "transformer": "two attention-only layers, one head, d = 16, relative positions, AdamW, batch 64, t = 100",
    "minimal model": "(8.8) with v constant and W = 0 at the start, SGD, lr 2e-3, batch 64, t = 100",
    "loss": "cross-entropy at all positions; what is shown is measured at the last token",
}
CHOSEN = {
    "learning rate": "5e-4 for the transformer: at the printed 3e-5 it is on the plateau long after the 64 000 examples "
    "of figure E.7 (preset `text`)",
    "layer norm, W_O": "as in minGPT, on which the code was based; (8.4) has neither. The released code, of a later revision, "
    "has both, and dropout 0.1, which we leave out",
    "decay": "0.1 on matrices, betas 0.9 and 0.95",
    "start of v": "0.01 in the minimal model: 'constant' has no value in the text",
    "the unigram strategy": "add-one frequencies: the text's posterior of π has no closed form",
    "seeds": "10 and 8 transformers for k = 3 and 2, 8 minimal models; lines are medians, bands all seeds",
    "smoke": "t = 24, 300 steps, higher rates",
}


def length(scale: Scale) -> int:
    """The number of tokens t."""
    return scale(TINY, 100, 100)


def transformer(scale: Scale, k: int) -> Sweep:
    """Two-layer transformers; their attention at the fixed input is watched where it has all three symbols."""
    preset = fig(k) if scale.size else tiny(small(k), 2e-3)
    every = preset.steps // 50
    watch: tuple[Probe, ...] = (
        StrategyKL(every=every, on=scale(512, 2048, 2048)),
        StrategyReverseKL(every=5 * every, on=512),
        EffectivePositions(every=every),
        BayesGap(every=10 * every, on=scale(512, 2048, 2048)),
    )
    if k > max(TOKENS):
        watch += FixedInputScores(every=every, tokens=TOKENS), FixedInputAttention(every=every, tokens=TOKENS)
    return _sweep(preset, watch, scale(2, 10 if k == 3 else 8, 16))


def minimal(scale: Scale, k: int) -> Sweep:
    """Minimal models; their order parameters change within a few steps."""
    preset = minimal_fig(k) if scale.size else tiny(minimal_small(k), 3.5e-2)
    every = preset.steps // 100
    watch = (
        StrategyKL(every=every, on=scale(512, 2048, 2048)),
        StrategyReverseKL(every=5 * every, on=512),
        EffectivePositions(every=every),
        MinimalOrder(every=scale(3, 5, 5)),
    )
    return _sweep(preset, watch, scale(2, 8, 16))


def levels(scale: Scale, k: int) -> Calculation:
    """Mean KL(truth || strategy) at the last position."""
    return Calculation(baselines, k=k, t=length(scale), n=scale(2000, 20_000, 20_000), seed=7)


def tiny(preset: Preset, lr: float) -> Preset:
    """The same on a short context, for smoke runs."""
    k = preset.task.signature.symbols
    return Preset(MarkovChains(k, TINY), preset.model, preset.algorithm.replace(lr=lr), 300)


def _sweep(p: Preset, watch: tuple[Probe, ...], seeds: int) -> Sweep:
    return Sweep(Run(p.model, Stage(p.task, p.algorithm, Steps(p.steps)), watch=watch), seed=range(seeds))


def level(e: Evidence, strategy: str) -> float:
    """A strategy's loss, from the part of a `levels` calculation."""
    return float(e.array(strategy)[0])
