"""What is measured: the settings, and who takes part in each.

Everybody trains the same networks, from the same laws, on fresh data in every step. A rate without a stop test counts
steps; a rate with one counts the steps of unfinished runs only, and tests every `EVERY` steps.
"""

from dataclasses import dataclass

N, K, BATCH, LR = 50, 3, 32, 0.1
EVERY, SCREEN, ON = 10, 128, 8192  # the stop test: every ten steps on 128 examples, confirmed on 8192
BUDGET = 20_000  # steps of a run that is not solved, and of every run that has a fixed length


@dataclass(frozen=True)
class Cell:
    """A setting, with what its peers need to know."""

    name: str
    says: str
    flops: float  # of the matrix products of one step
    lanes: int  # runs side by side in a vmap
    group: int = 0  # runs that wait for each other in a while loop
    width: int = 0  # of the network on parities; 0 for Markov chains
    k: int = 3
    t: int = 100
    d: int = 16
    layers: int = 2
    batch: int = BATCH


def parity(width: int, lanes: int, group: int) -> Cell:
    """The two-layer network on the (50, 3) parity; the products are xW and its gradient, and three with u."""
    flops = 4 * BATCH * N * width + 6 * BATCH * width
    says = f"({N},{K})-parity, width {width}, batch {BATCH}, SGD {LR}"
    return Cell(f"parity-{width}", says, flops, lanes, group, width)


def markov(k: int = 3, t: int = 100, d: int = 16, layers: int = 2, batch: int = 64) -> Cell:
    """The in-context transformer: four maps and three t x t products a layer, counted without using causality."""
    sequence = layers * (4 * t * d * d + 3 * t * t * d) + 2 * t * d * k
    says = f"Markov chains k={k}, t={t}, {layers} layers, d={d}, batch {batch}, AdamW"
    return Cell("markov", says, 6 * batch * sequence, 2, k=k, t=t, d=d, layers=layers, batch=batch)


CELLS = {c.name: c for c in (parity(10, 64, 32), parity(100, 64, 32), parity(1000, 8, 8), markov())}


@dataclass(frozen=True)
class Contestant:
    """Who is measured: `make` of a module, by name, with the seconds of one measurement."""

    name: str
    module: str
    says: str
    seconds: float
    stops: bool = False  # has the stop test
    whole: bool = False  # uses all cores from one process


LAB = Contestant("lab", "ours", "sessions of two workers", 8.0, stops=True, whole=True)
PEAK = Contestant("peak", "peak", "float32 matmul in XLA, one process a core", 1.0)
PEAK_TORCH = Contestant("peak_torch", "peak", "float32 matmul in PyTorch, one process a core", 1.0)
ENGINE = Contestant("engine", "ours", "tile.advance alone", 3.0)
LOOP = Contestant("loop", "peers_torch", "PyTorch loop", 3.0)
LOOP_STOP = Contestant("loop_stop", "peers_torch", "PyTorch loop", 3.0, stops=True)
LOOP_DATA = Contestant("loop_data", "peers_torch", "PyTorch loop that generates its data", 3.0)
VMAP = Contestant("vmap", "peers_torch", "torch.func.vmap + torch.compile", 3.0)
SCAN = Contestant("scan", "peers_jax", "JAX vmap(scan)", 3.0)
WHILE = Contestant("while", "peers_jax", "JAX vmap(while_loop), until the slowest", 3.0, stops=True)


def contestants(cell: Cell) -> list[Contestant]:
    """Who takes part, in the order of measurement."""
    if cell.width:
        return [LAB, ENGINE, LOOP, LOOP_STOP, VMAP, SCAN, WHILE, PEAK, PEAK_TORCH]
    return [LAB, ENGINE, LOOP, LOOP_DATA, VMAP, SCAN, PEAK, PEAK_TORCH]
