"""Appendix D.9.2: the subsets that pass, against the linear programme and by their definition."""

import numpy as np
import pytest

from elegans.theory.character_tables import character_table
from elegans.theory.groups import cyclic
from elegans.theory.margin_optima import exact_margin, margin_within
from elegans.theory.margins import best_neurons
from elegans.theory.named_groups import dihedral
from elegans.theory.representations import irreps
from elegans.theory.subset_systems import pairs, passing, search
from elegans.theory.symmetric_characters import symmetric_table


@pytest.mark.parametrize(
    "table", [symmetric_table(3), symmetric_table(4), symmetric_table(5), character_table(irreps(dihedral(6)))]
)
def test_under_condition_h_all_irreps_pass_together(table) -> None:
    everything = tuple(range(1, len(table.values)))
    found = search(table)
    assert (everything, everything) in {(s.irreps, s.classes) for s in found}
    assert all(s.gamma == pytest.approx(exact_margin(table).gamma, rel=1e-9) for s in found)


def test_s6() -> None:
    table, found = symmetric_table(6), search(symmetric_table(6))
    optimum = exact_margin(table)
    assert (pairs(table), len(found)) == (184755, 20)
    for s in found:
        tau = np.zeros(len(table.sizes))
        tau[list(s.classes)] = s.tau
        values = best_neurons(table, tau)
        assert values.max() == pytest.approx(optimum.gamma, rel=1e-9)
        assert values[list(s.irreps)] == pytest.approx(optimum.gamma, rel=1e-9)
        logits = s.coefficients @ table.values[list(s.irreps)]
        assert np.ptp(logits[list(s.classes)]) < 1e-9
        assert logits[1:].max() == pytest.approx(logits[list(s.classes)].max(), abs=1e-9)


def test_the_example_of_s6() -> None:
    """κ_R = {(4,1,1), (3,3), (2,1⁴)} with τ = (.00194, .01877, .00194) and λ = (1, 3, 3)/7."""
    some = [s for s in passing(symmetric_table(6), 3) if np.allclose(s.coefficients, np.array([1, 3, 3]) / 7)]
    assert any(np.allclose(sorted(s.tau), [0.0019434, 0.0019434, 0.0187673], atol=1e-7) for s in some)


def test_margin_within_some_irreps() -> None:
    """On S6 the ten-dimensional and five-dimensional irreps suffice; one irrep of S3 that ties two answers has no margin."""
    table = symmetric_table(6)
    tying = [i for i, d in enumerate(table.dimensions) if d in {5, 10}]
    assert margin_within(table, tying) == pytest.approx(exact_margin(table).gamma, rel=1e-9)
    assert margin_within(symmetric_table(3), [2]) == pytest.approx(0, abs=1e-15)
    standard_alone = margin_within(symmetric_table(3), [1])
    assert 0 < standard_alone < exact_margin(symmetric_table(3)).gamma
    assert margin_within(symmetric_table(3), [1, 2]) == pytest.approx(exact_margin(symmetric_table(3)).gamma)
    for wrong in ([], [0, 1], [3]):
        with pytest.raises(ValueError, match="numbers"):
            margin_within(symmetric_table(3), wrong)


def test_other_types_are_refused() -> None:
    with pytest.raises(ValueError, match="real type"):
        search(character_table(irreps(cyclic(5))))
