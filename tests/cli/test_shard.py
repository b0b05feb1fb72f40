"""`elegans run --shard i/n` on two machines with a store each, then a merge: judged without training anything."""

from pathlib import Path

from tests.cli.conftest import Call

ID = "pareto-frontiers/weight-decay-sensitivity"


def test_two_parts_make_a_whole(elegans: Call, home: Path) -> None:
    for i in (1, 2):
        part = elegans("run", ID, "--shard", f"{i}/2", "--store", f"part{i}", "--workers", "1")
        assert part.returncode == 0 and f"part {i} of 2 is in" in part.stdout, part.stderr
        assert "verdict" not in part.stdout, "a part was judged as if it were the whole"
    assert elegans("store", "merge", "part2", "--store", "part1").returncode == 0
    before = shards(home / "part1")
    whole = elegans("run", ID, "--store", "part1", "--workers", "1")
    assert whole.returncode == 0 and "verdict" in whole.stdout, whole.stdout + whole.stderr
    assert shards(home / "part1") == before, "the whole trained something again"


def shards(store: Path) -> set[str]:
    return {p.name for p in (store / "runs").rglob("*.parquet")}
