"""Promise 5, no surprise: what a sweep takes is said before it starts, and what is said is what happens."""

import json
import os
from pathlib import Path

import pytest

from elegans.lab import display, leases, machine, programs
from elegans.lab.display import shown
from elegans.lab.estimate import prospect
from elegans.lab.program import Blueprint, Program, build
from elegans.lab.programs import identity_of
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.mlp import MLP
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD
from elegans.training.stops import Budget, Solved, Steps

TASK = SparseParity(12, 2)


def sweep(seeds: int = 6, budget: int = 40) -> Sweep:
    """Two widths, so two programs; nothing is solved so early."""
    stage = Stage(TASK, SGD(1e-4, batch=8), Solved(on=256) | Budget(budget))
    return Sweep(Run(MLP(10), stage), width=[10, 12], seed=range(seeds))


def test_counts_are_those_of_the_sweep(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    ahead = prospect([sweep()], store, 1).weigh()
    assert (len(ahead.missing), len(ahead.runs), len(ahead.programs)) == (12, 12, 2)
    assert str(ahead).startswith("12 of 12 runs missing, 2 programs, time unknown yet with 1 worker, about 3")
    session = Session(store, 1)
    session.sweep(sweep())
    assert session.spent["runs"] == len(ahead.missing)
    assert not prospect([sweep()], store, 1).legs
    more = prospect([sweep(8)], store, 1).weigh()
    assert (len(more.missing), len(more.runs)) == (4, 16) and not more.untimed
    assert "at most about" in str(more), "nothing was solved yet, so that full budgets are counted"
    twice = prospect([sweep(8), sweep(7)], store, 1)
    assert (len(twice.missing), len(twice.runs)) == (4, 16), "what two sweeps share is trained once"
    parts = [prospect([sweep(8)], store, 1, (i, 3)) for i in range(3)]
    assert sum(len(p.missing) for p in parts) == 4 and sum(len(p.runs) for p in parts) == 16


def test_runs_that_go_on_are_timed_from_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand steps a second of one lane were measured; all lanes go side by side."""
    monkeypatch.setenv("ELEGANS_CACHE", str(tmp_path / "cache"))
    store = Store.open(tmp_path)
    work = Sweep(Run(MLP(10), Stage(TASK, SGD(1e-4, batch=8), Budget(2000))), seed=range(8))
    (b,) = (leg.blueprint for leg, _, _ in prospect([work], store).legs)
    book = tmp_path / "cache" / f"speed-{machine.machine_id()}.json"
    book.parent.mkdir()
    book.write_text(json.dumps({identity_of(b): 1000.0 * b.tile}))
    assert prospect([work], store, 1).weigh().seconds == pytest.approx(2000 * 8 / (1000 * b.tile))
    session = Session(store, 1)
    rows = session.sweep(work).runs
    longer = Sweep(work.run_, seed=range(8), steps=[5000])
    lane = float(rows["t"].to_numpy().sum() / rows["seconds"].to_numpy().sum())
    assert prospect([longer], store, 1).weigh().seconds == pytest.approx(3000 * 8 / (lane * b.tile))


def test_stages_are_counted_and_what_diverged_is_not_begun(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    first, second = Stage(TASK, SGD(0.1, batch=8), Steps(10)), Stage(TASK, SGD(0.05, batch=8), Steps(20))
    staged = Sweep(Run(MLP(10), first, second), seed=range(3))
    assert len(prospect([staged], store, 1).missing) == 6
    session = Session(store, 1)
    session.sweep(staged)
    assert session.spent["runs"] == 6 and not prospect([staged], store, 1).legs
    wild = Sweep(Run(MLP(10), first.replace(algorithm=SGD(1e30, batch=8)), second), seed=range(3))
    session.sweep(wild)
    assert session.spent["runs"] == 9 and not prospect([wild], store, 1).legs


def test_it_is_said_once_and_traces_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    built: list[Blueprint] = []

    def counted(b: Blueprint) -> Program:
        built.append(b)
        return build(b)

    monkeypatch.setattr(programs, "build", counted)
    monkeypatch.setattr(programs, "_PROGRAMS", {})
    with shown(Session(Store.open(tmp_path), 1), "parity") as lab:
        lab.sweep(sweep())
        assert len(built) == 2
        lab.sweep(sweep())
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "missing" in line] == said[:1] and said[0].startswith(
        "parity: 12 of 12 runs missing"
    )


def test_sizes_in_words() -> None:
    assert [display.size(n) for n in (0, 999, 1500, 2e6, 3e9)] == ["0 B", "999 B", "2 kB", "2 MB", "3.0 GB"]


def test_a_lease_that_a_rival_just_took_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dead owner's lease is replaced between the look and the renaming."""
    path = tmp_path / "leases" / "block"
    path.parent.mkdir()
    path.write_text(f"{os.uname().nodename} {2**22 + 1}\n")

    def rival(_: int) -> bool:
        path.unlink()
        (path.parent / "other").write_text("takes the place of the inode")
        path.write_text(f"{os.uname().nodename} {os.getpid()}\n")
        return False

    monkeypatch.setattr(leases, "_alive", rival)
    assert leases.take(tmp_path, "block") is None
    assert path.read_text().split()[1] == str(os.getpid())
