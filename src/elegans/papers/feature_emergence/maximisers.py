"""Networks and best neurons of the three tasks that the lemmas of section 7.3 are tried on: Z_5, S_3 and parity of 3 of 5 bits.

Each task gives γ* = γ₁, the expected margin E_q[g'] under its certificate (q uniform; τ uniform on Z_5, from lemma D.14 on S_3),
point margins, a network of maximum margin, and random best neurons of norm 1.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elegans.theory.boolean import cube
from elegans.theory.character_tables import character_table
from elegans.theory.cyclic_spectra import optimal_neuron
from elegans.theory.groups import Group, cyclic, symmetric
from elegans.theory.margin_optima import exact_margin
from elegans.theory.margins import neuron_norms, tau_of_formula
from elegans.theory.parity_margins import optimal_neurons, parity_network
from elegans.theory.power_nets import logits as power_logits
from elegans.theory.quadratic_constructions import cyclic_network, memorising_network, representation_network
from elegans.theory.quadratic_nets import logits as quadratic_logits
from elegans.theory.representations import irreps

Floats = NDArray[np.float64]
Network = dict[str, Floats]

BITS, SUPPORT = 5, (0, 2, 3)


@dataclass(frozen=True)
class Ground:
    """A task with its certificate. `logits` (points, classes); `weights` (points, classes) with Σ weights·f = E_q[g']."""

    name: str
    nu: int
    gamma: float
    logits: Callable[[Network], Floats]
    labels: NDArray[np.int64]
    weights: Floats
    best: Network
    others: Network
    draw: Callable[[int, np.random.Generator], Network]
    neurons: Callable[[int, np.random.Generator], Network]

    def margins(self, theta: Network) -> Floats:
        """f(x)[y] - f(x)[y'] for every point and wrong label, (points, classes - 1)."""
        f = self.logits(theta)
        right = np.equal.outer(self.labels, np.arange(self.weights.shape[1]))
        return f[right].reshape(-1, 1) - f[~right].reshape(len(f), -1)

    def expected(self, theta: Network) -> float:
        """E_q[g'(θ)]."""
        return float(np.sum(self.weights * self.logits(theta)))

    def size(self, theta: Network) -> float:
        """‖θ‖_{2,ν}^ν."""
        return float(np.sum(neuron_norms(theta) ** self.nu))


def modular() -> Ground:
    """Z_5; as `others` a memorising network, which is correct, too."""
    p = 5

    def neurons(count: int, rng: np.random.Generator) -> Network:
        found = [optimal_neuron(p, int(rng.integers(1, 3)), *rng.uniform(0, 2 * np.pi, 2)) for _ in range(count)]
        return {name: np.stack([f[i] for f in found]) for i, name in enumerate("UVW")}

    tau = np.append(0.0, np.full(p - 1, 1 / (p - 1)))
    gamma = exact_margin(character_table(irreps(cyclic(p)))).gamma
    return _group("Z5", cyclic(p), gamma, tau, cyclic_network(p), neurons)


def permutations() -> Ground:
    """S_3, with neurons x^T R(g) y of its irreps."""
    group = symmetric(3)
    reps = irreps(group)

    def neurons(count: int, rng: np.random.Generator) -> Network:
        rows: list[list[Floats]] = []
        for _ in range(count):
            rep = reps[int(rng.integers(1, 3))]
            x, y, z = (v / np.linalg.norm(v) for v in rng.standard_normal((3, rep.dimension)))
            s = (rep.dimension / 18) ** 0.5
            rows.append([s * np.einsum("i,gij,j->g", a, rep.matrices, b) for a, b in ((x, y), (y, z), (x, z))])
        return {name: np.stack([row[i] for row in rows]) for i, name in enumerate("UVW")}

    table = character_table(reps)
    tau = tau_of_formula(table)[group.class_of]
    return _group("S3", group, exact_margin(table).gamma, tau, representation_network(reps), neurons)


def parity() -> Ground:
    """Parity of 3 of 5 bits: two classes, so that g' = g."""
    x, k = cube(BITS).astype(np.float64), len(SUPPORT)
    labels = (x[:, list(SUPPORT)].prod(1) < 0).astype(np.int64)
    right = np.equal.outer(labels, np.arange(2))

    def neurons(count: int, rng: np.random.Generator) -> Network:
        return optimal_neurons(BITS, SUPPORT, rng.choice([-1.0, 1.0], (count, k)))

    def draw(count: int, rng: np.random.Generator) -> Network:
        return {"U": rng.standard_normal((count, BITS)), "W": rng.standard_normal((count, 2))}

    lopsided = parity_network(BITS, SUPPORT, np.array([1.5, 1.2, 0.8, 0.5]))
    best = parity_network(BITS, SUPPORT)
    gamma = float(np.sum(np.where(right, 1, -1) / len(x) * power_logits(best, x, k)))
    return Ground(
        "parity (5, 3)", k + 1, gamma, lambda theta: power_logits(theta, x, k), labels, np.where(right, 1, -1) / len(x),
        best, lopsided, draw, neurons,
    )  # fmt: skip


def _group(
    name: str,
    group: Group,
    gamma: float,
    tau: Floats,
    best: Network,
    neurons: Callable[[int, np.random.Generator], Network],
) -> Ground:
    """A group task with weight τ_c on the wrong answer abc."""
    labels, d = group.table.ravel(), group.order
    weight = tau[group.table[group.inverse[labels]]]  # [point, answer] ↦ τ at (ab)⁻¹·answer
    right = np.equal.outer(labels, np.arange(d))

    def draw(count: int, rng: np.random.Generator) -> Network:
        return {part: rng.standard_normal((count, d)) for part in "UVW"}

    return Ground(
        name, 3, gamma, lambda theta: quadratic_logits(theta).reshape(-1, d), labels, (right - weight) / d**2,
        best, memorising_network(group.table), draw, neurons,
    )  # fmt: skip


GROUNDS = (parity, modular, permutations)
