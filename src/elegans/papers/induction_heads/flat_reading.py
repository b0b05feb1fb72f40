"""What is read from the runs of `flat_runs`: phases of the loss, the nearest strategy, the pattern in v̂; and six panels of it.

τ₁ = first time with loss <= 1.1 unigram,   τ₂ = first time with loss <= (unigram + bigram) / 2      (between looks: linear)
plateau: looks before τ₂ whose loss is within 10 % of the unigram strategy's
v̂ alternates: v̂₂ > v̂₁, v̂₃ and v̂₄ > v̂₃, v̂₅, the latter by at least 10 % of the mean of v̂₃ and v̂₅
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.papers.induction_heads.fig_8_1_right import closest, in_order
from elegans.papers.induction_heads.flat_runs import BATCH, STRATEGIES, Floats, Trace, level
from elegans.stats import Estimate, median, wilson

NEAR = 0.1
SHOWN = 8  # offsets kept of v̂
CAPTION = 64_000  # examples at which figure E.7 shows the pattern
COLOUR = {"uniform": "#0072B2", "unigram": "#009E73", "bigram": "#E69F00"}  # green and orange as in the paper
MODEL, DROP = "#000000", "0.6"


# --- one run -----------------------------------------------------------------------------------------------------------


def crossing(t: np.ndarray, y: np.ndarray, to: float) -> float | None:
    """When y has fallen to a level for the first time."""
    below = np.flatnonzero(y <= to)
    if not len(below):
        return None
    i = int(below[0])
    return float(t[0]) if i == 0 else float(np.interp(to, [y[i], y[i - 1]], [t[i], t[i - 1]]))


def phases(trace: Trace, unigram: float, bigram: float) -> dict[str, float | None]:
    """τ₁ and τ₂, and the share of the looks before τ₂ (of all, if it never comes) that are on the plateau."""
    t, loss = trace["StrategyKL.t"], trace["StrategyKL.truth"].astype(np.float64)
    second = crossing(t, loss, (unigram + bigram) / 2)
    before = t < (np.inf if second is None else second)
    return {
        "first": crossing(t, loss, (1 + NEAR) * unigram), "second": second,
        "at_unigram": float(plateau(trace, unigram, bigram).sum() / max(1, before.sum())),
    }  # fmt: skip


def plateau(trace: Trace, unigram: float, bigram: float) -> np.ndarray:
    """Which looks are on the plateau."""
    t, loss = trace["StrategyKL.t"], trace["StrategyKL.truth"].astype(np.float64)
    second = crossing(t, loss, (unigram + bigram) / 2)
    return (t < (np.inf if second is None else second)) & (np.abs(loss / unigram - 1) <= NEAR)


def nearest(trace: Trace, flat: np.ndarray) -> dict[str, float]:
    """On the plateau: how often unigram is the nearest strategy, in both directions, and KL to it over KL to bigram."""
    one, other = trace["StrategyKL.unigram"][flat], trace["StrategyKL.bigram"][flat]
    backwards = np.argmin([trace[f"StrategyReverseKL.{s}"] for s in STRATEGIES], axis=0) == 1
    also = np.isin(trace["StrategyReverseKL.t"], trace["StrategyKL.t"][flat])
    return {
        "nearest": float((closest(trace)[flat] == 1).mean()) if flat.any() else 0.0,
        "nearest_reverse": float(backwards[also].mean()) if also.any() else 0.0,
        "over_bigram": float(np.median(one / other)) if flat.any() else 1.0,
    }


def alternates(v: Floats) -> np.ndarray:
    """Whether v̂ (looks, t) alternates at each look."""
    v1, v2, v3, v4, v5 = v[:, :5].T
    beside = (v3 + v5) / 2
    return (v2 > v1) & (v2 > v3) & (v4 > v3) & (v4 > v5) & (v4 - beside >= NEAR * np.abs(beside))


def unlike(by_symbol: Floats) -> Floats:
    """The largest total variation between the v̂ of two symbols, for by_symbol (looks, k, t)."""
    apart = np.abs(by_symbol[:, :, None] - by_symbol[:, None]).sum(-1) / 2
    return apart.max((1, 2))


def positions(trace: Trace, until: float | None) -> dict[str, float | bool | None]:
    """Whether v̂ alternates at some look up to `until`, at the end and at 64 000 examples; how far symbols differ."""
    t, v = trace["EffectivePositions.t"], trace["EffectivePositions.v"][:, 0].astype(np.float64)
    pattern, reached = alternates(v), t[-1] * BATCH >= CAPTION
    return {
        "alternates": bool(pattern[t <= (t[-1] if until is None else until)].any()),
        "alternates_64k": bool(pattern[np.argmin(np.abs(t * BATCH - CAPTION))]) if reached else None,
        "unlike": float(np.median(unlike(trace["EffectivePositions.by_symbol"][:, 0].astype(np.float64)))),
    }


def facts(trace: Trace, unigram: float, bigram: float) -> dict[str, Any]:
    """All that the claims need of one run."""
    found, loss = phases(trace, unigram, bigram), trace["StrategyKL.truth"]
    early = 1.0 if found["first"] is None or found["second"] is None else found["first"] / found["second"]
    return {
        **found, "early": early, "in_order": in_order(closest(trace)),
        "end": float(loss[-1]) / unigram, "lowest": float(loss.min()) / unigram,
        "end_over_unigram": float(trace["StrategyKL.bigram"][-1] / trace["StrategyKL.unigram"][-1]),
        **nearest(trace, plateau(trace, unigram, bigram)), **positions(trace, found["second"]),
    }  # fmt: skip


# --- all runs of a part ------------------------------------------------------------------------------------------------


def condensed(part: Evidence, levels: Evidence) -> Evidence:
    """One row of facts a run, fifty looks at the divergences, and the first offsets of v̂ in the first run."""
    known = level(levels, "unigram"), level(levels, "bigram")
    rows = [{"seed": i, **facts(trace, *known)} for i, trace in enumerate(part.traces)]
    thin = [thinned(trace, "StrategyKL") for trace in part.traces]
    first = thinned(part.traces[0], "EffectivePositions")
    thin[0] |= {"v": first["EffectivePositions.v"][:, 0, :SHOWN]}
    return Evidence(pl.DataFrame(rows, infer_schema_length=None), tuple(thin), meta=part.meta)


def thinned(trace: Trace, probe: str) -> dict[str, np.ndarray]:
    """About fifty looks of one probe."""
    looks = len(trace[f"{probe}.t"])
    at = np.unique(np.linspace(0, looks - 1, min(looks, 51)).round().astype(int))
    return {n: a[at] for n, a in trace.items() if n.startswith(f"{probe}.")}


def middle(part: str, name: str) -> Callable[[Evidence], Estimate]:
    """The median over seeds of a column."""
    return lambda e: median(e[part].runs[name].to_numpy())


def share(part: str, name: str) -> Callable[[Evidence], Estimate]:
    """The share of seeds that have a property."""
    return lambda e: wilson(int(e[part].runs[name].sum()), len(e[part].runs))


# --- six panels --------------------------------------------------------------------------------------------------------


def six_panels(e: Evidence) -> Any:
    """Loss, positions and divergences of the transformer (top) and of the minimal model (bottom)."""
    from elegans.claims.drawing import panels

    figure, grid = panels(2, 3, height=5.2)
    for row, (part, name) in enumerate((("transformer", "transformer"), ("minimal", "minimal model"))):
        loss, offsets, near = grid[row]
        draw_loss(loss, e[part], e["levels"])
        draw_positions(offsets, e[part])
        for s in STRATEGIES:
            banded(near, e[part], f"StrategyKL.{s}", COLOUR[s], f"to {s}")
        loss.set_ylabel(f"{name}\nKL(truth ‖ model), nats")
        near.set(ylabel="KL(model ‖ strategy), nats", ylim=(0, None))
    for ax, title in zip(
        grid[0], ("test loss", "effective positions v̂ⱼ, one seed", "nearness to strategies"), strict=True
    ):
        ax.set_title(title)
    for ax in grid[1]:
        ax.set_xlabel("sequences seen, thousands")
    for ax in grid[0]:
        ax.legend(fontsize=6.5, handlelength=1.4)
    return figure


def banded(ax: Any, part: Evidence, name: str, colour: str, label: str) -> None:
    """The median over seeds with the range of all."""
    curves = np.stack([trace[name] for trace in part.traces])
    x = part.traces[0]["StrategyKL.t"] * BATCH / 1e3
    ax.fill_between(x, curves.min(0), curves.max(0), color=colour, alpha=0.2, lw=0)
    ax.plot(x, np.median(curves, axis=0), color=colour, label=label)


def draw_loss(ax: Any, part: Evidence, levels: Evidence) -> None:
    """The loss with the lines of both strategies."""
    banded(ax, part, "StrategyKL.truth", MODEL, "model")
    for s in ("unigram", "bigram"):
        ax.axhline(level(levels, s), color=COLOUR[s], ls="--", lw=1.1, label=s)
    ax.set_ylim(0, None)


def draw_positions(ax: Any, part: Evidence) -> None:
    """v̂ of the first run; on a logarithmic axis where it is a distribution."""
    trace = part.traces[0]
    x, v = trace["StrategyKL.t"] * BATCH / 1e3, trace["v"]
    shades = {1: "#56B4E9", 2: "#D55E00", 3: "#0072B2", 4: "#E69F00", 5: "#000000", 6: "#CC79A7"}
    for j, colour in shades.items():
        ax.plot(x, v[:, j - 1], color=colour, ls="--" if j % 2 else "-", lw=1.2, label=f"j = {j}")
    if (v > 0).all():
        ax.set(yscale="log", ylim=(v.min() / 2, 1))
    if (second := part.runs["second"][0]) is not None:
        ax.axvline(second * BATCH / 1e3, color=DROP, ls=":", lw=1.2)
    ax.set_ylabel("v̂ⱼ, dashed: odd j")
