"""Every registered part keeps the contract of its kind; parameters are drawn from the ranges that it declares."""

import dataclasses
import inspect
import json
import math
import os
import subprocess
import sys
import typing
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from elegans.base import stream
from elegans.base.config import Config, digest, knobs, with_knobs
from elegans.base.discovery import discover
from elegans.base.errors import UsageError
from elegans.base.stream import Purpose
from elegans.lab.program import fitting, precision
from elegans.models import activations
from elegans.models.activations import Activation, gelu, relu
from elegans.models.base import Model
from elegans.models.initialisers import Initialiser
from elegans.probes.base import Probe, View
from elegans.tasks.base import Finite, Hidden, Solvable, Task, secret_of
from elegans.training import losses
from elegans.training.algorithms import Algorithm
from elegans.training.penalties import Penalty
from elegans.training.regimes import Full, Population, Regime, Virtual
from elegans.training.schedules import Schedule
from elegans.training.stops import Event

ROOMS = ("tasks", "models", "probes", "training")
PARTS = {name: cls for room in ROOMS for name, cls in discover(f"elegans.{room}", Config).items()}
LOSSES = {n: f for n, f in vars(losses).items() if inspect.isfunction(f) and f.__module__ == losses.__name__}
ACTIVATIONS = {"relu": relu, "gelu": gelu}
AMPLE = {"n": 12, "k": 3, "t": 16, "lr": 0.1}  # what a part is given if it asks for it, so that parts fit together
EVERY_DTYPE = ("float32", "float64")
few = settings(max_examples=6, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def every(kind: type) -> Any:
    """Parametrise over all registered parts of a kind."""
    found = {n: c for n, c in PARTS.items() if issubclass(c, kind)}
    return pytest.mark.parametrize("cls", found.values(), ids=found)


def room_of(kind: type) -> dict[str, type]:
    return discover(".".join(kind.__module__.split(".")[:2]), kind)


# --- one plain instance of each part, and drawn ones -------------------------------------------------------------------


def plain(cls: type[Config]) -> Any:
    """A part with its defaults, and something small that fits where it has none."""
    hints = typing.get_type_hints(cls)
    return cls(**{f.name: _plain(f, hints[f.name]) for f in dataclasses.fields(cls) if _asks(f)})  # type: ignore[arg-type]


def _asks(field: Any) -> bool:
    return field.default is dataclasses.MISSING or (field.name in AMPLE and isinstance(field.default, int | float))


def _plain(field: Any, hint: Any) -> Any:
    low = field.metadata["low"]
    if hint in (int, float):
        high = field.metadata["high"]
        return min(AMPLE.get(field.name, (0 if low is None else low) + 2), math.inf if high is None else high)
    if inspect.isclass(hint) and issubclass(hint, Config):
        return plain(next(iter(room_of(hint).values())))
    return (1, 2) if typing.get_origin(hint) is tuple else plain(ACTIVATED)


ACTIVATED = discover("elegans.models", Activation)["Sinusoid"]


@cache
def drawn(cls: type[Config]) -> st.SearchStrategy[Any]:
    """Instances with every field drawn from its declared range, near its lower end."""
    hints = typing.get_type_hints(cls)
    fields = {f.name: _drawn(f, hints[f.name]) for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    return st.fixed_dictionaries(fields).map(lambda values: _made(cls, values)).filter(lambda made: made is not None)


def _made(cls: type[Config], values: dict[str, Any]) -> Any:
    try:
        return cls(**values)
    except UsageError:
        return None


def _drawn(field: Any, hint: Any) -> st.SearchStrategy[Any]:
    low, high, default = field.metadata["low"], field.metadata["high"], field.default
    if hint is int:
        first = 1 if low is None else math.ceil(low)
        some = st.integers(first, first + 3 if high is None else min(first + 3, math.floor(high)))
    elif hint is float:
        first = -2.0 if low is None else float(low)
        some = st.floats(first, first + 2 if high is None else high)
    elif typing.get_origin(hint) is typing.Literal:
        return st.sampled_from(typing.get_args(hint))
    elif hint is bool:
        return st.booleans()
    elif inspect.isclass(hint) and issubclass(hint, Config):
        return st.deferred(
            lambda: st.one_of([drawn(cls) for cls in room_of(hint).values()])
        )  # a part may hold its kind
    else:
        some = st.just((1, 3)) if typing.get_origin(hint) is tuple else st.sampled_from([relu, plain(ACTIVATED)])
        return some if default is dataclasses.MISSING else st.just(default)
    return some if default is dataclasses.MISSING else st.just(AMPLE.get(field.name, default)) | some


TASKS = {n: plain(c) for n, c in PARTS.items() if issubclass(c, Task)}
MODELS = {n: plain(c) for n, c in PARTS.items() if issubclass(c, Model)}


def init_shapes(model: Model, task: Task, dtype: str = "float32") -> Any:
    return jax.eval_shape(lambda: model.init(stream.key(0, Purpose.INIT), task.signature, jnp.dtype(dtype)))


def fits(model: Model, task: Task) -> bool:
    """Whether a model takes a task; one that does not must say so with a sentence."""
    try:
        init_shapes(model, task)
    except UsageError:
        return False
    return True


def same(a: Any, b: Any) -> None:
    jax.tree.map(np.testing.assert_array_equal, a, b)


# --- every part --------------------------------------------------------------------------------------------------------


def test_the_rooms_are_inhabited() -> None:
    assert len(PARTS) > 35
    assert {"SparseParity", "MLP", "Accuracy", "SGD", "Online", "NeuronNorm", "Doubling", "Solved"} <= set(PARTS)


@every(Config)
def test_fields_say_what_they_are_and_parts_are_frozen(cls: type[Config]) -> None:
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        assert {"traced", "low", "high"} <= set(field.metadata), f"{field.name} is neither static(...) nor traced(...)"
        assert not field.metadata["traced"] or hints[field.name] is float, f"{field.name} is traced, but no float"
    part = plain(cls)
    for name in [*hints, "anything"]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, name, 1)
    assert hash(part) == hash(plain(cls))


@every(Config)
@few
@given(st.data())
def test_repr_evaluates_to_the_part_and_shows_what_differs(cls: type[Config], data: st.DataObject) -> None:
    part = data.draw(drawn(cls))
    names = {**PARTS, **LOSSES, **{f.__name__: f for f in (relu, gelu)}}
    assert eval(repr(part), dict(names)) == part
    assert digest(eval(repr(part), dict(names))) == digest(part)
    for field in dataclasses.fields(part):
        if field.default is not dataclasses.MISSING and getattr(part, field.name) == field.default:
            assert f"{type(part).__name__}({field.name}=" not in repr(part)


@every(Config)
def test_values_outside_the_range_are_refused(cls: type[Config]) -> None:
    hints, part = typing.get_type_hints(cls), plain(cls)
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        hint, low, high = hints[field.name], field.metadata["low"], field.metadata["high"]
        wrong: list[Any] = [math.nan, math.inf, "many", True] if hint in (int, float) else []
        wrong += [] if low is None else [low - 1]
        wrong += [] if high is None else [high + 1]
        wrong += ["maybe", 3] if hint is bool else [[], "none"] if typing.get_origin(hint) is typing.Literal else []
        wrong += [1.5] if hint is int else []
        if inspect.isclass(hint) and issubclass(hint, Config):
            wrong += [None, 3, hint]
        for value in wrong:
            with pytest.raises(UsageError, match=f"{cls.__name__}.{field.name} is "):
                part.replace(**{field.name: value})


@every(Config)
def test_abstract_or_final(cls: type[Config]) -> None:
    """No method that works is overridden, and nothing that can be made is inherited from."""
    parents = [p for p in cls.__mro__[1:] if p is not object]
    assert not set(parents) & set(PARTS.values())
    for name, own in vars(cls).items():
        if (name.startswith("__") and name.endswith("__")) or name in ("check", "name", "_abc_impl"):
            continue
        if not (inspect.isfunction(own) or isinstance(own, property | classmethod | staticmethod)):
            continue
        for parent in parents:
            inherited = vars(parent).get(name)
            assert inherited is None or getattr(inherited, "__isabstractmethod__", False), f"{parent.__name__}.{name}"


def in_another_process() -> dict[str, Any]:
    """Digests of all plain parts, and the dtypes that models have in a process with double precision."""
    dtypes: dict[str, list[str]] = {}
    for name, model in MODELS.items():
        task = next(t for t in TASKS.values() if fits(model, t))
        seen = {**init_shapes(model, task, "float64"), "out": trace_shapes(model, task, "float64")["out"]}
        dtypes[name] = sorted({str(a.dtype) for a in seen.values()})
    return {"digests": {n: digest(plain(c)) for n, c in PARTS.items()}, "dtypes": dtypes}


def test_another_process_agrees_on_digests_and_double_precision() -> None:
    root, seed = Path(__file__).parents[2], "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    env = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "JAX_ENABLE_X64": "1",
        "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}",
    }
    script = "import json, tests.contracts.test_parts as t; print(json.dumps(t.in_another_process()))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["digests"] == {n: digest(plain(c)) for n, c in PARTS.items()}
    assert len(set(told["digests"].values())) == len(PARTS)
    assert told["dtypes"] == {name: ["float64"] for name in MODELS}


