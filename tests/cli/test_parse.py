"""Words, durations, shards, and the sentence inside tyro's box."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.base.errors import UsageError
from elegans.cli.parse import parse, seconds, shard
from elegans.cli.scalars import spread
from elegans.cli.words import Words, dashed, pick


@dataclass(frozen=True)
class Flags:
    """Some flags."""

    n: int
    """How many of a thing whose description is so long that it would be broken over more than one line of a box."""
    rate: float = 0.1
    """How fast."""


@pytest.mark.parametrize(("text", "value"), [("90", 90), ("90s", 90), ("1.5m", 90), ("60m", 3600), ("2h", 7200)])
def test_durations(text: str, value: float):
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "soon", "-5m", "nan", "5 parsecs", "1e3s"])
def test_what_is_no_duration_is_refused(text: str):
    with pytest.raises(UsageError, match="is not a duration"):
        seconds(text)


@given(st.integers(1, 99), st.integers(1, 99))
def test_shards_are_counted_from_one(i: int, n: int):
    if i <= n:
        assert shard(f"{i}/{n}") == (i - 1, n)
    else:
        with pytest.raises(UsageError):
            shard(f"{i}/{n}")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--n", "x"], "--n: 'x' is not a whole number"),
        (["--n", "1", "--rate", "fast"], "--rate: 'fast' is not a number"),
        ([], "missing --n INT"),
        (["--n", "1", "--rat", "2"], "there is no flag --rat, 2; did you mean --rate?"),
        (["--m", "1"], "there is no flag --m 1; did you mean --n?"),
        (["--n"], "Missing value for argument '--n'"),
    ],
)
def test_boxes_become_sentences(args: list[str], said: str):
    with pytest.raises(UsageError) as refused:
        parse(Flags, "run", args)
    assert str(refused.value).startswith(said)
    assert not set("│╭╰─\n") & set(str(refused.value))


def test_parts_are_taken_out_of_the_words():
    words = Words(["task:parity", "--task.n", "3", "--model", "MLP", "algorithm.loss:square", "--model.width=5"])
    assert words.one("task", []) == "parity" and words.one("model", []) == "MLP" and words.one("until", []) is None
    with pytest.raises(UsageError, match=r"chooses algorithm\.loss"):
        words.finish(("algorithm",))
    assert words.one("algorithm.loss", []) == "square"
    assert words.finish(("algorithm",)) == ["--task.n", "3", "--model.width=5"]


def test_a_part_is_given_once():
    with pytest.raises(UsageError, match="given 2 times"):
        Words(["task:a", "task:b"]).one("task", [])


@pytest.mark.parametrize("name", ["SparseParity", "sparse-parity", "sparse_parity", "SPARSEPARITY"])
def test_names_of_parts_in_any_spelling(name: str):
    assert pick({"SparseParity": 1, "MLP": 2}, "task", name) == 1


def test_dashed_names():
    names = ["SparseParity", "MLP", "PolyNet", "cross_entropy", "SGD", "StrategyKL"]
    assert [*map(dashed, names)] == ["sparse-parity", "mlp", "poly-net", "cross-entropy", "sgd", "strategy-kl"]


@given(st.integers(0, 200))
def test_spread_keeps_both_ends_and_the_order(n: int):
    rows = [(i,) for i in range(n)]
    some = spread(rows)
    assert len(some) == min(n, 12) and some == sorted(some)
    assert n == 0 or (some[0], some[-1]) == (rows[0], rows[-1])
