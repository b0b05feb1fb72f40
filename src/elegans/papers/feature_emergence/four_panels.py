"""What figures D.2, D.3 and 7.6 share: networks trained on a symmetric group, watched and held against the exact optimum.

    h(θ)/‖θ‖³ ≤ γ*,        share of R in ‖θ‖³ = Σ_i 1[R_i = R] ‖ω_i‖³ / Σ_i ‖ω_i‖³

where R_i is the irrep in which u_i has most power. Neurons are counted if ‖ω_i‖ is over a hundredth of the largest.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.papers.feature_emergence.estimates import each
from elegans.probes.balance import Balance
from elegans.probes.base import Probe
from elegans.probes.margins import Margin
from elegans.probes.rank_one import RankOne
from elegans.probes.representations import RepresentationPower
from elegans.probes.stationarity import Stationarity
from elegans.stats import Estimate
from elegans.tasks.composition import Alphabet
from elegans.theory.character_tables import character_table
from elegans.theory.margin_optima import exact_margin
from elegans.theory.regularised_optimum import regularised_optimum
from elegans.theory.representations import irreps

Trace = Mapping[str, np.ndarray]
ALIVE = 0.01  # of the largest norm


def watched(strength: float, often: int, rarely: int) -> tuple[Probe, ...]:
    """Margins at a fine cadence, neurons one by one at a coarse one."""
    return (
        Margin(every=often),
        RepresentationPower(every=rarely),
        RankOne(every=rarely),
        Balance(every=rarely),
        Stationarity(every=rarely, strength=strength),
    )


def predictions(group: Alphabet, strength: float) -> dict[str, np.ndarray]:
    """γ* and the exact minimiser of the regularised loss (the programme F2), for the irreps R ≠ 1."""
    reps = irreps(group.group())
    table = character_table(reps)
    best, other = regularised_optimum(table, strength), regularised_optimum(table, 2 * strength)
    return {
        "objective_at_2λ": np.array(other.loss),
        "strength": np.array(strength), "gamma": np.array(exact_margin(table).gamma), "objective": np.array(best.loss),
        "loss": np.array(best.cross_entropy), "norm": np.array(best.norm_cubed), "normalised": np.array(best.normalised_margin),
        "shares": np.asarray(best.shares)[1:], "dims": np.array([rep.dimension for rep in reps[1:]]),
        "labels": np.array([rep.label for rep in reps[1:]]),
    }  # fmt: skip


# --- what is kept of the traces -----------------------------------------------------------------------------------------


def summary(part: Evidence, strength: float) -> Evidence:
    """One row a run with what it ends at; its curves, and its neurons at both ends."""
    rows = [_ends(trace, strength) for trace in part.traces]
    arrays = {name: np.array([_shares(trace)[name] for trace in part.traces]) for name in ("mass", "count", "start")}
    return Evidence(pl.DataFrame(rows), tuple(_kept(trace) for trace in part.traces), arrays)


def alive(trace: Trace, when: int = -1) -> np.ndarray:
    """Which neurons have weights worth the name."""
    norm = trace["Balance.norm"][when]
    return norm > ALIVE * norm.max()


def _ends(trace: Trace, strength: float) -> dict[str, float]:
    margin, loss, norm = (trace[f"Margin.{name}"] for name in ("normalised", "loss", "norm"))
    power = trace["RepresentationPower.share"][-1].max(1)[alive(trace)]
    found = {
        "loss": loss[-1], "normalised": margin[-1], "norm": norm[-1], "objective": loss[-1] + strength * norm[-1],
        "least": (loss + strength * norm).min(),
        "best": margin.max(), "worst": margin.min(), "half_way": margin[len(margin) // 2],
        "accuracy": trace["Margin.accuracy"][-1], "spread": trace["Margin.spread"][-1],
        "purity": trace["RepresentationPower.purity"][-1], "low_power": np.quantile(power, 0.05), "power": np.median(power),
        "power_at_start": np.median(trace["RepresentationPower.share"][0].max(1)),
        "match": trace["RankOne.mean"][-1], "match_at_start": trace["RankOne.mean"][0],
        "low_share": np.quantile(trace["RankOne.share"][-1].min(1)[alive(trace)], 0.05),
        "least_share": trace["RankOne.least_share"][-1], "least_share_at_start": trace["RankOne.least_share"][0],
        "least_match": trace["RankOne.least_match"][-1], "violation": trace["Stationarity.mean"][-1],
        "total": trace["Stationarity.total"][-1],
        "balance": trace["Balance.mean"][-1], "balance_at_start": trace["Balance.mean"][0],
    }  # fmt: skip
    return {name: float(value) for name, value in found.items()}


def _shares(trace: Trace) -> dict[str, np.ndarray]:
    """By irrep: share of ‖θ‖³ and of living neurons at the end, and mean share of a neuron's power at the start."""
    power = trace["RepresentationPower.share"]
    home = np.bincount(power[-1].argmax(1)[alive(trace)], minlength=power.shape[2])
    return {"mass": masses(trace)[-1], "count": home, "start": power[0].mean(0)}


