"""What figures 7.1, 7.4 and D.1 read from their runs, on masses and curves written down by hand."""

import numpy as np
import pytest

from elegans.claims.claim import at_least, at_most
from elegans.claims.scale import Scale
from elegans.papers.feature_emergence import fig_7_1, fig_7_4_bc, fig_d_1
from elegans.papers.feature_emergence.z71_runs import alive, each, heavy, trained, variation


def test_heavy_neurons_are_as_few_as_carry_the_share() -> None:
    mass = np.array([1.0, 60, 0, 38, 1])
    assert heavy(mass, 0.6).tolist() == [False, True, False, False, False]
    assert heavy(mass, 0.61).tolist() == [False, True, False, True, False]
    assert heavy(mass).tolist() == [True, True, False, True, False]
    assert heavy(np.zeros(2)).tolist() == [False, False]


def test_living_neurons_have_a_hundredth_of_the_largest_norm() -> None:
    norms = np.array([1, 0.011, 0.009, 0])
    for nu in (2, 3):
        assert alive(norms**nu, nu).tolist() == [True, True, False, False]


def test_an_estimate_over_runs_holds_only_if_every_run_does() -> None:
    found = each([0.5, 0.9, 0.7], "x")
    assert (found.low, found.value, found.high, found.n) == (0.5, 0.7, 0.9, 3)
    assert [at_least(b).judge(found) for b in (0.5, 0.6, 0.95)] == ["holds", "inconclusive", "fails"]


def test_variation_by_hand() -> None:
    assert variation(np.array([1, 3], np.int16)) == 0.5
    assert variation(np.full(4, 0.25, np.float32)) == 0


def test_the_timeline_of_a_run() -> None:
    trace = {
        "Margin.t": np.arange(0, 1001, 100), "Margin.normalised": np.linspace(-1, 1, 11),
        "Margin.loss": np.log(7) * np.array([1, 1, 0.995, 0.98, 0.6, 0.4, 0.1, 0.1, 0.1, 0.1, 0.1]),
        "Margin.accuracy": np.array([0.1] * 6 + [1.0] * 5),
    }  # fmt: skip
    assert fig_7_1.timeline(trace, 7) == pytest.approx({"normalised_right": 0.2, "drop": 0.2})
    trace |= {"Margin.accuracy": np.full(11, 0.9), "Margin.loss": np.full(11, np.log(7))}
    assert fig_7_1.timeline(trace, 7) == {"normalised_right": np.inf, "drop": np.inf}
    assert at_most(0.3).judge(each([np.inf], "x")) == "fails"


def test_only_neurons_of_mostly_one_frequency_are_counted() -> None:
    trace = {
        "CyclicNeurons.power": np.array([[[0.4] * 3, [0.9] * 3, [0.6] * 3, [0.9] * 3]]),
        "CyclicNeurons.frequency": np.array([[[1] * 3, [2] * 3, [2] * 3, [3] * 3]]),
        "CyclicNeurons.mass": np.array([[1.0, 1, 1, 1e-7]]), "CyclicFrequencies.mass": np.zeros((1, 3)),
    }  # fmt: skip
    assert fig_d_1.settled(trace, 0, 3).tolist() == [0, 2, 0]


def test_the_constant_of_a_row() -> None:
    rows = np.array([[1.0, -1, 1, -1], [2, 0, 2, 0], [3, 3, 3, 3]])
    assert fig_7_1.constant_share(rows, [0]) == 0
    assert fig_7_1.constant_share(rows, [0, 1]) == pytest.approx(0.5)
    assert fig_7_1.constant_share(rows, [0, 1, 2]) == pytest.approx(1)


def test_all_three_figures_train_the_same_runs() -> None:
    for scale in Scale:
        runs = trained(scale)
        assert [len(sweep) for sweep in runs.values()] == [{"smoke": 1, "laptop": 3, "paper": 5}[scale.value]] * 2
        for experiment in (fig_7_1.WavesOnZ71(), fig_7_4_bc.PowerAtTheEnd(), fig_d_1.NeuronsOfEachFrequency()):
            assert experiment.work(scale) == runs
