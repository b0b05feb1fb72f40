"""Noise flips labels at its rate, leaves inputs and validation alone, and shrinks every correlation by 1 - 2p."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import elegans as el
from elegans.base import stream
from elegans.base.config import with_knobs
from elegans.base.errors import UsageError
from elegans.tasks.base import noiseless
from elegans.tasks.noisy_parity import NoisyParity
from elegans.tasks.parity import SparseParity
from elegans.tasks.random_label import RandomLabel
from elegans.theory import boolean

M = 20_000


def draw(task, m=M, seed=3):
    key = stream.key(seed, stream.Purpose.DATA)
    return jax.tree.map(np.asarray, jax.jit(lambda k: task.sample(k, m))(key))


@pytest.mark.parametrize("p", [0.0, 0.1, 0.25, 0.5])
def test_labels_are_flipped_at_the_rate_p_and_nothing_else_changes(p: float):
    noisy, clean = draw(NoisyParity(40, 3, p)), draw(SparseParity(40, 3))
    np.testing.assert_array_equal(noisy.x, clean.x)
    np.testing.assert_array_equal(noisy.latent, clean.y)
    flipped = noisy.y != clean.y
    assert set(np.unique(noisy.y)) == {-1.0, 1.0}
    assert abs(flipped.mean() - p) <= 4 * np.sqrt(p * (1 - p) / M)
    assert abs((flipped * clean.y).mean()) <= 4 * np.sqrt(max(p, 1e-9) / M), "flips ignore the label"
    assert abs((flipped[1:] * 1.0 * flipped[:-1]).mean() - p**2) <= 4 * np.sqrt(max(p, 1e-9) / M), "and each other"


def test_correlations_shrink_by_the_attenuation():
    n, p = 8, 0.2
    task = NoisyParity(n, 3, p)
    x, y, *_ = draw(task, 60_000)
    rng = np.random.default_rng(0)
    f = rng.standard_normal(2**n)
    measured = (y * f[places(x)]).mean()
    assert abs(measured - task.attenuation * boolean.coefficient(f, (0, 1, 2))) < 4 * f.std() / np.sqrt(60_000)


def places(x: np.ndarray) -> np.ndarray:
    """Index of each point in the order of `boolean.cube`."""
    return ((x < 0) @ (1 << np.arange(x.shape[1]))).astype(int)


def test_both_meanings_of_epsilon():
    task = NoisyParity(10, 3, 0.49)
    assert np.isclose(task.bias, 0.01) and np.isclose(task.attenuation, 0.02)


@given(st.floats(0, 0.5), st.floats(0, 0.5))
@settings(deadline=None, max_examples=20)
def test_more_noise_flips_more_of_the_same_labels(p: float, q: float):
    low, high = sorted((p, q))
    a, b = (flips(np.float32(value)) for value in (low, high))
    assert np.all(np.asarray(b)[np.asarray(a)])


@jax.jit
def flips(p):
    batch = with_knobs(NoisyParity(12, 2, 0.1), {"p": p}).sample(stream.key(0, stream.Purpose.DATA), 200)
    return batch.y != batch.latent


def test_runs_are_judged_without_noise(tmp_path):
    """At p = 0.25 no classifier is right on three quarters of noisy labels, yet the run is solved."""
    task, watch = NoisyParity(8, 2, 0.25), [el.probes.Accuracy(every=10, on=512)]
    stop = el.Solved(on=512) | el.Budget(2000)
    run = el.train(el.MLP(20), task, el.SGD(0.1, batch=64), stop=stop, watch=watch, store=str(tmp_path))
    assert run.outcome == "solved"
    assert run.trace("Accuracy")["accuracy"][-1] == 1


def test_no_noise_trains_like_the_noiseless_task(tmp_path):
    algorithm = el.SGD(0.1)
    noisy, clean = (
        el.train(el.MLP(10), task, algorithm, 50, store=str(tmp_path))
        for task in (NoisyParity(10, 2, 0.0), SparseParity(10, 2))
    )
    assert noisy.params.keys() == clean.params.keys()
    for name in clean.params:
        np.testing.assert_allclose(noisy.params[name], clean.params[name], rtol=1e-5, atol=1e-6)


def test_the_hidden_support_is_that_of_the_noiseless_task():
    task, key = NoisyParity(50, 4, 0.1, hidden=True), stream.key(7, stream.Purpose.TASK)
    np.testing.assert_array_equal(task.secret(key), SparseParity(50, 4, hidden=True).secret(key))
    batch = task.sample(key, 100, task.secret(key))
    np.testing.assert_array_equal(batch.latent, task.noiseless.sample(key, 100, task.secret(key)).y)


def test_other_tasks_are_their_own_noiseless_form():
    task = SparseParity(5, 2)
    assert noiseless(task) is task and noiseless(NoisyParity(5, 2, 0.3)) == task


def test_random_labels_ignore_the_inputs():
    x, y, *_ = draw(RandomLabel(20))
    np.testing.assert_array_equal(x, draw(SparseParity(20, 3)).x)
    assert abs(y.mean()) <= 4 / np.sqrt(M)
    assert np.abs((y[:, None] * x).mean(0)).max() <= np.sqrt(2 * np.log(2 * 20 / 1e-6) / M)
    assert abs((y * x[:, :3].prod(1)).mean()) <= 4 / np.sqrt(M)
    assert not np.asarray(RandomLabel(20).bayes(draw(RandomLabel(20), 10))).any()


@pytest.mark.parametrize("make", [lambda: NoisyParity(3, 4, 0.1), lambda: NoisyParity(9, 2, 0.6)])
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(UsageError):
        make()
