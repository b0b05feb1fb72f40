"""`python -m benchmarks.composition`: a step on addition modulo 71 beside the matrix products in it, on one core.

    logits = Wᵀ R,   dR = W Γ,   dW = R Γᵀ        R (m, d²) activations,  Γ (d, d²) derivative of the loss

The engine and the bare products are timed in turn, in one process. Writes composition.json beside this file.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

from benchmarks.ours import tile_of
from elegans.lab import worker
from elegans.lab.words import Run, Stage, Sweep
from elegans.papers.feature_emergence import presets
from elegans.training.stops import Steps

WIDTH, SYMBOLS = 500, 71
STEPS, REPETITIONS = 100, 15


def training(preset: presets.Preset) -> Callable[[], float]:
    """Seconds of a step of the engine."""
    tile = tile_of(Sweep(Run(preset.model, Stage(preset.task, preset.algorithm, Steps(10**9))), seed=[0]))

    def go() -> float:
        began, before = time.perf_counter(), tile.steps
        while tile.steps < before + STEPS:
            tile.advance()
        return (time.perf_counter() - began) / (tile.steps - before)

    return go


def products(m: int, d: int) -> Callable[[], float]:
    """Seconds of the three products alone; each result is used, so that none is left out."""
    import jax

    keys = jax.random.split(jax.random.key(0), 3)
    start = tuple(jax.random.normal(k, shape) for k, shape in zip(keys, ((m, d), (m, d * d), (d, d * d)), strict=True))

    def step(c: Any, _: None) -> tuple[Any, None]:
        W, R, G = c
        return (W + 1e-9 * (R @ G.T), W @ G, W.T @ R), None

    loop = jax.jit(lambda c: jax.lax.scan(step, c, length=STEPS)[0])

    def go() -> float:
        began = time.perf_counter()
        jax.block_until_ready(loop(start))
        return (time.perf_counter() - began) / STEPS

    return go


def main() -> None:
    """Measure in turn; print and write milliseconds a step and ratios, each with its quartiles."""
    worker.configure("float32", 0)
    goes = {
        "quadratic": training(presets.z71()),
        "relu": training(presets.z71_relu()),
        "products": products(WIDTH, SYMBOLS),
    }
    for go in goes.values():
        go()
    rounds = [{name: go() for name, go in goes.items()} for _ in range(REPETITIONS)]
    found = {f"{name}, ms": quartiles([1e3 * r[name] for r in rounds]) for name in goes}
    found |= {
        f"{name} / products": quartiles([r[name] / r["products"] for r in rounds]) for name in ("quadratic", "relu")
    }
    for name, (low, middle, high) in found.items():
        print(f"{name:24s}{middle:7.2f}  [{low:.2f}, {high:.2f}]")
    Path(__file__).with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")


def quartiles(values: list[float]) -> list[float]:
    """Lower quartile, median, upper quartile."""
    return [round(q, 3) for q in quantiles(values, n=4)]


if __name__ == "__main__":
    main()
