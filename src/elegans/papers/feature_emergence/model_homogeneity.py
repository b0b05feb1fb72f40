"""The three networks: their degree, their parameter counts, and gradients against differences. Nothing is trained.

f(λθ) = λ^ν f(θ) for λ > 0,  ν = 3 for (u + v)² w,  2 for ReLU,  k + 1 for (u·x)^k w
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from elegans.base import stream
from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.models.activations import relu
from elegans.models.base import Model
from elegans.models.group_net import GroupNet
from elegans.models.power_parity import PowerParityNet
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import exact
from elegans.tasks.base import Task
from elegans.tasks.composition import Cyclic, GroupComposition, Symmetric
from elegans.tasks.parity import SparseParity
from elegans.theory import power_nets, quadratic_nets, relu_nets
from elegans.theory.boolean import cube
from elegans.theory.groups import symmetric
from elegans.theory.margins import neuron_norms

Network = dict[str, np.ndarray]
S3, K = symmetric(3), 4
X = cube(6).astype(np.float64)
Y = X[:, :K].prod(1)
LAMBDA, NAMES = 0.05, ("quadratic", "ReLU", "z⁴")


class Net(NamedTuple):
    """Formula, regularised loss and its gradient in double precision, with shapes and degree."""

    nu: int
    shapes: dict[str, tuple[int, int]]
    logits: Callable[[Network], np.ndarray]
    loss: Callable[[Network], float]
    gradient: Callable[[Network], Network]
    unpenalised: Callable[[Network], Network]


GROUP: dict[str, tuple[int, int]] = dict.fromkeys("UVW", (5, 6))
NETS = (
    Net(3, GROUP, quadratic_nets.logits, lambda t: quadratic_nets.regularised_loss(S3, t, LAMBDA),
        lambda t: quadratic_nets.regularised_gradient(S3, t, LAMBDA), lambda t: quadratic_nets.loss_gradient(S3, t)),
    Net(2, GROUP, relu_nets.logits, lambda t: relu_nets.regularised_loss(S3, t, LAMBDA),
        lambda t: relu_nets.regularised_gradient(S3, t, LAMBDA), lambda t: relu_nets.loss_gradient(S3, t)),
    Net(K + 1, {"U": (5, 6), "W": (5, 2)}, lambda t: power_nets.logits(t, X, K),
        lambda t: power_nets.regularised_loss(t, X, Y, K, LAMBDA),
        lambda t: power_nets.regularised_gradient(t, X, Y, K, LAMBDA), lambda t: power_nets.loss_gradient(t, X, Y, K)),
)  # fmt: skip


def degrees(factors: tuple[float, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Relative errors of f(λθ) = λ^ν f(θ), also with ν + 1, and sizes of f(λθ) over those of f(θ) for the figure."""
    rng = np.random.default_rng(seed)
    error, other, growth = np.zeros((3, draws)), np.zeros((3, draws)), np.zeros((3, len(factors)))
    for i, net in enumerate(NETS):
        for j in range(draws):
            theta = _draw(net, rng)
            f, factor = net.logits(theta), float(rng.uniform(1.1, 3))
            scaled = net.logits({n: factor * p for n, p in theta.items()})
            error[i, j], other[i, j] = (
                np.abs(scaled / factor**nu - f).max() / np.abs(f).max() for nu in (net.nu, net.nu + 1)
            )
        theta = _draw(net, rng)
        f = net.logits(theta)
        growth[i] = [np.abs(net.logits({n: c * p for n, p in theta.items()})).max() / np.abs(f).max() for c in factors]
    return {"error": error.max(1), "other": other.min(1), "factors": np.array(factors), "growth": growth}


def gradients(draws: int, seed: int) -> dict[str, np.ndarray]:
    """Relative error of directional derivatives against central differences; and without the penalty's gradient."""
    rng, step = np.random.default_rng(seed), 1e-5
    rows: list[list[float]] = []
    for net in NETS:
        for _ in range(draws):
            theta, way = _draw(net, rng), _draw(net, rng)
            up, down = (net.loss({n: p + s * step * way[n] for n, p in theta.items()}) for s in (1, -1))
            slope = (up - down) / (2 * step)
            size = sum(float(np.sum(g**2)) for g in net.gradient(theta).values()) ** 0.5 * np.linalg.norm(
                neuron_norms(way)
            )
            both = (net.gradient(theta), net.unpenalised(theta))
            rows.append([abs(sum(float(np.sum(g[n] * way[n])) for n in way) - slope) / size for g in both])
    error, without = np.array(rows).T.reshape(2, len(NETS), draws)
    return {"error": error.max(1), "without": without.max(1)}


