"""The robust space of finding 5.1: every architecture, batch, initialisation, loss and rate, as few programs.

    n {10, 20, 30} x k {2, 3, 4} x 11 batches x 3 initialisations x 3 losses x 15 architectures x 4 rates x 25 seeds

are 1 336 500 runs. Only the shape and the batch are static: 6 shapes of the 15 architectures, (*i) and (*ii) and one of
the Transformer make 7 x 11 = 77 programs. Everything else is a number that a program serves at every value.

A *setting* is a combination of architecture, n, k, batch, initialisation and loss. It is solved if some rate solves at
least 20 % of its runs, as in the paper. Runs that were cut before 10^5 steps leave it open whether it would be.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.base import Model
from elegans.models.padded import PaddedMLP, PaddedNeuron, PaddedPolyNet
from elegans.models.padded_transformer import PaddedTransformer
from elegans.papers.hidden_progress.presets import SMALL_TRANSFORMER, TRANSFORMER
from elegans.stats import Estimate, absent, wilson
from elegans.tasks.padded_parity import PaddedParity
from elegans.training.algorithms import SGD, Adam
from elegans.training.margin_loss import MarginLoss
from elegans.training.stops import Budget, Solved

N, K = (10, 20, 30), (2, 3, 4)
BATCHES = tuple(2**i for i in range(11))
LAWS = ("uniform", "Gaussian", "Bernoulli")
LOSSES = ("hinge", "square", "cross entropy")
RATES = (1.0, 0.1, 0.01, 0.001)
ADAM_RATES = (1e-2, 1e-3, 3e-4, 1e-4)
PAPER_STEPS, PAPER_SEEDS = 100_000, 25
PART, PART_SEEDS = {1: 2, 32: 2, 256: 1}, 5  # on a laptop: seeds a batch, and seeds with hinge loss and uniform law
SHARE = 0.2  # of the runs of a setting that have to be solved at its best rate


class Shape(NamedTuple):
    """Architectures that one program serves at every batch: their axes, and their names in row-major order."""

    model: Model
    width: int
    axes: Mapping[str, Sequence[float]]
    ids: tuple[str, ...]


def _transformer(plain: Any) -> Shape:
    model = PaddedTransformer(plain.d_embed, plain.d_attn, plain.heads, plain.d_mlp)
    return Shape(model, 0, {}, ("*iii",))


EITHER = {"activation": (0, 1)}  # ReLU, z^k
SHAPES = {
    "neuron": Shape(
        PaddedNeuron(), 1, {"second": (1, 0), "activation": (0, 1, 2, 3)},
        ("vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv"),
    ),
    "PolyNet": Shape(PaddedPolyNet(), 4, {}, ("xv",)),
    "r = 10": Shape(PaddedMLP(10), 10, EITHER, ("i", "iv")),
    "r = 100": Shape(PaddedMLP(100), 100, EITHER, ("ii", "v")),
    "r = 1000": Shape(PaddedMLP(1000), 1000, EITHER, ("iii", "vi")),
    "r = k": Shape(PaddedMLP(4, minimal=1), 4, EITHER, ("*i", "*ii")),
    "small Transformer": _transformer(SMALL_TRANSFORMER),
    "Transformer": _transformer(TRANSFORMER),
}  # fmt: skip
ROBUST = ("neuron", "PolyNet", "r = 10", "r = 100", "r = 1000")
SGD_SHAPES = (*ROBUST, "r = k")
IDS = (
    "i",
    "ii",
    "iii",
    "iv",
    "v",
    "vi",
    "vii",
    "viii",
    "ix",
    "x",
    "xi",
    "xii",
    "xiii",
    "xiv",
    "xv",
    "*i",
    "*ii",
    "*iii",
)
AXES = ("setting", "n", "k", "batch", "law", "objective", "lr")


def sweep(shape: str, batch: int, steps: int, seeds: Iterable[int], **axes: Iterable[float]) -> Sweep:
    """All runs of one program: the architectures of a shape on every n, k, law, loss and rate unless fewer are named."""
    s = SHAPES[shape]
    adaptive = s.ids == ("*iii",)
    optimiser = Adam if adaptive else SGD
    algorithm = optimiser(RATES[1], batch=batch, loss=MarginLoss())
    laws = {} if adaptive else {"law": range(len(LAWS))}
    whole = {"n": N, "k": K, **laws, "objective": range(len(LOSSES)), "lr": ADAM_RATES if adaptive else RATES}
    if unknown := set(axes) - set(whole):
        raise ValueError(f"{shape} has no axis {', '.join(sorted(unknown))}; it has {', '.join(whole)}")
    stage = Stage(PaddedParity(N[0], K[0]), algorithm, Solved() | Budget(steps))
    return Sweep(Run(s.model, stage), **s.axes, **{**whole, **axes}, seed=seeds)


def grid(scale: Scale, shapes: Sequence[str] = SGD_SHAPES) -> dict[str, Sweep]:
    """The runs of finding 5.1 at a scale: one sweep a program, and on a laptop a second one for more seeds."""
    return scale(_tiny, _part, _whole)(shapes)


def slices(scale: Scale, n: Sequence[int]) -> dict[str, Sweep]:
    """The runs of figures B.3 to B.5, which are a part of the grid: hinge loss, uniform initialisation."""
    few = {"n": n, "law": (0,), "objective": (0,)}
    if scale is Scale.SMOKE:
        return _tiny(SGD_SHAPES, n)
    batches, seeds = scale((), tuple(PART), BATCHES), range(scale(0, PART_SEEDS, PAPER_SEEDS))
    found = {f"{s}, B = {b}": sweep(s, b, steps(scale, s, b), seeds, **few) for s, b in product(SGD_SHAPES, batches)}
    adam = [f"Transformer, B = {b}" for b in batches] if scale is Scale.PAPER else []
    return found | {
        name: sweep("Transformer", int(name.rpartition(" ")[2]), PAPER_STEPS, seeds, n=n, objective=(0,))
        for name in adam
    }


def _whole(shapes: Sequence[str]) -> dict[str, Sweep]:
    seeds = range(PAPER_SEEDS)
    return {f"{s}, B = {b}": sweep(s, b, PAPER_STEPS, seeds) for s, b in product(shapes, BATCHES)}


def _part(shapes: Sequence[str]) -> dict[str, Sweep]:
    pairs = list(product(shapes, PART.items()))
    more = {"law": (0,), "objective": (0,)}
    return {f"{s}, B = {b}": sweep(s, b, limit(s, b), range(seeds)) for s, (b, seeds) in pairs} | {
        f"{s}, B = {b}, more": sweep(s, b, limit(s, b), range(seeds, PART_SEEDS), **more) for s, (b, seeds) in pairs
    }


def _tiny(shapes: Sequence[str], n: Sequence[int] = (10,)) -> dict[str, Sweep]:
    few = {"n": n, "k": (2,), "law": (0,), "objective": (0,), "lr": (0.1,)}
    return {f"{s}, B = 32": sweep(s, 32, 300, range(2), **few) for s in shapes if s in ("PolyNet", "r = k")}


def steps(scale: Scale, shape: str, batch: int) -> int:
    """After how many steps a run is cut."""
    return PAPER_STEPS if scale is Scale.PAPER else limit(shape, batch)


def limit(shape: str, batch: int) -> int:
    """Steps of a run on a laptop: the paper's 100 000, and 20 000 at r = 1000, while B max(r, 16) steps stay below 2 10^8."""
    width = SHAPES[shape].width
    most = PAPER_STEPS if width <= 100 else 20_000
    return min(most, 200_000_000 // (batch * max(width, 16)) // 10 * 10)


# --- from runs to settings ---------------------------------------------------------------------------------------------


def counted(e: Evidence) -> dict[str, np.ndarray]:
    """Runs, solved and diverged runs on the grid of `AXES`; "values/n" and so on list what was run along an axis."""
    runs = pl.concat([labelled(name, part.runs) for name, part in e.parts.items()])
    values = {a: _present(runs, a) for a in AXES}
    shape = tuple(len(v) for v in values.values())
    place = np.ravel_multi_index([_index(runs[a].to_numpy(), v) for a, v in values.items()], shape)
    columns = {"runs": np.ones(len(runs)), **{c: runs[c].to_numpy() for c in ("solved", "diverged", "cut")}}
    sums = {c: np.bincount(place, weights=w, minlength=int(np.prod(shape))) for c, w in columns.items()}
    return {c: s.reshape(shape).astype(np.uint8) for c, s in sums.items()} | {
        f"values/{a}": v for a, v in values.items()
    }


def labelled(name: str, runs: pl.DataFrame) -> pl.DataFrame:
    """The runs of one sweep with architecture and batch, and how each of them ended."""
    shape, _, rest = name.partition(", B = ")
    s, batch = SHAPES[shape], int(rest.split(",")[0])
    at = np.zeros(len(runs), np.int64)
    for axis, values in s.axes.items():
        at = at * len(values) + _index(runs[axis].to_numpy(), np.array(values))
    setting = np.array([IDS.index(i) for i in s.ids])[at]
    law = pl.col("law").cast(pl.Float64) if "law" in runs.columns else pl.lit(0.0).alias("law")
    numbers = [pl.col(c).cast(pl.Float64) for c in ("n", "k", "objective", "lr")]
    cut = (pl.col("outcome") == "budget") & (pl.col("t") < PAPER_STEPS)
    return runs.select(
        pl.Series("setting", setting).cast(pl.Float64), pl.lit(float(batch)).alias("batch"), *numbers, law,
        pl.col("seed").cast(pl.Int64), pl.col("t").cast(pl.Float64).alias("time"),
        (pl.col("outcome") == "solved").cast(pl.Float64).alias("solved"),
        (pl.col("outcome") == "diverged").cast(pl.Float64).alias("diverged"), cut.cast(pl.Float64).alias("cut"),
    )  # fmt: skip


def _present(runs: pl.DataFrame, axis: str) -> np.ndarray:
    return np.unique(runs[axis].to_numpy())


def _index(column: np.ndarray, values: np.ndarray) -> np.ndarray:
    order = np.argsort(values)
    return order[np.searchsorted(values[order], column)]


class Settings(NamedTuple):
    """One entry a setting that was run: its place on the first six of `AXES`, and whether it was solved or is open."""

    places: dict[str, np.ndarray]
    solved: np.ndarray
    open: np.ndarray

    def where(self, chosen: np.ndarray) -> "Settings":
        """The settings of a mask."""
        return Settings({a: p[chosen] for a, p in self.places.items()}, self.solved[chosen], self.open[chosen])


def settings(e: Evidence) -> Settings:
    """Solved: at least 20 % of the runs at some rate. Open: not solved, but some run was cut before 10^5 steps."""
    runs = e.array("runs")
    there = runs.sum(-1) > 0
    best = (e.array("solved") / np.maximum(runs, 1)).max(-1)
    solved = (best >= SHARE)[there]
    values = [e.array(f"values/{a}") for a in AXES[:-1]]
    places = {a: v[i] for a, v, i in zip(AXES, values, np.nonzero(there), strict=False)}
    return Settings(places, solved, ~solved & (e.array("cut").sum(-1) > 0)[there])


def share(s: Settings, what: str = "share of settings solved") -> Estimate:
    """Share of settings solved by 10^5 steps, between "no open one will be" and "all open ones will be", with Wilson's
    interval around both."""
    n, solved, open_ = len(s.solved), int(s.solved.sum()), int(s.open.sum())
    if n == 0:
        return absent(what)
    return Estimate(solved / n, wilson(solved, n).low, wilson(solved + open_, n).high, n, open_, what=what)


def by_value(s: Settings, axis: str) -> dict[float, Settings]:
    """The settings at every value of an axis."""
    return {float(v): s.where(s.places[axis] == v) for v in np.unique(s.places[axis])}


def robust_only(s: Settings) -> Settings:
    """The settings of architectures (i) to (xv)."""
    return s.where(s.places["setting"] < IDS.index("*i"))


def condensed(e: Evidence) -> Evidence:
    """The counts alone."""
    return replace(e, parts={}, arrays=counted(e))
