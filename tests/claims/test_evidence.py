"""Evidence comes back from its file exactly as it was, equal evidence gives equal bytes, and torn files are named."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from elegans.base.errors import StoreError, UsageError
from elegans.claims.evidence import Evidence
from elegans.claims.packing import pack, unpack

CELLS = {
    "t": st.integers(0, 2**40) | st.none(),
    "loss": st.floats(width=64) | st.none(),
    "outcome": st.sampled_from(["solved", "budget", "", "diverged"]) | st.none(),
    "good": st.booleans() | st.none(),
}
TYPES = {"t": pl.Int64, "loss": pl.Float64, "outcome": pl.String, "good": pl.Boolean}


@st.composite
def evidence(draw: st.DrawFn, depth: int = 1) -> Evidence:
    n = draw(st.integers(0, 4))
    columns = {c: draw(st.lists(cells, min_size=n, max_size=n)) for c, cells in CELLS.items()}
    traces = tuple(
        {"P.t": np.arange(length, dtype=np.int32), "P.v": np.full((length, width), 0.5, np.float32)}
        for length, width in draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 2)), max_size=3))
    )
    arrays = {"end/W": np.arange(6.0).reshape(2, 3), "name": np.array(["a", "βγ"]), "one": np.array(1.5)}
    parts = {"part": draw(evidence(depth=0))} if depth else {}
    return Evidence(pl.DataFrame(columns, schema=TYPES), traces, arrays, parts, {"scale": "smoke", "seed": n})


def assert_equal(a: Evidence, b: Evidence) -> None:
    assert_frame_equal(a.runs, b.runs)
    assert len(a.traces) == len(b.traces) and a.arrays.keys() == b.arrays.keys() and a.meta == b.meta
    for one, other in zip((*a.traces, a.arrays), (*b.traces, b.arrays), strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], strict=True)
    assert a.parts.keys() == b.parts.keys()
    for name in a.parts:
        assert_equal(a.parts[name], b.parts[name])


@given(evidence())
def test_round_trip_is_exact(e: Evidence) -> None:
    assert_equal(unpack(pack(e)), e)


@given(evidence())
def test_equal_evidence_gives_equal_bytes(e: Evidence) -> None:
    turned = Evidence(
        e.runs, e.traces, dict(reversed(list(e.arrays.items()))), e.parts, dict(reversed(list(e.meta.items())))
    )
    assert pack(turned) == pack(e) == pack(unpack(pack(e)))


def test_file_round_trip(tmp_path: Path) -> None:
    e = Evidence(arrays={"x": np.arange(3)}, meta={"scale": "smoke"})
    size = e.save(tmp_path / "folder" / "fig-1.2-left.npz")
    assert size == (tmp_path / "folder" / "fig-1.2-left.npz").stat().st_size
    assert_equal(Evidence.load(tmp_path / "folder" / "fig-1.2-left.npz"), e)
    assert [p.name for p in (tmp_path / "folder").iterdir()] == ["fig-1.2-left.npz"]


@pytest.mark.parametrize("content", [b"", b"not a zip", None])
def test_a_torn_or_foreign_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.npz"
    whole = Evidence(arrays={"x": np.arange(1000)}).to_bytes()
    path.write_bytes(whole[: len(whole) // 2] if content is None else content)
    with pytest.raises(StoreError, match=r"x\.npz is not readable evidence"):
        Evidence.load(path)


def test_a_foreign_npz_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.zeros(3))
    with pytest.raises(StoreError, match="not readable evidence"):
        Evidence.load(tmp_path / "x.npz")


def test_objects_are_refused() -> None:
    with pytest.raises(UsageError, match="give numbers or strings"):
        pack(Evidence(arrays={"x": np.array([{}], dtype=object)}))


def test_many_traces_of_one_shape_are_small() -> None:
    traces = tuple({"P.t": np.arange(50), "P.a": np.linspace(0, 1, 50)} for _ in range(200))
    assert len(Evidence(traces=traces).to_bytes()) < 10_000


def test_unreached_times_are_censored() -> None:
    runs = pl.DataFrame({"t": [10, 99, 20], "solved": [10, None, 20]})
    times = unpack(pack(Evidence(runs))).times("solved")
    assert times.time.tolist() == [10, 99, 20] and times.seen.tolist() == [True, False, True]


def test_what_is_missing_is_said() -> None:
    e = Evidence(arrays={"x": np.zeros(1)}, parts={"full": Evidence()})
    with pytest.raises(UsageError, match="no array 'y'; it has x"):
        e.array("y")
    with pytest.raises(UsageError, match="no part 'half'; it has full"):
        e["half"]
