"""Lemma B.9: the error of a disjoint PolyNet, exactly and in bounds. Nothing is trained.

err = 1 - ½ [Π(p_i⁺ + p_i⁻) + Π(p_i⁺ - p_i⁻)]        p_i^± = Pr[±(|v_i| + U_i) > 0],  U_i = Σ_j ±u_ij
corrected:  ½ - ½ Π (erf(z_i/√2) + 1.12 ‖u_i‖_∞/‖u_i‖₂)  <=  err  <=  Σ exp(-z_i²/2),     z_i = |v_i|/‖u_i‖₂
"""

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory import polynet_error as net
from elegans.theory.boolean import cube

Floats = np.ndarray
ROW = "lemma-B.9"


def listed_error(v: Floats, u: Floats) -> float:
    """Share of all 2^n inputs on which sign f(x) is not the parity of the relevant coordinates."""
    k, m = u.shape
    x = cube(k * (m + 1)).reshape(-1, k, m + 1).astype(np.float64)
    f = np.prod((x * np.column_stack((v, u))).sum(axis=-1), axis=1)
    return float(np.mean(np.sign(f) != np.prod(x[:, :, 0], axis=1)))


def lattice_nets(rng: np.random.Generator, count: int) -> Iterator[tuple[Floats, Floats]]:
    """Nets with small whole weights, which often tie; Π v_i > 0 and n <= 12."""
    for _ in range(count):
        k = int(rng.integers(1, 4))
        v = rng.choice(np.array([1.0, 2.0, 3.0]), k)
        yield v, rng.integers(-2, 3, (k, int(rng.integers(1, 4)))).astype(np.float64)


def random_nets(rng: np.random.Generator, count: int) -> Iterator[tuple[Floats, Floats]]:
    """Nets with normal or ±1 irrelevant weights and relevant weights on the scale of their sums."""
    for _ in range(count):
        k, m = int(rng.integers(2, 5)), int(rng.integers(2, 11))
        u = rng.standard_normal((k, m)) if rng.random() < 0.5 else np.ones((k, m))
        yield 3 * sqrt(m) * rng.random() * np.abs(rng.standard_normal(k)), u


def enumerated(count: int, seed: int) -> dict[str, Floats]:
    """The formula against enumeration, with ties counted and with ties forgotten."""
    nets = list(lattice_nets(np.random.default_rng(seed), count))
    truth = np.array([listed_error(v, u) for v, u in nets])
    formula = np.array([net.error(v, u) for v, u in nets])
    forgotten = np.array([net.error_tie_free(v, u) for v, u in nets])
    return {"error": abs(formula - truth), "without_ties": abs(forgotten - truth)}


def bernoulli_parity(seed: int) -> dict[str, Floats]:
    """Pr[an odd number of k events] by enumeration, against ½ - ½ Π(1 - 2p_i), and with p_i for 2p_i."""
    rng, error, wrong = np.random.default_rng(seed), [], []
    for k in range(1, 9):
        p, points = rng.random(k), cube(k)
        mass = np.where(points < 0, p, 1 - p).prod(axis=1)
        odd = float(mass[points.prod(axis=1) < 0].sum())
        error.append(abs(odd - (0.5 - 0.5 * np.prod(1 - 2 * p))))
        wrong.append(abs(odd - (0.5 - 0.5 * np.prod(1 - p))))
    return {"error": np.array(error), "without_two": np.array(wrong)}


def bounded(count: int, seed: int) -> dict[str, Floats]:
    """Error and bounds of random nets, corrected and printed, and with signs of weights that drown all others."""
    rows = []
    for v, u in random_nets(np.random.default_rng(seed), count):
        dominant = bool(np.all(np.abs(v) > np.abs(u).sum(axis=1)))
        rows.append((net.error(v, u), *net.error_bounds(v, u), *net.error_bounds_printed(v, u), dominant))
    names = ("error", "lower", "upper", "lower_printed", "upper_printed", "dominant")
    return dict(zip(names, np.array(rows, dtype=np.float32).T, strict=True))


def curve(k: int, n_prime: int) -> dict[str, Floats]:
    """Error and bounds of ±1 weights as the relevant weights v grow; between lattice points."""
    v = np.arange(0.5, 5 * sqrt(n_prime), 4.0)
    u = np.ones((k, n_prime - 1))
    error = np.array([net.error_tie_free(np.full(k, a), u) for a in v])
    bounds = np.array([(*net.error_bounds(np.full(k, a), u), *net.error_bounds_printed(np.full(k, a), u)) for a in v])
    return {"v": v, "error": error, "bounds": bounds.T}


def excess(below: str, above: str) -> Callable[[Evidence], Estimate]:
    """How far the array `below` exceeds the array `above` at most."""

    def value(e: Evidence) -> Estimate:
        part = e["bounded"]
        return exact(float(np.max(part.array(below) - part.array(above))), f"{below} - {above}")

    return value


