"""Table D.1: the character table of S_5, from Young's orthogonal form and, without matrices, by Murnaghan and Nakayama."""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.at_hand import group, reps
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.theory.groups import permutations
from elegans.theory.symmetric_characters import character

SHAPES = ((5,), (1, 1, 1, 1, 1), (4, 1), (2, 1, 1, 1), (3, 2), (2, 2, 1), (3, 1, 1))
CLASSES = {
    "e": (1, 1, 1, 1, 1), "(12)": (2, 1, 1, 1), "(12)(34)": (2, 2, 1), "(123)": (3, 1, 1), "(1234)": (4, 1),
    "(12345)": (5,), "(12)(345)": (3, 2),
}  # fmt: skip
SIZES = (1, 10, 15, 20, 30, 24, 20)
ROWS = ("trivial", "sign", "standard", "standard ⊗ sign", "5-dim. a", "5-dim. b", "exterior square")
CORRECTED = (
    (1, 1, 1, 1, 1, 1, 1),
    (1, -1, 1, 1, -1, 1, -1),
    (4, 2, 0, 1, 0, -1, -1),
    (4, -2, 0, 1, 0, -1, 1),
    (5, 1, 1, -1, -1, 0, 1),
    (5, -1, 1, -1, 1, 0, -1),
    (6, 0, -2, 0, 0, 1, 0),
)
PRINTED = (*CORRECTED[:2], CORRECTED[3], CORRECTED[2], *CORRECTED[4:])


def tables() -> dict[str, np.ndarray]:
    """Characters from matrices and from hooks, rows as in SHAPES; distances from the table as printed and corrected."""
    by_shape = {rep.label: rep.character for rep in reps("S5")}
    sigma = permutations(5)
    cycle_types = [_cycle_type(sigma[members[0]]) for members in group("S5").classes]
    order = [cycle_types.index(cycles) for cycles in CLASSES.values()]
    first = [int(group("S5").classes[k][0]) for k in order]
    matrices = np.array([by_shape[str(shape)][first] for shape in SHAPES])
    hooks = np.array([[character(shape, cycles) for cycles in CLASSES.values()] for shape in SHAPES], dtype=float)
    fixed = np.sum(sigma[first] == np.arange(5), axis=1) - 1
    return {
        "matrices": matrices, "sizes": np.array([len(group("S5").classes[k]) for k in order]),
        "corrected": np.abs(matrices - CORRECTED), "printed": np.abs(matrices - PRINTED), "hooks": np.abs(matrices - hooks),
        "standard": np.abs(matrices[2] - fixed), "standard_printed": np.abs(np.array(PRINTED[2]) - fixed),
    }  # fmt: skip


def _cycle_type(sigma: np.ndarray) -> tuple[int, ...]:
    left, lengths = set(range(len(sigma))), []
    while left:
        i, length = left.pop(), 1
        while (i := int(sigma[i])) in left:
            left.remove(i)
            length += 1
        lengths.append(length)
    return tuple(sorted(lengths, reverse=True))


class CharacterTableOfS5(Experiment):
    """The character table of S5."""

    id = "table-d.1"
    place = Place(PAPER, "table D.1")
    claims = (
        Claim(
            "table-d.1",
            "the table as printed, where the row 'standard' has -2 on transpositions",
            expect=at_most(1e-10),
            why="integers; largest distance from the traces of Young's orthogonal form",
            value=lambda e: e.max("printed"),
        ),
        Claim(
            "table-d.1",
            "the table with the rows 'standard' and 'standard ⊗ sign' exchanged",
            of="corrected",
            expect=at_most(1e-10),
            why="the same; largest distance over 49 entries",
            value=lambda e: e.max("corrected"),
            wrong=lambda e: e.max("printed"),
        ),
        Claim(
            "table-d.1",
            "the standard character is the number of fixed points less one",
            of="derived",
            expect=at_most(1e-10),
            why="permutations of five things are trivial + standard; the printed row has the other sign on odd classes",
            value=lambda e: e.max("standard"),
            wrong=lambda e: e.max("standard_printed"),
        ),
        Claim(
            "table-d.1",
            "matrices and rim hooks give the same table",
            of="derived",
            expect=at_most(1e-10),
            why="two independent computations of the same integers",
            value=lambda e: e.max("hooks"),
            wrong=lambda e: e.max("printed"),
        ),
    )
    given = {"classes": "e, (12), (12)(34), (123), (1234), (12345), (12)(345), of sizes 1, 10, 15, 20, 30, 24, 20"}
    remarks = (
        "The printed table exchanges the names 'standard' and 'standard ⊗ sign' (erratum E12): a transposition fixes three "
        "of five things, so the standard character is +2 there."
    )
    shows = (
        "The table; boxed, the two rows whose names are exchanged in print: the standard one has +2 on transpositions."
    )

    def work(self, scale: Scale) -> Calculation:
        return Calculation(tables)

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(width=6.2, height=3.4)
        values = e.array("matrices")
        ax.imshow(values, cmap="RdBu", vmin=-6, vmax=6, aspect="auto")
        for (i, j), x in np.ndenumerate(values):
            ax.text(j, i, f"{x:.0f}", ha="center", va="center", color="w" if abs(x) > 4 else "k")
        ax.plot([-0.5, 6.5, 6.5, -0.5, -0.5], [1.5, 1.5, 3.5, 3.5, 1.5], color="C1", lw=2, clip_on=False)
        ax.set_xticks(range(7), [f"{c}\n{n}" for c, n in zip(CLASSES, e.array("sizes"), strict=True)])
        ax.set_yticks(range(7), ROWS)
        ax.grid(False)
        ax.set(title="characters of S5; below, the class and its size")
        return figure