# --- tasks -------------------------------------------------------------------------------------------------------------


@every(Task)
@settings(few, max_examples=3)
@given(st.data())
def test_task_samples_by_its_signature(cls: type[Task], data: st.DataObject) -> None:
    task, n, m = data.draw(drawn(cls)), 6, 4
    signature, key = task.signature, stream.key(data.draw(st.integers(0, 2**32 - 1)), Purpose.DATA)

    @jax.jit
    def both(key: Any) -> Any:
        secret = secret_of(task, stream.key(5, Purpose.TASK))
        return task.sample(key, n, secret), task.sample(key, m, secret)

    (whole, part), again = both(key), both(key)
    own = ("x", "y", "latent")
    same({f: getattr(part, f) for f in own}, jax.tree.map(lambda a: a[:m], {f: getattr(whole, f) for f in own}))
    same(part.shared, whole.shared)
    same(again, (whole, part))
    assert whole.x.shape == (n, *signature.x)
    classes = whole.y.dtype.kind == "i"
    assert whole.y.shape == (n, *(signature.out[:-1] if classes else signature.out))
    assert not classes or (whole.y.min() >= 0 and whole.y.max() < signature.out[-1])
    if signature.symbols:
        assert whole.x.dtype == np.int32 and whole.x.min() >= 0 and whole.x.max() < signature.symbols
    else:
        assert whole.x.dtype == np.float32
    assert all(np.isfinite(a).all() for a in jax.tree.leaves(whole))


