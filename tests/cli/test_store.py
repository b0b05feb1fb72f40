"""Stores that cannot be used, that are torn, that are merged: one sentence, and nothing lost."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import SOURCE, TRAIN, Call
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
    assert done.returncode == 2 and "run the same command again" in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("elegans: could not write")
    assert not [p for p in (home / "full").rglob("*") if p.is_file()]


def test_no_space_for_temporary_files(elegans: Call, home: Path):
    (home / "sitecustomize.py").write_text("import tempfile\ntempfile.gettempdir = lambda: '/proc'\n")
    line = (*TRAIN, "--algorithm.lr", "0.1", "--steps", "5", "--store", "tmp")
    done = elegans(*line, PYTHONPATH=f"{home}{os.pathsep}{SOURCE}")
    (home / "sitecustomize.py").unlink()
    assert done.returncode == 2 and "let TMPDIR name another folder" in done.stderr and "--store" not in done.stderr


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


LOOKS = (("status",), ("store", "du"), ("store", "prune"))


@pytest.mark.parametrize("command", LOOKS)
@pytest.mark.parametrize("place", ["nowhere", "/dev/null", "/etc/passwd/x", "."])
def test_a_place_that_is_no_store(elegans: Call, home: Path, trained: Path, command: tuple[str, ...], place: str):
    said = "is not a store of elegans" if place == "." else "could not use the store"
    refused(elegans(*command, "--store", place), said)
    assert not (home / "nowhere").exists()


@pytest.mark.parametrize("command", LOOKS)
def test_a_store_in_which_nothing_has_been_run_yet(elegans: Call, home: Path, command: tuple[str, ...]):
    (home / "fresh").mkdir(exist_ok=True)
    for done in (elegans(*command, "--store", "fresh"), elegans(*command, ELEGANS_STORE=str(home / "default"))):
        assert done.returncode == 0 and done.stdout.startswith("nothing has been run yet in"), done.stderr
    assert not (home / "default").exists()


def test_nothing_runs_in_a_store_at_rest(elegans: Call, trained: Path):
    done = elegans("status", "--store", str(trained))
    assert done.returncode == 0 and done.stdout.startswith("nothing is running in")


def test_status_says_what_runs_and_skips_foreign_files(elegans: Call, home: Path):
    folder = home / "busy" / "progress"
    folder.mkdir(parents=True)
    note = {"pid": os.getpid(), "title": "fig-5.1-left", "said": "3 of 8 runs", "at": time.time()}
    (folder / "mine.json").write_text(json.dumps(note))
    (folder / "dead.json").write_text(json.dumps(note | {"pid": 2**22 + 1}))
    for i, text in enumerate(
        ["{", "[1]", "7", "{}", json.dumps({"pid": os.getpid()}), json.dumps(note | {"at": "noon"})]
    ):
        (folder / f"foreign{i}.json").write_text(text)
    done = elegans("status", "--store", "busy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("fig-5.1-left") == 1 and "3 of 8 runs" in done.stdout


def test_prune_deletes_leftovers_and_no_result(elegans: Call, trained: Path, home: Path):
    store = home / "pruned"
    shutil.copytree(trained, store)
    kept = names(store / "runs") | names(store / "arrays")
    leftovers = ["checkpoints/0.npz", "aside/runs-x.parquet", "arrays/orphan.npz", "runs/.x.parquet.0.partial"]
    for name in leftovers:
        (store / name).parent.mkdir(exist_ok=True)
        (store / name).write_bytes(b"left")
    (store / "leases").mkdir(exist_ok=True)
    (store / "leases" / "block").write_text("here 1\n")
    refused(elegans("store", "prune", "--days", "0", "--store", "pruned"), "work is going on")
    (store / "leases" / "block").unlink()
    assert elegans("store", "prune", "--store", "pruned").stdout.startswith("0 leftover files"), "they are young"
    assert elegans("store", "prune", "--days", "0", "--store", "pruned").stdout.startswith("4 leftover files")
    assert {n for kind in ("runs", "arrays") for n in names(store / kind)} == kept
    assert not any((store / name).exists() for name in leftovers)


def test_results_go_into_a_pipe_and_replace_no_device(elegans: Call, trained: Path, home: Path):
    line = (*TRAIN, "--algorithm.lr", "0.1", "--steps", "20", "--store", str(trained), "--csv")
    done = elegans(*line, "/dev/stdout")
    assert done.returncode == 0 and "t,Accuracy.accuracy,TrainLoss.loss" in done.stdout, done.stderr
    pipe = home / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    assert elegans(*line, str(pipe)).returncode == 0
    assert reader.communicate(timeout=60)[0] == (home / "run.csv").read_text()
    assert pipe.is_fifo()


def names(folder: Path) -> set[str]:
    return {p.name for p in folder.rglob("*") if p.is_file()}
