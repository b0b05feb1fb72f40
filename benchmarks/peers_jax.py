"""Plain JAX, as a good user writes it: vmap over runs of a scan of fixed length, or of a while loop with a stop test.

Signs are drawn as floats by jax.random.rademacher. The while loop tests on the screen only: under vmap a condition
computes both of its branches, so that a confirmation on the large sample would be paid at every test.
"""

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import Array, lax

from benchmarks.cells import BATCH, BUDGET, EVERY, LR, SCREEN, Cell, K, N
from benchmarks.crew import Done, Go
from elegans.lab.machine import use_compilation_cache

Params = dict[str, Array]
CHUNK = 1000  # steps of a scan between two looks at the clock; fewer where steps are large


def make(name: str, cell: Cell) -> Go:
    """`scan` or `while`."""
    use_compilation_cache()
    return until_slowest(cell) if name == "while" else fixed(cell)


def init(key: Array, width: int) -> Params:
    """Uniform weights, as PyTorch draws them."""
    keys, a, b = jax.random.split(key, 4), N**-0.5, width**-0.5
    shapes = {"W": ((N, width), a), "b": ((width,), a), "u": ((width,), b), "c": ((), b)}
    return {
        n: jax.random.uniform(k, s, minval=-c, maxval=c) for k, (n, (s, c)) in zip(keys, shapes.items(), strict=True)
    }


def output(p: Params, x: Array) -> Array:
    """The network on a batch."""
    return jax.nn.relu(x @ p["W"] + p["b"]) @ p["u"] + p["c"]


def parity(key: Array, count: int) -> tuple[Array, Array]:
    """Signs and the product of the first k."""
    x = jax.random.rademacher(key, (count, N), jnp.float32)
    return x, x[:, :K].prod(1)


def step(p: Params, key: Array) -> tuple[Params, None]:
    """One step of SGD on a fresh batch."""
    x, y = parity(key, BATCH)
    grads = jax.grad(lambda p: jax.nn.relu(1 - y * output(p, x)).mean())(p)
    return jax.tree.map(lambda w, g: w - LR * g, p, grads), None


def fixed(cell: Cell) -> Go:
    """vmap(scan): all lanes take all steps."""
    chunk, carry = parity_chunk(cell) if cell.width else markov_chunk(cell)
    steps = CHUNK if 0 < cell.width < 1000 else 20
    carry = chunk(carry, steps)

    def go(seconds: float) -> Done:
        nonlocal carry
        began, count = time.perf_counter(), 0
        while (taken := time.perf_counter() - began) < seconds:
            carry = jax.block_until_ready(chunk(carry, steps))
            count += steps * cell.lanes
        return Done(count, taken)

    return go


Chunk = Callable[[Any, int], Any]


def parity_chunk(cell: Cell) -> tuple[Chunk, Any]:
    """Some steps of every lane, and the lanes at the start."""

    def run(carry: tuple[Params, Array], steps: int) -> tuple[Params, Array]:
        key, now = jax.random.split(carry[1])
        return lax.scan(step, carry[0], jax.random.split(now, steps))[0], key

    keys = jax.random.split(jax.random.key(0), cell.lanes)
    carry = jax.vmap(lambda k: init(k, cell.width))(keys), keys
    return jax.jit(lambda c, s: jax.vmap(lambda c: run(c, s))(c), static_argnums=1), carry


def markov_chunk(cell: Cell) -> tuple[Chunk, Any]:
    """The same for the transformer, on batches drawn beforehand."""
    from benchmarks.jax_markov import bank, init, loss

    optimiser = optax.adamw(5e-4, b1=0.9, b2=0.95, weight_decay=0.1)
    data = bank(jax.random.key(1), cell, 64)

    def step(carry: Any, _: None) -> tuple[Any, None]:
        p, opt, t = carry
        grads = jax.grad(loss)(p, data[t % len(data)])
        change, opt = optimiser.update(grads, opt, p)
        return (optax.apply_updates(p, change), opt, t + 1), None

    params = jax.vmap(lambda k: init(k, cell))(jax.random.split(jax.random.key(0), cell.lanes))
    carry = params, jax.vmap(optimiser.init)(params), jnp.zeros(cell.lanes, jnp.int32)
    return jax.jit(lambda c, s: jax.vmap(lambda c: lax.scan(step, c, length=s)[0])(c), static_argnums=1), carry


def until_slowest(cell: Cell) -> Go:
    """vmap(while_loop): groups of runs, each until its slowest run is solved."""

    def run(key: Array) -> tuple[Array, Array]:
        start, test, data = jax.random.split(key, 3)
        x, y = parity(test, SCREEN)

        def go(c: tuple[Params, Array, Array]) -> tuple[Params, Array, Array]:
            p, t, _ = c
            p, _ = lax.scan(step, p, jax.random.split(jax.random.fold_in(data, t), EVERY))
            return p, t + EVERY, (y * output(p, x) > 0).all()

        begin = init(start, cell.width), jnp.int32(0), jnp.asarray(False)
        _, t, solved = lax.while_loop(lambda c: (c[1] < BUDGET) & ~c[2], go, begin)
        return t, solved

    keys = jax.random.split(jax.random.key(0), cell.group)
    group, key = jax.jit(jax.vmap(run)).lower(keys).compile(), keys[0]

    def go(seconds: float) -> Done:
        nonlocal key
        began, steps, solved = time.perf_counter(), 0, 0
        while (taken := time.perf_counter() - began) < seconds:
            key, now = jax.random.split(key)
            t, ended = group(jax.random.split(now, cell.group))
            steps, solved = steps + int(t.sum()), solved + int(ended.sum())
        return Done(steps, taken, solved)

    return go