def zero_mismatch(e: Evidence, threshold: float = 0.0) -> Estimate:
    """Number of nets for which "error 0" and "every relevant weight drowns its block" disagree."""
    part = e["bounded"]
    return exact(
        float(np.sum((part.array("error") <= threshold) != part.array("dominant").astype(bool))), "disagreements"
    )


class PolyNetError(Experiment):
    """The error of a disjoint PolyNet is a product over its blocks."""

    id = ROW
    place = Place(PAPER, "lemma B.9")
    claims = (
        Claim(ROW, "the exact error, ties counted as errors, agrees with enumeration", of="derived", expect=at_most(1e-12),
              why="an identity in double precision; the wrong variant forgets ties",
              value=lambda e: e["enumerated"].max("error"), wrong=lambda e: e["enumerated"].max("without_ties")),
        Claim(ROW, "Pr[an odd number of independent events] = ½ - ½ Π(1 - 2p_i)", expect=at_most(1e-12),
              why="the proof's identity, k = 1 to 8", value=lambda e: e["parity"].max("error"),
              wrong=lambda e: e["parity"].max("without_two")),
        Claim(ROW, "the error is 0 exactly when |v_i| > ‖u_i‖₁ in every block", of="derived", expect=at_most(0.0),
              why="then no sum of the others can turn a sign", value=zero_mismatch,
              wrong=lambda e: zero_mismatch(e, 0.1)),
        Claim(ROW, "lower bound with 1.12 ‖u‖_∞/‖u‖₂", of="corrected", expect=at_most(1e-12),
              why="Berry-Esseen, 0.56 at both ends of an interval", value=excess("lower", "error"),
              wrong=excess("lower_printed", "error")),
        Claim(ROW, "upper bound Σ exp(-v²/(2‖u‖²))", of="corrected", expect=at_most(1e-12),
              why="Hoeffding's inequality on one side of each block", value=excess("error", "upper"),
              wrong=excess("error", "upper_printed")),
        Claim(ROW, "lower bound with 0.56 ‖u‖_∞/‖u‖₂³, as printed", expect=at_most(1e-12),
              why="no net may lie below it", value=excess("lower_printed", "error")),
        Claim(ROW, "upper bound 2 Σ exp(-v²/‖u‖²), as printed", expect=at_most(1e-12),
              why="no net may lie above it", value=excess("error", "upper_printed")),
    )  # fmt: skip
    chosen = {"nets": "random, half of them with ±1 weights, k = 2 to 4, blocks of 3 to 11; c = 0.56 (Berry-Esseen)"}
    remarks = (
        "Both printed bounds are violated (erratum E17). The error term of the normal law is ‖u‖_∞/‖u‖₂, not over the "
        "cube, which is not even free of units; and Hoeffding's exponent is v²/(2‖u‖²)."
    )
    shows = "The exact error (black) lies between the corrected bounds and crosses the printed upper one."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "enumerated": Calculation(enumerated, count=scale(40, 200, 200), seed=0),
            "parity": Calculation(bernoulli_parity, seed=0),
            "bounded": Calculation(bounded, count=scale(300, 2000, 2000), seed=1),
            "curve": Calculation(curve, k=2, n_prime=1001),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (row,) = panels(1, 2, height=2.8)
        part = e["curve"]
        lower, upper, _, upper_printed = part.array("bounds")
        row[0].plot(part.array("v"), part.array("error"), color="k", label="exact error")
        row[0].plot(part.array("v"), upper, "--", label="upper bound, corrected")
        row[0].plot(part.array("v"), upper_printed, ":", color="C1", label="upper bound, printed")
        row[0].plot(part.array("v"), np.maximum(lower, 1e-9), "-.", color="C2", label="lower bound, corrected")
        row[0].set(
            xlabel="relevant weight v",
            ylabel="error",
            yscale="log",
            ylim=(1e-4, 3),
            title="±1 weights, k = 2, n' = 1001",
        )
        row[0].legend(fontsize=7)
        nets = e["bounded"]
        for name, colour in (("corrected", "C0"), ("printed", "C1")):
            suffix = "" if name == "corrected" else "_printed"
            over = nets.array(f"lower{suffix}") - nets.array("error")
            row[1].plot(
                nets.array("error"), over, ".", ms=2, color=colour, label=f"{name}: {np.sum(over > 1e-12)} violated"
            )
        row[1].axhline(0, color="k", lw=0.8)
        row[1].set(
            xlabel="exact error", ylabel="lower bound - error", ylim=(-0.5, 0.35), title=f"{over.size} random nets"
        )
        row[1].legend(fontsize=7, loc="upper left", ncols=2)
        return figure
