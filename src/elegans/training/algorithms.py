"""Algorithms: objective, data regime, optimiser, batch and precision in one configuration.

    theta <- (1 - decay) theta - lr(t) grad,        grad of  mean loss + penalty

Plain SGD is written out because its decay is the papers' direct shrink factor, which is not optax's `weight_decay`;
Adam's moments are optax's. Frozen parameters get no update (their gradient is masked), so a stage may train a part.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int

from elegans.base.config import Config, static, traced
from elegans.base.errors import unknown
from elegans.models.base import Params
from elegans.training.losses import hinge
from elegans.training.penalties import NoPenalty, Penalty
from elegans.training.regimes import Online, Regime
from elegans.training.schedules import Constant, Schedule

Precision = Literal["float32", "float64"]


class Algorithm(Config):
    """How parameters change in a step. Subclasses are final and share these fields."""

    lr: float = traced(low=0)
    batch: int = static(default=32, low=1)
    loss: Callable[..., Any] = static(default=hinge)
    regime: Regime = static(default=Online())
    penalty: Penalty = static(default=NoPenalty())
    schedule: Schedule = static(default=Constant())
    precision: Precision = static(default="float32")

    @abstractmethod
    def start(self, params: Params) -> Any:
        """The optimiser's state at step 0."""

    @abstractmethod
    def update(self, params: Params, state: Any, grads: Params, t: Int[Array, ""]) -> tuple[Params, Any]:
        """Parameters and state after the step; `grads` of frozen parameters are zero and must leave them alone."""

    @property
    def dtype(self) -> jnp.dtype:
        """The dtype of parameters and of real inputs."""
        return jnp.dtype(self.precision)

    def rate(self, t: Int[Array, ""]) -> Float[Array, ""]:
        """The learning rate of step t."""
        return self.lr * self.schedule.factor(t, self.dtype)


class SGD(Algorithm):
    """Stochastic gradient descent with a direct shrink factor: theta <- (1 - decay) theta - lr grad.

    Only the parameters named in `decays` shrink; () means all that train."""

    decay: float = traced(default=0.0, low=0, high=1)
    decays: tuple[str, ...] = static(default=())

    def start(self, params: Params) -> Any:
        for name in self.decays:
            if name not in params:
                raise unknown("parameter that trains", name, list(params))
        return {}

    def update(self, params: Params, state: Any, grads: Params, t: Int[Array, ""]) -> tuple[Params, Any]:
        lr, keep = self.rate(t), 1 - self.decay
        kept = {n: keep if n in self.decays or not self.decays else 1.0 for n in params}
        return jax.tree.map(lambda c, p, g: c * p - lr * g, kept, params, grads), state


class Adam(Algorithm):
    """Adam with bias correction; `decay` is decoupled (AdamW: theta shrinks by 1 - lr decay) on matrices only."""

    b1: float = traced(default=0.9, low=0, high=1)
    b2: float = traced(default=0.999, low=0, high=1)
    eps: float = traced(default=1e-8, low=0)
    decay: float = traced(default=0.0, low=0)

    def start(self, params: Params) -> Any:
        zeros = jax.tree.map(jnp.zeros_like, params)
        return {"m": zeros, "v": zeros}

    def update(self, params: Params, state: Any, grads: Params, t: Int[Array, ""]) -> tuple[Params, Any]:
        inner = optax.ScaleByAdamState(count=t, mu=state["m"], nu=state["v"])
        with jax.numpy_dtype_promotion("standard"):  # optax raises floats to an integer count
            moved: tuple[Any, Any] = optax.scale_by_adam(self.b1, self.b2, self.eps).update(grads, inner)
        step, new = moved
        lr = self.rate(t)
        after = {n: p - lr * (step[n] + self.decay * _matrix(n, p) * p) for n, p in params.items()}
        return after, {"m": new.mu, "v": new.nu}


def _matrix(name: str, p: Array) -> float:
    """1 where weight decay applies: to matrices that are neither embeddings nor position tables."""
    return float(p.ndim >= 2 and not name.startswith(("embed", "pos")))
