"""The explicit minimum on Z_p against the convex programme, and interpolants of waves."""

from math import log

import numpy as np
import pytest

from elegans.theory.character_tables import character_table
from elegans.theory.cyclic_optimum import cyclic_optimum, interpolant
from elegans.theory.groups import cyclic
from elegans.theory.margins import gamma_star_cyclic
from elegans.theory.regularised_optimum import regularised_optimum
from elegans.theory.representations import irreps


@pytest.mark.parametrize("p", [3, 7, 13])
@pytest.mark.parametrize("part", [0.01, 0.5])
def test_it_is_the_minimum_of_the_convex_programme(p: int, part: float) -> None:
    lam = part * gamma_star_cyclic(p)
    best, end = cyclic_optimum(p, lam), regularised_optimum(character_table(irreps(cyclic(p))), lam)
    expected = (end.normalised_margin, end.cross_entropy, end.norm_cubed)
    assert best[:3] == pytest.approx(expected, rel=1e-6)
    assert end.shares[1:] == pytest.approx([best.share] * ((p - 1) // 2), rel=1e-5)


def test_the_predictions_of_the_specification() -> None:
    best = cyclic_optimum(71, 1e-4)
    assert best == pytest.approx((4.614301e-4, 0.244262, 11991.84, 1 / 35), rel=1e-5)


def test_weights_vanish_with_the_margin() -> None:
    threshold = gamma_star_cyclic(7) * 6 / 7
    assert cyclic_optimum(7, 0.999999 * threshold).norm_cubed < 1e-3
    assert cyclic_optimum(7, 0.999999 * threshold).cross_entropy == pytest.approx(log(7), rel=1e-4)
    for lam in (threshold, 0.0, -1e-4):
        with pytest.raises(ValueError, match="must lie between 0 and"):
            cyclic_optimum(7, lam)


@pytest.mark.parametrize("n", [7, 8])
def test_interpolants_pass_through_every_point_and_are_the_wave_between(n: int) -> None:
    u = np.random.default_rng(n).normal(size=(3, n))
    assert np.allclose(interpolant(u, np.arange(float(n))), u, atol=1e-12)
    t = np.linspace(0, n, 41)
    wave = np.cos(0.4 + 2 * np.pi * 3 * np.arange(n) / n)
    assert np.allclose(interpolant(wave, t), np.cos(0.4 + 2 * np.pi * 3 * t / n), atol=1e-12)
