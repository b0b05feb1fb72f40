"""The robust space: how large it is, that it is few programs, and what becomes of its runs."""

from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.lab import programs
from elegans.lab.plan import expand
from elegans.lab.program import Blueprint, Program, build
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Run, Stage, Sweep
from elegans.models.padded import PaddedMLP
from elegans.papers.hidden_progress import robust, robust_times
from elegans.papers.hidden_progress.presets import setting
from elegans.papers.hidden_progress.robust import ROBUST, SHAPES, grid, slices, sweep
from elegans.tasks.padded_parity import PaddedParity
from elegans.training.algorithms import SGD
from elegans.training.margin_loss import MarginLoss
from elegans.training.stops import Budget, Solved


def ids(sweeps: dict[str, Sweep]) -> set[str]:
    return {id + leg.stop for s in sweeps.values() for leg in expand(s).legs for id in leg.ids}


def test_the_grid_is_the_papers_in_fewer_than_a_hundred_programs():
    whole = grid(Scale.PAPER, ROBUST)
    assert sum(map(len, whole.values())) == 1_336_500
    static = {leg.group for s in grid(Scale.PAPER).values() for leg in expand(s).legs}
    assert len(static) + len(robust.BATCHES) == 77, "with those of the Transformer"
    assert sorted(i for s in ROBUST for i in SHAPES[s].ids) == sorted(robust.IDS[:15])


def test_smaller_scales_are_parts_of_the_paper():
    part = grid(Scale.LAPTOP)
    assert sum(map(len, part.values())) >= 20_000
    known = ids(part)
    assert len(known) == sum(map(len, part.values())), "a run is asked for twice"
    assert ids(slices(Scale.LAPTOP, (10, 20, 30))) < known < ids(grid(Scale.PAPER))
    assert ids(grid(Scale.SMOKE)) < ids(grid(Scale.PAPER))


def test_everything_but_shape_and_batch_is_one_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    built: list[Program] = []

    def counted(b: Blueprint) -> Program:
        built.append(build(b))
        return built[-1]

    monkeypatch.setattr(programs, "_PROGRAMS", {})
    monkeypatch.setattr(programs, "build", counted)
    few = sweep("r = 10", 4, 20, range(2), n=(10, 30), k=(2, 4), law=(0, 2), objective=(0, 1, 2), lr=(0.1,))
    table = Session(Store.open(tmp_path), 1).sweep(few).runs
    ended = table.filter(pl.col("outcome") == "budget")
    assert len(table) == 2 * 2 * 2 * 2 * 3 * 2 and len(ended) > 60 and ended["bits"].n_unique() == len(ended)
    assert len(built) == 1


@pytest.mark.parametrize(("model", "id"), [(PaddedMLP(10), "i"), (PaddedMLP(10, activation=1), "iv")])
def test_a_padded_run_is_solved_when_the_plain_one_is(model: Any, id: str, tmp_path: Path):
    session, stop, plain = Session(Store.open(tmp_path), 1), Solved(on=1024) | Budget(2000), setting(id, 10, 2, 0.1)
    padded = Stage(PaddedParity(10, 2), SGD(0.1, batch=32, loss=MarginLoss()), stop)
    both = [
        Sweep(Run(model, padded), seed=range(4)),
        Sweep(Run(plain.model, Stage(plain.task, plain.algorithm, stop)), seed=range(4)),
    ]
    a, b = (r.runs["solved"].to_list() for r in session.sweeps(both))
    assert a == b and None not in a


def evidence() -> Evidence:
    """Two rates and three seeds of the PolyNet at n = 10, 20, 30 and k = 2."""
    ends = {  # n: (outcome, t) of the seeds at rate 0.1, then at rate 0.01
        10: [("solved", 30), ("solved", 20), ("budget", 90), ("diverged", 5), ("diverged", 5), ("diverged", 5)],
        20: [("budget", 90), ("diverged", 5), ("diverged", 5), ("diverged", 5), ("diverged", 5), ("solved", 220)],
        30: [("budget", 90)] * 3 + [("diverged", 5)] * 3,
    }
    rows = [
        {"n": n, "k": 2, "law": 0, "objective": 0, "lr": (0.1, 0.01)[i // 3], "seed": i % 3, "outcome": o, "t": t}
        for n, some in ends.items() for i, (o, t) in enumerate(some)
    ]  # fmt: skip
    return Evidence(parts={"PolyNet, B = 32": Evidence(pl.DataFrame(rows))})


def test_settings_are_solved_open_or_failed():
    e = robust.condensed(evidence())
    assert e.array("runs").sum() == 18 and e.array("solved").sum() == 3 and e.array("cut").sum() == 5
    s = robust.settings(e)
    assert s.places["n"].tolist() == [10, 20, 30] and set(s.places["setting"]) == {robust.IDS.index("xv")}
    assert s.solved.tolist() == [True, True, False] and s.open.tolist() == [False, False, True]
    found = robust.share(s)
    assert found.value == pytest.approx(2 / 3) and found.high == 1.0 and found.censored == 1
    assert {v: len(some.solved) for v, some in robust.by_value(s, "n").items()} == {10: 1, 20: 1, 30: 1}


def test_percentiles_are_taken_at_the_best_rate():
    e = robust_times.timed(evidence())
    assert robust_times.best(e).ravel().tolist() == [20, 220, inf]
    assert robust_times.words(e).ravel().tolist() == ["cut", "cut", "cut"]


def test_coarse_laws():
    times = np.array([[130, 495, 945], [100, 100, 100], [100, nan, 300], [100, 120, inf]])
    found = robust_times.exponents(times, (10, 20, 30))
    np.testing.assert_allclose(found[:2], [np.log(945 / 130) / np.log(21), 0])  # the specification's example: 0.65
    assert np.isnan(found[2:]).all()
    c, (_, *later) = times[0, 0], times[0]
    assert all(t <= c * (n - 9) ** found[0] * (1 + 1e-12) for n, t in zip((20, 30), later, strict=True))
