"""Exact population objectives: E[loss] in closed form for the (task, model, loss) triples that have one.

A formula is a function `objective(task, model, params, secret) -> scalar`, registered for its triple with `exact`. Training
with `Population()` needs one; `Full()`, whose batch is the population of a finite task, uses one where it is known.
"""

from collections.abc import Callable
from typing import Any

from elegans.base.errors import UsageError
from elegans.models.base import Model, Params
from elegans.tasks.base import Task

Objective = Callable[[Any, Any, Params, Any], Any]
_FORMULAS: dict[tuple[type[Task], type[Model], Callable[..., Any]], Objective] = {}


def exact(task: type[Task], model: type[Model], loss: Callable[..., Any]) -> Callable[[Objective], Objective]:
    """Register the exact population objective of a (task, model, loss) triple."""

    def register(fn: Objective) -> Objective:
        _FORMULAS[task, model, loss] = fn
        return fn

    return register


def known_objective(task: Task, model: Model, loss: Callable[..., Any]) -> Objective | None:
    """The registered formula, if there is one."""
    from elegans.base.discovery import discover

    discover("elegans.training.objectives", Task)  # importing the modules registers their formulas
    return _FORMULAS.get((type(task), type(model), loss))


def objective(task: Task, model: Model, loss: Callable[..., Any]) -> Objective:
    """The registered formula, or an error that names the triples that have one."""
    found = known_objective(task, model, loss)
    if found is None:
        known = ", ".join(f"({t.__name__}, {m.__name__}, {f.__name__})" for t, m, f in _FORMULAS)
        raise UsageError(
            f"no exact population loss is known for ({type(task).__name__}, {type(model).__name__}, "
            f"{getattr(loss, '__name__', loss)}); use Online() with a large batch, or one of {known}"
        )
    return found
