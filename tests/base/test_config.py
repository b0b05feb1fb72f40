"""Configurations: ranges that refuse with a sentence, identities that survive releases, knobs that go round."""

import math
from collections.abc import Callable

import hypothesis.strategies as st
import pytest
from hypothesis import given

from elegans.base.config import Config, code_of, describe, digest, is_named, knobs, static, traced, unnamed, with_knobs
from elegans.base.errors import UsageError


class Inner(Config):
    noise: float = traced(default=0.1, low=0, high=1)


class Outer(Config):
    n: int = static(low=1, high=9)
    lr: float = traced(default=0.5, low=0)
    inner: Inner = static(default=Inner())
    f: Callable[..., float] = static(default=math.sin)


class Grown(Config):
    """What `Outer` would be after a release that added a field."""

    n: int = static(low=1, high=9)
    lr: float = traced(default=0.5, low=0)
    inner: Inner = static(default=Inner())
    f: Callable[..., float] = static(default=math.sin)
    new: int = static(default=3)


@pytest.mark.parametrize("bad", [0, 10, 2.5, "3", True, float("nan")])
def test_a_value_out_of_range_or_of_another_kind_is_refused_with_its_name(bad: object) -> None:
    with pytest.raises(UsageError, match=r"Outer\.n is"):
        Outer(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_a_learning_rate_must_be_finite_and_in_range(bad: float) -> None:
    with pytest.raises(UsageError, match=r"Outer\.lr"):
        Outer(3, lr=bad)


def test_ints_and_floats_of_one_value_are_one_configuration() -> None:
    assert Outer(3, lr=1) == Outer(3, lr=1.0)
    assert digest(Outer(3, lr=1)) == digest(Outer(3, lr=1.0))


def test_a_new_field_with_a_default_keeps_old_identities() -> None:
    old, new = describe(Outer(3)), describe(Grown(3))
    assert {k: v for k, v in old.items() if k} == {k: v for k, v in new.items() if k}
    assert "new" in describe(Grown(3, new=4))


@given(n=st.integers(1, 9), lr=st.floats(0, 10), noise=st.floats(0, 1))
def test_knobs_go_round_and_do_not_touch_the_static_identity(n: int, lr: float, noise: float) -> None:
    config = Outer(n, lr=lr, inner=Inner(noise))
    assert knobs(config) == {"lr": lr, "inner.noise": noise}
    assert with_knobs(Outer(n), knobs(config)) == config
    assert describe(config, without_knobs=True) == describe(Outer(n), without_knobs=True)


@given(st.integers(1, 9), st.integers(1, 9))
def test_identities_differ_exactly_when_configurations_do(a: int, b: int) -> None:
    assert (digest(Outer(a)) == digest(Outer(b))) == (a == b)


def test_code_without_a_name_is_known_by_what_it_does() -> None:
    one, same, other = (lambda z: z * z), (lambda z: z * z), (lambda z: z * z * z)
    assert digest(one) == digest(same) != digest(other)
    assert unnamed(Outer(3, f=one)) and not is_named(one)
    assert is_named(math.sin)
    assert code_of(Inner()) == code_of(Outer(3))  # one module, one syntax tree


def test_the_repr_shows_what_differs_from_the_defaults() -> None:
    assert repr(Outer(3)) == "Outer(n=3)"
    assert repr(Outer(3, lr=0.25, inner=Inner(0.5))) == "Outer(n=3, lr=0.25, inner=Inner(noise=0.5))"


def test_replace_checks_again() -> None:
    with pytest.raises(UsageError):
        Outer(3).replace(n=0)


def test_configurations_within_tuples_have_no_knobs() -> None:
    class Both(Config):
        inner: tuple[Inner, ...] = static()

    one, other = Both((Inner(0.25),)), Both((Inner(0.5),))
    assert knobs(one) == {} and describe(one, without_knobs=True) != describe(other, without_knobs=True)


def test_code_that_cannot_be_read_alone_is_known_by_what_it_does() -> None:
    made = [
        lambda s: {"w": [
            s]}, lambda s: {"w": [
            s, s]},
    ]  # fmt: skip
    assert code_of(made[0]) != code_of(made[1])
