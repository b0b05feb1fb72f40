"""PyTorch: the loop that everybody writes, and many runs side by side by torch.func.vmap under torch.compile."""

import itertools
import time
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap
from torch.nn import functional as F

from benchmarks.cells import BATCH, BUDGET, EVERY, LR, ON, SCREEN, Cell, K, N
from benchmarks.crew import Done, Go
from benchmarks.torch_markov import Transformer, adamw, chains

BANK = 64  # batches that are drawn beforehand where generation is not measured

Draw = Callable[[], tuple[Tensor, Tensor]]


def make(name: str, cell: Cell) -> Go:
    """`loop`, `loop_stop`, `loop_data` or `vmap`."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    go = stacked(cell) if name == "vmap" else loop(cell, name)
    go(0.5)
    return go


# --- one run after another ---------------------------------------------------------------------------------------------


def loop(cell: Cell, name: str) -> Go:
    """Module, optimiser, and the usual five lines a step."""
    runs: Iterator[tuple[int, bool]] = training(cell, name)

    def go(seconds: float) -> Done:
        began, steps, solved = time.perf_counter(), 0, 0
        while (taken := time.perf_counter() - began) < seconds:
            some, done = next(runs)
            steps, solved = steps + some, solved + done
        return Done(steps, taken, solved)

    return go


def training(cell: Cell, name: str) -> Iterator[tuple[int, bool]]:
    """Runs without end; hands over every `EVERY` steps, with whether the run is solved."""
    draw = batches(cell, fresh=name != "loop" or bool(cell.width))
    while True:
        model, optimiser = network(cell)
        test_x, test_y = parity(ON) if name == "loop_stop" else (torch.empty(0), torch.empty(0))
        for _ in range(BUDGET // EVERY):
            for _ in range(EVERY):
                x, y = draw()
                loss = loss_of(cell, model(x), y)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
            solved = name == "loop_stop" and passed(model, test_x, test_y)
            yield EVERY, solved
            if solved:
                break


def network(cell: Cell) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A fresh network and its optimiser."""
    if not cell.width:
        model = Transformer(cell.k, cell.t, cell.d, cell.layers)
        return model, adamw(model)
    model = nn.Sequential(nn.Linear(N, cell.width), nn.ReLU(), nn.Linear(cell.width, 1), nn.Flatten(0))
    return model, torch.optim.SGD(model.parameters(), lr=LR)


def loss_of(cell: Cell, out: Tensor, y: Tensor) -> Tensor:
    """Hinge loss, or cross entropy over all positions."""
    return F.relu(1 - y * out).mean() if cell.width else F.cross_entropy(out.flatten(0, 1), y.flatten())


def passed(model: nn.Module, x: Tensor, y: Tensor) -> bool:
    """The same stop test as ours: the first examples, and the whole sample only after they pass."""
    with torch.no_grad():
        return all(bool((model(x[:m]) * y[:m] > 0).all()) for m in (SCREEN, ON))


def parity(*shape: int) -> tuple[Tensor, Tensor]:
    """Signs and the product of the first k."""
    x = torch.randint(0, 2, (*shape, N)).float() * 2 - 1
    return x, x[..., :K].prod(-1)


def batches(cell: Cell, fresh: bool) -> Draw:
    """Where the batch of a step comes from."""
    if cell.width:
        return lambda: parity(BATCH)
    if fresh:
        return lambda: chains(cell.batch, cell.k, cell.t)
    bank = itertools.cycle([chains(cell.batch, cell.k, cell.t) for _ in range(BANK)])
    return lambda: next(bank)


# --- many runs at once -------------------------------------------------------------------------------------------------


def stacked(cell: Cell) -> Go:
    """All lanes in one compiled step; AdamW of a stack is AdamW of each, since it works element by element."""
    lanes = cell.lanes
    networks = [network(cell)[0] for _ in range(lanes)]
    params, _ = stack_module_state(networks)
    params = {n: p.detach() for n, p in params.items()}

    def loss(p: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return loss_of(cell, functional_call(networks[0], p, (x,)), y)

    gradients = torch.compile(vmap(grad_and_value(loss)))
    update = torch.compile(sgd if cell.width else adamw_step)
    state = {n: (torch.zeros_like(p), torch.zeros_like(p)) for n, p in params.items()}
    draw = many(cell)

    def go(seconds: float) -> Done:
        nonlocal params, state
        began, steps = time.perf_counter(), 0
        while (taken := time.perf_counter() - began) < seconds:
            grads, _ = gradients(params, *draw())
            params, state = update(params, grads, state)
            steps += lanes
        return Done(steps, taken)

    return go


def many(cell: Cell) -> Draw:
    """A batch for every lane."""
    if cell.width:
        return lambda: parity(cell.lanes, BATCH)
    draws = [[chains(cell.batch, cell.k, cell.t) for _ in range(cell.lanes)] for _ in range(BANK)]
    bank = itertools.cycle([tuple(torch.stack(part) for part in zip(*draw, strict=True)) for draw in draws])
    return lambda: next(bank)  # type: ignore[return-value]


State = dict[str, tuple[Tensor, Tensor]]


def sgd(params: dict[str, Tensor], grads: dict[str, Tensor], state: State) -> tuple[dict[str, Tensor], State]:
    """Plain descent."""
    return {n: p - LR * grads[n] for n, p in params.items()}, state


def adamw_step(params: dict[str, Tensor], grads: dict[str, Tensor], state: State) -> tuple[dict[str, Tensor], State]:
    """AdamW without bias correction, which a changing step number would recompile and which costs nothing."""
    new = {n: (0.9 * m + 0.1 * grads[n], 0.95 * v + 0.05 * grads[n] ** 2) for n, (m, v) in state.items()}
    return {n: p * (1 - 5e-5) - 5e-4 * new[n][0] / (new[n][1].sqrt() + 1e-8) for n, p in params.items()}, new
