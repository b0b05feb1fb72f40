"""What goes wrong and what comes of it: torn and foreign files, full and unwritable disks, divergence, dead workers, changed
programs, values that make no sense, and Ctrl-C. Nothing finished is lost, and nothing wrong is believed."""

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from elegans.base.config import static
from elegans.base.errors import ElegansError, StoreError, UsageError
from elegans.lab import leases, pool, session, worker
from elegans.lab.results import Result
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.lab.words import Calculation, Run, Stage, Sweep, given
from elegans.models.base import Model
from elegans.models.mlp import MLP
from elegans.models.polynet import DisjointPolyNet
from elegans.probes.accuracy import TrainLoss
from elegans.tasks.disjoint_parity import DisjointParity
from elegans.tasks.parity import SparseParity
from elegans.training.algorithms import SGD
from elegans.training.losses import correlation, square
from elegans.training.regimes import Population
from elegans.training.stops import Budget, Solved, Steps

ROOT = Path(__file__).parents[2]
TASK = SparseParity(12, 2)
STAGE = Stage(TASK, SGD(0.1, batch=8), Solved(on=256) | Budget(200))


def sweep(runs: int = 6, **options: Any) -> Sweep:
    """Short runs, some solved and some out of budget."""
    return Sweep(Run(MLP(10), STAGE, **options), seed=range(runs))


def done(folder: Path, work: Sweep) -> tuple[Result, dict[str, float]]:
    """The result, and what had to be spent on it."""
    session = Session(Store.open(folder), 1)
    result = session.sweep(work)
    return result, session.spent


def unchanged(one: Result, other: Result) -> None:
    assert one.runs.drop("seconds").equals(other.runs.drop("seconds"))
    for a, b in zip(one.arrays, other.arrays, strict=True):
        for name in (*a, *b):
            assert a[name].keys() == b[name].keys()
            for p in a[name]:
                np.testing.assert_array_equal(a[name][p], b[name][p])


# --- files -------------------------------------------------------------------------------------------------------------


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def foreign(path: Path) -> None:
    path.write_text("a shopping list: worms, agar\n")


