"""The models of the robust space for `PaddedParity`: what differs between settings of one shape is a number.

    PaddedMLP      f(x) = u·(m ⊙ σ(Wᵀx + b)) + c        m_j = 1[j ≤ r],  σ = ReLU or z^k,  r = width or k
    PaddedNeuron   f(x) = u σ(w·x + b)                   σ oscillating,  u trained or 1
    PaddedPolyNet  f(x) = Π_{i≤k} (w_i·x + b_i)          k of 4 factors

The law of fresh weights is `FanIn` for law 0, `Kaiming` for 1, `Bernoulli` for 2, with the true fan-in. Names of
parameters and order of keys are those of `MLP`, `Neuron` and `PolyNet`. Padded weights have no influence on the
output and no gradient, so that each of these is one of those, for as long as it is trained.
"""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from elegans.base import stream
from elegans.base.config import static, traced
from elegans.base.errors import UsageError
from elegans.base.padding import COLUMNS, LARGEST_DEGREE, first
from elegans.models.base import Model, Params, Trace
from elegans.models.chosen import drawn, oscillating, rectified


class PaddedMLP(Model):
    """Two layers with ReLU (activation 0) or z^k (1); `minimal` 1 keeps only the first k neurons."""

    width: int = static(low=1)
    activation: float = traced(default=0.0, low=0, high=1)
    minimal: float = traced(default=0.0, low=0, high=1)
    law: float = traced(default=0.0, low=0, high=2)

    def check(self) -> None:
        if self.minimal > 0.5 and self.width < LARGEST_DEGREE:
            raise UsageError(f"width is {self.width}, but k can be {LARGEST_DEGREE}; take width={LARGEST_DEGREE}")

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        (n, k), r, keys = sizes_of(self, signature), self.width, stream.split(key, ("W", "b", "u", "c"))
        live = self._live(k)
        return {
            "W": drawn(self.law, keys["W"], (COLUMNS, r), n, dtype),
            "b": drawn(self.law, keys["b"], (r,), n, dtype),
            "u": drawn(self.law, keys["u"], (r,), live, dtype),
            "c": drawn(self.law, keys["c"], (), live, dtype),
        }

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        pre = x @ params["W"] + params["b"]
        σ = rectified(self.activation, shared, pre)
        hidden = jnp.where(first(self._live(shared), self.width), σ, jnp.zeros_like(σ))
        return {"pre": pre, "hidden": hidden, "out": hidden @ params["u"] + params["c"]}

    def _live(self, k: Any) -> Array:
        return jnp.where(jnp.asarray(self.minimal) > 0.5, k, self.width)


class PaddedNeuron(Model):
    """One neuron: zigzag, polynomial, triangle wave, sinusoid (activation 0 to 3); `second` 0 fixes u = 1."""

    activation: float = traced(default=0.0, low=0, high=3)
    second: float = traced(default=1.0, low=0, high=1)
    law: float = traced(default=0.0, low=0, high=2)

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        (n, _), keys = sizes_of(self, signature), stream.split(key, ("w", "b", "u"))
        return {
            "w": drawn(self.law, keys["w"], (COLUMNS,), n, dtype),
            "b": drawn(self.law, keys["b"], (), n, dtype),
            "u": drawn(self.law, keys["u"], (), 1, dtype),
        }

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        pre = x @ params["w"] + params["b"]
        hidden = oscillating(self.activation, shared, pre)
        u = jnp.where(jnp.asarray(self.second) > 0.5, params["u"], jnp.ones_like(params["u"]))
        return {"pre": pre, "hidden": hidden, "out": u * hidden}


class PaddedPolyNet(Model):
    """A product of k affine forms, of which there are 4."""

    law: float = traced(default=0.0, low=0, high=2)

    def init(self, key: Key[Array, ""], signature: Any, dtype: jnp.dtype = jnp.float32) -> Params:
        (n, _), keys = sizes_of(self, signature), stream.split(key, ("W", "b"))
        return {
            "W": drawn(self.law, keys["W"], (LARGEST_DEGREE, COLUMNS), n, dtype),
            "b": drawn(self.law, keys["b"], (LARGEST_DEGREE,), n, dtype),
        }

    def trace(
        self, params: Params, x: Float[Array, " n"], key: Key[Array, ""] | None = None, shared: Any = ()
    ) -> Trace:
        pre = params["W"] @ x + params["b"]
        factors = jnp.where(first(shared, LARGEST_DEGREE), pre, jnp.ones_like(pre))
        return {"pre": pre, "out": factors.prod()}


def sizes_of(model: Model, signature: Any) -> tuple[Any, Any]:
    """True n and k of a padded parity, or an error that says what fits."""
    if signature.sizes is None or signature.x != (COLUMNS,) or signature.out != ():
        raise UsageError(
            f"{type(model).__name__} is for inputs padded to {COLUMNS} columns, not for {signature.x}; train it on "
            "PaddedParity, or take the model without padding"
        )
    return signature.sizes
