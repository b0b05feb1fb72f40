"""A small paper with an experiment of every kind; it lives in the tests, so nothing discovers it."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import polars as pl

from elegans.claims.claim import Claim, at_least, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Paper, Place, Row
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.stats import exact, median, wilson

ROWS = (
    Row("eq-1", "squares are sums of odd numbers", "A"),
    Row("fig-1", "the network learns", "B"),
    Row("fig-2", "attention over training", "B"),
    Row("remark", "implications", "D", why_not="interpretation"),
)
PAPER = Paper("toy-paper", "A Toy Paper", "Nobody, 1900", ROWS)
META: dict[str, Any] = {
    "scale": "laptop", "date": "2026-01-02", "version": "0.0.0", "fingerprint": "f00d",
    "machine": {"jax": "0.10", "backend": "cpu", "arch": "x86_64", "simd": "avx2"},
    "cost": {"seconds": 65.0, "steps": 120_000, "runs": 12},
}  # fmt: skip


def squares(n: int) -> Mapping[str, Any]:
    """The sum of the first odd numbers against the square, and against a wrong formula."""
    k = np.arange(1, n + 1)
    total = np.cumsum(2 * k - 1)
    return {"k": k, "total": total, "error": np.abs(total - k**2), "wrong": np.abs(total - k * (k + 1))}


class Squares(Experiment):
    """Squares are sums of odd numbers."""

    id = "eq-1"
    place = Place(PAPER, "equation (1)")
    claims = (
        Claim("eq-1", "1 + 3 + ... + (2k-1) = k²", lambda e: e.max("error"), at_most(1e-9), "an identity",
              wrong=lambda e: e.max("wrong")),
        Claim("eq-1", "the printed k(k+1) < 5", lambda e: e.max("wrong"), at_most(4), "as printed"),
    )  # fmt: skip
    given: ClassVar[dict[str, str]] = {"k": "1 to n"}
    chosen: ClassVar[dict[str, str]] = {"n": "8, enough to see <it>"}
    shows = "A parabola."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(squares, n=scale(4, 8, 16))

    def figure(self, e: Evidence) -> Any:
        from matplotlib.figure import Figure

        figure = Figure()
        figure.subplots().plot(e.array("k"), e.array("total"))
        return figure


def runs() -> pl.DataFrame:
    """Twelve runs, of which two never learned."""
    t = [100, 120, 90, 130, 150, 110, 95, 105, 140, 125, 1000, 1000]
    return pl.DataFrame({"seed": list(range(12)), "t": t, "solved": [*t[:10], None, None]})


def evidence() -> Evidence:
    """What the runs left behind."""
    traces = tuple({"Accuracy.t": np.arange(4), "Accuracy.accuracy": np.linspace(0.5, 1, 4)} for _ in range(12))
    return Evidence(runs(), traces, attention(), meta=META)


def attention(times: int = 12, t: int = 15) -> dict[str, np.ndarray]:
    """Two layers that go from uniform attention to an induction head."""
    from elegans.atlas.motion import after_same

    tokens = np.random.default_rng(0).integers(0, 3, t)
    tokens[-1] = 2
    causal = np.tri(t)
    uniform = causal / causal.sum(axis=1, keepdims=True)
    previous = np.eye(t, k=-1)
    previous[0, 0] = 1.0
    after = after_same([str(x) for x in tokens]).astype(float) + 1e-9 * causal
    after /= after.sum(axis=1, keepdims=True)
    share = (1 / (1 + np.exp(-np.linspace(-6, 6, times))))[:, None, None]
    return {
        "tokens": tokens,
        "times": np.linspace(0, 2000, times).round(),
        "layer1": (1 - 0.8 * share) * uniform + 0.8 * share * previous,
        "layer2": (1 - 0.9 * share**3) * uniform + 0.9 * share**3 * after,
    }


class Learns(Experiment):
    """The network learns in most runs."""

    id = "fig-1"
    place = Place(PAPER, "figure 1")
    claims = (
        Claim("fig-1", "at least half of the runs learn", lambda e: wilson(10, 12), at_least(0.5), "the figure"),
        Claim("fig-1", "the median time is 115", lambda e: median(e.runs["t"]), near(115, 2), "stated", of="derived"),
        Claim("fig-1", "never more than 3 in 4", lambda e: wilson(10, 12), at_most(0.4), "stated", of="printed"),
        Claim("fig-2", "this cannot be computed", lambda e: exact(float("nan")), at_least(0), "broken on purpose"),
    )
    given: ClassVar[dict[str, str]] = {"task": "toy", "batch": "32"}
    chosen: ClassVar[dict[str, str]] = {"seeds": "12, for the interval"}
    shows = "Times spread over a factor of two, and two runs never learn."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(squares, n=4)

    def motion(self, e: Evidence) -> dict[str, Any]:
        return {
            "kind": "attention", "tokens": e.array("tokens").tolist(), "times": e.array("times").tolist(),
            "layers": [e.array("layer1"), e.array("layer2")], "caption": "An induction head forms.",
        }  # fmt: skip
