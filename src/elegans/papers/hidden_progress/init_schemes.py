"""Initialisations of a layer: two uniform laws under one name, the Gaussian and the Bernoulli law.

FanIn U[-c, c], c = 1/√fan_in      Xavier U[-c, c], c = √(6/(fan_in + fan_out))
Kaiming N(0, 2/fan_in)             Bernoulli ±1/√fan_in
"""

import jax
import jax.numpy as jnp
import numpy as np

from elegans.base import stream
from elegans.claims.claim import Claim, at_least, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.models.initialisers import Bernoulli, FanIn, Initialiser, Kaiming, Xavier
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact, p_value
from elegans.stats.laws import kolmogorov_tail

Arrays = dict[str, np.ndarray]
LAWS: dict[str, Initialiser] = {"FanIn": FanIn(), "Xavier": Xavier(), "Kaiming": Kaiming(), "Bernoulli": Bernoulli()}
FAN_IN, FAN_OUT = 50, 100


def cumulative(law: str, w: np.ndarray) -> np.ndarray:
    """Pr[weight <= w] of a layer with 50 inputs and 100 outputs."""
    from scipy.special import ndtr

    match law:
        case "FanIn":
            return np.clip(0.5 + w * FAN_IN**0.5 / 2, 0, 1)
        case "Xavier":
            return np.clip(0.5 + w / 2 * ((FAN_IN + FAN_OUT) / 6) ** 0.5, 0, 1)
        case _:
            return ndtr(w * (FAN_IN / 2) ** 0.5)


def fit(law: str, w: np.ndarray) -> float:
    """p-value of the Kolmogorov-Smirnov test that weights follow a law."""
    at, n = cumulative(law, np.sort(w)), w.size
    distance = max((np.arange(1, n + 1) / n - at).max(), (at - np.arange(n) / n).max())
    return kolmogorov_tail(float(distance), n)


def law_table(count: int) -> Arrays:
    """Kolmogorov-Smirnov p-values of `count` weights, against their own law and against the other uniform one."""

    @jax.jit
    def draw(seed: jax.Array) -> dict[str, jax.Array]:
        keys = stream.split(stream.key(seed, stream.Purpose.INIT), tuple(LAWS))
        dtype = jnp.dtype(jnp.float32)
        return {n: law.draw(keys[n], (count,), FAN_IN, FAN_OUT, dtype) for n, law in LAWS.items()}

    w = {n: np.asarray(a, np.float64) for n, a in draw(np.uint32(0)).items()}
    c = 1 / FAN_IN**0.5
    own = [fit(n, w[n]) for n in ("FanIn", "Xavier", "Kaiming")]
    other = [fit("Xavier", w["FanIn"]), fit("FanIn", w["Xavier"])]
    grid = np.linspace(-0.6, 0.6, 121)
    return {
        "count": np.array(count),
        "own": np.array(own),
        "other": np.array(other),
        "bernoulli": np.array(np.abs(np.abs(w["Bernoulli"]) - c).max()),
        "bernoulli_other": np.array(np.abs(np.abs(w["Bernoulli"]) - (6 / (FAN_IN + FAN_OUT)) ** 0.5).max()),
        "edge": np.array([abs(w["FanIn"]).max(), abs(w["Xavier"]).max()]),
        "grid": grid,
        **{f"law/{n}": (w[n][None] <= grid[:, None]).mean(1) for n in LAWS},
    }


def sampled_p(e: Evidence, name: str) -> Estimate:
    """The smallest p-value of a group of tests, times their number."""
    p = e.array(name)
    return p_value(min(1.0, float(p.min()) * p.size), int(e.array("count")))


class Initialisations(Experiment):
    """Four laws of fresh weights; the paper's word for two of them is the same."""

    id = "init-schemes"
    place = Place(PAPER, "section 5.2.1 and appendix B.4.1 (initialisation)")
    claims = (
        Claim(
            "init-schemes",
            "uniform and Gaussian weights follow their laws (Kolmogorov-Smirnov, Bonferroni over three)",
            expect=at_least(0.001),
            why="a test that rejects a right law once in a thousand; each uniform law is rejected against the other",
            value=lambda e: sampled_p(e, "own"),
            wrong=lambda e: sampled_p(e, "other"),
        ),
        Claim(
            "init-schemes",
            "Bernoulli weights are ±c with the c of the uniform law",
            expect=at_most(1e-7),
            why="single precision, c = 1/√50; with the c of the Xavier law it fails",
            value=lambda e: e.max("bernoulli"),
            wrong=lambda e: e.max("bernoulli_other"),
        ),
        Claim(
            "init-schemes",
            "the Xavier convention is the default of deep learning packages (ratio of the two half-widths)",
            of="printed",
            expect=near(1, 0.01),
            why="the text equates them; PyTorch's linear layers draw from U[±1/√fan_in] (erratum E21)",
            value=lambda e: exact(float(e.array("edge")[1] / e.array("edge")[0]), "Xavier / default"),
            wrong=lambda e: exact(float(e.array("edge")[1] / e.array("edge")[0]) ** 2, "Xavier / default, squared"),
        ),
        Claim(
            "init-schemes",
            "Xavier weights are √(6 fan_in/(fan_in + fan_out)) times as wide as the default",
            of="corrected",
            expect=near((6 * FAN_IN / (FAN_IN + FAN_OUT)) ** 0.5, 0.01),
            why="quotient of the two definitions, √2 for 50 inputs and 100 outputs; the largest of many weights is the edge",
            value=lambda e: exact(float(e.array("edge")[1] / e.array("edge")[0]), "Xavier / default"),
            wrong=lambda e: exact(float(e.array("edge")[0] / e.array("edge")[1]), "default / Xavier"),
        ),
    )
    given = {"laws": "uniform, Gaussian (Kaiming) and Bernoulli"}
    chosen = {
        "layer": "50 inputs, 100 outputs: the paper's showcase n and width",
        "default": "FanIn, for MLPs and PolyNets",
    }
    remarks = (
        "Erratum E21: the text calls Xavier the default of packages. PyTorch's default is U(±1/√fan_in), which is FanIn here. "
        "The two differ by a factor of √2 on this layer, so both are parts."
    )
    shows = "The two uniform laws (blue, orange) have different widths; Bernoulli puts half of its mass on each edge of FanIn."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(law_table, count=scale(20_000, 100_000, 1_000_000))

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        for name in LAWS:
            ax.plot(e.array("grid"), e.array(f"law/{name}"), label=name)
        for sign in (-1, 1):
            ax.axvline(sign / FAN_IN**0.5, lw=0.8, ls=":", color="0.3", label="±1/√fan_in" if sign > 0 else None)
        ax.set(xlabel=f"weight w ({FAN_IN} inputs, {FAN_OUT} outputs)", ylabel="share of weights below w")
        ax.legend()
        return figure