@pytest.mark.parametrize("spoil", [torn, empty, foreign])
@pytest.mark.parametrize("kind", ["runs/*/*.parquet", "arrays/*.npz"])
def test_a_spoiled_file_is_set_aside_and_its_runs_are_redone(
    kind: str, spoil: Callable[[Path], None], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    work = sweep(keep=("start", "end"))
    whole, spent = done(tmp_path, work)
    assert spent["runs"] == 6
    victims = list(tmp_path.glob(kind))
    assert victims
    for path in victims:
        spoil(path)
    again, spent = done(tmp_path, work)
    assert spent["runs"] == 6
    unchanged(whole, again)
    said = capfd.readouterr().err
    for path in victims:
        assert str(path) in said and "set aside" in said
    assert len(list((tmp_path / "aside").iterdir())) == len(victims)
    assert done(tmp_path, work)[1]["runs"] == 0


def test_a_parquet_of_somebody_else_is_set_aside(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole, _ = done(tmp_path, sweep())
    group = next((tmp_path / "runs").iterdir())
    pl.DataFrame({"worm": ["N2"], "t": [3.5]}).write_parquet(group / "guest.parquet")
    again, spent = done(tmp_path, sweep())
    assert spent["runs"] == 0 and "guest.parquet" in capfd.readouterr().err
    unchanged(whole, again)


def test_arrays_that_are_gone_are_made_again(tmp_path: Path) -> None:
    whole, _ = done(tmp_path, sweep(keep=("end",)))
    for path in tmp_path.glob("arrays/*.npz"):
        path.unlink()
    again, spent = done(tmp_path, sweep(keep=("end",)))
    assert spent["runs"] == 6
    unchanged(whole, again)


def test_a_torn_checkpoint_is_no_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    foreign(folder / "0123.npz")
    result, spent = done(tmp_path, sweep())
    assert spent["runs"] == len(result.runs) == 6
    assert [p.name for p in (tmp_path / "aside").iterdir()] == ["checkpoints-0123.npz"]


def one_sentence(text: str) -> None:
    assert text and "\n" not in text.strip() and "Traceback" not in text


def test_a_store_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"could not use the store .* choose another store") as refusal:
        Store.open(tmp_path / "file" / "store")
    one_sentence(str(refusal.value))


SCRIPT = """
import resource, sys
from elegans.base.errors import ElegansError, Interrupted
from elegans.cli.main import sentence
from elegans.lab.session import Session
from elegans.lab.store import Store
from tests.lab import test_failures
if len(sys.argv) > 4:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]),) * 2)
try:
    session = Session(Store.open(sys.argv[1]), 1, flush_every=float(sys.argv[3]))
    session.sweep(getattr(test_failures, sys.argv[2])())
except (ElegansError, OSError) as error:
    print("elegans: " + sentence(error), file=sys.stderr)
    sys.exit(130 if isinstance(error, Interrupted) else 2)
"""


def process(folder: Path, work: str, flush: float, *room: int, **env: str) -> "subprocess.Popen[str]":
    """Another process that runs `work` of this module, in files of limited room, and ends as the command line does."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **env}
    command = [sys.executable, "-c", SCRIPT, str(folder), work, str(flush), *map(str, room)]
    return subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True, start_new_session=True)


def many() -> Sweep:
    """Runs out of budget, whose states need over a megabyte together."""
    return Sweep(sweep().run_, lr=[1e-4], seed=range(150))


def test_no_space_is_said_in_a_sentence_and_nothing_is_lost(tmp_path: Path) -> None:
    store = tmp_path / "store"
    _, spent = done(store, sweep())
    assert spent["runs"] == 6
    before = sorted(p for p in store.rglob("*") if p.is_file())
    cache = {"ELEGANS_CACHE": str(tmp_path / "cache")}  # the compiler's files are torn as well
    limited = process(store, "many", 100, 500_000, **cache)
    said = limited.communicate(timeout=120)[1]
    assert limited.returncode == 2, said
    assert "Traceback" not in said
    last = said.strip().splitlines()[-1]
    assert last.startswith(f"elegans: could not write {store}") and "free space" in last
    assert set(before) <= {p for p in store.rglob("*") if p.is_file()}
    assert not list(store.rglob("*.partial")) and not list(store.glob("leases/*"))
    with_space = process(store, "many", 100, **cache)
    said = with_space.communicate(timeout=120)[1]
    assert with_space.returncode == 0, said
    result, spent = done(store, many())
    assert spent["runs"] == 0 and len(result.runs) == 150
    assert done(store, sweep())[1]["runs"] == 0
    assert not (store / "aside").exists()


# --- divergence --------------------------------------------------------------------------------------------------------


def test_a_diverging_run_says_so_and_harms_nobody(tmp_path: Path) -> None:
    stage = Stage(TASK, SGD(0.1, batch=8, loss=square), Solved(on=256) | Budget(100))
    work = Sweep(Run(MLP(10), stage, watch=(TrainLoss(every=10),)), lr=[0.05, 1e4, 1e30])
    result, _ = done(tmp_path / "all", work)
    calm, *wild = result.runs.iter_rows(named=True)
    assert calm["outcome"] in ("solved", "budget") and math.isfinite(calm["loss"]) and calm["diverged"] is None
    for row, traces in zip(wild, result.traces[1:], strict=True):
        assert row["outcome"] == "diverged" and row["diverged"] == row["t"] < 100
        assert row["solved"] is None and not math.isfinite(row["loss"])
        assert np.isfinite(traces["TrainLoss.loss"]).all() and (traces["TrainLoss.t"] <= row["t"]).all()
    alone, _ = done(tmp_path / "alone", Sweep(work.run_, lr=[0.05]))
    assert alone.runs["bits"].item() == calm["bits"]
    plain, _ = done(tmp_path / "plain", Sweep(Run(MLP(10), stage), lr=[0.05, 1e4, 1e30]))
    assert plain.runs.drop("seconds").equals(result.runs.drop("seconds")), "watching or block length moved a divergence"
    more, spent = done(tmp_path / "all", Sweep(work.run_, lr=[1e4, 1e30], steps=[300]))
    assert spent["runs"] == 0 and more.runs["outcome"].to_list() == ["diverged"] * 2


def brink() -> dict[str, np.ndarray]:
    return {"W": np.full((1, 1), 3e38)}


def test_an_overflow_in_the_last_step_is_a_divergence(tmp_path: Path) -> None:
    """w <- w + lr overflows in the second step, whose own loss is finite; no later loss exists to show it."""
    algorithm = SGD(2e37, loss=correlation, regime=Population())
    for folder, steps in (("short", 2), ("long", 50)):
        stage = Stage(DisjointParity(1, 1), algorithm, Steps(steps))
        work = Sweep(Run(DisjointPolyNet(1), stage, start=given(brink), keep=("end",)), lr=[1e37, 3e37, 3e38])
        runs = done(tmp_path / folder, work)[0].runs
        assert runs["outcome"].to_list() == (["completed"] if steps == 2 else ["diverged"]) + ["diverged"] * 2
        assert runs["t"].to_list() == [2 if steps == 2 else 5, 2, 1]


# --- values that make no sense -----------------------------------------------------------------------------------------


class Clash(Model):
    """A model with a field that the task has as well."""

    n: int = static(default=3, low=1)

    def init(self, key: Any, signature: Any, dtype: Any = None) -> Any:
        raise NotImplementedError

    def trace(self, params: Any, x: Any, key: Any = None, shared: Any = ()) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, "fast"])
def test_a_learning_rate_that_is_none_is_refused(value: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"SGD\.lr is "):
        SGD(value)
    with pytest.raises(UsageError, match=r"SGD\.lr is "):
        done(tmp_path, Sweep(sweep().run_, lr=[0.1, value]))
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"learning": [0.1]}, "no axis named 'learning'.*did you mean .*"),
        ({"lrr": [0.1]}, r"did you mean .*\blr\b"),
        ({"widht": [3]}, r"did you mean .*\bwidth\b"),
        ({"seeds": [1]}, r"did you mean .*\bseed\b"),
        ({"seed": [-1]}, "seeds are integers between 0 and"),
        ({"seed": [0.5]}, "seeds are integers between 0 and"),
        ({"seed": [True]}, "seeds are integers between 0 and"),
        ({"seed": [np.True_]}, "seeds are integers between 0 and"),
        ({"width": [0]}, r"MLP\.width is 0"),
        ({"steps": [0]}, r"Stop\.steps is 0"),
        ({"steps": [2**31]}, "counts steps in 32 bits"),
        ({"task": [MLP(3)]}, r"Stage\.task is MLP"),
    ],
)
def test_axes_that_fit_nothing_are_refused(axes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said) as refusal:
        done(tmp_path, Sweep(sweep().run_, **axes))
    one_sentence(str(refusal.value))


def test_an_ambiguous_axis_names_both_places(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"model\.n and task\.n"):
        done(tmp_path, Sweep(Run(Clash(), STAGE), n=[4]))


def test_an_axis_must_list_values() -> None:
    with pytest.raises(UsageError, match="axis lr is empty"):
        Sweep(sweep().run_, lr=[])
    with pytest.raises(UsageError, match="must list its values"):
        Sweep(sweep().run_, lr=0.1)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="must list its values"):
        Sweep(sweep().run_, variant="plain")


def test_numpy_numbers_are_numbers(tmp_path: Path) -> None:
    plain, _ = done(tmp_path, Sweep(sweep().run_, lr=[0.25, 0.5], seed=range(2)))
    again, spent = done(tmp_path, Sweep(sweep().run_, lr=np.array([0.25, 0.5]), seed=np.arange(2)))
    assert spent["runs"] == 0
    unchanged(plain, again)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"watch": TrainLoss}, "must list probes"),
        ({"watch": ["TrainLoss"]}, "must list probes"),
        ({"keep": ("ends",)}, "keep lists 'ends'"),
        ({"start": dict}, r"given\(f\) or other_run\.then\(f\)"),
    ],
)
def test_runs_refuse_what_they_cannot_use(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as refusal:
        Run(MLP(10), STAGE, **options)
    one_sentence(str(refusal.value))


def test_one_probe_needs_no_list() -> None:
    assert Run(MLP(10), STAGE, watch=TrainLoss()).watch == (TrainLoss(),)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [given, Calculation, Run(MLP(10), STAGE).then])
def test_what_is_no_function_is_refused(make: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="needs a function first, and 3 is none"):
        make(3)


@pytest.mark.parametrize("shard", [(2, 2), (-1, 2), (0, 0)])
def test_a_part_that_does_not_exist_is_refused(shard: tuple[int, int], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="from 0 to n - 1"):
        Session(Store.open(tmp_path), 1, shard)


def test_a_broken_worker_says_so_in_a_sentence() -> None:
    assert worker.unexpected(RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes")) == worker.MEMORY
    said = worker.unexpected(RuntimeError("a\nlong story"))
    assert said == "a worker failed unexpectedly (RuntimeError: a long story); ELEGANS_DEBUG=1 shows where"


# --- leases ------------------------------------------------------------------------------------------------------------


def leased_by(folder: Path, host: str, pid: int, age: float = 0.0) -> None:
    path = folder / "leases" / "block"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{host} {pid}\n")
    os.utime(path, (time.time() - age, time.time() - age))


def dead_process() -> int:
    gone = subprocess.Popen(["true"])
    gone.wait()
    return gone.pid


def test_a_lease_is_taken_from_the_dead_only(tmp_path: Path) -> None:
    here = os.uname().nodename
    assert leases.take(tmp_path, "block") is not None
    assert leases.take(tmp_path, "block") is None, "we are alive"
    leased_by(tmp_path, here, dead_process())
    lease = leases.take(tmp_path, "block")
    assert lease is not None
    lease.release()
    assert not leases.held(tmp_path, "block")
    leased_by(tmp_path, "elsewhere", 1)
    assert leases.take(tmp_path, "block") is None, "it was touched a moment ago"
    leased_by(tmp_path, "elsewhere", 1, age=leases.DEAD + 1)
    assert leases.take(tmp_path, "block") is not None, "nobody touched it for a minute"
    (tmp_path / "leases" / "block").write_text("half a l")
    assert leases.take(tmp_path, "block") is None, "its owner may be writing it"
    os.utime(tmp_path / "leases" / "block", (0, 0))
    assert leases.take(tmp_path, "block") is not None


def test_a_lease_that_is_touched_lives(tmp_path: Path) -> None:
    lease = leases.take(tmp_path, "block")
    assert lease is not None
    os.utime(lease.path, (0, 0))
    lease.beat()
    assert leases.take(tmp_path, "block") is None
    lease.release()
    lease.beat()  # of a lease that was lost: nothing happens
    assert not lease.path.exists()


def test_who_finishes_while_we_look_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process holds all blocks, and gives them back finished just after we read the store."""
    served, jobs = pool.run, list[Any]()

    def busy(*job: Any) -> None:
        jobs.append(job)

    def just_finished(store: Path, block: str) -> bool:
        monkeypatch.setattr(session.pool, "run", served)
        served(*jobs[0])
        return False

    monkeypatch.setattr(session.pool, "run", busy)
    monkeypatch.setattr(session.leases, "held", just_finished)
    result, _ = done(tmp_path, sweep())
    assert len(jobs) == 1
    unchanged(result, done(tmp_path, sweep())[0])


def test_workers_that_do_nothing_are_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.pool, "run", lambda *job: None)
    with pytest.raises(ElegansError, match="ended without results"):
        done(tmp_path, sweep())