@every(Task)
def test_task_is_the_same_under_64_bits(cls: type[Task]) -> None:
    """Scoped double precision changes neither dtypes nor bits of what is drawn."""
    task = plain(cls)

    def draw(seed: Any) -> Any:
        return task.sample(stream.key(seed, Purpose.DATA), 5, secret_of(task, stream.key(seed, Purpose.TASK)))

    with jax.enable_x64(False):
        narrow = jax.jit(draw)(np.uint32(3))
    with jax.enable_x64(True):
        wide = jax.tree.map(np.asarray, jax.jit(draw)(np.uint32(3)))
    assert jax.tree.map(lambda a: a.dtype, wide) == jax.tree.map(lambda a: a.dtype, narrow)
    same(wide, narrow)


@every(Task)
def test_other_keys_give_other_examples(cls: type[Task]) -> None:
    task = plain(cls)
    assert not np.array_equal(task.numpy(40, 0).x, task.numpy(40, 1).x)
    same(task.numpy(40, 0), task.numpy(40, 0))


@every(Hidden)
@few
@given(st.data())
def test_secrets_have_fixed_shapes(cls: type[Hidden], data: st.DataObject) -> None:
    task = data.draw(drawn(cls))
    secrets = [task.secret(stream.key(s, Purpose.TASK)) for s in (0, 0, 1)]
    same(secrets[0], secrets[1])
    shapes = [jax.tree.map(lambda a: (a.shape, a.dtype), s) for s in secrets]
    assert shapes[0] == shapes[2]
    assert all(a.dtype.itemsize == 4 for a in jax.tree.leaves(secrets))


@every(Finite)
@few
@given(st.data())
def test_enumeration_is_the_support_of_the_sample(cls: type[Finite], data: st.DataObject) -> None:
    task, seed = data.draw(drawn(cls)), data.draw(st.integers(0, 9))
    secret = secret_of(task, stream.key(seed, Purpose.TASK))
    listed = jax.tree.map(np.asarray, task.enumerate(secret))
    drawn_ = task.numpy(512, seed)
    assert (listed.x.dtype, listed.y.dtype) == (drawn_.x.dtype, drawn_.y.dtype)
    table = {tuple(np.ravel(x)): tuple(np.ravel(y)) for x, y in zip(listed.x, listed.y, strict=True)}
    assert len(table) == len(listed.x), "an example is listed twice"
    seen = {tuple(np.ravel(x)): tuple(np.ravel(y)) for x, y in zip(drawn_.x, drawn_.y, strict=True)}
    assert seen.items() <= table.items()
    assert len(table) > 16 or seen == table
    assert isinstance(task.enumerate().x, np.ndarray)