def masses(trace: Trace) -> np.ndarray:
    """Share of each irrep in ‖θ‖³ at every look, (T, R)."""
    mass = trace["RepresentationPower.mass"]
    return mass / mass.sum(1, keepdims=True)


def _kept(trace: Trace) -> dict[str, np.ndarray]:
    power, lives = trace["RepresentationPower.share"], alive(trace)
    accuracy, looks = trace["Margin.accuracy"], trace["RepresentationPower.t"]
    return {
        "Margin.t": trace["Margin.t"], "Margin.normalised": trace["Margin.normalised"].astype(np.float32),
        "Margin.accuracy": accuracy.astype(np.float32), "RepresentationPower.t": looks,
        "RepresentationPower.shares": masses(trace).astype(np.float32),
        "RepresentationPower.first": power[0].max(1).astype(np.float16),
        "RepresentationPower.last": power[-1].max(1)[lives].astype(np.float16),
        "RankOne.match": trace["RankOne.match"][-1][lives].astype(np.float16),
    }  # fmt: skip


# --- estimates ----------------------------------------------------------------------------------------------------------


def column(e: Evidence, name: str, unit: str = "", part: str = "trained") -> np.ndarray:
    """What the runs of a part end at, as multiples of the prediction `unit`."""
    values = e[part].runs[name].to_numpy()
    return values / float(e["theory"].array(unit)) if unit else values


def every_run(name: str, unit: str = "") -> Callable[[Evidence], Estimate]:
    """A final value in each trained run."""
    return lambda e: each(column(e, name, unit), name.replace("_", " "))


def excess(e: Evidence) -> np.ndarray:
    """How far each run's regularised loss ends above the exact minimum, as a share of that."""
    return column(e, "objective", "objective") - 1


def rise(e: Evidence) -> np.ndarray:
    """How much each run's margin rises in the second half of the steps, over γ*."""
    return column(e, "normalised", "gamma") - column(e, "half_way", "gamma")


def highest(*parts: str, factor: float = 1.0) -> Callable[[Evidence], Estimate]:
    """The largest normalised margin at any checkpoint of each run over γ*; `factor` 2 is that of doubled logits."""
    return lambda e: each(
        np.concatenate([factor * column(e, "best", "gamma", part) for part in parts]), "largest margin / γ*"
    )


def above(unit: str) -> Callable[[Evidence], Estimate]:
    """The least regularised loss at any checkpoint of each run over the prediction `unit`, less one."""
    return lambda e: each(column(e, "least", unit) - 1, "least L_λ / exact minimum - 1")


def over_square(e: Evidence) -> Estimate:
    """The largest final margin wrongly divided by ‖θ‖² in place of ‖θ‖³, over γ*."""
    return each(column(e, "normalised", "gamma") * np.cbrt(column(e, "norm")), "h/‖θ‖² over γ*")


def distance(e: Evidence) -> np.ndarray:
    """The largest difference between the shares of ‖θ‖³ and those of the exact optimum, of each run."""
    return np.abs(e["trained"].array("mass") - e["theory"].array("shares")).max(1)


def order_of_counts(e: Evidence) -> Estimate:
    """The smallest ratio of numbers of neurons between irreps of one dimension and those of the next smaller one (none
    counts as one), in each run."""
    dims, count = e["theory"].array("dims"), e["trained"].array("count")
    means = np.stack([count[:, dims == d].mean(1) for d in np.unique(dims)], 1)
    return each((means[:, 1:] / np.maximum(means[:, :-1], 1)).min(1), "smallest ratio")


def start_error(e: Evidence) -> Estimate:
    """Largest distance over irreps of the mean share of power at the start, of all neurons of all runs, from d²/(|G|-1)."""
    d, start = e["theory"].array("dims"), e["trained"].array("start")
    value = float(np.abs(start.mean(0) - d**2 / (d**2).sum()).max())
    return Estimate(value, value, value, len(start), what="largest difference")


