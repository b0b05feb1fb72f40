"""Appendix D.2: the settings of the six trainings, as presets that say what the paper says. Nothing is trained."""

import jax
import jax.numpy as jnp
import numpy as np

from elegans.base import stream
from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence import presets
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.tasks.base import Finite
from elegans.training.penalties import NeuronNorm

SETTINGS = (presets.z71, presets.z71_relu, presets.parity, presets.s3, presets.s4, presets.s5)
NAMES = ("Z71", "Z71, ReLU", "parity (10, 4)", "S3", "S4", "S5")
COLUMNS = ("points", "neurons", "steps", "batch", "first η", "last η", "doublings", "λ", "power of the norm")
STATED = np.array([
    [5041, 500, 40_000, 5041, 0.05, 51.2, 10, 1e-4, 3],
    [5041, 500, 40_000, 5041, 0.05, 51.2, 10, 1e-4, 2],
    [1024, 40, 30_000, 1024, 0.1, 0.1, 0, 1e-3, 5],
    [36, 30, 50_000, 36, 0.05, 1638.4, 15, 1e-7, 3],
    [576, 200, 50_000, 576, 0.05, 1638.4, 15, 1e-7, 3],
    [14_400, 2000, 75_000, 1000, 0.05, 12.8, 8, 1e-5, 3],
])  # fmt: skip


def table(samples: int) -> dict[str, np.ndarray]:
    """The numbers of every preset, read off the objects that train, and the learning rate over the steps."""
    rows, rates, degrees = [], [], []
    for make in SETTINGS:
        p = make()
        assert isinstance(p.task, Finite) and isinstance(p.algorithm.penalty, NeuronNorm)
        batch, steps = p.task.enumerate(), p.stop.steps
        params = p.model.init(stream.key(0, stream.Purpose.INIT), p.task.signature)
        at = np.linspace(0, steps - 1, samples).astype(np.int32)
        schedule = p.algorithm.schedule
        rate = np.array([p.algorithm.lr * float(schedule.factor(jnp.int32(t), jnp.dtype(jnp.float32))) for t in at])
        doublings = round(float(np.log2(rate[-1] / rate[0])))
        penalty = p.algorithm.penalty
        rows.append([
            len(batch.y), len(params["U"]), steps, p.algorithm.batch, rate[0], rate[-1], doublings,
            penalty.strength, penalty.power,
        ])  # fmt: skip
        rates.append(np.stack([at, rate]))
        x = np.asarray(batch.x)[0]
        once, twice = (p.model(jax.tree.map(lambda a, s=s: s * a, params), x) for s in (1, 2))
        degrees.append(float(np.log2(np.abs(twice).max() / np.abs(once).max())))
    return {"found": np.array(rows), "rates": np.array(rates), "degrees": np.array(degrees)}


def apart(e: Evidence, factor: float = 1.0) -> Estimate:
    """Largest difference between stated and found numbers, relative where they are not 0."""
    difference = np.abs(factor * e.array("found") - STATED) / np.where(STATED > 0, STATED, 1)
    return exact(float(difference.max()), "relative difference")


class Hyperparameters(Experiment):
    """Six presets are the six settings of appendix D.2."""

    id = "hyperparameters-d.2"
    place = Place(PAPER, "appendix D.2")
    claims = (
        Claim(
            "hyperparameters-d.2",
            "points, neurons, steps, batch, first and last learning rate, doublings and λ of the presets are those stated",
            expect=at_most(1e-6),
            why="read off the objects that train; learning rates are in single precision. The doublings listed must give 51.2, "
            "1638.4 and 12.8 in the end",
            value=apart,
            wrong=lambda e: apart(e, 2.0),
        ),
        Claim(
            "hyperparameters-d.2",
            "the power of the norm in the penalty is the degree of the network: 3, 2 for ReLU, and 5 for parity",
            of="corrected",
            expect=at_most(1e-4),
            why="L_{2,5} fits z⁴ and nothing else; the text calls the parity network quadratic (erratum E7), of degree 3. "
            "Degrees are measured by doubling the weights",
            value=lambda e: exact(float(np.abs(e.array("degrees") - e.array("found")[:, -1]).max()), "degree - power"),
            wrong=lambda e: exact(abs(3 - float(e.array("found")[2, -1])), "degree of a quadratic network - power"),
        ),
    )
    given = {
        "all": "plain gradient descent, cross-entropy, no temperature; see the table in `presets.py`",
        "S5": "batches of 1000",
    }
    chosen = {
        "initialisation, seeds, precision": "not given: Unif(±1/√fan-in); double where the final loss is below 1e-2",
        "batches of S5": "independent pairs, with replacement",
        "penalty": "λ Σ‖ω‖^ν (ambiguities A1 and A7)",
    }
    shows = "The learning rates of all six trainings over the steps; those that start at 0.05 double up to 1638."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(table, samples=scale(60, 200, 200))

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        for i, ((at, rate), name) in enumerate(zip(e.array("rates"), NAMES, strict=True)):
            ax.step(at, rate, where="post", label=name, ls="--" if i in (1, 4) else "-", lw=2.2 if i in (0, 3) else 1.2)
        ax.set(xlabel="step", ylabel="learning rate", yscale="log")
        ax.legend(ncols=2)
        return figure
