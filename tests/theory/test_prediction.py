"""One call gives what the programmes give, and what the specification prints for the paper's runs."""

from math import log

import pytest

from elegans.tasks.composition import Cyclic
from elegans.theory.character_tables import character_table
from elegans.theory.groups import Group, cyclic, symmetric
from elegans.theory.margins import gamma_star_cyclic
from elegans.theory.named_groups import frobenius21, quaternion
from elegans.theory.prediction import collapse, largest_margin, prediction
from elegans.theory.representations import irreps


def test_s3_at_the_weight_decay_of_the_paper() -> None:
    found = prediction(symmetric(3), 1e-7)
    assert found.gamma == pytest.approx(0.0236049693, rel=1e-8)
    assert found.cross_entropy == pytest.approx(4.2364e-6, rel=1e-4)
    assert found.norm_cubed == pytest.approx(590.38, rel=1e-5)
    assert found.margin / found.gamma == pytest.approx(0.98049, abs=1e-5)
    assert sorted(found.shares.values()) == pytest.approx([0.1668, 0.8332], abs=1e-4)
    assert found.loss == pytest.approx(found.cross_entropy + 1e-7 * found.norm_cubed, rel=1e-12)


def test_cyclic_groups_reach_the_largest_margin_at_every_weight_decay() -> None:
    found = prediction(cyclic(7), 1e-3)
    assert found.margin == pytest.approx(gamma_star_cyclic(7), rel=1e-8)
    assert list(found.shares.values()) == pytest.approx([1 / 3] * 3, abs=1e-8)


@pytest.mark.parametrize(
    "group", [cyclic(7), cyclic(6), symmetric(3), quaternion(), frobenius21()], ids=lambda g: g.name
)
def test_below_the_collapse_a_network_is_better_than_none_and_above_it_is_not(group: Group) -> None:
    edge = collapse(character_table(irreps(group)))
    assert log(group.order) * (1 - 0.01) < prediction(group, 0.99 * edge).loss < log(group.order)
    assert prediction(group, 0.99 * edge).norm_cubed > 0.1
    assert largest_margin(group) == prediction(group, 0.5 * edge).gamma
    for lam in (edge, 1.0, 0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="zero network"):
            prediction(group, lam)


def test_the_collapse_of_cyclic_groups_is_that_of_the_specification() -> None:
    assert collapse(character_table(irreps(cyclic(7)))) == pytest.approx(6 / 7 * gamma_star_cyclic(7), rel=1e-12)


def test_an_alphabet_is_no_group() -> None:
    with pytest.raises(ValueError, match=r"pass one of elegans.theory, or the .group\(\)"):
        prediction(Cyclic(5), 1e-3)  # type: ignore[arg-type]
