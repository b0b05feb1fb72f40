"""Promise 1, identity: a run's bits depend on its task, model, algorithm, start and seeds, and on nothing else."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from elegans.base.discovery import discover
from elegans.base.errors import UsageError
from elegans.lab import program
from elegans.lab.program import Blueprint, lanes_for, precision
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.attention import AttentionOnly
from elegans.models.base import Model
from elegans.models.minimal_induction import MinimalInduction
from elegans.models.power_parity import PowerParityNet
from elegans.probes.base import Probe
from elegans.tasks.base import Task
from elegans.tasks.composition import Cyclic, GroupComposition
from elegans.tasks.markov import MarkovChains
from elegans.tasks.ngrams import NGrams
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD
from elegans.training.losses import cross_entropy, logistic
from elegans.training.penalties import NeuronNorm
from elegans.training.regimes import Full, Virtual
from elegans.training.stops import Steps
from tests.lab.tenants import TENANTS, algebra, parity, sequences

Bits = dict[tuple, str]


def bits(sweep: Sweep, folder: Path, workers: int = 1, **options: object) -> Bits:
    session = Session(Store.open(folder), workers, **options)  # type: ignore[arg-type]
    frame = session.sweep(sweep).runs
    names = [name for name, _ in sweep.axes]
    return {tuple(row[n] for n in names): row["bits"] for row in frame.iter_rows(named=True)}


def rebuilt(sweep: Sweep, **changes: object) -> Sweep:
    run = sweep.run_
    fields = {"start": run.start, "seeds": run.seeds, "watch": run.watch, "keep": run.keep} | changes
    stages = fields.pop("stages", run.stages)
    return Sweep(Run(run.model, *stages, **fields), **dict(sweep.axes))  # type: ignore[arg-type,misc]


def blueprint(sweep: Sweep) -> Blueprint:
    run = sweep.run_
    return Blueprint(run.model, run.stages[0], run.watch)


def test_tenants_live_in_tiles_of_both_kinds() -> None:
    """Many lanes side by side, whose neighbours could matter, and one lane a tile, as in every attention figure."""
    many, one = lanes_for(1), lanes_for(10**9)
    assert many > one and (one == 1 or jax.default_backend() != "cpu")
    found = {tenant: blueprint(sweep()).tile for tenant, sweep in TENANTS.items()}
    assert found == {"parity": many, "algebra": many, "sequences": one}


COMPANY = {
    "parity": parity(runs=24, budget=1500),
    "algebra": algebra(runs=11, steps=600),
    "sequences": sequences(runs=3, steps=60),
}


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Bits]:
    """All runs of a tenant in one sweep."""
    return cache(lambda tenant: bits(COMPANY[tenant], tmp_path_factory.mktemp(tenant)))


@pytest.mark.parametrize("tenant", TENANTS)
def test_alone_as_in_company(tenant: str, together: Callable[[str], Bits], tmp_path: Path) -> None:
    """The first run, the last and one between, each in a tile of its own, against all in one sweep."""
    sweep, expected = COMPANY[tenant], together(tenant)
    places = list(expected)
    for place in (places[0], places[len(places) // 2], places[-1]):
        axes = {name: [value] for (name, _), value in zip(sweep.axes, place, strict=True)}
        assert bits(Sweep(sweep.run_, **axes), tmp_path / str(place)) == {place: expected[place]}


@pytest.mark.parametrize("tenant", TENANTS)
def test_any_lane_beside_any_others(tenant: str, together: Callable[[str], Bits], tmp_path: Path) -> None:
    """The same runs in the opposite order, with strangers before and between them: other lanes, other neighbours."""
    sweep, expected = COMPANY[tenant], together(tenant)
    axes = {name: list(reversed(values)) for name, values in sweep.axes}
    seeds = axes["seed"]
    axes["seed"] = [101, *seeds[: len(seeds) // 2], 102, 103, *seeds[len(seeds) // 2 :]]
    found = bits(Sweep(sweep.run_, **axes), tmp_path)
    assert {place: found[place] for place in expected} == expected
    tile, where = blueprint(sweep).tile, {place: i for i, place in enumerate(found)}
    if tile > 1:
        first = list(expected)[:tile]
        moved = [place for i, place in enumerate(first) if where[place] >= tile or where[place] != i]
        assert moved == first, "a run kept its lane"


@pytest.mark.parametrize("tenant", TENANTS)
def test_one_worker_as_two(tenant: str, tmp_path: Path) -> None:
    sweep = TENANTS[tenant]()
    assert bits(sweep, tmp_path / "one") == bits(sweep, tmp_path / "two", workers=2)


def test_shards_add_up(tmp_path: Path) -> None:
    """Two machines, each with its half and its own store; then the stores are merged."""
    from elegans.lab.store import merge

    whole = bits(parity(runs=16, budget=1000), tmp_path / "whole")
    for i in range(2):
        Session(Store.open(tmp_path / f"part{i}"), 1, shard=(i, 2)).sweep(parity(runs=16, budget=1000))
    left, right = (Store.open(tmp_path / f"part{i}") for i in range(2))
    assert merge(left, right) > 0
    session = Session(left, 1)
    frame = session.sweep(parity(runs=16, budget=1000)).runs
    assert session.spent["runs"] == 0
    assert frame["bits"].to_list() == list(whole.values())


def finite() -> Sweep:
    """Parity from a training set of 200 examples."""
    sweep = parity(runs=8, budget=600, watched=False)
    stage = sweep.run_.stages[0]
    return rebuilt(sweep, stages=(stage.replace(algorithm=SGD(0.1, regime=Virtual(200))),))


def cyclic() -> Sweep:
    """The group Z_5 in place of S_3: probes of representations and of frequencies fit."""
    sweep = algebra(runs=1, steps=600, watched=False)
    return rebuilt(sweep, stages=(sweep.run_.stages[0].replace(task=GroupComposition(Cyclic(5))),))


def powers() -> Sweep:
    """All points of a small parity, learned by z²."""
    learns = SGD(0.1, loss=logistic, regime=Full(), penalty=NeuronNorm(1e-2))
    return Sweep(Run(PowerParityNet(6, k=2), Stage(SparseParity(4, 2), learns, Steps(300))), seed=[0])


def chains(task: Task, model: Model) -> Sweep:
    """A few steps on sequences of another task or by another model."""
    return Sweep(Run(model, Stage(task, SGD(1e-2, batch=8, loss=cross_entropy), Steps(60))), seed=[0])


PROBED = {
    "parity": parity(runs=8, budget=600, watched=False),
    "cyclic": cyclic(),
    "sequences": sequences(runs=1, steps=60, watched=False),
    "finite": finite(),
    "powers": powers(),
    "minimal": chains(MarkovChains(3, 12), MinimalInduction()),
    "trigrams": chains(NGrams(2, 12), AttentionOnly(4)),
}


@cache
def fitting(tenant: str) -> list[Probe]:
    """Every registered probe that can be traced on the tenant's task and model, at an odd cadence."""
    b = blueprint(PROBED[tenant])
    with precision(b.stage.algorithm.precision):
        shape = jax.ShapeDtypeStruct
        start = (shape((4,), jnp.uint32), shape((len(b.knobs),), b.stage.algorithm.dtype), shape((), jnp.int32))
        lane = jax.eval_shape(lambda *a: program._lane(b, None, *a), *start)
        tile = jax.tree.map(lambda a: shape((b.tile, *a.shape), a.dtype), lane)
        return [p for p in all_probes(30) if fits(b, p, tile)]


