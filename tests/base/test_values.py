"""Values of fields: what is converted, what is refused, and what the refusal says to write."""

import math
import sys
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

from elegans.base import stream
from elegans.base.config import Config, static
from elegans.base.errors import UsageError, nearest, shown, unknown
from elegans.base.stream import Purpose
from elegans.base.values import whole


def plus(x: float) -> float:
    return x + 1


def minus(x: float) -> float:
    return x - 1


class Leaf(Config):
    n: int = static(default=1, low=0, high=2**32 - 1)


class Tree(Config):
    f: Callable[..., float] = static(default=plus)
    leaf: Leaf = static(default=Leaf())
    maybe: Leaf | None = static(default=None)
    sizes: tuple[int, ...] = static(default=())
    names: tuple[str, ...] | None = static(default=None)
    kind: Literal["a", "b"] = static(default="a")


class Needy(Config):
    a: int = static()
    b: float = static(low=0, high=1)
    c: int = static(default=3)


def said(make: Callable[[], Any]) -> str:
    with pytest.raises(UsageError) as refusal:
        make()
    return str(refusal.value)


@pytest.mark.parametrize("given", [[1, 2], (1, 2), range(1, 3), np.array([1, 2]), (1.0, np.int64(2))])
def test_lists_become_tuples_of_plain_numbers(given: Any) -> None:
    sizes = Tree(sizes=given).sizes
    assert sizes == (1, 2) and all(type(n) is int for n in sizes)


def test_a_field_that_may_be_none_is_checked_otherwise() -> None:
    assert Tree(maybe=None, names=None) == Tree()
    assert Tree(maybe=Leaf(2), names=["x"]) == Tree(maybe=Leaf(2), names=("x",))  # type: ignore[arg-type]
    assert said(lambda: Tree(maybe=3)) == "Tree.maybe is 3, but it must be a Leaf"  # type: ignore[arg-type]
    assert "('x',)" in said(lambda: Tree(names="x"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"f": "minus"}, f"Tree.f is 'minus', but it must be a function; write {__name__}.minus, not \"minus\""),
        ({"f": "sqrt"}, "Tree.f is 'sqrt', but it must be a function; pass the function itself, not its name"),
        ({"f": Leaf}, "Tree.f is the class Leaf, but it must be a function; write Leaf(...)"),
        ({"f": 3}, "Tree.f is 3, but it must be a function; pass one that you defined with def or lambda"),
        ({"leaf": Leaf}, "Tree.leaf is the class Leaf, but it must be a Leaf; write Leaf()"),
        ({"leaf": 3}, "Tree.leaf is 3, but it must be a Leaf, such as Leaf()"),
        ({"sizes": 3}, "Tree.sizes is 3, but it must be a tuple, for example (3,)"),
        ({"sizes": (1, "x")}, "Tree.sizes[1] is 'x', but it must be of type int"),
        ({"kind": "c"}, "Tree.kind is 'c', but it must be one of a, b"),
    ],
)
def test_another_kind_is_refused(changed: dict[str, Any], says: str) -> None:
    assert __name__ in sys.modules
    assert said(lambda: Tree(**changed)) == says


@pytest.mark.parametrize(
    ("args", "named", "says"),
    [
        ((), {}, "Needy needs a and b; write Needy(a=..., b=...)"),
        ((1,), {}, "Needy needs b; write Needy(b=...)"),
        ((1, 0.5, 3, 4), {}, "Needy takes 3 values (a, b, c), but 4 were given"),
        ((1, 0.5), {"a": 2}, "Needy.a is given twice, as 1 and as 2"),
        ((1, 0.5), {"z": 2}, "Needy has no field 'z'; it has a, b, c"),
        ((1, 2), {}, "Needy.b is 2.0, but it must be between 0 and 1"),
        ((10**400, 10**400), {}, "Needy.b is an integer of 1329 bits, too large for a float"),
    ],
)
def test_arguments_that_do_not_fill_the_fields(args: tuple[Any, ...], named: dict[str, Any], says: str) -> None:
    assert said(lambda: Needy(*args, **named)) == says


def test_bounds_are_written_out() -> None:
    assert said(lambda: Leaf(2**32)) == "Leaf.n is 4294967296, but it must be between 0 and 4294967295"


def test_an_error_inside_a_check_is_left_as_it_is() -> None:
    class Broken(Config):
        n: int = static(default=1)

        def check(self) -> None:
            raise TypeError("a mistake in the check")

    with pytest.raises(TypeError, match="a mistake in the check"):
        Broken()


def test_whole_numbers() -> None:
    assert [whole("n", n, 0, 9) for n in (3, 3.0, np.int64(3), np.float32(3))] == [3] * 4
    for wrong in (-1, 10, 2.5, math.nan, math.inf, "3", None, True, [3]):
        assert "between 0 and 9" in said(lambda wrong=wrong: whole("n", wrong, 0, 9))


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, "a", None, np.int64(-1)])
def test_a_key_needs_a_seed_of_32_bits(seed: Any) -> None:
    assert "seed is" in said(lambda: stream.key(seed, Purpose.DATA))


def test_names_are_told_apart_without_capitals() -> None:
    assert nearest("mlp", ["MLP", "SGD"]) == ["MLP"]
    assert nearest("zzz", ["MLP", "SGD"]) == []
    assert str(unknown("part", 5, ["a", "b"])) == "there is no part named 5; did you mean a, b?"  # type: ignore[arg-type]


def test_what_is_shown_is_short() -> None:
    assert (shown(Leaf), shown(plus), shown("x")) == ("the class Leaf", "the function plus", "'x'")
    assert len(shown("x" * 1000)) < 210
