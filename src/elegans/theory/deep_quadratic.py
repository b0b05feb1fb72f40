"""Deep networks of squares and parities (section B.3.7), with gradients over the whole cube.

    z_0 = x        z_i = (W_iᵀ z_{i-1} + b_i)²  for i < L        f(x) = u·z_{L-1} + c

f has degree 2^{L-1} in x and so has the derivative by each of its parameters: E[y ∂f] vanishes identically for parities of
more bits. Of two layers, as layer-wise training sees them, that leaves k <= 2 for ever. A parity of four bits is a
parity of parities, with x_1 x_2 = ½(x_1 + x_2)² - 1:

    z_1 = ((x_1 + x_2)², (x_3 + x_4)²)        z_2 = (½ z_{1,1} + ½ z_{1,2} - 2)²        f = ½ z_2 - 1
"""

import itertools

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Network = dict[str, Floats]


def random_network(rng: np.random.Generator, n: int, widths: tuple[int, ...]) -> Network:
    """Weights and biases from U(±1/√fan_in)."""
    sizes, net = (n, *widths), Network()
    for i, (fan_in, fan_out) in enumerate(itertools.pairwise(sizes), 1):
        c = 1 / np.sqrt(fan_in)
        net[f"W{i}"], net[f"b{i}"] = rng.uniform(-c, c, (fan_in, fan_out)), rng.uniform(-c, c, fan_out)
    c = 1 / np.sqrt(sizes[-1])
    return {**net, "u": rng.uniform(-c, c, sizes[-1]), "c": rng.uniform(-c, c, ())}


def parity_of_parities(n: int = 4) -> Network:
    """Widths (2, 1): the parity of the first four of n bits, exactly."""
    if n < 4:
        raise ValueError(f"n = {n}: the construction reads four bits; take n >= 4.")
    W1 = np.zeros((n, 2))
    W1[:2, 0] = W1[2:4, 1] = 1
    return {
        "W1": W1, "b1": np.zeros(2), "W2": np.full((2, 1), 0.5), "b2": np.array([-2.0]), "u": np.array([0.5]),
        "c": np.array(-1.0),
    }  # fmt: skip


def layers(net: Network, x: Floats) -> list[Floats]:
    """z_0 = x, z_1, ..., z_{L-1} on a batch."""
    z = [x]
    for i in range(1, depth(net) + 1):
        z.append((z[-1] @ net[f"W{i}"] + net[f"b{i}"]) ** 2)
    return z


def output(net: Network, x: Floats) -> Floats:
    """f(x) on a batch. Shapes (b, n) -> (b,)."""
    return layers(net, x)[-1] @ net["u"] + net["c"]


def correlation_gradient(net: Network, x: Floats, y: Floats) -> Network:
    """Gradient of the correlation loss E[-y f] over a batch, by every parameter."""
    z, size = layers(net, x), len(x)
    grads = {"u": -(y @ z[-1]) / size, "c": np.array(-y.mean())}
    back = -y[:, None] * net["u"] / size
    for i in range(depth(net), 0, -1):
        pre = z[i - 1] @ net[f"W{i}"] + net[f"b{i}"]
        back = 2 * back * pre
        grads[f"W{i}"], grads[f"b{i}"] = z[i - 1].T @ back, back.sum(0)
        back = back @ net[f"W{i}"].T
    return grads


def depth(net: Network) -> int:
    """Number of layers of squares, L - 1."""
    return sum(name.startswith("W") for name in net)


def largest(grads: Network, *names: str) -> float:
    """The largest entry of some of the gradients, or of all."""
    return max(float(np.abs(grads[name]).max()) for name in names or grads)
