"""What is built and compiled: one program for everything that differs by seeds and knobs, and nothing a second time."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import pytest
from jax import export

from elegans.lab import programs, serve, session
from elegans.lab.program import Blueprint, Program, build, identity
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.tile import Tile
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.mlp import MLP
from elegans.probes.accuracy import Accuracy
from elegans.probes.progress import Movement
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD
from elegans.training.stops import Budget, Solved

PLACE = re.compile(r'\s*loc\((?:#loc\d*|unknown|"[^"]*"(?:\(#loc\d*\))?)\)')
STAGE = Stage(SparseParity(12, 2), SGD(0.1, batch=8), Solved(on=256) | Budget(60))


def sweep(watch: tuple[Any, ...] = (), **axes: Any) -> Sweep:
    return Sweep(Run(MLP(10), STAGE, watch=watch), **(axes or {"lr": [0.1, 0.2, 0.4], "seed": range(5)}))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Program]]:
    """Programs built and hashed since the test began, in a process that knows none yet."""
    found: list[Program] = []

    def counted(b: Blueprint) -> Program:
        found.append(build(b))
        return found[-1]

    monkeypatch.setattr(programs, "_PROGRAMS", {})
    monkeypatch.setattr(programs, "_IDENTITIES", {})
    monkeypatch.setattr(programs, "build", counted)
    yield found


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every time the task's code is traced."""
    times: list[str] = []
    sample = SparseParity.sample

    def counted(self: SparseParity, key: Any, n: int, secret: Any = ()) -> Any:
        times.append(repr(self))
        return sample(self, key, n, secret)

    monkeypatch.setattr(SparseParity, "sample", counted)
    return times


def test_knobs_and_seeds_share_one_program(built: list[Program], traced: list[str], tmp_path: Path) -> None:
    run = Session(Store.open(tmp_path), 1)
    assert len(run.sweep(sweep()).runs) == 15
    assert len(built) == 1
    for_one = len(traced)
    Session(Store.open(tmp_path), 1).sweep(sweep(lr=[0.01, 0.3], seed=range(20, 30)))
    assert len(built) == 1 and len(traced) == for_one, "other knobs and seeds were traced again"


def test_every_width_has_its_program(built: list[Program], tmp_path: Path) -> None:
    frame = Session(Store.open(tmp_path), 1).sweep(sweep(width=[6, 7], seed=range(2))).runs
    assert len(built) == 2 and len({p.identity for p in built}) == 2
    assert frame["width"].to_list() == [6, 6, 7, 7]


def test_a_longer_budget_is_no_other_program(built: list[Program], tmp_path: Path) -> None:
    Session(Store.open(tmp_path), 1).sweep(sweep(steps=[60, 120, 600], seed=range(2)))
    assert len(built) == 1


def test_a_second_sweep_builds_and_trains_nothing(built: list[Program], tmp_path: Path) -> None:
    first, again = (Session(Store.open(tmp_path), 1) for _ in range(2))
    frame = first.sweep(sweep()).runs
    assert first.spent["runs"] == 15 and first.spent["steps"] == frame["t"].sum()
    built.clear()
    programs._PROGRAMS.clear()
    assert again.sweep(sweep()).runs.equals(frame)
    assert again.sweep(sweep(lr=[0.2], seed=[3])).runs["bits"].item() == frame["bits"][5 + 3]
    assert not built
    assert again.spent["runs"] == again.spent["steps"] == 0


def code(part: bytes) -> str:
    """A program without the places in source that it came from."""
    lines = export.deserialize(bytearray(part)).mlir_module().splitlines()
    return "\n".join(PLACE.sub("", line) for line in lines if not line.startswith("#loc"))


def test_a_probe_adds_a_program_and_changes_none() -> None:
    plain = Blueprint(MLP(10), STAGE)
    probes = (Movement(every=20), Accuracy(every=30, on=64))
    watched = replace(plain, probes=probes)
    assert plain.every == watched.every, "the cadences were to leave the block as it is"
    bare, seen = build(plain), build(watched)
    assert identity(watched) == identity(plain) == bare.identity == seen.identity
    assert set(seen.parts) - set(bare.parts) == {"probe:Movement", "probe:Accuracy"}
    assert {n: code(p) for n, p in seen.parts.items() if n in bare.parts} == {n: code(p) for n, p in bare.parts.items()}


def test_a_knobs_value_is_not_in_the_program() -> None:
    one, other = (build(Blueprint(MLP(10), STAGE.replace(algorithm=SGD(lr, batch=8)))) for lr in (0.1, 0.7))
    assert one.identity == other.identity
    assert {n: code(p) for n, p in one.parts.items()} == {n: code(p) for n, p in other.parts.items()}
    assert build(Blueprint(MLP(10), STAGE.replace(algorithm=SGD(0.1, batch=9)))).identity != one.identity


class Obedient:
    """A parent that never asks a worker to stop."""

    stopping = False


def test_a_worker_compiles_each_part_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Refills, tails, resumed lanes and budgets of all kinds: still one executable a part."""
    tiles: list[Tile] = []

    class Counted(Tile):
        def __init__(self, load: Any) -> None:
            super().__init__(load)
            tiles.append(self)

    def here(job: Any, precision: str, workers: int, report: Any) -> None:
        service = serve.Service(job, Obedient())
        service.run()
        report([service.tally])

    monkeypatch.setattr(serve, "Tile", Counted)
    monkeypatch.setattr(session.pool, "run", here)
    store = Store.open(tmp_path)
    for budget in ([60], [120, 240]):
        frame = Session(store, 1).sweep(sweep(watch=(Movement(every=20),), steps=budget, seed=range(21))).runs
        assert len(frame) == 21 * len(budget)
    assert len(tiles) == 2
    for tile in tiles:
        calls: dict[str, Any] = tile.call
        called = {name: call._cache_size() for name, call in calls.items()}
        assert called["advance"] == called["probe:Movement"] == 1, called
        assert max(called.values()) == 1, called
    assert jax.default_backend() in ("cpu", "gpu")
