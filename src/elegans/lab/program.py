"""What is compiled: a tile of lanes, the step that moves them, and the few programs that look at them.

    step      one optimiser step; always value-and-gradient, every knob always traced, nothing optional inside
    block     EVERY steps, then the screen of the stop event; a lane that stops keeps its bits until the host comes
    advance   blocks until all lanes wait or the host's number of blocks is reached (that number is traced)

Observation happens in programs of its own. Whatever would sit inside the step "because it is free" changes the bits of
attention models, so probes, confirmation and everything else that varies stays outside the inner loop.
"""

import hashlib
import math
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

from elegans.base import stream
from elegans.base.config import knobs, with_knobs
from elegans.base.errors import ElegansError, UsageError, unknown
from elegans.base.stream import Purpose
from elegans.lab.words import Stage
from elegans.models.base import Model, Params
from elegans.probes.base import Probe, View
from elegans.tasks.base import Batch, Task, noiseless, secret_of
from elegans.training.algorithms import Algorithm, Precision
from elegans.training.population import Objective, known_objective, objective
from elegans.training.regimes import Full, Population
from elegans.training.stops import Stop

Lane = dict[str, Any]
MOVING = ("params", "opt", "t", "loss", "bad", "held", "passed")  # what a block changes; the rest of a lane is fixed
LONGEST_BLOCK = 100  # steps between two looks of the host at the earliest


@contextmanager
def precision(name: Precision) -> Generator[None, None, None]:
    """Trace under 64-bit mode where asked. Only tracing happens here: no array leaves the scope."""
    with jax.enable_x64(name == "float64"):
        yield


@dataclass(frozen=True)
class Blueprint:
    """Everything static about a group of runs: two groups with equal blueprints share one program."""

    model: Model
    stage: Stage
    probes: tuple[Probe, ...] = ()
    index: int = 0  # number of the stage within its run: every stage has a stream of its own
    marks: tuple[int, ...] = ()  # further steps at which lanes must be able to halt (starts of resumed runs)
    given: bool = False  # whether runs start from parameters that they are given

    @cached_property
    def knobs(self) -> dict[str, float]:
        """Traced fields and their values in this configuration, by path."""
        parts = {"model": self.model, "task": self.stage.task, "algorithm": self.stage.algorithm}
        return {path: v for part, c in parts.items() for path, v in knobs(c, f"{part}.").items()}

    @property
    def every(self) -> int:
        """Steps in a block: the longest length that divides every cadence, and at most `LONGEST_BLOCK`."""
        stop = self.stage.stop
        cadences = [stop.steps, *self.marks, *(p.every for p in self.probes)]
        common = math.gcd(*cadences, stop.event.every if stop.event else 0)
        return max(d for d in range(1, min(common, LONGEST_BLOCK) + 1) if common % d == 0)

    @cached_property
    def tile(self) -> int:
        """Lanes side by side, from the shapes alone: many for tiny networks, one where a step is large already."""
        with precision(self.stage.algorithm.precision):
            batch = jax.eval_shape(lambda: _draw(self, jnp.zeros((4,), jnp.uint32), t=jnp.zeros((), jnp.int32)))
        weights = sum(math.prod(p.shape) for p in self.shapes.values())
        rows = [a.shape[0] for a in jax.tree.leaves(batch.x)] or [1]
        signature = self.stage.task.signature
        positions = math.prod(signature.out[:-1]) if signature.symbols else 1
        return lanes_for(rows[0] * weights * positions)

    @cached_property
    def shapes(self) -> dict[str, Any]:
        """Shapes and dtypes of the parameters, by name."""
        with precision(self.stage.algorithm.precision):
            signature, dtype = self.stage.task.signature, self.stage.algorithm.dtype
            return jax.eval_shape(lambda: self.model.init(stream.key(0, Purpose.INIT), signature, dtype))


def lanes_for(work: int) -> int:
    """Lanes of a tile for `work` multiply-adds a step; measured: 8 keeps 98 % of the speed of 64 at width 100."""
    gpu = jax.default_backend() != "cpu"
    for limit, lanes in ((500_000, 256 if gpu else 8), (3_000_000, 64 if gpu else 2)):
        if work <= limit:
            return lanes
    return 8 if gpu else 1


# --- the step ----------------------------------------------------------------------------------------------------------


def _configured(b: Blueprint, values: Any) -> tuple[Any, Any, Any]:
    """Task, model and algorithm whose traced fields hold the lane's own values."""
    given = {name: values[i] for i, name in enumerate(b.knobs)}
    parts = (("task", b.stage.task), ("model", b.model), ("algorithm", b.stage.algorithm))
    return tuple(with_knobs(c, given, f"{n}.") for n, c in parts)  # type: ignore[return-value]


