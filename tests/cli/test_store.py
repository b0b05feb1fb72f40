"""Stores that cannot be used, that are torn, that are merged: one sentence, and nothing lost."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import TRAIN, Call
from tests.cli.test_front_door import refused


@pytest.mark.parametrize("below", ["", "/x"])
def test_a_file_in_the_way_of_the_store(elegans: Call, home: Path, below: str):
    (home / "file").write_text("mine")
    refused(elegans("store", "du", "--store", f"file{below}"), "could not use the store")
    assert (home / "file").read_text() == "mine"


def test_a_file_in_the_way_of_a_run(elegans: Call, home: Path):
    (home / "file").write_text("mine")
    refused(elegans(*TRAIN, "--algorithm.lr", "0.1", "--steps", "5", "--store", "file/x"), "--store or ELEGANS_STORE")


def test_no_space_for_results(elegans: Call, home: Path):
    done = elegans(*TRAIN, "--algorithm.lr", "0.1", "--steps", "5", "--store", "full", largest_file=1)
    refused(done, "run the same command again")
    assert not [p for p in (home / "full").rglob("*") if p.is_file()]


def test_merging_two_stores(elegans: Call, trained: Path, home: Path):
    first = elegans("store", "merge", str(trained), "--store", "merged")
    assert first.returncode == 0 and not first.stdout.startswith("0 files"), first.stderr
    assert elegans("store", "merge", str(trained), "--store", "merged").stdout.startswith("0 files")
    for kind in ("runs", "arrays"):
        assert names(home / "merged" / kind) == names(trained / kind) != set()
    assert "runs" in elegans("store", "du", "--store", "merged").stdout


def test_merging_what_is_no_store(elegans: Call, home: Path):
    (home / "photos").mkdir()
    refused(elegans("store", "merge", "photos", "--store", "merged"), "not a store of elegans")
    refused(elegans("store", "merge", "nowhere", "--store", "merged"), "not a folder")


def test_a_torn_file_is_set_aside_and_its_run_done_again(elegans: Call, trained: Path, home: Path):
    shutil.copytree(trained, home / "torn")
    for shard in (home / "torn" / "runs").rglob("*.parquet"):
        shard.write_bytes(shard.read_bytes()[:100])
    again = elegans(*TRAIN, "--algorithm.lr", "0.1", "--steps", "20", "--store", "torn", "--csv", "torn.csv")
    assert again.returncode == 0 and "set aside" in again.stderr and "Traceback" not in again.stderr
    assert (home / "torn.csv").read_bytes() == (home / "run.csv").read_bytes()
    assert len(names(home / "torn" / "aside")) == 1


def test_nothing_runs_in_an_empty_place(elegans: Call):
    done = elegans("status", "--store", "nowhere")
    assert done.returncode == 0 and "nothing is running" in done.stdout


def names(folder: Path) -> set[str]:
    return {p.name for p in folder.rglob("*") if p.is_file()}
