"""What figures E.4, E.6 and E.8 read from their runs, on curves written down by hand."""

import numpy as np
import pytest

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.lab.words import Sweep
from elegans.papers.induction_heads import fig_e_4, fig_e_6, fig_e_8
from elegans.theory.markov import add_one_risk

LINES = {
    "flat": np.array([0.3, 0.2, 0.1]),
    "independent": np.array([0.2, 0.02, 0.04]),
    "doubly": np.array([0.2, 0.2, 0.04]),
}
T = np.arange(0, 90, 10)


def losses() -> dict[str, np.ndarray]:
    """On the plateau from step 20, past it from step 50."""
    return {
        "t": T,
        "flat": np.array([0.3, 0.26, 0.22, 0.2, 0.19, 0.15, 0.13, 0.11, 0.11]),
        "independent": np.array([0.2, 0.08, 0.04, 0.02, 0.06, 0.1, 0.05, 0.05, 0.05]),
        "doubly": np.array([0.2, 0.2, 0.18, 0.16, 0.18, 0.15, 0.12, 0.08, 0.05]),
    }


def test_facts_of_a_run() -> None:
    found = fig_e_6.facts(losses(), LINES, "transformer")
    assert (found["first"], found["second"], found["early"]) == pytest.approx((20, 50, 0.4))
    assert found["independent_rest"] == pytest.approx(
        (0.04 + 0.02) / 2 / 0.2
    )  # looks at 20 and 30, up to (20 + 50) / 2
    assert found["doubly_rest"] == pytest.approx((0.18 + 0.16) / 2 / 0.2)
    assert found["doubly_end"] == pytest.approx(0.25)
    assert found["one_by_one"] is True
    minimal = fig_e_6.facts(losses(), LINES, "minimal")
    assert (minimal["independent_rest"], minimal["doubly_rest"]) == pytest.approx((0.2, 0.9))


def test_a_run_that_learns_nothing() -> None:
    stays = {"t": T, **{name: np.full(9, LINES[name][0]) for name in LINES}}
    found = fig_e_6.facts(stays, LINES, "transformer")
    assert (found["early"], found["independent_rest"], found["doubly_end"], found["one_by_one"]) == (1, 1, 1, False)
    swapped = {**losses(), "doubly": losses()["independent"], "independent": losses()["doubly"]}
    assert not fig_e_6.facts(swapped, LINES, "transformer")["one_by_one"]


def test_the_plateau_of_both_models() -> None:
    assert fig_e_6.resting(T, 15.0, 55.0, "transformer").tolist() == [2, 3]
    assert fig_e_6.resting(T, 15.0, None, "transformer").tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert fig_e_6.resting(T, 41.0, 42.0, "transformer").tolist() == [5]
    assert fig_e_6.resting(T, 15.0, 55.0, "minimal").tolist() == [2]
    assert fig_e_6.resting(T, None, None, "minimal").tolist() == [8]


def test_lines_on_the_three_distributions() -> None:
    """Specification 5, figure E.6; on independent tokens the unigram strategy is the best prediction of all."""
    found = fig_e_6.levels(t=50, n=4000, seed=1)
    for name, expected in {"flat": [0.214, 0.097, 0.018], "doubly": [0.189, 0.191, 0.019]}.items():
        np.testing.assert_allclose(found[name], expected, rtol=0.1, err_msg=name)
    assert found["independent"][1] == pytest.approx(add_one_risk(50), rel=0.05)
    assert found["more"][0] == pytest.approx(found["doubly"][1] - found["doubly"][0])


def test_two_looks_in_a_row() -> None:
    assert fig_e_4.two_in_a_row(np.array([0, 1, 1, 0], bool))
    assert not fig_e_4.two_in_a_row(np.array([1, 0, 1, 0], bool))


def test_distances_between_strategies() -> None:
    """Specification 5, figure E.4: 0.27 for 5 symbols and t = 200."""
    found = fig_e_4.distances((5,), (100, 200), 1000, 7)
    assert found["apart"].shape == found["error"].shape == (1, 2)
    assert found["apart"][0, 1] == pytest.approx(0.27, abs=0.02)


def test_gain_is_over_the_last_seven_eighths() -> None:
    t = np.arange(0, 90, 10)
    loss = np.array([0.3, 0.2, 0.15, 0.19, 0.19, 0.19, 0.19, 0.19, 0.18])
    part = Evidence(traces=({"StrategyKL.t": t, "StrategyKL.truth": loss},))
    runs = fig_e_8.condensed(part, 0.16).runs
    assert runs["gain"][0] == pytest.approx(0.1) and runs["end"][0] == pytest.approx(0.18) and runs["learned"][0]
    assert not fig_e_8.condensed(part, 0.14).runs["learned"][0]


@pytest.mark.parametrize("scale", Scale)
def test_one_layer_trains_eight_times_longer(scale: Scale) -> None:
    work = fig_e_8.OneLayerFails().work(scale)
    steps = {name: part.run_.stages[0].stop.steps for name, part in work.items() if isinstance(part, Sweep)}
    assert {steps[name] for name in fig_e_8.VARIANTS} == {8 * steps["two layers"]}
