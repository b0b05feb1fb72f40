"""Conducting: calculations are cached under what they depend on, sweeps become tables, big evidence is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from elegans.base.errors import UsageError
from elegans.claims import conduct, sources, swept
from elegans.claims.evidence import LIMIT, Evidence
from elegans.claims.scale import Scale
from elegans.lab.results import Result
from elegans.lab.store import Store
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.models.mlp import MLP
from elegans.tasks.parity import SparseParity
from elegans.theory import majority
from elegans.training.algorithms import SGD
from elegans.training.stops import Steps
from tests.claims.fakes import Squares

CALLS: list[int] = []
SWEEP = Sweep(Run(MLP(2), Stage(SparseParity(4, 2), SGD(0.1, batch=2), Steps(2))), seed=range(2))


def counted(n: int) -> Mapping[str, Any]:
    CALLS.append(n)
    return {"n": n, "name": "x", "square": np.arange(n) ** 2}


def careless() -> Mapping[str, Any]:
    return {"table": {"a": 1}}


@dataclass
class FakeLab:
    """Answers every sweep with two runs, of which the second never began."""

    store: Store
    asked: list[Sweep] = field(default_factory=list[Sweep])

    def sweep(self, sweep: Sweep) -> Result:
        self.asked.append(sweep)
        runs = pl.DataFrame({"seed": [0, 1], "t": [2, 0], "bits": ["ab", None], "seconds": [1.0, None]})
        kept = ({"start": {"W": np.zeros(2)}, "end": {"W": np.ones(2)}}, {})
        return Result(runs, ({"P.t": np.arange(2)}, {}), kept)

    def sweeps(self, sweeps: Sequence[Sweep]) -> list[Result]:
        return [self.sweep(s) for s in sweeps]


@pytest.fixture
def lab(tmp_path: Path) -> FakeLab:
    return FakeLab(Store.open(tmp_path))


class Both(Squares):
    """A calculation and a sweep."""

    id = "fig-2"

    def work(self, scale: Scale) -> Any:
        return {"table": Calculation(counted, n=scale(3, 4, 5)), "runs": SWEEP}


def test_a_calculation_runs_once_and_is_the_same_from_the_store(lab: FakeLab) -> None:
    CALLS.clear()
    first = conduct.conduct(Both(), Scale.SMOKE, lab)
    again = conduct.conduct(Both(), Scale.SMOKE, lab)
    assert CALLS == [3]
    assert {n: a.tolist() for n, a in first["table"].arrays.items()} == {"n": 3, "name": "x", "square": [0, 1, 4]}
    assert first.to_bytes() == again.to_bytes()
    conduct.conduct(Both(), Scale.LAPTOP, lab)
    assert CALLS == [3, 4]


def test_lambdas_are_never_kept(lab: FakeLab) -> None:
    class Unnamed(Squares):
        def work(self, scale: Scale) -> Calculation:
            return Calculation(lambda: {"error": np.zeros(1)})

    conduct.conduct(Unnamed(), Scale.SMOKE, lab)
    assert not list(lab.store.folder.rglob("*.npz"))


def test_evidence_says_where_it_comes_from(lab: FakeLab) -> None:
    meta = conduct.conduct(Both(), Scale.SMOKE, lab).meta
    assert meta["experiment"] == "toy-paper/fig-2" and meta["scale"] == "smoke" and "jax" in meta["machine"]
    assert meta["cost"]["runs"] == 2 and meta["cost"]["steps"] == 2 and meta["cost"]["seconds"] > 0
    assert len(meta["fingerprint"]) == 32 and len(meta["date"]) == 10


def test_a_sweep_gives_runs_traces_and_stacked_parameters(lab: FakeLab) -> None:
    part = conduct.conduct(Both(), Scale.SMOKE, lab)["runs"]
    assert part.runs.columns == ["seed", "t"] and len(part.traces) == 2
    assert part.array("end/W").shape == (2, 2) and np.isnan(part.array("end/W")[1]).all()


def test_parameters_of_different_shapes_stay_apart() -> None:
    found = swept.stacked(({"end": {"W": np.zeros(2)}}, {"end": {"W": np.zeros(3)}}))
    assert {n: a.shape for n, a in found.items()} == {"end/W/0": (2,), "end/W/1": (3,)}


def test_condensing_keeps_the_provenance(lab: FakeLab) -> None:
    class Short(Both):
        def condense(self, e: Evidence) -> Evidence:
            return Evidence(arrays={"n": e["table"].array("n")})

    found = conduct.conduct(Short(), Scale.SMOKE, lab)
    assert found.arrays.keys() == {"n"} and found.meta["experiment"] == "toy-paper/fig-2"
    assert not conduct.stale(Short(), found)
    assert conduct.stale(Short(), Evidence(meta={**found.meta, "fingerprint": "of older code"}))


def test_objects_and_other_work_are_refused(lab: FakeLab) -> None:
    class Careless(Squares):
        def work(self, scale: Scale) -> Calculation:
            return Calculation(careless)

    class Odd(Squares):
        def work(self, scale: Scale) -> Any:
            return 3

    with pytest.raises(UsageError, match="careless returns 'table' as Python objects"):
        conduct.conduct(Careless(), Scale.SMOKE, lab)
    with pytest.raises(UsageError, match="work is 3, but it must be a Sweep, a Calculation"):
        conduct.conduct(Odd(), Scale.SMOKE, lab)


def test_large_evidence_is_not_published(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, 2 * LIMIT, dtype=np.uint8)
    with pytest.raises(UsageError, match=r"takes 101 kB, but at most 50 kB.*where array noise is the largest"):
        conduct.publish(Squares(), Evidence(arrays={"noise": noise, "x": np.zeros(2)}), tmp_path / "eq-1.npz")
    assert not list(tmp_path.iterdir())
    assert conduct.publish(Squares(), Evidence(), tmp_path / "eq-1.npz").exists()


def test_fingerprints_follow_imports_into_the_house_only() -> None:
    reach = sources.closure("elegans.tasks.parity")
    assert {"elegans.tasks.parity", "elegans.base.stream"} <= reach and "elegans.base.errors" not in reach
    assert not any(m.startswith(("jax", "numpy", "elegans.claims", "elegans.lab")) for m in reach)
    assert "elegans.claims.claim" not in sources.closure("elegans.papers.hidden_progress.checklist")


def test_comments_and_docstrings_do_not_change_a_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def code(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        return sources._code(name)

    monkeypatch.syspath_prepend(str(tmp_path))
    plain = code("plain_module", 'def f(x):\n    return "#" + x\n')
    said = code("said_module", '"""About."""\n# why\ndef f(x):  # what\n    """Doc."""\n\n    return "#" + x\n')
    other = code("other_module", 'def f(x):\n    return "#" + x + x\n')
    assert plain == said != other
    judged = code(
        "judged_module",
        'def f(x):\n    return "#" + x\n\n\nclass A(Experiment):\n    """Doc."""\n\n    claims = (f(1),)\n',
    )
    assert judged == plain, "what is claimed is no part of what is computed"


def test_a_fingerprint_is_that_of_the_module() -> None:
    assert sources.fingerprint(majority.ratio_table) == sources.fingerprint(majority.ratio_table)
    assert sources.fingerprint(majority.ratio_table) != sources.fingerprint(counted)


def at_scale(scale: str, fingerprint: str) -> Evidence:
    return Evidence(arrays={"x": np.ones(1)}, meta={"scale": scale, "fingerprint": fingerprint})


@pytest.mark.parametrize(
    ("there", "up_to_date", "new", "stays"),
    [("laptop", True, "smoke", True), ("laptop", False, "smoke", False), ("laptop", True, "laptop", False),
     ("smoke", True, "paper", False)],
)  # fmt: skip
def test_published_evidence_never_shrinks(
    there: str, up_to_date: bool, new: str, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.claims import fakes

    squares = fakes.Squares()
    known = conduct.fingerprint(squares.work(Scale(there))) if up_to_date else "older"
    monkeypatch.setattr(conduct, "committed", lambda e: at_scale(there, known))
    assert (conduct.outranked(squares, at_scale(new, "any")) is not None) == stays


def test_shared_work_is_counted_once() -> None:
    from elegans.claims import ledger

    a = Evidence(meta={"fingerprint": "a", "cost": {"seconds": 2.0, "steps": 10, "runs": 1}})
    b = Evidence(meta={"fingerprint": "b", "cost": {"seconds": 3.0, "steps": 20, "runs": 2}})
    both = Evidence(
        parts={"a": a, "b": b}, meta={"fingerprint": "ab", "cost": {"seconds": 5.0, "steps": 30, "runs": 3}}
    )
    found = [Evidence(meta={"works": conduct.works(e)}) for e in (both, a)]
    assert ledger.spent(found) == {"seconds": 5.0, "steps": 30, "runs": 3}
