"""Deep networks of squares: gradients against differences, degrees against spectra, the nested parity."""

import numpy as np
import pytest

from elegans.theory.boolean import cube, parity, spectrum
from elegans.theory.deep_quadratic import correlation_gradient, largest, output, parity_of_parities, random_network


def enumerated(n: int, k: int):
    x = cube(n).astype(np.float64)
    return x, parity(x, range(k))


def test_nested_parity_on_all_patterns_and_with_idle_inputs():
    for n in (4, 6):
        x, y = enumerated(n, 4)
        np.testing.assert_array_equal(output(parity_of_parities(n), x), y)
    with pytest.raises(ValueError, match="four bits"):
        parity_of_parities(3)


@pytest.mark.parametrize("widths", [(3,), (2, 1), (3, 2, 2)])
def test_gradient_is_the_derivative(widths: tuple[int, ...]):
    net = random_network(np.random.default_rng(1), 5, widths)
    x, y = enumerated(5, 3)
    grads, h = correlation_gradient(net, x, y), 1e-6
    for name, value in net.items():
        place = (0,) * value.ndim
        moved = [net | {name: value.copy()} for _ in range(2)]
        moved[0][name][place] += h
        moved[1][name][place] -= h
        slope = (np.mean(-y * output(moved[0], x)) - np.mean(-y * output(moved[1], x))) / (2 * h)
        assert grads[name].shape == value.shape and grads[name][place] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("widths", [(4,), (3, 2)])
def test_the_degree_is_a_power_of_two_and_gradients_vanish_beyond_it(widths: tuple[int, ...]):
    n, top = 7, 2 ** len(widths)
    net = random_network(np.random.default_rng(2), n, widths)
    sizes = np.array([int(j).bit_count() for j in range(2**n)])
    power = np.abs(spectrum(output(net, cube(n).astype(np.float64))))
    assert power[sizes > top].max() < 1e-12 < 1e-6 < power[sizes == top].max()
    for k in range(1, n):
        grads = correlation_gradient(net, *enumerated(n, k))
        assert (largest(grads, "W1") < 1e-13) == (k > top)