@every(Solvable)
@few
@given(st.data())
def test_bayes_answers_in_the_shape_of_an_output(cls: type[Solvable], data: st.DataObject) -> None:
    task = data.draw(drawn(cls))
    try:
        best = jax.eval_shape(lambda: task.bayes(task.sample(stream.key(0, Purpose.DATA), 5)))
    except UsageError:
        assert isinstance(task, Hidden), "only a task that hides something may refuse"
        return
    assert best.shape == (5, *task.signature.out)
    if isinstance(task, Solvable) and isinstance(task, Finite):  # no noise: the best prediction is right
        batch = task.enumerate()
        right = np.asarray(task.bayes(batch))
        assert ((right.argmax(-1) if batch.y.dtype.kind == "i" else right) == batch.y).all()


# --- models ------------------------------------------------------------------------------------------------------------


@every(Model)
@few
@given(st.data())
def test_model_init_and_trace(cls: type[Model], data: st.DataObject) -> None:
    model = data.draw(drawn(cls))
    tasks = [t for t in TASKS.values() if fits(model, t)]
    assert tasks, f"{model} fits no registered task"
    for task in tasks:
        for name in EVERY_DTYPE:
            with precision(name):  # type: ignore[arg-type]
                check_model(model, task, name)


def check_model(model: Model, task: Task, dtype: str) -> None:
    params = init_shapes(model, task, dtype)
    assert params and all(isinstance(n, str) and n.isidentifier() for n in params)
    assert all(isinstance(p, jax.ShapeDtypeStruct) and p.dtype == dtype for p in params.values())
    trace = trace_shapes(model, task, dtype)
    assert trace["out"].shape == task.signature.out and trace["out"].dtype == dtype
    assert all(isinstance(n, str) and isinstance(a, jax.ShapeDtypeStruct) for n, a in trace.items()), "names are flat"


def trace_shapes(model: Model, task: Task, dtype: str) -> Any:
    """Shapes of everything a model shows of one example."""

    def look(params: Any) -> Any:
        batch = task.sample(stream.key(0, Purpose.DATA), 1, secret_of(task, stream.key(0, Purpose.TASK)))
        x = batch.x[0].astype(dtype) if batch.x.dtype.kind == "f" else batch.x[0]
        return model.trace(params, x, stream.key(0, Purpose.NOISE), batch.shared)

    return jax.eval_shape(look, init_shapes(model, task, dtype))


@every(Model)
def test_model_starts_finite_and_by_its_key(cls: type[Model]) -> None:
    model = plain(cls)
    task = next(t for t in TASKS.values() if fits(model, t))
    start = jax.jit(lambda seed: model.init(stream.key(seed, Purpose.INIT), task.signature, jnp.dtype("float32")))
    one, again = (start(np.uint32(0)) for _ in range(2))
    same(one, again)
    assert all(np.isfinite(p).all() for p in one.values())


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_frozen_knobs_and_traced_knobs_agree(model: Model) -> None:
    """A compiled program is handed its knobs as tracers: no model may need their values."""
    task = next(t for t in TASKS.values() if fits(model, t))

    def traced(values: dict[str, Any]) -> Any:
        return with_knobs(model, values).init(stream.key(0, Purpose.INIT), task.signature, jnp.dtype("float32"))

    shapes = jax.eval_shape(traced, dict.fromkeys(knobs(model), jax.ShapeDtypeStruct((), jnp.float32)))
    assert shapes == init_shapes(model, task)


# --- probes ------------------------------------------------------------------------------------------------------------


def view(task: Task, model: Model, params: Any, dtype: str = "float32") -> View:
    """What a probe sees of a run with these parameters."""
    keys = stream.key(1, Purpose.EVAL), stream.key(1, Purpose.DATA)
    init = lambda: model.init(stream.key(0, Purpose.INIT), task.signature, jnp.dtype(dtype))  # noqa: E731
    secret, loss = secret_of(task, stream.key(0, Purpose.TASK)), jnp.asarray(0.5, dtype)
    return View(task, model, params, secret, *keys, jnp.int32(0), loss, plain(Virtual), init)


PAIRS = [(t, m) for t in TASKS.values() for m in MODELS.values() if fits(m, t)]


def watched(probe: Probe, task: Task, model: Model) -> Any:
    """What a probe records, as a function of the parameters, which it must leave alone."""

    def look(params: Any) -> Any:
        mine = dict(params)
        seen = probe.observe(view(task, model, mine))
        assert mine.keys() == params.keys() and all(mine[n] is params[n] for n in params)
        return seen

    return look


