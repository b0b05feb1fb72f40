"""Noisy parity and pure noise: labels are flipped with probability p in training, never where a run is judged."""

import jax
import jax.numpy as jnp
import numpy as np

from elegans.base import stream
from elegans.base.config import with_knobs
from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, mean, ratio
from elegans.tasks.base import Batch, Task, noiseless
from elegans.tasks.noisy_parity import NoisyParity
from elegans.tasks.random_label import RandomLabel
from elegans.theory import boolean

Arrays = dict[str, np.ndarray]
PS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.49)
DELTA = 1e-6


@jax.jit(static_argnames=("task", "m"))
def examples(task: Task, p: float, seed: int, m: int) -> Batch:
    """m examples of a task whose flip probability, if it has one, is p; one program for all p."""
    return with_knobs(task, {"p": jnp.asarray(p, jnp.float32)}).sample(stream.key(seed, stream.Purpose.DATA), m)


def noise_table(p: tuple[float, ...], n: int, m: int) -> Arrays:
    """Flip rates for each p, labels that are not χ_S where runs are judged, and the largest correlations."""
    noisy, rate, judged = NoisyParity(n, 3, 0.1), list[float](), list[float]()
    for seed, flip in enumerate(p):
        x, y, *_ = examples(noisy, flip, seed, m)
        rate.append(float((np.asarray(y) != np.asarray(x)[:, :3].prod(1)).mean()))
        x, y, *_ = examples(noiseless(noisy), flip, seed, m)
        judged.append(float((np.asarray(y) != np.asarray(x)[:, :3].prod(1)).sum()))
    controls = {"noise": (RandomLabel(n), 0.0), "half": (noisy, 0.5), "parity": (noisy, 0.0)}
    largest = {c: np.array(largest_correlation(examples(t, flip, 0, m))) for c, (t, flip) in controls.items()}
    return {"p": np.array(p), "m": np.array(m), "rate": np.array(rate), "judged": np.array(judged), **largest}


def largest_correlation(batch: Batch) -> float:
    """max over all 2^n sets of |mean of y χ_{S'}|, in units of √(2 log(2·2^n/δ)/m)."""
    x, y = np.asarray(batch.x), np.asarray(batch.y)
    m, n = x.shape
    sums = np.bincount((x < 0) @ (1 << np.arange(n)), weights=y.astype(float), minlength=2**n)
    return float(np.abs(boolean.walsh_hadamard(sums)).max() / m / np.sqrt(2 * np.log(2 * 2**n / DELTA) / m))


def deviation(e: Evidence, expected: np.ndarray) -> Estimate:
    """Largest |rate - expected| in units of 4 √(p(1-p)/m)."""
    p, m = e.array("p"), int(e.array("m"))
    return observed(e, (np.abs(e.array("rate") - expected) / (4 * np.sqrt(p * (1 - p) / m))).max(), "deviation")


def observed(e: Evidence, value: float | np.ndarray, what: str = "") -> Estimate:
    """A number seen on a sample of m."""
    return Estimate(float(value), float(value), float(value), int(e.array("m")), what=what)


def attenuation_per_epsilon(e: Evidence, per_bias: float) -> Estimate:
    """Measured E[ỹ χ_S] divided by per_bias (1/2 - p), at p = 0.1."""
    i, m = int(np.argmin(abs(e.array("p") - 0.1))), int(e.array("m"))
    right = round(m * (1 - float(e.array("rate")[i])))
    measured = mean(np.repeat((1.0, -1.0), (right, m - right)))
    return ratio(measured, Estimate(per_bias * 0.4, per_bias * 0.4, per_bias * 0.4, 0, exact=True))


class LabelNoise(Experiment):
    """Label noise shrinks correlations by 1 - 2p, and at p = 1/2 nothing is left."""

    id = "task-noisy"
    place = Place(PAPER, "section B.3.6 and figure 5.3 (right, bottom)")
    claims = (
        Claim(
            "task-noisy",
            "labels are flipped at the rate p (deviation in units of four standard errors)",
            expect=at_most(1),
            why="4 √(p(1-p)/m), for six values of p",
            value=lambda e: deviation(e, e.array("p")),
            wrong=lambda e: deviation(e, 0.5 - e.array("p")),
        ),
        Claim(
            "task-noisy",
            "flips with probability 1/2 - ε attenuate E[y χ_S] to 2ε (measured over 2ε)",
            of="corrected",
            expect=near(1, 0.02),
            why="E[ỹ χ_S] = 1 - 2p = 2ε with ε = 1/2 - p; 0.02 is over four standard errors at laptop scale",
            value=lambda e: attenuation_per_epsilon(e, 2),
            wrong=lambda e: attenuation_per_epsilon(e, 1),
        ),
        Claim(
            "task-noisy",
            "flips with probability 1/2 - ε attenuate E[y χ_S] to ε (measured over ε)",
            of="printed",
            expect=near(1, 0.02),
            why="the appendix calls 1 - 2p and 1/2 - p by the same name ε (erratum E20)",
            value=lambda e: attenuation_per_epsilon(e, 1),
            wrong=lambda e: attenuation_per_epsilon(e, 0.5),
        ),
        Claim(
            "task-noisy",
            "runs are judged on labels without noise",
            expect=at_most(0),
            why="accuracy is evaluated on the noiseless distribution; counted over m labels for each p",
            value=lambda e: e.max("judged"),
            wrong=lambda e: observed(e, e.array("rate").max() * int(e.array("m")), "flips"),
        ),
        Claim(
            "task-random-label",
            "random labels correlate with no parity (largest of 2^n correlations, in units of its bound)",
            expect=at_most(1),
            why="Hoeffding and a union bound over all sets: √(2 log(2·2^n/δ)/m) with δ = 10⁻⁶",
            value=lambda e: observed(e, e.array("noise"), "max correlation"),
            wrong=lambda e: observed(e, e.array("parity"), "max correlation"),
        ),
        Claim(
            "task-random-label",
            "noisy parity at p = 1/2 is pure noise, too",
            of="derived",
            expect=at_most(1),
            why="1 - 2p = 0; the same bound",
            value=lambda e: observed(e, e.array("half"), "max correlation"),
            wrong=lambda e: observed(e, e.array("parity"), "max correlation"),
        ),
    )
    given = {"p": "flip probabilities up to 0.49"}
    chosen = {"ε": "is not used as a name: p is the flip probability, 1/2 - p the bias, 1 - 2p the attenuation"}
    shows = "Measured correlations fall on 1 - 2p; the line 1/2 - p, the other printed meaning of ε, is half as high."
    remarks = (
        "Erratum E20: the printed form with one ε for both 1/2 - p and 1 - 2p fails by its factor of two: flips with probability "
        "1/2 - ε leave a correlation of 2ε, not ε."
    )

    def work(self, scale: Scale) -> Calculation:
        return Calculation(noise_table, p=PS, n=10, m=scale(30_000, 500_000, 2_000_000))

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        p = np.linspace(0, 0.5, 50)
        ax.plot(p, 1 - 2 * p, color="0.3", lw=1, label="1 - 2p, what holds")
        ax.plot(p, 0.5 - p, color="0.3", lw=1, ls=":", label="1/2 - p, the other printed ε")
        m = int(e.array("m"))
        ax.plot(e.array("p"), 1 - 2 * e.array("rate"), "o", ms=4, label=f"measured, {m:,} labels")
        ax.set(xlabel="flip probability p", ylabel=r"$E[\tilde y\,\chi_S]$ with noisy labels")
        ax.legend()
        return figure
