"""Sparse and disjoint parity: the label is one character of the cube, and no partial credit is given for a part of S.

E[y χ_{S'}] = 1 for S' = S and 0 for every other set, however many coordinates it shares with S
"""

from itertools import combinations

import jax
import numpy as np

from elegans.base import stream
from elegans.claims.claim import Claim, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.tasks.parity import Parity, SparseParity, mask_of
from elegans.theory import boolean
from elegans.theory.random_search import disjoint_subsets

Arrays = dict[str, np.ndarray]
SPARSE = (SparseParity(10, 1), SparseParity(10, 2), SparseParity(12, 5, support=(0, 3, 7, 8, 11)))
DISJOINT = (DisjointParity(10, 2), DisjointParity(12, 3))


def spectrum_errors(tasks: tuple[Parity, ...], sign: int) -> np.ndarray:
    """Largest distance of the label's spectrum from the indicator of S; with sign -1 the product of the -x_i."""
    errors: list[float] = []
    for task in tasks:
        batch, expected = task.enumerate(), np.zeros(2**task.n)
        expected[boolean.index(task.canonical)] = sign**task.k
        errors.append(float(np.abs(boolean.spectrum(batch.y) - expected).max()))
    return np.array(errors)


def flips_violated(task: SparseParity, support: tuple[int, ...]) -> int:
    """Pairs of neighbours on the cube whose labels differ although i ∉ support, or agree although i ∈ support."""
    y, places = task.enumerate().y, np.arange(2**task.n)
    return sum(int((y[places ^ 1 << i] != (-y if i in support else y)).sum()) for i in range(task.n))


def permutations_violated(task: SparseParity, count: int) -> int:
    """Points at which moving coordinates and support alike changes the label."""
    rng, batch, wrong = np.random.default_rng(0), task.enumerate(), 0
    for _ in range(count):
        move = rng.permutation(task.n)
        moved = np.empty_like(batch.x)
        moved[:, move] = batch.x
        wrong += int((boolean.parity(moved, tuple(move[list(task.canonical)].tolist())) != batch.y).sum())
    return wrong


