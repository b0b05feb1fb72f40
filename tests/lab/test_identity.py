"""Promise 1, identity: a run's bits depend on its task, model, algorithm, start and seeds, and on nothing else."""

from pathlib import Path

import pytest

from elegans.base.discovery import discover
from elegans.base.errors import UsageError
from elegans.lab.program import Blueprint, build
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Run, Sweep
from elegans.probes.base import Probe
from tests.lab.tenants import TENANTS, algebra, parity, sequences


def bits(sweep: Sweep, folder: Path, workers: int = 1, **options: object) -> dict[tuple, str]:
    session = Session(Store.open(folder), workers, **options)  # type: ignore[arg-type]
    frame = session.sweep(sweep).runs
    names = [name for name, _ in sweep.axes]
    return {tuple(row[n] for n in names): row["bits"] for row in frame.iter_rows(named=True)}


def rebuilt(sweep: Sweep, **changes: object) -> Sweep:
    run = sweep.run_
    fields = {"start": run.start, "seeds": run.seeds, "watch": run.watch, "keep": run.keep} | changes
    stages = fields.pop("stages", run.stages)
    return Sweep(Run(run.model, *stages, **fields), **dict(sweep.axes))  # type: ignore[arg-type,misc]


def test_alone_as_in_company(tmp_path: Path) -> None:
    """Run by run, each in a tile of its own, against all in one sweep; any lane, any neighbours."""
    together = bits(parity(runs=24, budget=1500), tmp_path / "together")
    for lr, seed in [(0.1, 0), (0.5, 11), (0.1, 7)]:
        alone = Sweep(parity().run_, lr=[lr], seed=[seed])
        alone = rebuilt(alone, stages=parity(budget=1500).run_.stages)
        assert bits(alone, tmp_path / f"alone{lr}{seed}") == {(lr, seed): together[lr, seed]}


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


PROBED = {
    "parity": parity(runs=8, budget=600),
    "algebra": algebra(runs=1, steps=600),
    "sequences": sequences(runs=1, steps=60),
}


@pytest.mark.parametrize("tenant", TENANTS)
def test_watching_changes_nothing(tenant: str, tmp_path: Path) -> None:
    """With every registered probe that fits the tenant, at odd cadences, and with none."""
    plain = rebuilt(PROBED[tenant], watch=())
    reference = bits(plain, tmp_path / "unwatched")
    watch = [p for p in all_probes(30) if fits(p, tenant)]
    assert len(watch) > 2
    assert bits(rebuilt(plain, watch=watch), tmp_path / "watched") == reference


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


def all_probes(every: int) -> list[Probe]:
    return [cls(every=every) for cls in discover("elegans.probes", Probe).values() if _default(cls, every)]


def _default(cls: type[Probe], every: int) -> bool:
    try:
        cls(every=every)
    except TypeError:
        return False
    return True


def fits(probe: Probe, tenant: str) -> bool:
    """Whether a probe can be traced on the tenant's task and model."""
    run = PROBED[tenant].run_
    try:
        build(Blueprint(run.model, run.stages[0], (probe,)))
    except UsageError:
        return False
    return True
