"""The task of composition in a finite group, whole: all |G|² pairs, label ab, and the symmetry every proof rests on.

y(g₁ a g₂, g₂⁻¹ b g₃) = g₁ y(a, b) g₃        for all g₁, g₂, g₃ ∈ G
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.tasks.composition import Alphabet, Cyclic, GroupComposition, Symmetric
from elegans.tasks.finite_groups import Alternating, Dihedral, Elementary, Frobenius21, Product, Quaternion

ALPHABETS: dict[str, Alphabet] = {
    "Z7": Cyclic(7), "Z12": Cyclic(12), "Z2^3": Elementary(3), "Z3xZ3": Product(Cyclic(3), Cyclic(3)),
    "D4": Dihedral(4), "D5": Dihedral(5), "D6": Dihedral(6), "S3": Symmetric(3), "S4": Symmetric(4),
    "S3xZ2": Product(Symmetric(3), Cyclic(2)), "Q8": Quaternion(), "A4": Alternating(4), "F21": Frobenius21(),
    "S5": Symmetric(5),
}  # fmt: skip


def violations(names: tuple[str, ...], triples: int, seed: int) -> dict[str, np.ndarray]:
    """How often the labels of each task break the axioms of a group and its symmetry, and how often labels ba break it."""
    rng = np.random.default_rng(seed)
    labels = [_labels(ALPHABETS[name]) for name in names]
    return {
        "order": np.array([len(y) for y in labels]),
        "classes": np.array([len(ALPHABETS[name].group().classes) for name in names]),
        "axioms": np.array([_axioms(y, rng.integers(len(y), size=(3, triples))) for y in labels]),
        "axioms_of_quotients": np.array([_axioms(_quotients(y), rng.integers(len(y), size=(3, triples))) for y in labels]),
        "classes_wrong": np.array([_classes(ALPHABETS[name].group().class_of) for name in names]),
        "classes_by_order": np.array([_classes(_orders(y)) for y in labels]),
        "symmetry": np.array([_symmetry(y, y, rng.integers(len(y), size=(5, triples))) for y in labels]),
        "symmetry_of_ba": np.array([_symmetry(y, y.T, rng.integers(len(y), size=(5, triples))) for y in labels]),
        "pictures": np.concatenate([_labels(ALPHABETS[name]).ravel() for name in ("Z12", "D6", "A4")]),
    }  # fmt: skip


def _labels(alphabet: Alphabet) -> np.ndarray:
    """The task's own list of all examples as a table (|G|, |G|)."""
    batch, n = GroupComposition(alphabet).enumerate(), alphabet.group().order
    y = np.full((n, n), -1)
    y[batch.x[:, 0], batch.x[:, 1]] = batch.y
    return y


def _axioms(y: np.ndarray, abc: np.ndarray) -> int:
    """Broken triples of associativity, rows and columns that repeat an element, missing identities or inverses."""
    every = np.arange(len(y))
    identity = np.flatnonzero((y == every).all(axis=1) & (every == y.T).all(axis=1))
    a, b, c = abc
    return int(
        np.sum(y[y[a, b], c] != y[a, y[b, c]])
        + np.sum(np.sort(y, axis=0) != every[:, None])
        + np.sum(np.sort(y, axis=1) != every)
        + abs(len(identity) - 1)
        + sum(int(np.sum((y == e).sum(axis=1) != 1)) for e in identity)
    )


def _quotients(y: np.ndarray) -> np.ndarray:
    """The table of ab⁻¹."""
    return y[:, _inverse(y)]


def _inverse(y: np.ndarray) -> np.ndarray:
    identity = int(np.flatnonzero((y == np.arange(len(y))).all(axis=1))[0])
    return np.argmax(y == identity, axis=1)


def _orders(y: np.ndarray) -> np.ndarray:
    """How many times each element must be multiplied to give the identity, less one."""
    every, powers = np.arange(len(y)), [np.arange(len(y))]
    for _ in every:
        powers.append(y[powers[-1], every])
    return np.argmax(np.array(powers) == y[_inverse(y), every][0], axis=0)


def _classes(number: np.ndarray) -> int:
    """Classes whose size does not divide |G|, and whether the first one is more than {e}."""
    sizes = np.bincount(number)
    return int(np.sum(len(number) % sizes[sizes > 0] != 0) + (sizes[0] != 1))


def _symmetry(y: np.ndarray, label: np.ndarray, numbers: np.ndarray) -> int:
    """How often label(g₁ a g₂, g₂⁻¹ b g₃) ≠ g₁ label(a, b) g₃, with products from y."""
    g1, g2, g3, a, b = numbers
    inverse = _inverse(y)
    left, right = y[y[g1, a], g2], y[y[inverse[g2], b], g3]
    return int(np.sum(label[left, right] != y[y[g1, label[a, b]], g3]))


class GroupTask(Experiment):
    """Composition in finite groups: labels, axioms and symmetry."""

    id = "task-group"
    place = Place(PAPER, "section 7.2, finite groups")
    claims = (
        Claim(
            "task-group",
            "the labels form a group: associative, a Latin square, one identity, inverses",
            expect=at_most(0),
            why="the definition of a group; number of violations over random triples, all rows and all columns",
            value=lambda e: e.max("axioms"),
            wrong=lambda e: e.max("axioms_of_quotients"),
        ),
        Claim(
            "task-group",
            "y(g₁ a g₂, g₂⁻¹ b g₃) = g₁ y(a, b) g₃",
            of="derived",
            expect=at_most(0),
            why="associativity; labels ba in place of ab break it in every group that is not commutative",
            value=lambda e: e.max("symmetry"),
            wrong=lambda e: e.max("symmetry_of_ba"),
        ),
        Claim(
            "task-group",
            "{e} is a conjugacy class, and sizes of classes divide |G|",
            expect=at_most(0),
            why="orbit and stabiliser; number of violations. Sets of elements of equal order do not: S4 has 9 of order 2",
            value=lambda e: e.max("classes_wrong"),
            wrong=lambda e: e.max("classes_by_order"),
        ),
    )
    given = {"groups": "S3, S4, S5, and Z_p as a cyclic group; all pairs are seen, labels are products"}
    chosen = {
        "further groups": "dihedral, quaternion, alternating, Frobenius and products: every type of irrep occurs (spec)"
    }
    shows = "Colour is the product ab: stripes for addition modulo 12, blocks of cosets for D6 and A4, all of order 12."

    def work(self, scale: Scale) -> Calculation:
        names = tuple(ALPHABETS)
        return Calculation(violations, names=names[: scale(13, 14, 14)], triples=scale(1000, 20_000, 20_000), seed=0)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (row,) = panels(1, 3, height=2.9)
        for ax, name, y in zip(row, ("Z12", "D6", "A4"), e.array("pictures").reshape(3, 12, 12), strict=True):
            ax.imshow(y, cmap="viridis")
            ax.set(xlabel="b", ylabel="a", title=f"{name}: the product ab")
            ax.grid(False)
        return figure