def sampled(n: int, m: int, supports: tuple[tuple[int, ...], ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Inputs and labels of m examples for each support, all from one program."""
    draw = jax.jit(lambda key, mask: SparseParity(n, 1).sample(key, m, mask)[:2])
    found = [draw(stream.key(1, stream.Purpose.DATA), mask_of(S, n)) for S in supports]
    return [(np.asarray(x), np.asarray(y)) for x, y in found]


def concentration(x: np.ndarray, y: np.ndarray, delta: float) -> np.ndarray:
    """|mean y| over 4/√m and max_i |mean y x_i| over √(2 log(2n/δ)/m), for a sample of m."""
    m, n = x.shape
    return np.array([abs(y.mean()) * m**0.5 / 4, abs(y @ x).max() / m / np.sqrt(2 * np.log(2 * n / delta) / m)])


def overlap_table(x: np.ndarray, y: np.ndarray, k: int) -> Arrays:
    """Correlation of every k-set with the labels, and how many coordinates it shares with S = {0..k-1}."""
    sets = np.array(list(combinations(range(x.shape[1]), k)))
    return {
        "correlation": (x[:, sets].prod(2) * y[:, None]).mean(0),
        "shared": (sets < k).sum(1),
        "drawn": np.array(len(x)),
    }


def sparse_table(m: int, delta: float) -> Arrays:
    """All checks of sparse parity; the sample is of (50, 3), the picture of its first 20 coordinates."""
    task, (three, one) = SPARSE[-1], sampled(50, m, ((0, 1, 2), (0,)))
    return {
        "m": np.array(m),
        "spectrum": spectrum_errors(SPARSE, 1),
        "spectrum_of_minus_x": spectrum_errors(SPARSE, -1),
        "violations": np.array([flips_violated(task, task.canonical), permutations_violated(task, 5)]),
        "violations_of_another_set": np.array([flips_violated(task, (0, 1, 7, 8, 11))]),
        "sample": concentration(*three, delta),
        "sample_of_one_bit": concentration(*one, delta),
        **overlap_table(three[0][:400, :20], three[1][:400], 3),
    }


def outside_blocks(masks: np.ndarray, n: int, k: int) -> int:
    """Supports, as bit masks, that do not have exactly one coordinate in each block."""
    block = (1 << n // k) - 1
    return sum(any((int(s) >> i & block).bit_count() != 1 for i in range(0, n, n // k)) for s in masks)


def disjoint_table(seeds: int) -> Arrays:
    """Supports that hidden tasks draw against all pairs, and the spectrum of canonical ones."""
    task = DisjointParity(8, 2, hidden=True)
    draw = jax.jit(jax.vmap(lambda s: task.secret(stream.key(s, stream.Purpose.TASK))[0]))
    disjoint = np.asarray(draw(np.arange(seeds, dtype=np.uint32)))
    sparse = np.array([1 << i | 1 << j for i, j in combinations(range(8), 2)])
    return {
        "spectrum": spectrum_errors(DISJOINT, 1),
        "spectrum_of_minus_x": spectrum_errors(DISJOINT, -1),
        "outside": np.array([outside_blocks(disjoint, 8, 2)]),
        "outside_if_any_pair": np.array([outside_blocks(sparse, 8, 2)]),
        "supports": np.array([len(np.unique(disjoint))]),
        "supports_if_any_pair": np.array([len(np.unique(sparse))]),
    }


def observed(e: Evidence, name: str) -> Estimate:
    """The largest entry of a named array, seen on a sample of m."""
    value = float(e.array(name).max())
    return Estimate(value, value, value, int(e.array("m")), what=f"max {name}")


class OneCharacter(Experiment):
    """The label is one character of the cube: a part of S is worth nothing."""

    id = "task-parity"
    place = Place(PAPER, "section 5.1 and the definition of disjoint parities in section 5.4.2")
    claims = (
        Claim(
            "task-parity",
            "over the whole cube y correlates with χ_S fully and with every other parity not at all",
            expect=at_most(1e-12),
            why="orthogonality of parities; y = +1 where an even number of relevant entries is -1",
            value=lambda e: e["sparse"].max("spectrum"),
            wrong=lambda e: e["sparse"].max("spectrum_of_minus_x"),
        ),
        Claim(
            "task-parity",
            "flipping a relevant bit flips the label, an irrelevant one does not, and permutations commute with labels",
            expect=at_most(0),
            why="y = Π_{i∈S} x_i; counted over all points and neighbours of a cube of 12 bits",
            value=lambda e: e["sparse"].max("violations"),
            wrong=lambda e: e["sparse"].max("violations_of_another_set"),
        ),
        Claim(
            "task-parity",
            "sample means of y and of y x_i stay within their bounds (in units of the bounds)",
            of="derived",
            expect=at_most(1),
            why="4/√m, and Hoeffding's √(2 log(2n/δ)/m) with δ = 10⁻⁶; a degree-1 task breaks the second bound",
            value=lambda e: observed(e["sparse"], "sample"),
            wrong=lambda e: observed(e["sparse"], "sample_of_one_bit"),
        ),
        Claim(
            "task-disjoint",
            "over the whole cube the label is the character of one coordinate a block",
            expect=at_most(1e-12),
            why="orthogonality of parities",
            value=lambda e: e["disjoint"].max("spectrum"),
            wrong=lambda e: e["disjoint"].max("spectrum_of_minus_x"),
        ),
        Claim(
            "task-disjoint",
            "every support that is drawn has exactly one coordinate in each block",
            expect=at_most(0),
            why="the definition; supports of general parities break it",
            value=lambda e: e["disjoint"].max("outside"),
            wrong=lambda e: e["disjoint"].max("outside_if_any_pair"),
        ),
        Claim(
            "task-disjoint",
            "all (n/k)^k supports are drawn, and no others, at n = 8, k = 2",
            expect=between(disjoint_subsets(8, 2), disjoint_subsets(8, 2)),
            why="(n/k)^k = 16; 400 draws miss one of 16 with probability below 16 e^{-25}; general parities have 28",
            value=lambda e: exact(float(e["disjoint"].array("supports")[0]), "supports"),
            wrong=lambda e: exact(float(e["disjoint"].array("supports_if_any_pair")[0]), "supports"),
        ),
    )
    chosen = {
        "cubes": "n = 10 and 12: small enough to list",
        "samples": "(50, 3), the paper's showcase; the figure shows the 3-subsets of 20 of its coordinates",
    }
    shows = (
        "A set that shares two of the three relevant bits correlates no more with the labels than one that shares none."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        sparse = Calculation(sparse_table, m=scale(10_000, 100_000, 1_000_000), delta=1e-6)
        return {"sparse": sparse, "disjoint": Calculation(disjoint_table, seeds=400)}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        table = e["sparse"]
        shared, m = table.array("shared"), int(table.array("drawn"))
        jitter = np.random.default_rng(0).uniform(-0.25, 0.25, shared.size)
        ax.axhspan(-4 / m**0.5, 4 / m**0.5, color="0.9", label=f"sampling noise, ±4/√m, m = {m}")
        part = shared < shared.max()
        ax.plot(
            (shared + jitter)[part], table.array("correlation")[part], ".", ms=3, label="another 3-subset of 20 bits"
        )
        ax.plot(shared[~part], table.array("correlation")[~part], "o", ms=6, color="C1", label="S itself")
        ax.axhline(1, lw=0.8, ls=":", color="0.3", label=r"$E[y\,\chi_S]=1$")
        ax.set(xlabel="coordinates shared with S", ylabel=r"mean of $y\,\chi_{S'}$ over the sample", xticks=range(4))
        ax.legend(loc="center left")
        return figure
