"""The averaged tensor against powers of single chains, against other nodes, and against numbers known from calibration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import population_tensor as pt
from elegans.theory.induction import gradient_tensor
from elegans.theory.markov import flat_mean, two_state

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 25), st.integers(1, 6))
def test_mean_over_any_law_is_the_mean_of_single_tensors(seed: int, t: int, n: int):
    a, b, w = np.random.default_rng(seed).uniform(0.01, 0.99, (3, n))
    by_powers = np.tensordot(w, gradient_tensor(two_state(a, b), t), axes=1)
    np.testing.assert_allclose(pt.mean_tensor((a, b, w), t), by_powers, atol=1e-11)


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch):
    whole = pt.mean_tensor(pt.flat_law(12), 9)
    monkeypatch.setattr(pt, "BLOCK", 50)
    np.testing.assert_allclose(pt.mean_tensor(pt.flat_law(12), 9), whole, atol=1e-13)


@pytest.mark.parametrize("t", [1, 7, 60])
def test_flat_mean_on_other_nodes_and_with_more_of_them(t: int):
    by_powers = flat_mean(lambda a, b: gradient_tensor(two_state(a, b), t), 40)
    np.testing.assert_allclose(pt.flat_tensor(t), by_powers, atol=1e-9)
    np.testing.assert_allclose(pt.mean_tensor(pt.flat_law(), t), pt.flat_tensor(t), atol=1e-11)
    np.testing.assert_allclose(pt.flat_tensor(t, 40), pt.flat_tensor(t), atol=1e-11)


@pytest.mark.parametrize(
    ("t", "diagonal", "off"),
    [(10, 1.24327, 0.131041), (50, 21.7954, 4.40498), (100, 81.70266, 18.30678), (400, 1236.586, 301.5837)],
)
def test_first_step_of_w_as_tabulated(t: int, diagonal: float, off: float):
    found_diagonal, found_off, g, d = pt.push(pt.flat_tensor(t))
    assert (found_diagonal, found_off) == pytest.approx((diagonal, off), rel=1e-5)
    assert np.all(np.diff(g) < 0) and g.shape == d.shape == (t,)


def test_laws_have_the_moments_of_their_distributions():
    a, b, w = pt.flat_law(20)
    assert w.sum() == pytest.approx(1) and w @ (a * b) == pytest.approx(0.25) and w @ a**2 == pytest.approx(1 / 3)
    a, same, w = pt.symmetric_law(0.3, 0.7, 20)
    assert same is a and w @ a == pytest.approx(0.5) and w @ (a - 0.5) ** 2 == pytest.approx(0.4**2 / 12)


def test_refusals():
    with pytest.raises(ValueError, match="n = 0"):
        pt.flat_law(0)
    with pytest.raises(ValueError, match="t = 0"):
        pt.mean_tensor(pt.flat_law(3), 0)
    with pytest.raises(ValueError, match="low"):
        pt.symmetric_law(0.6, 0.4)
    assert not pt.flat_tensor(3).flags.writeable