def fits(b: Blueprint, probe: Probe, tile: program.Lane) -> bool:
    try:
        with program.fitting(str(probe)):
            jax.eval_shape(lambda tile: program._observe(b, probe, tile, jnp.int32(0)), tile)
    except UsageError:
        return False
    return True


def all_probes(every: int) -> list[Probe]:
    """Those that can be made without further settings."""
    return [cls(every=every) for cls in discover("elegans.probes", Probe).values()]


def test_every_registered_probe_watches_somewhere() -> None:
    watched = {type(probe) for tenant in PROBED for probe in fitting(tenant)}
    assert watched == set(discover("elegans.probes", Probe).values())


@pytest.mark.parametrize("tenant", PROBED)
def test_watching_changes_nothing(tenant: str, tmp_path: Path) -> None:
    """With every registered probe that fits the tenant, at odd cadences, and with none."""
    plain, watch = PROBED[tenant], fitting(tenant)
    assert len(watch) > 2
    assert bits(rebuilt(plain, watch=watch), tmp_path / "watched") == bits(plain, tmp_path / "unwatched")


def test_stopping_changes_nothing(tmp_path: Path) -> None:
    """A run truncated by its budget, extended, has the bits of one that was never truncated; nothing restarts."""
    whole = bits(parity(runs=8, budget=2000), tmp_path / "whole")
    store = Store.open(tmp_path / "parts")
    for budget in (500, 1100, 2000):
        session = Session(store, 1)
        frame = session.sweep(parity(runs=8, budget=budget)).runs
        if budget > 500:
            spent, needed = session.spent["steps"], int(frame["t"].sum())
            assert spent < needed, "extension ran old steps again"
    assert frame["bits"].to_list() == list(whole.values())


def test_a_changed_seed_or_knob_changes_the_bits(tmp_path: Path) -> None:
    found = bits(parity(runs=4, budget=200), tmp_path / "a")
    assert len(set(found.values())) == len(found)
    run = parity(budget=200).run_
    base = bits(Sweep(run, seed=[0]), tmp_path / "b")[0,]
    for seed in ("init", "data"):
        assert bits(Sweep(run, **{seed: [1]}), tmp_path / seed)[1,] != base
