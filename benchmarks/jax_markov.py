"""In-context Markov chains in plain JAX: batches drawn beforehand, and the transformer written for a whole batch."""

import jax
import jax.numpy as jnp
from jax import Array, lax

from benchmarks.cells import Cell

Params = dict[str, Array]


def bank(key: Array, cell: Cell, batches: int) -> Array:
    """Sequences of t + 1 symbols, each from its own chain."""
    rows, first, moves = jax.random.split(key, 3)
    P = jax.random.dirichlet(rows, jnp.ones(cell.k), (batches * cell.batch, cell.k))
    x = jax.random.categorical(first, jnp.log(jnp.linalg.matrix_power(P, 64)[:, 0]))

    def move(x: Array, key: Array) -> tuple[Array, Array]:
        x = jax.random.categorical(key, jnp.log(P[jnp.arange(len(x)), x]))
        return x, x

    later = lax.scan(move, x, jax.random.split(moves, cell.t))[1]
    return jnp.concatenate([x[:, None], later.T], 1).reshape(batches, cell.batch, -1)


def init(key: Array, cell: Cell) -> Params:
    """Normal matrices and tables, and layer norms that do nothing yet."""
    d, places = cell.d, range(cell.layers)
    shapes = {"embed": (cell.k, d), "read": (d, cell.k)}
    for l in places:
        shapes |= {f"qkv{l}": (d, 3 * d), f"out{l}": (d, d), f"pos{l}": (cell.t, d)}
    keys = jax.random.split(key, len(shapes))
    drawn = {n: 0.02 * jax.random.normal(k, s) for k, (n, s) in zip(keys, shapes.items(), strict=True)}
    return drawn | {f"norm{l}": jnp.stack([jnp.ones(d), jnp.zeros(d)]) for l in range(cell.layers + 1)}


def norm(p: Array, z: Array) -> Array:
    """Layer norm with gain and bias."""
    centred = z - z.mean(-1, keepdims=True)
    return p[0] * centred * lax.rsqrt(z.var(-1, keepdims=True) + 1e-5) + p[1]


def attention(p: Params, l: int, z: Array) -> Array:
    """Causal attention with a learned vector for each distance, added to the keys."""
    t, d = z.shape[-2:]
    q, k, v = jnp.split(z @ p[f"qkv{l}"], 3, -1)
    distance = jnp.arange(t)[:, None] - jnp.arange(t)
    by_distance = q @ p[f"pos{l}"].T
    index = jnp.broadcast_to(jnp.maximum(distance, 0), by_distance.shape)
    scores = q @ k.swapaxes(-2, -1) + jnp.take_along_axis(by_distance, index, -1)
    weights = jax.nn.softmax(jnp.where(distance >= 0, scores / d**0.5, -jnp.inf))
    return weights @ v @ p[f"out{l}"]


def loss(p: Params, x: Array) -> Array:
    """Mean cross entropy of the next symbol over all positions."""
    z, layers = p["embed"][x[:, :-1]], sum(n.startswith("qkv") for n in p)
    for l in range(layers):
        z = z + attention(p, l, norm(p[f"norm{l}"], z))
    logits = norm(p[f"norm{layers}"], z) @ p["read"]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), x[:, 1:, None], -1).mean()