@cache
def tenants(probe: Probe) -> list[tuple[Task, Model, Any]]:
    """The pairs that a probe can watch, with the program of what it records."""
    found = []
    for task, model in PAIRS:
        try:
            with fitting("no"):
                program = jax.make_jaxpr(watched(probe, task, model), return_shape=True)(init_shapes(model, task))
        except UsageError:
            continue
        found.append((task, model, program))
    return found


@every(Probe)
def test_probe_is_pure_and_changes_no_parameter(cls: type[Probe]) -> None:
    probe = plain(cls)
    assert tenants(probe), f"{cls.__name__} can watch no registered model on any registered task"
    for _, _, (program, seen) in tenants(probe):
        assert not program.effects, "a probe may not call back or print"
        assert seen and all(isinstance(n, str) and "." not in n for n in seen)
        assert all(isinstance(a, jax.ShapeDtypeStruct) and a.dtype.itemsize <= 4 for a in seen.values())


@every(Probe)
def test_probe_sees_the_same_shapes_in_double_precision(cls: type[Probe]) -> None:
    probe = plain(cls)
    task, model, (_, seen) = min(tenants(probe), key=lambda t: len(t[0].signature.out))  # strict promotion: no classes
    with precision("float64"):
        params = init_shapes(model, task, "float64")
        wide = jax.eval_shape(lambda p: probe.observe(view(task, model, p, "float64")), params)
    assert {n: a.shape for n, a in seen.items()} == {n: a.shape for n, a in wide.items()}


# --- training ----------------------------------------------------------------------------------------------------------

PARAMS = {"W": np.arange(6, dtype=np.float32).reshape(3, 2) / 4 - 0.5, "b": np.array([1.0, -2.0, 0.0], np.float32)}


@every(Regime)
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_regime_draws_by_key_and_step(cls: type[Regime], task: Task) -> None:
    regime, secret = plain(cls), secret_of(task, stream.key(0, Purpose.TASK))

    @jax.jit
    def draw(t: Any) -> Any:
        return jax.tree.map(jnp.asarray, regime.draw(task, secret, stream.key(0, Purpose.DATA), t, 7))

    if isinstance(regime, Full) and not isinstance(task, Finite):
        with pytest.raises(UsageError, match="cannot be enumerated"):
            draw(np.int32(0))
        return
    batch, again = draw(np.int32(0)), draw(np.int32(0))
    same(batch, again)
    if isinstance(regime, Population):
        assert not jax.tree.leaves(batch)
        return
    assert batch.x.shape[1:] == task.signature.x
    if not isinstance(regime, Full):
        assert len(batch.x) == len(batch.y) == 7


@every(Algorithm)
@few
@given(st.data())
def test_algorithm_keeps_shapes_and_steps_downhill(cls: type[Algorithm], data: st.DataObject) -> None:
    algorithm = data.draw(drawn(cls))
    assume(algorithm.lr > 0)
    for name in EVERY_DTYPE:
        with precision(name):  # type: ignore[arg-type]
            shape = {n: jax.ShapeDtypeStruct(p.shape, jnp.dtype(name)) for n, p in PARAMS.items()}
            traced = dict.fromkeys(knobs(algorithm), jax.ShapeDtypeStruct((), jnp.dtype(name)))
            own = algorithm.replace(precision=name)

            def step(p: Any, k: Any, t: Any, own: Algorithm = own) -> Any:
                mine = with_knobs(own, k)
                state = mine.start(p)
                return state, mine.update(p, state, p, t)

            state, (params, after) = jax.eval_shape(step, shape, traced, jax.ShapeDtypeStruct((), jnp.int32))
            assert params == shape
            assert after == state, "the optimiser's state changes its structure, shapes or dtypes"


