"""The arithmetic of the benchmarks' report: ratios of medians, their interval, who could not run, and the schema."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from benchmarks.cells import CELLS, ENGINE, LAB, LOOP, LOOP_STOP, PEAK, SCAN, VMAP, Contestant
from benchmarks.crew import Done
from benchmarks.report import Row, Samples, compare, interval, rows_of, table, write

CELL = CELLS["parity-100"]


def samples(contestant: Contestant, *rates: float, solved: int = 0, length: float = 0.0) -> Samples:
    """Two processes of one second each that share the rate."""
    return Samples(contestant, [[Done(r / 2, 1.0, solved, length)] * 2 for r in rates])


@pytest.fixture(name="rows")
def fixture_rows() -> list[Row]:
    """A lab at 1000 steps/s whose runs take 100 steps, and peers with and without a stop test."""
    missing = Samples(VMAP, [], "ModuleNotFoundError: No module named 'torch'")
    some = [
        samples(LAB, 1000, 1000, 1000, solved=5, length=200),
        samples(ENGINE, 1250, 1250, 1250),
        samples(LOOP, 100, 125, 50),
        samples(LOOP_STOP, 50, 50, 50),
        samples(SCAN, 2000, 2000, 2000),
        samples(PEAK, 10, 10, 10),
        missing,
    ]
    return rows_of(CELL, {s.contestant.name: s for s in some})


def one(rows: list[Row], name: str, peer: Contestant) -> Row:
    """The row of a comparison."""
    (row,) = [r for r in rows if r.name == f"{CELL.name} {name}" and r.peer_name == peer.says]
    return row


def test_rates_add_over_processes() -> None:
    assert Samples(LOOP, [[Done(10, 2.0), Done(30, 3.0)]]).rates.tolist() == [15.0]


def test_ratio_of_medians(rows: list[Row]) -> None:
    row = one(rows, "steps", LOOP)
    assert (row.ours, row.peer, row.ratio) == (1000, 100, 10)
    assert (row.ci_low, row.ci_high) == (8, 20)


def test_runs_with_a_stop_test_share_one_mean_length(rows: list[Row]) -> None:
    row = one(rows, "runs", LOOP_STOP)
    assert (row.ours, row.peer, row.ratio) == (10, 0.5, 20)


def test_runs_of_fixed_length_are_as_long_as_95_percent_need(rows: list[Row]) -> None:
    row = one(rows, "runs", SCAN)
    assert row.peer == pytest.approx(0.95 * 2000 / 200)


def test_share_of_the_engine_and_of_the_peak(rows: list[Row]) -> None:
    assert one(rows, "lab", ENGINE).ratio == 0.8
    shares = sorted(r.ratio or 0 for r in rows if r.name.endswith("peak"))
    assert shares == pytest.approx([r * CELL.flops / 1e9 / 10 for r in (1000, 1250)])


@pytest.mark.parametrize("unit", ["steps", "runs"])
def test_who_cannot_run_is_reported_with_the_reason(rows: list[Row], unit: str) -> None:
    row = one(rows, unit, VMAP)
    assert (row.peer, row.ratio, row.ci_low, row.ci_high) == (None, None, None, None)
    assert "torch" in row.note


def test_the_lab_must_run() -> None:
    with pytest.raises(RuntimeError, match="could not be measured: out of memory"):
        rows_of(CELL, {"lab": Samples(LAB, [], "out of memory")})


def test_interval_is_exact_and_keeps_repetitions_together() -> None:
    common = np.array([1.0, 2.0, 4.0])
    assert interval(3 * common, common) == (3, 3)
    low, high = interval([1, 2, 3], [1, 1, 1])
    assert (low, high) == (1, 3)


def test_interval_of_many_repetitions_covers_the_ratio() -> None:
    rng = np.random.default_rng(0)
    ours, peer = 2 * rng.lognormal(0, 0.1, 40), rng.lognormal(0, 0.1, 40)
    low, high = interval(ours, peer)
    assert low < 2 < high < 1.2 * low


def test_schema(rows: list[Row], tmp_path: Path) -> None:
    write(rows, tmp_path / "latest.json")
    read = json.loads((tmp_path / "latest.json").read_text())
    names = ["name", "setting", "ours", "peer", "peer_name", "ratio", "ci_low", "ci_high", "unit", "note"]
    assert [f.name for f in fields(Row)] == names
    assert [Row(**r) for r in read] == rows
    assert all(list(r) == names for r in read)
    assert table(rows).row_count == len(rows)


def test_a_measurement_that_failed_half_way_has_no_ratio() -> None:
    broken = Samples(LOOP, [[Done(1, 1.0)]], "killed")
    row = compare("a", "b", np.ones(3), broken, 1, "steps/s")
    assert row.peer is None and row.note == "killed"