# --- panels -------------------------------------------------------------------------------------------------------------


def margin_panel(ax: Any, e: Evidence) -> None:
    """Normalised margins over γ* against steps, one line a run."""
    gamma, at_lambda = (float(e["theory"].array(name)) for name in ("gamma", "normalised"))
    for i, trace in enumerate(e["trained"].traces):
        label = "trained, one line a seed" if i == 0 else None
        ax.plot(trace["Margin.t"], trace["Margin.normalised"] / gamma, lw=1, color="C0", alpha=0.8, label=label)
    for trace in e["constructed"].traces if "constructed" in e.parts else ():
        ax.plot(trace["Margin.t"], trace["Margin.normalised"] / gamma, color="C3", label="from construction K4")
    ax.axhline(1, ls="--", lw=1, color="0.2", label="γ*: no network is above")
    ax.axhline(at_lambda / gamma, ls=":", lw=1.4, color="C1", label=f"exact optimum at λ: {at_lambda / gamma:.3f} γ*")
    ax.set(xlabel="step", ylabel="normalised margin / γ*", ylim=(-0.1, 1.08), title="(a) margin")
    ax.legend(loc="best")


def share_panel(ax: Any, e: Evidence) -> None:
    """For each irrep: number and share of the living neurons, share of ‖θ‖³, and the share in the exact optimum."""
    theory, part = e["theory"], e["trained"]
    dims, labels, count = theory.array("dims"), theory.array("labels"), part.array("count")
    order = np.argsort(dims, kind="stable")
    x = np.arange(len(order))
    share = (count / count.sum(1, keepdims=True))[:, order]
    _bars(ax, x - 0.2, share, 0.38, color="0.7", label="of neurons (their number)")
    _bars(ax, x + 0.2, part.array("mass")[:, order], 0.38, color="C0", label="of ‖θ‖³")
    ax.plot(x + 0.2, theory.array("shares")[order], "_", ms=15, mew=2, color="C1", label="of ‖θ‖³, exact optimum")
    for i, k in enumerate(order):
        ax.text(i - 0.2, share[:, i].max(), f"{count[:, k].mean():.0f}", ha="center", va="bottom", fontsize=7)
    ax.set_xticks(x, [_named(int(dims[k]), str(labels[k])) for k in order], fontsize=7)
    top = max(share.max(), part.array("mass").max(), theory.array("shares").max())
    ax.set(
        ylabel="share (range over seeds)",
        ylim=(0, 1.5 * top),
        yticks=np.arange(0, top + 0.1, 0.2 if top > 0.5 else 0.1),
        title="(b) neurons and mass of each irrep",
    )
    ax.legend(loc="upper left")


def _named(dimension: int, label: str) -> str:
    """The dimension, and the partition where that is what an irrep is called by."""
    return f"{dimension}-dim." + (f"\n{label.replace(' ', '')}" if label.startswith("(") else "")


def _bars(ax: Any, x: np.ndarray, values: np.ndarray, width: float, **style: Any) -> None:
    """Means over runs (rows), with whiskers from the smallest to the largest."""
    middle = values.mean(0)
    reach = np.stack([middle - values.min(0), values.max(0) - middle])
    reach[:, (reach == 0).all(0)] = np.nan
    ax.bar(x, middle, width, yerr=reach, error_kw={"lw": 0.9, "ecolor": "0.2"}, **style)


def power_panel(ax: Any, e: Evidence, name: str, title: str) -> None:
    """Histogram of each neuron's largest share of power, mean and range over runs."""
    bins = np.linspace(0, 1, 26)
    counts = np.array([np.histogram(trace[f"RepresentationPower.{name}"], bins)[0] for trace in e["trained"].traces])
    _bars(ax, (bins[1:] + bins[:-1]) / 2, counts, 0.04, color="C2")
    ax.set(xlabel="largest share of a neuron's power in one irrep", ylabel="neurons", xlim=(0, 1.02), title=title)


def four_panels(e: Evidence) -> object:
    """The paper's four panels."""
    from elegans.claims.drawing import panels

    figure, grid = panels(2, 2, height=5.4)
    margin_panel(grid[0, 0], e)
    share_panel(grid[0, 1], e)
    power_panel(grid[1, 0], e, "first", "(c) power at the start")
    power_panel(grid[1, 1], e, "last", "(d) power at the end")
    return figure
