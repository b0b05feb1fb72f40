"""What figures 8.3, 8.4 (b), E.3, E.5 and E.7 read from their runs, on curves and matrices written down by hand."""

import numpy as np
import pytest

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.papers.induction_heads import (
    claim_bayes_optimal,
    claim_short_plateau,
    fig_8_3,
    fig_8_4_b,
    fig_e_3,
    fig_e_5,
    fig_e_7,
    passing_by_unigrams,
)
from elegans.papers.induction_heads.flat_reading import alternates, crossing, facts, phases, plateau, unlike
from elegans.papers.induction_heads.flat_runs import levels, minimal, transformer
from elegans.papers.induction_heads.watching import TOKENS

UNIGRAM, BIGRAM = 0.2, 0.1
LOSS = np.array([0.3, 0.24, 0.21, 0.2, 0.19, 0.17, 0.13, 0.11, 0.11])


def trace() -> dict[str, np.ndarray]:
    """Uniform at the start, then unigram until step 50, then bigram; v̂ alternates at step 40 only."""
    t = np.arange(0, 90, 10)
    v = np.full((9, 1, 8), 0.125)
    v[4, 0, :6] = [0.1, 0.2, 0.1, 0.12, 0.1, 0.1]
    near = {
        "uniform": [0.0] + [0.3] * 8,
        "unigram": [0.1] + [0.02] * 5 + [0.1] * 3,
        "bigram": [0.3] + [0.1] * 5 + [0.05] * 3,
    }
    curves = {f"StrategyKL.{s}": np.array(values) for s, values in near.items()}
    back = {f"StrategyReverseKL.{s}": np.array(values)[::4] for s, values in near.items()}
    by_symbol = np.stack([v, v], 2)
    by_symbol[:, :, 0, 0] += 0.25
    return {
        "StrategyKL.t": t, "StrategyKL.truth": LOSS, **curves, "StrategyReverseKL.t": t[::4], **back,
        "EffectivePositions.t": t, "EffectivePositions.v": v, "EffectivePositions.by_symbol": by_symbol,
    }  # fmt: skip


# --- phases ------------------------------------------------------------------------------------------------------------


def test_crossings_lie_between_looks() -> None:
    t, y = np.array([0, 10, 20, 30]), np.array([4.0, 2.0, 3.0, 1.0])
    assert [crossing(t, y, level) for level in (5, 4, 3, 2, 1)] == [0, 0, 5, 10, 30]
    assert crossing(t, y, 1.5) == pytest.approx(27.5)
    assert crossing(t, y, 0.5) is None


def test_phases_of_a_run() -> None:
    found = phases(trace(), UNIGRAM, BIGRAM)
    assert found["first"] == pytest.approx(10 + 10 * 2 / 3)  # 0.22 between 0.24 and 0.21
    assert found["second"] == pytest.approx(55)  # 0.15 between 0.17 and 0.13
    assert plateau(trace(), UNIGRAM, BIGRAM).tolist() == [False, False, True, True, True, False, False, False, False]
    assert found["at_unigram"] == 3 / 6
    stays = {**trace(), "StrategyKL.truth": np.full(9, 0.2)}
    assert phases(stays, UNIGRAM, BIGRAM) == {"first": 0, "second": None, "at_unigram": 1}


def test_facts_of_a_run() -> None:
    found = facts(trace(), UNIGRAM, BIGRAM)
    assert found["early"] == pytest.approx((50 / 3) / 55)
    assert found["in_order"] and found["alternates"] and found["alternates_64k"] is None
    assert (found["nearest"], found["nearest_reverse"], found["over_bigram"]) == (1, 1, pytest.approx(0.2))
    assert (found["end"], found["lowest"]) == pytest.approx((0.55, 0.55))
    assert found["end_over_unigram"] == pytest.approx(0.5)
    assert found["unlike"] == pytest.approx(0.125)
    late = trace() | {"EffectivePositions.v": np.roll(trace()["EffectivePositions.v"], 3, 0)}
    assert not facts(late, UNIGRAM, BIGRAM)["alternates"], "the pattern comes after the drop"
    never = facts({**trace(), "StrategyKL.truth": np.full(9, 0.3)}, UNIGRAM, BIGRAM)
    assert (never["early"], never["nearest"], never["over_bigram"]) == (1, 0, 1)


def test_alternation_is_about_even_offsets_and_ten_per_cent() -> None:
    rows = [
        [1, 3, 1, 1.11, 1],
        [1, 3, 1, 1.09, 1],
        [3, 1, 3, 1, 3],
        [1, 3, 2, 1, 2],
        [3.5, 3, 1, 2, 1],
        [-1, 3, -1, -0.8, -1],
    ]
    assert alternates(np.array(rows, float)).tolist() == [True, False, False, False, False, True]


def test_unlike_is_total_variation() -> None:
    by_symbol = np.array([[[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]], [[0.2, 0.8, 0], [0.2, 0.8, 0], [0.3, 0.7, 0]]])
    assert unlike(by_symbol) == pytest.approx([1, 0.1])


# --- the other figures ---------------------------------------------------------------------------------------------------