def key_of(seeds: Any, purpose: Purpose) -> Any:
    """The key of one purpose from a lane's four seeds; noise goes with the data."""
    return stream.key(seeds[Purpose.DATA if purpose is Purpose.NOISE else purpose], purpose)


def cast(batch: Any, dtype: Any) -> Any:
    """Real inputs in the run's precision; integers as they are."""
    return jax.tree.map(lambda a: a.astype(dtype) if jnp.issubdtype(a.dtype, jnp.floating) else a, batch)


def outputs(model: Model, params: Params, batch: Batch, noise: Any = None) -> Any:
    """The model's output on every example of a batch."""
    if noise is None:
        return jax.vmap(lambda x: model(params, x, None, batch.shared))(batch.x)
    keys = jax.random.split(noise, jax.tree.leaves(batch.x)[0].shape[0])
    return jax.vmap(lambda x, k: model(params, x, k, batch.shared))(batch.x, keys)


def _data_key(b: Blueprint, seeds: Any, purpose: Purpose = Purpose.DATA) -> Any:
    """The stage's own stream of data or noise."""
    key = key_of(seeds, purpose)
    return stream.fold(key, 2**31 + b.index) if b.index else key


def _draw(b: Blueprint, seeds: Any, secret: Any = None, values: Any = None, t: Any = 0) -> Batch:
    """The batch of step t, in the run's precision."""
    task, _, algorithm = _configured(b, values) if values is not None else (b.stage.task, b.model, b.stage.algorithm)
    secret = secret_of(task, key_of(seeds, Purpose.TASK)) if secret is None else secret
    batch = algorithm.regime.draw(task, secret, _data_key(b, seeds), t, algorithm.batch)
    return cast(jax.tree.map(jnp.asarray, batch), algorithm.dtype)


def _objective(b: Blueprint, s: Lane) -> Callable[[Params], Any]:
    """Mean loss plus penalty of the lane's current step, as a function of its parameters."""
    task, model, algorithm = _configured(b, s["knobs"])
    exact = _exact(task, model, algorithm)
    if exact is not None:
        return lambda p: exact(task, model, p, s["secret"]) + algorithm.penalty.value(p)
    batch = _draw(b, s["seeds"], s["secret"], s["knobs"], s["t"])
    noise = stream.fold(_data_key(b, s["seeds"], Purpose.NOISE), s["t"])

    def total(p: Params) -> Any:
        losses = jax.vmap(algorithm.loss)(outputs(model, p, batch, noise), batch.y)
        return losses.mean() + algorithm.penalty.value(p)

    return total


def _exact(task: Task, model: Model, algorithm: Algorithm) -> Objective | None:
    """The formula of the mean loss: a must for `Population`, a faster way for `Full`."""
    if isinstance(algorithm.regime, Population):
        return objective(task, model, algorithm.loss)
    return known_objective(task, model, algorithm.loss) if isinstance(algorithm.regime, Full) else None


def _step(b: Blueprint, s: Lane) -> Lane:
    algorithm = _configured(b, s["knobs"])[2]
    names = b.stage.train or tuple(s["params"])
    moving = {n: p for n, p in s["params"].items() if n in names}
    total = _objective(b, s)
    loss, grads = jax.value_and_grad(lambda p: total({**s["params"], **p}))(moving)
    moved, opt = algorithm.update(moving, s["opt"], grads, s["t"])
    bad = jnp.where((s["bad"] < 0) & ~jnp.isfinite(loss), s["t"], s["bad"])
    return {**s, "params": {**s["params"], **moved}, "opt": opt, "t": s["t"] + 1, "loss": loss, "bad": bad}


def _block(b: Blueprint, s: Lane) -> Lane:
    new, _ = lax.scan(lambda c, _: (_step(b, c), None), s, length=b.every)
    moving = {n: jax.tree.map(lambda a, o: jnp.where(s["held"], o, a), new[n], s[n]) for n in MOVING}
    new = {**s, **moving}
    passed = _screened(b, new)
    held = new["held"] | passed | (new["bad"] >= 0) | (new["t"] >= new["until"])
    return {**new, "held": held, "passed": passed}


def _screened(b: Blueprint, s: Lane) -> Any:
    event = b.stage.stop.event
    if event is None:
        return jnp.zeros((), bool)
    batch = Batch(**s["screen"])
    due = s["t"] % event.every == 0
    return due & event.passed(outputs(_configured(b, s["knobs"])[1], s["params"], batch), batch)


# --- programs ----------------------------------------------------------------------------------------------------------


