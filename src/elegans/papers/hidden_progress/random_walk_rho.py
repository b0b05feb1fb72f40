"""Section B.3.3: ρ read as a random walk. Gradients are always taken at w_0, from fresh examples.

    ρ(t) = ‖Σ_{s≤t} g_s‖_∞        drift t max|β_i|        noise level σ√(2t log 2n)        t* = 2 log(2n) σ²/β²

On random labels β = 0, and σ is the same up to β²/σ² < 1 %. The unit of time is one example: a batch of B divides t* by B.
The crossover is the time at which the local exponent d log E ρ / d log t passes 3/4, half-way between ½ and 1.
"""

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elegans.claims.claim import Claim, at_least, between, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.two_stage import signs
from elegans.stats import Estimate, absent, bootstrap, combine
from elegans.theory.activation_derivatives import sinusoid_slope, step
from elegans.theory.frozen_walk import crossover, expected_rho, first_above, local_exponents, noise_level
from elegans.theory.neuron_gradients import gradient_at_ones
from elegans.theory.sinusoid import correlation_gradient, mean_square

ROW = "random-walk-rho"
Floats = NDArray[np.float64]
SHARES = 2.0 ** np.arange(-5, 3.5, 0.5)  # of t*: from 1/32 to 8
REACH = 2  # grid points to each side of a local exponent: a factor 4 in t
AT_FOUR = int(np.argmin(np.abs(SHARES - 4)))
CHUNK = 2**14
CASES = {"ReLU 51": ("relu", 51, 2), "ReLU 101": ("relu", 101, 2), "ReLU 201": ("relu", 201, 2),
         "ReLU 401": ("relu", 401, 2), "sinusoid 50": ("sinusoid", 50, 3)}  # fmt: skip
NAMES = {"relu": "ReLU", "sinusoid": "sinusoid"}
LAPTOP = ("ReLU 51", "ReLU 101", "ReLU 201", "sinusoid 50")


def weights(neuron: str, n: int) -> Floats:
    """All weights alike: 1 for ReLU, the root mean square 1/√(3n) of U(±1/√n) for the sinusoid."""
    return np.full(n, 1.0 if neuron == "relu" else (3 * n) ** -0.5)


def moments(neuron: str, n: int, k: int) -> tuple[Floats, float]:
    """Drift β (n,) of one example, and the standard deviation σ of a step on random labels, both exact."""
    if neuron == "relu":
        return gradient_at_ones(n, k), 0.5**0.5
    w, b = pi / 2 * weights(neuron, n), pi / 2 * (1 - k)
    cosine = 1 - float(mean_square(w, b))
    return pi / 2 * correlation_gradient(w, b, range(k)), pi / 2 * cosine**0.5


def walks(neuron: str, n: int, k: int, trials: int, seed: int) -> dict[str, NDArray[Any]]:
    """ρ on the parity and, with the same inputs, on random labels, shape (trials, looks), beside what theory says."""
    slope = step if neuron == "relu" else sinusoid_slope(k)
    w = weights(neuron, n).astype(np.float32)
    β, σ = moments(neuron, n, k)
    t = np.round(SHARES * crossover(σ, float(np.abs(β).max()), n)).astype(np.int64)
    out = np.empty((2, trials, len(t)))
    for trial in range(trials):
        rng, at, done = np.random.default_rng((seed, n, k, trial)), np.zeros((2, n)), 0
        for look, end in enumerate(t):
            while done < end:
                x = signs(rng, min(CHUNK, int(end) - done), n)
                labels = np.stack([x[:, :k].prod(1), signs(rng, len(x), 1)[:, 0]])
                at += (labels * slope((x @ w).astype(np.float64)).astype(np.float32)) @ x
                done += len(x)
            out[:, trial, look] = np.abs(at).max(1)
    normal = expected_rho(t.astype(np.float64), β, np.sqrt(σ**2 - β**2))
    return {"t": t, "parity": out[0].astype(np.float16), "noise": out[1].astype(np.float16), "normal": normal,
            "level": noise_level(t, σ, n), "drift": t * np.abs(β).max()}  # fmt: skip


def crosses(rho: Floats, t: Floats) -> float:
    """The crossover of a mean curve, in units of t*."""
    return first_above(*local_exponents(t, rho, REACH), 0.75) / (t[-1] / SHARES[-1])