def parameters(width: int) -> dict[str, np.ndarray]:
    """Parameters of fresh networks of the lab over 3md or m(n + 2), and over what tied embeddings would have."""
    cells: tuple[tuple[Model, Task, int, int], ...] = (
        (GroupNet(width), GroupComposition(Cyclic(71)), 3 * width * 71, 2 * width * 71),
        (GroupNet(width, activation=relu), GroupComposition(Symmetric(4)), 3 * width * 24, 2 * width * 24),
        (PowerParityNet(width, k=4), SparseParity(10, 4), width * 12, width * 11),
    )
    fresh = [model.init(stream.key(0, stream.Purpose.INIT), task.signature) for model, task, *_ in cells]
    found = [sum(p.size for p in params.values()) for params in fresh]
    return {
        "count": np.array([abs(n - cell[2]) for n, cell in zip(found, cells, strict=True)]),
        "tied": np.array([abs(n - cell[3]) for n, cell in zip(found, cells, strict=True)]),
    }


def _draw(net: Net, rng: np.random.Generator) -> Network:
    return {name: 0.7 * rng.standard_normal(shape) for name, shape in net.shapes.items()}


class Homogeneity(Experiment):
    """Every network is homogeneous in its neurons' weights, and its gradient is the one that is trained with."""

    id = "model-homogeneity"
    place = Place(PAPER, "sections 7.2 to 7.5, the networks")
    claims = (
        Claim(
            "model-homogeneity",
            "f(λθ) = λ^ν f(θ) with ν = 3 for quadratic networks, 2 for ReLU and 5 for z⁴",
            expect=at_most(1e-10),
            why="no biases; relative error over random networks and λ > 1 in double precision. ν + 1 is wrong",
            value=lambda e: e["degrees"].max("error"),
            wrong=lambda e: exact(float(e["degrees"].array("other").min()), "error with ν + 1"),
        ),
        Claim(
            "model-homogeneity",
            "3md parameters on a group of order d, m(n + 2) on parity",
            expect=at_most(0),
            why="counted in fresh networks; embeddings of the two inputs are not tied, and parity has two logits",
            value=lambda e: e["parameters"].max("count"),
            wrong=lambda e: exact(float(e["parameters"].array("tied").min()), "if tied, or one logit"),
        ),
        Claim(
            "model-homogeneity",
            "the closed forms of the gradients are central differences of the regularised loss",
            of="derived",
            expect=at_most(1e-6),
            why="differences at 1e-5 are good to 1e-9; relative to gradient times direction. Without λν‖ω‖^{ν-2}ω they differ",
            value=lambda e: e["gradients"].max("error"),
            wrong=lambda e: exact(float(e["gradients"].array("without").min()), "without the penalty"),
        ),
    )
    chosen = {"sizes": "5 neurons on S3 and on parity of 4 of 6 bits", "λ": "0.05, so that the penalty shows"}
    remarks = (
        "Two paragraphs print '1-hidden layer' as 'r-hidden layer' (A6). Biases would break the homogeneity of ReLU."
    )
    shows = "In logarithmic scales the outputs grow along lines of slope 3, 2 and 5."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        factors = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
        return {
            "degrees": Calculation(degrees, factors=factors, draws=scale(10, 50, 50), seed=0),
            "gradients": Calculation(gradients, draws=scale(5, 20, 50), seed=1),
            "parameters": Calculation(parameters, width=40),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(4.4, 3.0)
        part = e["degrees"]
        for growth, name, nu in zip(part.array("growth"), NAMES, (3, 2, 5), strict=True):
            ax.plot(part.array("factors"), growth, "o-", ms=4, label=f"{name}: slope {nu}")
        ax.set(xlabel="factor λ on all weights", ylabel="max |f(λθ)| / max |f(θ)|", xscale="log", yscale="log")
        ax.legend()
        return figure