def _lane(b: Blueprint, params: Params | None, seeds: Any, values: Any, until: Any) -> Lane:
    """A lane at step 0: fresh parameters, or the given ones."""
    task, model, algorithm = _configured(b, values)
    secret = secret_of(task, key_of(seeds, Purpose.TASK))
    init = lambda: model.init(key_of(seeds, Purpose.INIT), task.signature, algorithm.dtype)  # noqa: E731
    start = init() if params is None else params
    moving = {n: p for n, p in start.items() if not b.stage.train or n in b.stage.train}
    event, no = b.stage.stop.event, jnp.zeros((), bool)
    screen = noiseless(task).sample(key_of(seeds, Purpose.EVAL), event.screen, secret)._asdict() if event else {}
    return {
        "params": start, "opt": algorithm.start(moving), "knobs": values, "seeds": seeds, "secret": secret,
        "screen": cast(jax.tree.map(jnp.asarray, screen), algorithm.dtype), "t": jnp.zeros((), jnp.int32),
        "until": until, "loss": jnp.zeros((), algorithm.dtype), "bad": jnp.full((), -1, jnp.int32),
        "held": no, "passed": no,
    }  # fmt: skip


def _refill(b: Blueprint, tile: Lane, which: Any, seeds: Any, values: Any, until: Any) -> Lane:
    """New runs in the lanes that `which` marks."""
    new = jax.vmap(lambda s, v, u: _lane(b, None, s, v, u))(seeds, values, until)
    return jax.tree.map(lambda a, o: jnp.where(which.reshape((-1,) + (1,) * (a.ndim - 1)), a, o), new, tile)


def _advance(b: Blueprint, tile: Lane, blocks: Any) -> tuple[Lane, Lane]:
    fixed = {n: v for n, v in tile.items() if n not in MOVING}

    def go(c: tuple[Any, Lane]) -> tuple[Any, Lane]:
        new = jax.vmap(lambda f, m: _block(b, {**f, **m}))(fixed, c[1])
        return c[0] + 1, {n: new[n] for n in MOVING}

    moving, waiting = {n: tile[n] for n in MOVING}, tile["held"].sum()

    def more(c: tuple[Any, Lane]) -> Any:
        """Go on until a further lane halts: the host serves it at once, so that no lane waits for long."""
        held = c[1]["held"]
        return (c[0] < blocks) & (held.sum() == waiting) & ~held.all()

    _, moved = lax.while_loop(more, go, (jnp.int32(0), moving))
    return {**tile, **moved}, {n: moved[n] for n in ("t", "loss", "bad", "held", "passed")}