def test_three_looks_in_a_row() -> None:
    assert fig_e_3.three_in_a_row(np.array([0, 1, 1, 1, 0], bool))
    assert not fig_e_3.three_in_a_row(np.array([1, 1, 0, 1, 1], bool))


def test_a_band_and_a_pattern_stand_out() -> None:
    n = len(TOKENS)
    band, rows = 3.0 * np.eye(n, k=-1), np.arange(n, dtype=np.float64)[:, None]
    assert fig_e_5.stands_out(band + rows, fig_e_5.BAND) == pytest.approx(3)
    assert fig_e_5.stands_out(band.T, fig_e_5.BAND) == 0
    after = [[float(1 <= j <= i and TOKENS[j - 1] == TOKENS[i]) for j in range(n)] for i in range(n)]
    assert fig_e_5.stands_out(2.0 * np.array(after) - rows, fig_e_5.AFTER) == pytest.approx(2)
    same = [[float(j <= i and TOKENS[j] == TOKENS[i]) for j in range(n)] for i in range(n)]
    assert fig_e_5.stands_out(np.array(same, float), fig_e_5.AFTER) < 0.5, (
        "looking at the same symbol is not the pattern"
    )
    middle = fig_e_5.centred(band + rows)
    assert np.nansum(middle, axis=1) == pytest.approx(np.zeros(n)) and np.isnan(middle[0, 1])


def test_order_parameters_after_a_quarter() -> None:
    t = np.arange(0, 41, 5)
    W, v = np.zeros((9, 2, 2)), np.zeros((9, 1, 12))
    W[2] = [[4, -1], [0, 2]]
    v[2, 0] = [-0.1, 0.5, 0.1, 0.3, 0.2, 0.25, 0, 0, 0, 0, 0, 0]
    run = {"MinimalOrder.t": t, "MinimalOrder.W": W, "EffectivePositions.t": t, "EffectivePositions.v": v}
    assert fig_8_4_b.facts(run) == {"contrast": 6, "second_is_largest": True, "even_above_odd": True}
    v[2, 0, 0] = -0.6
    assert not fig_8_4_b.facts(run)["second_is_largest"]


def test_which_of_w_and_v_turns_first() -> None:
    same = {
        "MinimalOrder.t": np.arange(4), "MinimalOrder.diagonal": np.array([0, 2, 3, 3]), "MinimalOrder.off": -np.ones(4),
        "MinimalOrder.second": np.array([1, 1, 2, 2]),
    }  # fmt: skip
    sooner = {**same, "MinimalOrder.off": np.full(4, -0.5)}
    never = {**same, "MinimalOrder.second": np.ones(4)}
    assert [fig_8_4_b.turned(t, "W") for t in (same, sooner, never)] == [2, 1, 2]
    assert [fig_8_4_b.turned(t, "v") for t in (same, sooner, never)] == [2, 2, np.inf]
    e = Evidence(parts={"early": Evidence(traces=(same, sooner, never))})
    assert fig_8_4_b.first(e).value == pytest.approx(2 / 3)
    assert fig_8_4_b.first(e, behind=1).value == pytest.approx(1 / 3)


def test_one_population_step_is_that_of_the_first_gradient() -> None:
    found = passing_by_unigrams.one_step(t=50, c=0.02, rates=(1e-3, 0.1), n=60)
    for rate, cosine in zip(found["rates"], found["cosine"], strict=True):
        d, o = 1 + rate * 21.7954, 1 + rate * 4.40498  # specification 4.4
        assert cosine == pytest.approx((d + o) / np.sqrt(2 * (d * d + o * o)), abs=1e-6)
    assert found["largest"].tolist() == [1, 1]
    assert 1 < found["lead"][0] < found["lead"][1]


def test_times_grow_along_an_axis_only_if_strictly() -> None:
    table = np.array([[100, 100, 100, 100], [200, 200, 100, 300], [400, np.inf, 300, 200]])
    e = Evidence(parts={"rate": Evidence(arrays={"time": table})})
    found = passing_by_unigrams.longer("rate")(e)
    assert (found.value, found.n) == (0.5, 4)


@pytest.mark.parametrize("scale", Scale)
def test_figures_share_their_runs(scale: Scale) -> None:
    runs = {f"{f.__name__} {k}": f(scale, k) for f in (transformer, minimal, levels) for k in (2, 3)}
    e_7, e_3, main = fig_e_7.TwoSymbols(), fig_e_3.TenSeeds(), fig_8_3.TwoModelsThreePhases()
    for experiment, k in ((e_7, 2), (main, 3)):
        assert experiment.work(scale) == {n: runs[f"{n} {k}"] for n in ("transformer", "minimal", "levels")}
    for experiment in (e_3, fig_e_5.ScoresOverTime()):
        assert experiment.work(scale) == {"runs": runs["transformer 3"], "levels": runs["levels 3"]}
    assert fig_8_4_b.DiagonalAndEven().work(scale)["runs"] == runs["minimal 2"]
    for experiment in (claim_bayes_optimal.NearTheBayesPredictor(), claim_short_plateau.ShortPlateau()):
        assert all(part in runs.values() for part in experiment.work(scale).values())