def measured(e: Evidence, case: str) -> Estimate:
    """Crossover over t* by resampled trials; a curve that never crosses counts at its end."""
    if case not in e.parts:
        return absent("crossover / t*")
    t = e[case].array("t").astype(np.float64)
    return bootstrap(e[case].array("parity"), lambda x: crosses(x.mean(0), t), seed=0, what="crossover / t*")


def against_normal(e: Evidence) -> Estimate:
    """Geometric mean over the cases of the measured crossover over that of independent normal coordinates."""
    share = 1 / len(e.parts)
    found = [measured(e, case).through(np.log) for case in e.parts]
    law = [np.log(crosses(p.array("normal"), p.array("t").astype(np.float64))) for p in e.parts.values()]
    total = combine([share] * len(found), found, what="measured / normal law")
    return total.through(lambda v: float(np.exp(v - np.mean(law))))


def over_cases(names: tuple[str, ...], statistic: Callable[..., float], what: str) -> Callable[[Evidence], Estimate]:
    """A number made of mean curves: statistic(part, *curves) averaged over the cases, trials (axis 2) resampled."""

    def value(e: Evidence) -> Estimate:
        parts = list(e.parts.values())
        rows = np.stack([[p.array(name) for name in names] for p in parts]).astype(np.float64)
        return bootstrap(np.moveaxis(rows, 2, 0), lambda x: float(np.mean(
            [statistic(p, *curves) for p, curves in zip(parts, x.mean(0), strict=True)])), seed=0, what=what)  # fmt: skip

    return value


def exponent(part: Evidence, rho: Floats) -> float:
    """Least squares of log ρ on log t over the whole range."""
    return float(np.polyfit(np.log(part.array("t")), np.log(rho), 1)[0])


