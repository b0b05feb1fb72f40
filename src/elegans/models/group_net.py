"""A one-hidden-layer network that reads two symbols a, b < d and names a third.

    F_c(a, b) = Σ_i σ(u_ia + v_ib) w_ic        σ(z) = z² by default        U, V, W of shape (m, d)

Neuron i owns row i of the three arrays. There are no biases, so F(λθ) = λ^{k+1} F(θ) for λ > 0 if σ has degree k: 3 for
z², 2 for ReLU. Reading columns by index spares an example two products with one-hot vectors; for all pairs at once
`table` spares reading columns as well.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from elegans.base import stream
from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.models.base import Model, Params, Trace
from elegans.models.initialisers import FanIn, Initialiser


class GroupNet(Model):
    """`width` = m neurons, 3md parameters. The default start is Unif(±1/√(2d)) for U and V, which together read 2d
    one-hot units, and Unif(±1/√m) for W; `initial=Gaussian(d**-0.5)` is another."""

    width: int = static(low=1)
    activation: Callable[[Array], Array] = static(default=jnp.square)
    initial: Initialiser = static(default=FanIn())

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        m, d, keys = self.width, _symbols(signature), stream.split(key, ("U", "V", "W"))
        return {
            "U": self.initial.draw(keys["U"], (m, d), 2 * d, m, dtype),
            "V": self.initial.draw(keys["V"], (m, d), 2 * d, m, dtype),
            "W": self.initial.draw(keys["W"], (m, d), m, d, dtype),
        }

    def trace(self, params: Params, x: Int[Array, "2"], key: Key[Array, ""] | None = None, shared: Any = ()) -> Trace:
        pre = params["U"][:, x[0]] + params["V"][:, x[1]]
        return {"pre": pre, "out": self.activation(pre) @ params["W"]}

    def table(self, params: Params) -> Float[Array, "d d d"]:
        """F_c(a, b) of all pairs, indexed [c, a, b]: one matrix product with the pairs as columns."""
        U, V, W = (params[name] for name in "UVW")
        post = self.activation(U[:, :, None] + V[:, None, :])
        return _read(W, post.reshape(len(U), -1)).reshape(-1, *post.shape[1:])


@jax.custom_vjp
def _read(W: Float[Array, "m d"], R: Float[Array, "m n"]) -> Float[Array, "d n"]:
    """Wᵀ R. Its derivatives are written out so that W Γ has the layout of R: JAX makes its transpose and copies it."""
    return W.T @ R


def _read_forward(W: Array, R: Array) -> tuple[Array, tuple[Array, Array]]:
    return W.T @ R, (W, R)


def _read_backward(saved: tuple[Array, Array], G: Array) -> tuple[Array, Array]:
    W, R = saved
    return R @ G.T, W @ G


_read.defvjp(_read_forward, _read_backward)


def _symbols(signature: Any) -> int:
    """d of a task with two of d symbols in and d classes out, or an error that says what does not fit."""
    if signature.x != (2,) or not signature.symbols or signature.out != (signature.symbols,):
        raise UsageError(
            "GroupNet reads two of d symbols and gives d logits, but the task has inputs of shape "
            f"{signature.x}, outputs of shape {signature.out} and {signature.symbols} symbols; "
            "use a task like GroupComposition(Cyclic(7))"
        )
    return signature.symbols