@every(Algorithm)
def test_algorithm_leaves_parameters_without_gradient_alone(cls: type[Algorithm]) -> None:
    algorithm, zero = plain(cls), jax.tree.map(np.zeros_like, PARAMS)
    params, state = algorithm.update(PARAMS, algorithm.start(PARAMS), zero, jnp.int32(0))  # type: ignore[arg-type]
    same(params, PARAMS)
    assert all(np.isfinite(a).all() for a in jax.tree.leaves(state))
    moved, _ = algorithm.update(
        PARAMS, algorithm.start(PARAMS), {n: np.ones_like(p) for n, p in PARAMS.items()}, jnp.int32(0)
    )  # type: ignore[arg-type]
    assert all((np.asarray(moved[n]) < PARAMS[n]).all() for n in PARAMS)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_loss_of_one_example(loss: Any, dtype: str) -> None:
    with precision(dtype):  # type: ignore[arg-type]
        if loss is losses.cross_entropy:
            out, y = jnp.asarray([[0.5, -1, 2], [0, 0, 0]], dtype), jnp.asarray([1, 2], jnp.int32)
        else:
            out, y = jnp.asarray(0.25, dtype), jnp.asarray(-1, dtype)
        value, slope = jax.value_and_grad(loss)(out, y)
        assert value.shape == () and value.dtype == slope.dtype == dtype
        assert np.isfinite(value) and np.isfinite(slope).all()
        assert loss(out - 0.1 * slope, y) < value, "a small step against the gradient lowers the loss"


def elementwise() -> dict[str, Any]:
    own = {n: f for n, f in vars(activations).items() if inspect.isfunction(f) and f.__module__ == activations.__name__}
    return {**own, **{n: plain(c) for n, c in discover("elegans.models", Activation).items()}}


@pytest.mark.parametrize("σ", elementwise().values(), ids=elementwise())
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_activation_is_elementwise(σ: Any, dtype: str) -> None:
    with precision(dtype):  # type: ignore[arg-type]
        z = jnp.linspace(-4, 4, 12, dtype=dtype).reshape(3, 4)
        whole = σ(z)
        assert whole.shape == z.shape and whole.dtype == dtype
        alone = np.array([[σ(e) for e in row] for row in z])
        np.testing.assert_allclose(alone, whole, rtol=1e-5, atol=1e-6)
        assert np.isfinite(jax.vmap(jax.grad(σ))(z.ravel())).all()


@every(Initialiser)
@few
@given(st.data())
def test_initialiser_draws_shapes_and_dtypes(cls: type[Initialiser], data: st.DataObject) -> None:
    law, shape = data.draw(drawn(cls)), data.draw(st.sampled_from([(), (3,), (2, 3)]))
    for name in EVERY_DTYPE:
        with precision(name):  # type: ignore[arg-type]
            key = stream.key(0, Purpose.INIT)
            weights = law.draw(key, shape, 4, 2, jnp.dtype(name))
            assert weights.shape == shape and weights.dtype == name and np.isfinite(weights).all()
            same(law.draw(key, shape, 4, 2, jnp.dtype(name)), weights)


@every(Penalty)
@few
@given(st.data())
def test_penalty_is_a_finite_number_with_a_finite_gradient(cls: type[Penalty], data: st.DataObject) -> None:
    penalty = data.draw(drawn(cls))
    for name in EVERY_DTYPE:
        with precision(name):  # type: ignore[arg-type]
            measure = jax.jit(jax.value_and_grad(penalty.value))
            for scale in (0.0, 1.0):  # a dead neuron has a gradient, too
                value, slope = measure({n: jnp.asarray(scale * p, name) for n, p in PARAMS.items()})
                assert value.shape == () and value.dtype == name and value >= 0
                assert all(np.isfinite(a).all() for a in (value, *slope.values()))


@every(Schedule)
@few
@given(st.data())
def test_schedule_is_a_positive_factor(cls: type[Schedule], data: st.DataObject) -> None:
    schedule = data.draw(drawn(cls))
    for name in EVERY_DTYPE:
        with precision(name):  # type: ignore[arg-type]
            factor = jax.jit(lambda t, d=name: schedule.factor(t, jnp.dtype(d)))
            for t in (0, 1, 2, 1000):
                value = factor(np.int32(t))
                assert value.shape == () and value.dtype == name and np.isfinite(value) and value > 0


@every(Event)
@few
@given(st.data())
def test_event_is_monotone_in_its_sample(cls: type[Event], data: st.DataObject) -> None:
    """Whatever the whole sample passes, a prefix passes: the screen rejects nothing that would be confirmed."""
    event = data.draw(drawn(cls))
    assert event.name.isidentifier()
    task = TASKS["SparseParity"]
    batch = task.numpy(4)
    flips = data.draw(st.lists(st.sampled_from([1.0, 1.0, 1.0, -1.0, 0.0]), min_size=4, max_size=4))
    out = jnp.asarray(batch.y * np.array(flips, np.float32))
    verdicts = [bool(event.passed(out[:m], jax.tree.map(lambda a, m=m: a[:m], batch))) for m in range(1, 5)]
    assert verdicts == sorted(verdicts, reverse=True)
