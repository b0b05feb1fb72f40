"""Weak classifiers give their set away."""

import numpy as np
import pytest

from elegans.learners.fourier_extract import extract, extract_from
from elegans.theory import boolean


@pytest.mark.parametrize("S", [(), (3,), (0, 2, 5), (1, 2, 3, 4, 6, 7, 8)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_weak_classifier_or_its_negative_gives_the_set(S: tuple[int, ...], sign: int):
    rng = np.random.default_rng(len(S))
    h = sign * boolean.character(10, S).astype(float)
    h[rng.permutation(1024)[: round(1024 * 0.35)]] *= -1
    assert extract(h) == S
    assert abs(abs(boolean.coefficient(h, S)) - 2 * 0.15) < 2 / 1024


def test_the_degree_restricts_the_search():
    h = 0.6 * boolean.character(6, (0, 1)) + 0.3 * boolean.character(6, (2, 3, 4))
    assert extract(h) == (0, 1) and extract(h, k=3) == (2, 3, 4)


def test_a_function_is_taken_by_its_sign():
    assert extract_from(lambda x: 0.01 * x[:, 1] * x[:, 3], 6) == (1, 3)