def _confirm(b: Blueprint, tile: Lane, i: Any) -> Any:
    """Whether the event holds on the whole validation sample; stops at the first part that fails."""
    s, event = jax.tree.map(lambda a: a[i], tile), b.stage.stop.event
    assert event is not None
    task, model, algorithm = _configured(b, s["knobs"])
    sample = noiseless(task).sample(key_of(s["seeds"], Purpose.EVAL), event.on, s["secret"])
    part = event.screen * math.gcd(event.on // event.screen, 4)
    rows = jax.tree.map(lambda a: a.reshape(-1, part, *a.shape[1:]), sample._replace(shared=()))
    count = event.on // part

    def go(c: tuple[Any, Any]) -> tuple[Any, Any]:
        batch = cast(jax.tree.map(lambda a: a[c[0]], rows)._replace(shared=sample.shared), algorithm.dtype)
        return c[0] + 1, event.passed(outputs(model, s["params"], batch), batch)

    return lax.while_loop(lambda c: (c[0] < count) & c[1], go, (jnp.int32(0), jnp.ones((), bool)))[1]


def _observe(b: Blueprint, probe: Probe, tile: Lane, i: Any) -> dict[str, Any]:
    s = jax.tree.map(lambda a: a[i], tile)
    task, model, algorithm = _configured(b, s["knobs"])
    keys = {p: key_of(s["seeds"], p) for p in (Purpose.EVAL, Purpose.INIT)} | {Purpose.DATA: _data_key(b, s["seeds"])}
    view = View(
        noiseless(task), model, s["params"], s["secret"], keys[Purpose.EVAL], keys[Purpose.DATA], s["t"], s["loss"],
        algorithm.regime, lambda: model.init(keys[Purpose.INIT], task.signature, algorithm.dtype),
    )  # fmt: skip
    return probe.observe(view)


@dataclass(frozen=True)
class Program:
    """Serialised executables of a blueprint, and the hash of what determines a trajectory (start and step alone)."""

    identity: str
    precision: Precision
    tile: int
    every: int
    knobs: tuple[str, ...]
    parts: dict[str, bytes]  # refill, advance; where needed adopt, confirm, probe:<name>
    empty: Lane  # a tile of zeros, all lanes held


def build(b: Blueprint) -> Program:
    """Trace and export everything a worker needs; nothing is compiled or computed here."""
    algorithm, n = b.stage.algorithm, b.tile
    _check_trains(b)
    with precision(algorithm.precision):
        shape, dtype = jax.ShapeDtypeStruct, algorithm.dtype
        one = (shape((4,), jnp.uint32), shape((len(b.knobs),), dtype), shape((), jnp.int32))
        many = tuple(shape((n, *a.shape), a.dtype) for a in one)
        lane = jax.eval_shape(lambda *a: _lane(b, None, *a), *one)
        tile = jax.tree.map(lambda a: shape((n, *a.shape), a.dtype), lane)
        at = shape((), jnp.int32)
        with _training(b):
            parts = {
                "refill": _export(lambda *a: _refill(b, *a), tile, shape((n,), bool), *many),
                "advance": _export(lambda *a: _advance(b, *a), tile, at),
            }
        if b.given:
            parts["adopt"] = _export(lambda p, *a: _lane(b, p, *a), lane["params"], *one)
        if b.stage.stop.event:
            parts["confirm"] = _export(lambda *a: _confirm(b, *a), tile, at)
        for probe in b.probes:
            with fitting(f"{probe.name} cannot watch {b.model} on {b.stage.task}"):
                parts[f"probe:{probe.name}"] = _export(lambda *a, p=probe: _observe(b, p, *a), tile, at)
        empty = jax.tree.map(lambda a: np.zeros(a.shape, a.dtype), tile)
        return Program(identity(b), algorithm.precision, n, b.every, tuple(b.knobs), parts, _idle(empty))


def identity(b: Blueprint) -> str:
    """Hash of the lowered start and step: it changes when, and only when, the code that makes a trajectory changes."""
    b = replace(b, stage=b.stage.replace(stop=Stop(1)), probes=())
    with precision(b.stage.algorithm.precision):
        shape = jax.ShapeDtypeStruct
        one = (shape((4,), jnp.uint32), shape((len(b.knobs),), b.stage.algorithm.dtype))

        def first(seeds: Any, values: Any) -> Any:
            lane = _lane(b, None, seeds, values, jnp.zeros((), jnp.int32))
            return {n: _step(b, lane)[n] for n in ("params", "opt", "loss")}

        with _training(b):
            _check_loss(b)
            text = jax.jit(first).lower(*one).as_text()  # without source locations: a moved line changes nothing
    return hashlib.blake2b(f"{b.tile} lanes\n{text}".encode(), digest_size=16).hexdigest()


@contextmanager
def fitting(what: str) -> Generator[None, None, None]:
    """Parts that do not fit together fail while they are traced; say which, with the tracer's own reason."""
    try:
        yield
    except ElegansError:
        raise
    except Exception as error:  # whatever the code of a part may raise
        reason = next(iter(str(error).splitlines()), "")
        raise UsageError(f"{what}: {type(error).__name__}: {reason}") from error


def _training(b: Blueprint) -> AbstractContextManager[None]:
    return fitting(f"{b.model} cannot be trained on {b.stage.task} with {b.stage.algorithm}")


def _idle(empty: Lane) -> Lane:
    return {**empty, "held": np.ones_like(empty["held"])}


def _export(fn: Callable[..., Any], *shapes: Any) -> bytes:
    return bytes(export.export(jax.jit(fn))(*shapes).serialize())


def _check_loss(b: Blueprint) -> None:
    """A loss gives one number for one example; the mean over the batch would hide that it gives several."""
    algorithm = b.stage.algorithm
    if isinstance(algorithm.regime, Population):
        return  # a formula stands for the loss
    batch = jax.eval_shape(lambda: _draw(b, jnp.zeros((4,), jnp.uint32), t=jnp.zeros((), jnp.int32)))
    x, y = (jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape[1:], a.dtype), part) for part in (batch.x, batch.y))
    noise = jax.eval_shape(lambda: stream.key(0, Purpose.NOISE))
    out = jax.eval_shape(b.model, b.shapes, x, noise, batch.shared)
    name = getattr(algorithm.loss, "__name__", repr(algorithm.loss))
    sizes = [" and ".join(str(a.shape) for a in jax.tree.leaves(part)) for part in (out, y)]
    with fitting(f"the loss {name} fails on an output of shape {sizes[0]} and a target of shape {sizes[1]}"):
        found = jax.eval_shape(algorithm.loss, out, y)
    if getattr(found, "shape", None) != ():
        gives = f"an array of shape {found.shape}" if hasattr(found, "shape") else f"a {type(found).__name__}"
        raise UsageError(
            f"the loss {name} gives {gives} for one example, but it must give one number; end it with .mean() or .sum()"
        )


def _check_trains(b: Blueprint) -> None:
    for name in b.stage.train:
        if name not in b.shapes:
            raise unknown(f"parameter of {type(b.model).__name__}", name, list(b.shapes))
