"""Addition modulo p and sparse parity as tasks: their tables have the symmetries that the theorems use. Nothing is trained.

y(a + s, b + t) = y(a, b) + s + t        y(-x) = (-1)^k y(x),   E[y χ_T] = 1[T = S]
"""

from math import gcd

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.tasks.composition import Cyclic, GroupComposition
from elegans.tasks.parity import SparseParity
from elegans.theory import boolean


def table_of(p: int) -> np.ndarray:
    """The labels y[a, b] that the task enumerates."""
    batch, y = GroupComposition(Cyclic(p)).enumerate(), np.full((p, p), -1)
    y[batch.x[:, 0], batch.x[:, 1]] = batch.y
    return y


def square_violations(y: np.ndarray) -> int:
    """Entries at which a table is no symmetric Latin square with every class p times."""
    p = len(y)
    every = np.arange(p)
    rows, columns = (int((np.sort(y, axis) != (every[:, None] if axis == 0 else every)).sum()) for axis in (0, 1))
    return rows + columns + int((y != y.T).sum()) + int((np.bincount(y.ravel(), minlength=p) != p).sum())


def shift_violations(y: np.ndarray) -> int:
    """Entries and unit shifts with y(a+1, b) ≠ y(a, b) + 1 or y(a, b+1) ≠ y(a, b) + 1; unit shifts make all."""
    return sum(int((np.roll(y, -1, axis) != (y + 1) % len(y)).sum()) for axis in (0, 1))


def cosine_violations(y: np.ndarray, frequencies: list[int]) -> int:
    """Pairs (a, b) at which argmax_c cos(2πk(a+b-c)/p) is not the label alone."""
    p = len(y)
    a, b, c = np.ogrid[:p, :p, :p]
    wrong = 0
    for k in frequencies:
        f = np.cos(2 * np.pi * k * (a + b - c) / p)
        best = f > f.max(2, keepdims=True) - 1e-9
        wrong += int((best != (c == y[:, :, None])).any(2).sum())
    return wrong


def cyclic(p: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Violations over all tables, and of multiplication, of p = 9 at k = 3 and of the table for p = 7."""
    tables = [table_of(q) for q in p]
    times = np.multiply.outer(np.arange(7), np.arange(7)) % 7
    cosines = [cosine_violations(y, [k for k in range(1, len(y)) if gcd(k, len(y)) == 1][:12]) for y in tables]
    return {
        "square": np.array([square_violations(y) for y in tables]), "square_of_product": np.array(square_violations(times)),
        "shift": np.array([shift_violations(y) for y in tables]), "shift_of_product": np.array(shift_violations(times)),
        "cosine": np.array(cosines), "cosine_of_divisor": np.array(cosine_violations(table_of(9), [3])), "table": table_of(7),
    }  # fmt: skip


def parity(n: int, k: int) -> dict[str, np.ndarray]:
    """Spectrum of the label and violations of its symmetries; with the set shifted by one for comparison."""
    task = SparseParity(n, k)
    batch, places = task.enumerate(), np.arange(2**n)
    y, expected = batch.y, np.zeros(2**n)
    expected[boolean.index(range(k))] = 1
    flips = [int((y[places ^ 1 << i] != (-y if i < k else y)).sum()) for i in range(n)]
    flips_of_shifted = [int((y[places ^ 1 << i] != (-y if 1 <= i <= k else y)).sum()) for i in range(n)]
    spectrum = boolean.spectrum(y)
    return {
        "points": np.array(len(y)), "mean": np.array(abs(float(y.mean()))),
        "spectrum": np.array(np.abs(spectrum - expected).max()),
        "spectrum_reversed": np.array(np.abs(spectrum - expected[::-1]).max()),
        "flips": np.array(sum(flips) + int((y[::-1] != (-1) ** k * y).sum())),
        "flips_of_shifted": np.array(sum(flips_of_shifted)),
    }  # fmt: skip


class Tasks(Experiment):
    """The tables that networks are trained on have all the symmetry that the proofs use."""

    id = "task-cyclic"
    place = Place(PAPER, "sections 7.4 and 7.5, the data")
    claims = (
        Claim(
            "task-cyclic",
            "the table of answers is a symmetric Latin square with every class p times",
            expect=at_most(0),
            why="addition in a commutative group; violations counted over all entries. Multiplication modulo 7 has many",
            value=lambda e: e["cyclic"].max("square"),
            wrong=lambda e: e["cyclic"].max("square_of_product"),
        ),
        Claim(
            "task-cyclic",
            "y(a+s, b+t) = y(a, b) + s + t",
            expect=at_most(0),
            why="shifts by one in either input, which make all others",
            value=lambda e: e["cyclic"].max("shift"),
            wrong=lambda e: e["cyclic"].max("shift_of_product"),
        ),
        Claim(
            "task-cyclic",
            "argmax_c cos(2πk(a+b-c)/p) is the label and nothing else, for k coprime to p",
            of="derived",
            expect=at_most(0),
            why="the cosine is 1 at c = a+b only if k has an inverse; for composite p that is a condition: k = 3 fails at p = 9",
            value=lambda e: e["cyclic"].max("cosine"),
            wrong=lambda e: e["cyclic"].max("cosine_of_divisor"),
        ),
        Claim(
            "task-parity",
            "over all 1024 points y correlates with χ_S alone: E[y χ_T] = 1[T = S] for all 1024 sets, so E[y] = 0",
            expect=at_most(1e-12),
            why="orthogonality of characters; (n, k) = (10, 4), the paper's",
            value=lambda e: e["parity"].max("spectrum"),
            wrong=lambda e: e["parity"].max("spectrum_reversed"),
        ),
        Claim(
            "task-parity",
            "flipping a bit of S flips y, another bit does not, and y(-x) = (-1)^k y(x)",
            expect=at_most(0),
            why="violations counted over all points and bits; another set of four bits has many",
            value=lambda e: e["parity"].max("flips"),
            wrong=lambda e: e["parity"].max("flips_of_shifted"),
        ),
    )
    given = {"p": "71 in the figures", "(n, k)": "(10, 4)"}
    chosen = {"p": "3 to 71, with 9 and 15", "S": "the first k coordinates, which the paper's claims do not depend on"}
    shows = "Addition modulo 7: every answer (colour) once in each row and column, constant along the diagonals."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "cyclic": Calculation(cyclic, p=(3, 5, 7, 9, 15, 23, 71)[: scale(5, 7, 7)]),
            "parity": Calculation(parity, n=10, k=4),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(3.2, 3.0)
        y = e["cyclic"].array("table")
        ax.imshow(y, cmap="Set2", vmax=7)
        for (a, b), answer in np.ndenumerate(y):
            ax.text(b, a, str(answer), ha="center", va="center")
        ax.grid(visible=False)
        ax.set(xlabel="b", ylabel="a", title="a + b modulo 7", xticks=range(7), yticks=range(7))
        return figure