# --- budgets and programs ----------------------------------------------------------------------------------------------


def test_an_extended_budget_goes_on_from_the_stored_state(tmp_path: Path) -> None:
    work = Sweep(
        Run(MLP(10), Stage(TASK, SGD(0.001, batch=8), Budget(120)), watch=(TrainLoss(every=40),)), seed=range(5)
    )
    short, spent = done(tmp_path / "a", work)
    assert spent["steps"] == 5 * 120
    longer = Sweep(work.run_, seed=range(5), steps=[120, 320])
    both, spent = done(tmp_path / "a", longer)
    assert spent["steps"] == 5 * 200, "steps were run twice"
    assert both.runs.filter(pl.col("steps") == 120)["outcome"].to_list() == ["budget"] * 5
    fresh, spent = done(tmp_path / "b", Sweep(work.run_, seed=range(5), steps=[320]))
    assert spent["steps"] == 5 * 320
    assert both.runs.filter(pl.col("steps") == 320)["bits"].equals(fresh.runs["bits"])
    for i in range(5):
        np.testing.assert_array_equal(both.traces[2 * i + 1]["TrainLoss.t"], np.arange(0, 321, 40))
        for name, trace in fresh.traces[i].items():
            np.testing.assert_array_equal(both.traces[2 * i + 1][name], trace)
            np.testing.assert_array_equal(short.traces[i][name], trace[:4])
    back, spent = done(tmp_path / "a", work)
    assert spent["runs"] == 0 and back.runs["t"].to_list() == [120] * 5