class RandomWalk(Experiment):
    """With frozen gradients ρ leaves the square-root law of noise at the time that drift and noise level say."""

    id = ROW
    place = Place(PAPER, "section B.3.3, the ℓ∞ measure")
    claims = (
        *(
            Claim(ROW, f"{NAMES[neuron]}, ({n}, {k}): the crossover from diffusion to drift is t* up to a factor 2", of="derived",
                  expect=between(0.5, 2.0), why="specification 4.24 asks for a factor 2", value=lambda e, c=case: measured(e, c))
            for case, (neuron, n, k) in CASES.items() if case in LAPTOP
        ),
        Claim(ROW, "the crossover is that of a walk of independent normal coordinates", of="derived", expect=near(1.0, 0.1),
              why="steps of different coordinates are uncorrelated up to about 1 % of σ², and at t* more than 1000 are summed",
              value=against_normal),
        Claim(ROW, "on random labels ρ grows like √t", of="derived", expect=near(0.5, 0.02),
              why="no drift; at the shortest time, some 46 steps, the fourth moment still moves E ρ by less than 1 %, which is "
              "0.002 in an exponent over a factor 256 in t. The wrong variant takes the parity",
              value=over_cases(("noise",), exponent, "exponent"), wrong=over_cases(("parity",), exponent, "exponent")),
        Claim(ROW, "at 4 t* ρ on the parity is at least twice that on random labels", of="derived", expect=at_least(2.0),
              why="E ρ ≥ t|β| on the parity (Jensen), E ρ ≤ σ√(2t log 2n) on noise (union bound): their ratio at 4 t* is 2. The "
              "wrong variant looks at t*/4",
              value=over_cases(("parity", "noise"), lambda p, a, b: float(a[AT_FOUR] / b[AT_FOUR]), "ratio"),
              wrong=over_cases(("parity", "noise"), lambda p, a, b: float(a[AT_FOUR - 8] / b[AT_FOUR - 8]), "ratio")),
        Claim(ROW, "the noise level is σ√(2t log 2n), never more, and up to √2", of="derived", expect=between(0.5**0.5, 1.0),
              why="the union bound; a factor 2 in t* is √2 in the noise level",
              value=over_cases(("noise",), lambda p, a: float(np.mean(a / p.array("level"))), "measured / level")),
    )  # fmt: skip
    given = {"reading": "while the gradient stays that of w_0, weights are walks with drift β_i and step σ"}
    chosen = {
        "ReLU": "all-ones weights, no bias, k = 2 (section 5.4.1): β = ½ξ_1 on S and σ² = ½ are exact, t* = 2πn log(2n) nearly",
        "sinusoid": "setting (xiv) on (50, 3), the neuron of figure 5.3, at w_i = 1/√(3n), b = 0: |yf| ≤ 1, so hinge loss and "
        "correlation loss have the same gradient; weights alike, so that β and σ are closed forms without a draw of w_0",
        "crossover": "the local exponent of mean ρ, over a factor 4 in t, passes 3/4; fixed before any run. Where c√t and vt "
        "meet, the exponent of their sum is 3/4, and that of their maximum jumps across it",
        "control": "the same inputs with random labels",
    }
    remarks = (
        "Crossovers lie between 0.5 and 0.65 of t*, as walks of normal coordinates have them (0.58, 0.60, 0.62; sinusoid 0.51): "
        "√(2 log 2n) exceeds the mean maximum of n normal variables by a fifth, and k coordinates drift, one of which is "
        "early. Both effects are within the factor 2; for the sinusoid they nearly use it up, and its interval touches ½: to "
        "tell 0.51 from ½ would take some thousand trials. In steps of batch 32 its t* is 1400, while the median run of "
        "figure 5.3 (right) leaves its plateau after 760: w_t and its gradient grow together there, which frozen gradients "
        "and equal weights leave out."
    )
    shows = (
        "Left: ρ in units of the noise level at t*. Random labels (grey) follow the √t law just below the noise level "
        "(dotted); on parities ρ leaves it and joins the drift (dashed). Right: the exponent of ρ on parities and its 3/4 "
        "(crosses); lines are walks of normal coordinates."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        cases, trials = scale(LAPTOP[:1], LAPTOP, tuple(CASES)), scale(40, 200, 1000)
        return {c: Calculation(walks, neuron=s, n=n, k=k, trials=trials, seed=0)
                for c, (s, n, k) in CASES.items() if c in cases}  # fmt: skip

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=3.2)
        trials = min(len(p.array("parity")) for p in e.parts.values())
        ordered = sorted(e.parts.items(), key=lambda part: CASES[part[0]][:0:-1])
        for i, (case, p) in enumerate(ordered):
            t, unit = p.array("t").astype(np.float64), float(np.interp(0, np.log2(SHARES), p.array("level")))
            parity, noise = (p.array(name).astype(np.float64) for name in ("parity", "noise"))
            for ρ, colour in ((noise, "0.6"), (parity, f"C{i}")):
                error = 1.96 * ρ.std(0, ddof=1) / len(ρ) ** 0.5
                left.errorbar(SHARES, ρ.mean(0) / unit, error / unit, fmt="o", ms=2.5, color=colour)
            neuron, n, k = CASES[case]
            middle, slope = local_exponents(t, parity.mean(0), REACH)
            right.plot(
                middle / t[-1] * SHARES[-1], slope, "o", ms=3, color=f"C{i}", label=f"{NAMES[neuron]}, ({n}, {k})"
            )
            law = local_exponents(t, p.array("normal"), REACH)
            right.plot(law[0] / t[-1] * SHARES[-1], law[1], lw=1, color=f"C{i}")
            m = measured(e, case)
            right.errorbar(
                m.value, 0.75, xerr=[[m.value - m.low], [m.high - m.value]], fmt="x", color=f"C{i}", zorder=5
            )
        left.plot(SHARES, SHARES**0.5, ":", color="0.3", label="noise level σ√(2t log 2n)")
        left.plot(SHARES, SHARES, "--", lw=1, color="0.3", label="drift t max|β|")
        left.plot([], [], "o", ms=3, color="0.6", label=f"random labels, {trials} trials")
        left.set(xlabel="examples t / t*", ylabel="mean ρ / noise level at t*", xscale="log", yscale="log")
        right.axvspan(0.5, 2, color="0.92", label="t* up to a factor 2")
        right.set(xlabel="examples t / t*", ylabel="d log ρ / d log t on parities", xscale="log", ylim=(0.35, 1.05))
        left.legend(loc="upper left")
        right.legend(loc="upper left", fontsize=7)
        return figure
