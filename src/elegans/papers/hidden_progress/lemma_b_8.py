"""Lemma B.8: how long the gradient flow of a disjoint PolyNet takes, exactly and in bounds. Nothing is trained.

v̇_i = Π_{j≠i} v_j        q = v_i² - v_i(0)²        v̄_a, v̄_g: arithmetic and geometric mean of the v_i(0)²
T_i(b) >= (v̄_a^(1-k/2) - (v̄_a + q)^(1-k/2)) / (k-2)        T_i(∞) - T_i(b) <= (v̄_g + q)^(1-k/2) / (k-2)
"""

from collections.abc import Callable
from math import exp, sqrt

import numpy as np
from scipy.integrate import solve_ivp

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory import polynet_flow as flow

Floats = np.ndarray
ROW = "lemma-B.8"
ROUNDING = 1e-9


def excess(smaller: float, larger: float) -> float:
    """How far `smaller` exceeds `larger`, relative to the latter; at most 0 if the bound holds."""
    return smaller / larger - 1


def means_exchanged(v: Floats, q: float) -> tuple[float, float]:
    """The two bounds of the lemma with v̄_a and v̄_g exchanged, which is wrong."""
    a, g = float(np.mean(v**2)), float(np.exp(np.mean(np.log(v**2))))
    return flow.equal_time(v.size, sqrt(g + q), sqrt(g)), flow.equal_time(v.size, np.inf, sqrt(a + q))


def bounds_table(k: tuple[int, ...], starts: int, seed: int) -> dict[str, Floats]:
    """Excess of every bound over random starts; `starts` starts for each k > 2."""
    rng, rows = np.random.default_rng(seed), []
    for degree in k:
        for v, q in zip(np.abs(rng.standard_normal((starts, degree))), rng.exponential(3, starts), strict=True):
            t, total = float(flow.flow_time(v, q)), float(flow.blow_up_time(v))
            lower, upper = flow.growth_bounds(v, t)
            lower_wrong, left_wrong = means_exchanged(v, q)
            time = max(excess(flow.time_lower_bound(v, q), t), excess(total - t, flow.time_left_bound(v, q)))
            wrong = max(excess(lower_wrong, t), excess(total - t, left_wrong))
            growth = max(excess(lower, q), excess(q, upper))
            growth_wrong = max(excess(upper, q), excess(q, lower))
            blow = excess(total, flow.time_left_bound(v, 0.0)), excess(total, flow.blow_up_bound_printed(v))
            rows.append((degree, time, wrong, growth, growth_wrong, *blow, total))
    names = ("k", "time", "time_wrong", "growth", "growth_wrong", "blow_up", "blow_up_printed", "total")
    return dict(zip(names, np.array(rows, dtype=np.float32).T, strict=True))


def integrated(k: tuple[int, ...], seed: int) -> dict[str, Floats]:
    """An ODE solver against the quadrature t(q), and against the closed form of a ±1 start of negative product."""
    rng, error, forgotten, saddle, saddle_wrong = np.random.default_rng(seed), [], [], [], []
    for degree in k:
        v = np.abs(rng.standard_normal(degree)) + 0.2
        t = float(flow.flow_time(v, 3.0))
        for out, end in ((error, t), (forgotten, 2 * t)):
            w = solved(v, min(end, 0.99 * float(flow.blow_up_time(v))))
            out.append(float(np.abs(w**2 - v**2 - 3).max()))
        start = np.append(-np.ones(1), np.ones(degree - 1))
        size = np.abs(solved(start, 5.0))
        saddle.append(float(np.abs(size - (1 + (degree - 2) * 5.0) ** (-1 / (degree - 2))).max()))
        saddle_wrong.append(float(np.abs(size - exp(-5.0)).max()))
    return {"error": np.array(error), "without_half": np.array(forgotten), "saddle": np.array(saddle),
            "saddle_exponential": np.array(saddle_wrong)}  # fmt: skip


def solved(v: Floats, t: float) -> Floats:
    """Weights at time t by an eighth-order Runge-Kutta method."""
    path = solve_ivp(lambda _, w: velocity(w), (0, t), v, method="DOP853", rtol=1e-12, atol=1e-14)
    return path.y[:, -1]


def velocity(v: Floats) -> Floats:
    """Π_{j≠i} v_j. Shape (k,)."""
    return np.where(np.eye(v.size, dtype=bool), 1.0, v).prod(axis=1)


def descent(steps: tuple[int, ...], k: int) -> dict[str, Floats]:
    """Error at half the blow-up time of gradient descent, and of a second-order method, with ever smaller steps."""
    t = 0.5 / (k - 2)
    target = flow.equal_weight(k, t)
    first = [abs(integrate(k, t, m, second=False) - target) for m in steps]
    second = [abs(integrate(k, t, m, second=True) - target) for m in steps]
    return {"h": t / np.array(steps), "descent": np.array(first), "midpoint": np.array(second)}


def integrate(k: int, t: float, steps: int, second: bool) -> float:
    """The common weight from an all-ones start after `steps` steps of Euler's method (or of the midpoint rule)."""
    v, h = 1.0, t / steps
    for _ in range(steps):
        v += h * (v + h / 2 * v ** (k - 1) if second else v) ** (k - 1)
    return v


