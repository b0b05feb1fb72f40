"""The two-stage algorithm of Theorem 5.5 in NumPy: one step on the first layer, then SGD on the second.

    stage 1   W ← -η ∂L/∂W,  b ← b - η ∂L/∂b,  u ← 0,  η = 1/(k |ξ_{k-1}|)      decay 1 on W, rate 0 on u (erratum E10)
    stage 2   u ← u - M/(ρ√T) ∂/∂u (hinge loss of a batch),  M = 8k^1.5,  ρ ≥ ‖σ(Wx + b)‖

The hidden set is {0, ..., k-1}. Networks are those of `elegans.theory.symmetric_start`: W (n, r), b (r,), u (r,).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elegans.theory.majority import xi
from elegans.theory.neuron_gradients import gradient_at_signs
from elegans.theory.second_layer import corrected, learning_rate
from elegans.theory.symmetric_start import Network, symmetric_start

Floats32 = NDArray[np.float32]
CHUNK = 2**14


def signs(rng: np.random.Generator, m: int, n: int) -> Floats32:
    """m examples of n fair signs."""
    packed = np.frombuffer(rng.bytes(m * -(-n // 8)), np.uint8).reshape(m, -1)
    return 1 - 2 * np.unpackbits(packed, axis=1, count=n).astype(np.float32)


def exact_step(net: Network, k: int) -> Network:
    """Stage 1 with the population gradient; the biases stay."""
    g = -net["u"] * gradient_at_signs(net["W"].T, k).T
    return stepped(net, g, np.zeros_like(net["b"]), k)


def sampled_step(net: Network, k: int, batch: int, rng: np.random.Generator) -> Network:
    """Stage 1 with the gradient of a fresh batch."""
    return stepped(net, *sampled_gradient(net, k, batch, rng), k)


def sampled_gradient(net: Network, k: int, batch: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """∂L/∂W (n, r) and ∂L/∂b (r,) of the hinge loss at f = 0 on a batch; the second half of the neurons are twins."""
    n, half = net["W"].shape[0], net["W"].shape[1] // 2
    W, b = net["W"][:, :half].astype(np.float32), net["b"][:half].astype(np.float32)
    in_w, in_b = np.zeros((n, half)), np.zeros(half)
    for i in range(0, batch, CHUNK):
        x = signs(rng, min(CHUNK, batch - i), n)
        active = (x @ W + b > 0) * x[:, :k].prod(1, keepdims=True)
        in_w += x.T @ active
        in_b += active.sum(0, dtype=np.float64)
    g, g_b = np.hstack([in_w, in_w]) / batch, np.concatenate([in_b, in_b]) / batch
    return -net["u"] * g, -net["u"] * g_b


def stepped(net: Network, in_w: Any, in_b: Any, k: int) -> Network:
    """The first layer after the step."""
    eta = learning_rate(net["W"].shape[0], k)
    return {"W": -eta * in_w, "b": net["b"] - eta * in_b, "u": np.zeros_like(net["u"])}


def train_second_layer(
    nets: list[Network], k: int, steps: int, batch: int, rng: np.random.Generator, on: int = 4096, looks: int = 50
) -> dict[str, NDArray[Any]]:
    """Stage 2 for several networks side by side: hinge loss and accuracy on a validation sample, shape (nets, looks)."""
    W, b = (np.stack([net[name] for net in nets]).astype(np.float32) for name in ("W", "b"))
    lanes, n, r = W.shape
    held = signs(rng, on, n)
    label = held[:, :k].prod(1)
    seen = np.stack([np.maximum(held @ w + a, 0) for w, a in zip(W, b, strict=True)])
    rho = np.linalg.norm(seen, axis=2).max(1, keepdims=True)
    rate = (8 * k**1.5 / (rho * np.sqrt(steps))).astype(np.float32)
    u = np.zeros((lanes, r), np.float32)
    at = np.unique(np.linspace(1, steps, looks).round().astype(int))
    margins = []
    for t in range(1, steps + 1):
        x = signs(rng, lanes * batch, n).reshape(lanes, batch, n)
        y = x[:, :, :k].prod(2)
        hidden = np.maximum(x @ W + b[:, None], 0)
        active = y * (y * (hidden @ u[:, :, None])[:, :, 0] < 1)
        u += rate * (active[:, None] @ hidden)[:, 0] / batch
        if t in at:
            margins.append((seen @ u[:, :, None])[:, :, 0] * label)
    m = np.stack(margins, axis=1)
    return {"t": at, "hinge": np.maximum(1 - m, 0).mean(2), "accuracy": (m > 0).mean(2)}


def recovered(net: Network, k: int) -> NDArray[np.bool_]:
    """Whether the k largest weights of a neuron are those of the hidden set, shape (r,)."""
    size = np.abs(net["W"])
    return size[:k].min(0) > size[k:].max(0)


def with_all_types(rng: np.random.Generator, n: int, k: int, r: int) -> Network:
    """An initial network in which every neuron that Lemma B.4 asks for occurs: drawn until it does."""
    while True:
        net = symmetric_start(rng, n, k, r)
        if all(len(found) for found in types(exact_step(net, k), k)):
            return net


def types(net: Network, k: int) -> list[NDArray[np.int64]]:
    """For each neuron of the corrected construction, the neurons of the network after an exact step that are like it."""
    ideal, out = corrected(k), []
    for s, b in zip(ideal.s, ideal.b, strict=True):
        like = np.isclose(net["W"][:k], s / (2 * k)).all(0) & np.isclose(net["b"], b)
        out.append(np.flatnonzero(like))
    return out


def assembled(net: Network, k: int) -> NDArray[np.float64]:
    """The second layer of Lemma B.4 on a network after an exact step, shared evenly by the neurons of a type."""
    u = np.zeros(net["W"].shape[1])
    for weight, like in zip(corrected(k).u, types(net, k), strict=True):
        u[like] += weight / len(like)
    return u


def signal(n: int, k: int) -> float:
    """½ |ξ_{k-1}|, the size of the relevant entries of the gradient."""
    return abs(xi(n, k - 1)) / 2
