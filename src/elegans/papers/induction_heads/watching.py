"""The chapter's main run, watched closely; figures 8.1 (right) and 8.2 are two views of the same runs."""

import numpy as np

from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.induction_heads.presets import Preset, small
from elegans.probes.attention import FixedInputAttention, InductionScore, PreviousTokenScore
from elegans.probes.strategies import StrategyKL
from elegans.tasks.markov import MarkovChains
from elegans.theory.markov import kl
from elegans.theory.strategies import bigram, truth_oracle, uniform, unigram
from elegans.training.stops import Steps

TOKENS = (0, 1, 2, 0, 2, 1, 1, 2, 0, 0, 1, 2, 2, 1, 0, 2)  # ends with 2, as in the figure
SEEDS = (1, 6, 10)


def watched(preset: Preset, every: int, seeds: int, steps: int) -> Sweep:
    """Seeds of one preset with the strategies' divergences, attention at a fixed input and the two head scores."""
    watch = (
        StrategyKL(every=every),
        FixedInputAttention(every=every, tokens=TOKENS),
        PreviousTokenScore(every=2 * every, on=256),
        InductionScore(every=2 * every, on=256),
    )
    return Sweep(Run(preset.model, Stage(preset.task, preset.algorithm, Steps(steps)), watch=watch), seed=range(seeds))


def main_sweep(scale: Scale) -> Sweep:
    """k = 3; half the context below paper scale. Smoke stops on the plateau."""
    from elegans.papers.induction_heads.presets import fig

    preset = scale(small(3), small(3), fig(3))
    return watched(preset, scale(25, 25, 20), scale(*SEEDS), scale(200, 1500, 4000))


def context(scale: Scale) -> int:
    """Number of tokens of the main run."""
    return scale(50, 50, 100)


def baselines(k: int, t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Mean KL(truth || strategy) at the last position over n sequences, with its standard error."""
    batch = MarkovChains(k, t).numpy(n, seed)
    truth = truth_oracle(batch.x, batch.latent["P"].astype(np.float64))
    out: dict[str, np.ndarray] = {}
    for name, predict in (("uniform", uniform), ("unigram", unigram), ("bigram", bigram)):
        values = kl(truth, predict(batch.x, k))
        out[name] = np.array([values.mean(), values.std() / n**0.5])
    return out
