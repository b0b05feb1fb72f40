"""The lab as a user has it, and its engine alone.

The lab's time is that of whole sweeps with two workers on a store of their own: planning, leases, the tail in which lanes
run dry, writing and reading the results. Not in it are the start of the workers and compilation, which a first sweep did.
"""

import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cells import BATCH, BUDGET, EVERY, LR, ON, SCREEN, Cell, K, N
from benchmarks.crew import Done, Go
from elegans.lab.plan import expand
from elegans.lab.session import Session, program_of
from elegans.lab.store import Store
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.attention import AttentionOnly
from elegans.models.mlp import MLP
from elegans.tasks.markov import MarkovChains
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD, Adam
from elegans.training.losses import cross_entropy
from elegans.training.stops import Budget, Solved, Steps, Stop

if TYPE_CHECKING:
    from elegans.lab.tile import Tile

LENGTH = 100  # steps of a run of the transformer
WORKERS = 2


def run_of(cell: Cell, stop: Stop) -> Run:
    """The cell's training."""
    if cell.width:
        return Run(MLP(cell.width), Stage(SparseParity(N, K), SGD(LR, batch=BATCH), stop))
    algorithm = Adam(5e-4, batch=cell.batch, loss=cross_entropy, b1=0.9, b2=0.95, decay=0.1)
    return Run(AttentionOnly(cell.d, cell.layers), Stage(MarkovChains(cell.k, cell.t), algorithm, stop))


def make(name: str, cell: Cell) -> Go:
    """`lab` or `engine`."""
    return {"lab": lab, "engine": engine}[name](cell)


def lab(cell: Cell) -> Go:
    """Sweeps of as many runs as fit into the time, with other seeds every time."""
    run = run_of(cell, Solved(every=EVERY, screen=SCREEN, on=ON) | Budget(BUDGET) if cell.width else Steps(LENGTH))
    few, used = (32 if cell.width else 8), 0

    def sweep(count: int) -> Done:
        nonlocal used
        seeds, used = range(used, used + count), used + count
        with tempfile.TemporaryDirectory(prefix="elegans-bench-") as folder:
            session = Session(Store.open(folder), workers=WORKERS)
            began = time.perf_counter()
            result = session.sweep(Sweep(run, seed=seeds))
            taken = time.perf_counter() - began
        solved = int((result.runs["outcome"] == "solved").sum())
        return Done(session.spent["steps"], taken, solved, float(np.quantile(result.runs["t"], 0.95)))

    sweep(few)
    pace = few / sweep(few).seconds

    def go(seconds: float) -> Done:
        nonlocal pace
        count = 4 * WORKERS * max(1, round(pace * seconds / (4 * WORKERS)))  # blocks of one size
        done = sweep(count)
        pace = count / done.seconds
        return done

    return go


def engine(cell: Cell) -> Go:
    """One tile whose lanes never stop, in this process."""
    from elegans.lab import worker

    worker.configure("float32", 0)
    tile = tile_of(Sweep(run_of(cell, Steps(10**9)), seed=range(64)))
    for _ in range(8):
        tile.advance()

    def go(seconds: float) -> Done:
        began, before = time.perf_counter(), tile.steps
        while (taken := time.perf_counter() - began) < seconds:
            tile.advance()
        return Done(tile.steps - before, taken)

    return go


def tile_of(sweep: Sweep) -> "Tile":
    """A tile of this process, filled with the sweep's runs."""
    from elegans.lab.job import Block, Load
    from elegans.lab.tile import Tile

    leg = expand(sweep).cells[0][1]
    tile = Tile(Load(program_of(leg.blueprint), []))
    block = Block("", "", "", leg.ids, leg.seeds, leg.knobs, leg.steps)
    tile.fill(((block, i) for i in range(tile.width)), {})
    return tile