OLD = "0" * 32


def rewrite(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    for path in folder.glob("runs/*/*.parquet"):
        rows = change(pl.read_parquet(path))
        rows.write_parquet(path)


def older(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(program=pl.lit(OLD))


def flipped(rows: pl.DataFrame) -> pl.DataFrame:
    """One bit of the hash of the parameters of the shortest run is another."""
    first = pl.col("t") == pl.col("t").min()
    return older(rows).with_columns(bits=pl.when(first).then(pl.lit("f" * 32)).otherwise(pl.col("bits")))


def certificates(folder: Path) -> list[str]:
    return [p.name.partition(f"{OLD}-")[0] for p in (folder / "certificates").glob("*.json")]


def test_rows_of_a_changed_program_count_again_when_three_replays_agree(tmp_path: Path) -> None:
    first, _ = done(tmp_path, sweep(10))
    rewrite(tmp_path, older)
    again, spent = done(tmp_path, sweep(10))
    assert spent["runs"] == 3
    assert certificates(tmp_path) == [""]
    unchanged(first, again)
    assert done(tmp_path, sweep(10))[1]["runs"] == 0


def test_rows_of_a_changed_program_are_ignored_when_a_bit_differs(tmp_path: Path) -> None:
    first, _ = done(tmp_path, sweep(10))
    rewrite(tmp_path, flipped)
    again, spent = done(tmp_path, sweep(10))
    assert spent["runs"] == 10, "replays answer for themselves, and everything else is run again"
    assert certificates(tmp_path) == ["not-"]
    unchanged(first, again)


def test_diverged_and_extended_rows_do_not_hinder_a_certificate(tmp_path: Path) -> None:
    stage = Stage(TASK, SGD(0.1, batch=8, loss=square), Solved(on=256) | Budget(100))
    work = Sweep(Run(MLP(10), stage), lr=[1e30, 0.001, 0.002, 0.003, 0.004], steps=[100])
    done(tmp_path, work)
    longer = Sweep(work.run_, lr=[1e30, 0.001, 0.002, 0.003, 0.004], steps=[100, 200])
    first, _ = done(tmp_path, longer)
    rewrite(tmp_path, older)
    again, spent = done(tmp_path, longer)
    assert spent["runs"] == 3 and certificates(tmp_path) == [""]
    unchanged(first, again)


# --- Ctrl-C ------------------------------------------------------------------------------------------------------------


def several() -> Sweep:
    """Runs of very different lengths: the first are finished long before the last."""
    return Sweep(Run(MLP(10), Stage(TASK, SGD(0.001, batch=8), Budget(100))), seed=range(40), steps=[40_000])


def test_ctrl_c_keeps_what_is_finished_and_resumes(tmp_path: Path) -> None:
    worker = process(tmp_path, "several", 0.05)
    deadline = time.monotonic() + 90
    while not list(tmp_path.glob("runs/*/*.parquet")) and time.monotonic() < deadline:
        assert worker.poll() is None, worker.communicate()[1]
        time.sleep(0.02)
    worker.send_signal(signal.SIGINT)
    said = worker.communicate(timeout=60)[1]
    assert worker.returncode == 130, said
    assert said.startswith("elegans: stopped; finished runs and checkpoints are in the store")
    one_sentence(said)
    assert not list(tmp_path.glob("leases/*")) and list(tmp_path.glob("checkpoints/*.npz"))
    group = next((tmp_path / "runs").iterdir()).name
    kept = len(Store(tmp_path).runs(group))
    result, spent = done(tmp_path, several())
    assert kept > 0 and spent["runs"] == len(result.runs) - kept
    assert spent["steps"] < result.runs["t"].sum() - 100 * kept or kept == len(result.runs)
