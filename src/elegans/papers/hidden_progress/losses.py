"""Four losses of ±1 targets and their gradients in the output f.

hinge (1 - y f)_+  : -y 1[y f < 1]        square (y - f)²         : -2 (y - f)
logistic log(1 + e^{-y f})  : -y/(1 + e^{y f})        correlation -y f  : -y
"""

import jax
import jax.numpy as jnp
import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.training import losses

Arrays = dict[str, np.ndarray]
NAMES = ("hinge", "square", "logistic", "correlation")


def formulas(name: str, f: np.ndarray, y: float) -> tuple[np.ndarray, np.ndarray]:
    """A loss and its gradient in f, in double precision."""
    match name:
        case "hinge":
            return np.maximum(1 - y * f, 0), np.where(y * f < 1, -y, 0.0)
        case "square":
            return (y - f) ** 2, -2 * (y - f)
        case "logistic":
            return np.logaddexp(0, -y * f), -y / (1 + np.exp(y * f))
        case _:
            return -y * f, np.full_like(f, -y)


@jax.jit
def evaluated(f: jax.Array, y: jax.Array) -> dict[str, tuple[jax.Array, jax.Array]]:
    """Value and gradient of each loss at every output."""
    return {name: jax.vmap(jax.value_and_grad(getattr(losses, name)), in_axes=(0, None))(f, y) for name in NAMES}


def loss_table(points: int) -> Arrays:
    """Values and gradients by JAX on a grid that contains the kinks, and their relative distance from the formulas."""
    f = np.linspace(-4, 4, points)  # an odd number with (points - 1) % 8 = 0 has -1, 0 and 1 on the grid
    found: Arrays = {"f": f}
    errors, flipped = [0.0], [0.0]
    for y in (1.0, -1.0):
        computed = evaluated(jnp.asarray(f, jnp.float32), jnp.float32(y))
        for name in NAMES:
            (value, slope), expected = computed[name], formulas(name, f, y)
            errors += [float(np.max(abs(a - b) / (1 + abs(b)))) for a, b in zip((value, slope), expected, strict=True)]
            flipped.append(float(np.max(abs(slope + expected[1]))))
            found[f"{name}/{y:+.0f}"] = np.asarray(value)
    at_kink = jax.grad(losses.hinge)(jnp.float32(1), jnp.float32(1))
    return found | {"error": np.array(errors), "flipped": np.array(flipped), "kink": np.array(float(at_kink))}


def advantage(e: Evidence, positive: str, negative: str) -> Estimate:
    """Smallest drop of a loss from the wrong to the right sign of f with |f| >= 1, over both labels."""
    f = e.array("f")
    drops = [
        e.array(loss)[y * f <= -1].min() - e.array(loss)[y * f >= 1].max()
        for loss, y in ((positive, 1), (negative, -1))
    ]
    return exact(float(min(drops)), "wrong sign minus right sign")


class Losses(Experiment):
    """The four losses and their gradients."""

    id = "losses"
    place = Place(PAPER, "section 5.2.1 (training setup)")
    claims = (
        Claim(
            "losses",
            "values and gradients are those of the formulas, with hinge subgradient -y 1[y f < 1]",
            expect=at_most(1e-6),
            why="single precision; relative errors over a grid of outputs that contains the kinks; -y is not y",
            value=lambda e: e.max("error"),
            wrong=lambda e: e.max("flipped"),
        ),
        Claim(
            "losses",
            "the subgradient of the hinge loss is 0 where y f = 1",
            of="derived",
            expect=at_most(0),
            why="our choice at the kink, -y 1[y f < 1]; the other end of the subdifferential is -1",
            value=lambda e: exact(abs(float(e.array("kink")))),
            wrong=lambda e: exact(abs(float(e.array("kink")) - 1)),
        ),
        Claim(
            "losses",
            "log(1 + e^{-y f}) is smaller where f has the sign of y",
            of="corrected",
            expect=at_least(0.5),
            why="from f = -y to f = y it falls by log((1 + e)/(1 + 1/e)) = 1; half of that allows for nothing else",
            value=lambda e: advantage(e, "logistic/+1", "logistic/-1"),
            wrong=lambda e: advantage(e, "logistic/+1", "logistic/+1"),
        ),
        Claim(
            "losses",
            "log(1 + e^{-f}), the cross-entropy as printed, is smaller where f has the sign of y",
            of="printed",
            expect=at_least(0.5),
            why="what a loss of a classifier must do; the printed formula has lost its y (erratum E19)",
            value=lambda e: advantage(e, "logistic/+1", "logistic/+1"),
            wrong=lambda e: advantage(e, "logistic/-1", "logistic/-1"),
        ),
    )
    remarks = (
        "Erratum E19: the printed cross-entropy does not contain the label y, so that it rewards f > 0 whatever y is."
    )
    shows = "All four losses fall with y f; hinge and logistic flatten, the square turns back, the correlation falls for ever."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(loss_table, points=161)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        labels = {"hinge": "(1 - yf)₊", "square": "(y - f)²", "logistic": r"$\log(1+e^{-yf})$", "correlation": "-yf"}
        for name, label in labels.items():
            ax.plot(e.array("f"), e.array(f"{name}/+1"), label=f"{name}: {label}")
        f = e.array("f")
        ax.plot(f, np.logaddexp(0, f), "--", color="C2", label=r"logistic as printed, y = -1: $\log(1+e^{-f})$")
        ax.axvline(1, lw=0.8, ls=":", color="0.3")
        ax.set(xlabel="y f", ylabel="loss", xlim=(-3, 4), ylim=(-5, 5))
        ax.legend(loc="lower left")
        return figure
