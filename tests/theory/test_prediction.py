"""One call gives what the programmes give, and what the specification prints for the paper's runs."""

import pytest

from elegans.theory.groups import cyclic, symmetric
from elegans.theory.margins import gamma_star_cyclic
from elegans.theory.prediction import prediction


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


def test_without_weight_decay_there_is_no_end() -> None:
    with pytest.raises(ValueError, match="weight decay"):
        prediction(cyclic(5), 0.0)