def order(name: str) -> Callable[[Evidence], Estimate]:
    """Slope of log error in log h."""
    return lambda e: exact(
        float(np.polyfit(np.log(e["descent"].array("h")), np.log(e["descent"].array(name)), 1)[0]), "order in h"
    )


class FlowTimes(Experiment):
    """The time of the gradient flow lies between that of two equal starts."""

    id = ROW
    place = Place(PAPER, "lemma B.8")
    claims = (
        Claim(ROW, "the bounds on T(b) and on T(∞) - T(b) hold for random starts, k = 3 to 6",
              expect=at_most(ROUNDING), why="a lemma: no start may exceed a bound by more than rounding",
              value=lambda e: e["bounds"].max("time"), wrong=lambda e: e["bounds"].max("time_wrong")),
        Claim(ROW, "(B.8): the growth q(t) lies between those of equal starts with means v̄_g and v̄_a",
              expect=at_most(ROUNDING), why="as above; the wrong variant exchanges the two sides",
              value=lambda e: e["bounds"].max("growth"), wrong=lambda e: e["bounds"].max("growth_wrong")),
        Claim(ROW, "blow-up no later than v̄_g^(1-k/2)/(k-2)", of="corrected", expect=at_most(ROUNDING),
              why="the time-left bound at q = 0; the second printed form", value=lambda e: e["bounds"].max("blow_up"),
              wrong=lambda e: e["bounds"].max("blow_up_printed")),
        Claim(ROW, "blow-up no later than v̄_g^(k/2-1)/(k-2), the first printed form", expect=at_most(ROUNDING),
              why="as printed, with the exponent's sign slipped (erratum E15)",
              value=lambda e: e["bounds"].max("blow_up_printed")),
        Claim(ROW, "the quadrature t(q) agrees with an ODE solver", of="derived", expect=at_most(1e-6),
              why="specification 4.16; the wrong variant forgets the factor ½ of t(q)",
              value=lambda e: e["integrated"].max("error"), wrong=lambda e: e["integrated"].max("without_half")),
        Claim(ROW, "±1 starts of negative product approach 0 like (1+(k-2)t)^(-1/(k-2)) and never learn", of="derived",
              expect=at_most(1e-6), why="all squares shrink alike; the wrong variant expects an exponential",
              value=lambda e: e["integrated"].max("saddle"), wrong=lambda e: e["integrated"].max("saddle_exponential")),
        Claim(ROW, "gradient descent with step h is within O(h) of the flow", of="derived", expect=near(1.0, 0.05),
              why="Euler's method is of first order; a second-order method must not pass",
              value=order("descent"), wrong=order("midpoint")),
    )  # fmt: skip
    chosen = {
        "starts": "300 a degree, |N(0,1)|, growth q exponential with mean 3 (spec: 300 random starts)",
        "steps": "50 to 1600 to half of the blow-up time, k = 4",
    }
    remarks = "Erratum E15: the first printed form of the blow-up bound has a wrong sign in its exponent; the second form holds."
    shows = "Blow-up times stay below the corrected bound and cross the printed one."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "bounds": Calculation(bounds_table, k=(3, 4, 5, 6), starts=scale(30, 300, 300), seed=0),
            "integrated": Calculation(integrated, k=(3, 4, 5), seed=1),
            "descent": Calculation(descent, steps=(50, 100, 200, 400, 800, 1600), k=4),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (row,) = panels(1, 2, height=2.8)
        part = e["bounds"]
        for k in np.unique(part.array("k")):
            here = part.array("k") == k
            total = part.array("total")[here]
            row[0].plot(total, total / (1 + part.array("blow_up")[here]), ".", ms=3, label=f"k = {k:.0f}")
        total = np.sort(part.array("total"))
        row[0].plot(total, total, color="0.3", lw=1, label="bound = time")
        here = part.array("k") == 4
        row[0].plot(part.array("total")[here], (part.array("total") / (1 + part.array("blow_up_printed")))[here], "x", ms=3,
                    color="0.6", label="printed, k = 4")  # fmt: skip
        row[0].set(xlabel="blow-up time T(∞)", ylabel="bound on T(∞)", xscale="log", yscale="log")
        row[0].set_title(f"{here.sum()} random starts a degree", fontsize=8)
        row[0].set_ylim(top=3e5)
        row[0].legend(fontsize=7, ncols=2, loc="upper center")
        h = e["descent"].array("h")
        row[1].plot(h, e["descent"].array("descent"), "o-", ms=3, label="gradient descent")
        row[1].plot(h, e["descent"].array("descent")[0] * h / h[0], "--", color="0.5", label="slope 1")
        row[1].set(xlabel="step size h", ylabel="distance from the flow", xscale="log", yscale="log")
        row[1].minorticks_off()
        row[1].set_yticks([1e-4, 1e-3, 1e-2])
        row[1].set_xticks([1e-4, 1e-3, 1e-2])
        row[1].legend(fontsize=7)
        return figure
