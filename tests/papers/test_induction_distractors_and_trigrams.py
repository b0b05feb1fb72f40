"""What figures 8.4 (a) and 8.5 and their texts read from their runs, on curves written down by hand."""

import math

import numpy as np
import polars as pl
import pytest

from elegans.claims.evidence import Evidence
from elegans.claims.scale import Scale
from elegans.papers.induction_heads import (
    claim_faster_without_unigrams,
    distractor_runs,
    fig_8_4_a,
    fig_8_5,
    trigram_runs,
    trigram_single_head,
)
from elegans.papers.induction_heads.flat_runs import BATCH
from elegans.stats import Times
from elegans.theory.markov import kl
from elegans.theory.strategies import bigram

UNIGRAM, BIGRAM = 0.2, 0.1


# --- with and without unigrams -------------------------------------------------------------------------------------------


def test_facts_of_a_run_that_rests_and_learns() -> None:
    t = np.arange(0, 100, 10)
    loss = np.array([0.3, 0.25, 0.21, 0.2, 0.19, 0.2, 0.19, 0.19, 0.17, 0.1])
    found = distractor_runs.facts(t, loss, UNIGRAM, BIGRAM)
    assert found["learned"] == pytest.approx(75)  # the threshold is 0.18, half-way between 0.19 and 0.17
    assert found["rested"] and found["t"] == 90
    short = np.array([0.3, 0.25, 0.2, 0.2, 0.2, 0.15, 0.2, 0.2, 0.2, 0.2])
    assert not distractor_runs.facts(t, short, UNIGRAM, BIGRAM)["rested"], "a plateau comes before learning"
    never = distractor_runs.facts(t, np.full(10, 0.25), UNIGRAM, BIGRAM)
    assert never["learned"] is None and not never["rested"]


def learned(doubly: list[float | None], mixture: list[float | None]) -> Evidence:
    """Evidence of budgets of 100 and 200 steps."""
    parts: dict[str, Evidence] = {}
    for kind, times, budget in (("doubly", doubly, 100), ("mixture", mixture, 200)):
        rows = {"learned": times, "t": [budget] * len(times), "rested": [kind == "mixture"] * len(times)}
        parts[f"{kind} high"] = Evidence(pl.DataFrame(rows, schema_overrides={"learned": pl.Float64}))
    return Evidence(parts=parts)


def test_the_two_axes_differ_by_the_share_of_the_mixture() -> None:
    e = learned([20.0, 30, 40, 50, 60, 70], [40.0, 60, 80, 100, 120, 140])
    assert distractor_runs.slower("high", "steps")(e).value == pytest.approx(2)
    assert distractor_runs.slower("high", "sequences")(e).value == pytest.approx(1)
    assert distractor_runs.longer("high")(e).value == pytest.approx(0)
    assert distractor_runs.rested("mixture", "high")(e).value == 1


def test_runs_that_never_learn_are_censored() -> None:
    e = learned([20.0, 30, 40, 50, 60, 70], [40.0, 60, 80, 100, 120, None])
    more = distractor_runs.longer("high")(e)
    assert (more.censored, more.value) == (1, pytest.approx((100 - 70) / 6 * BATCH / 1e3))
    stuck = distractor_runs.slower("high", "steps")(learned([20.0, 30, 40, 50, 60] * 2, [None] * 10))
    assert math.isinf(stuck.value) and stuck.low > 1 and math.isinf(stuck.high)
    a, b = Times(np.full(6, 9.0), np.ones(6, bool)), Times(np.full(6, 9.0), np.zeros(6, bool))
    unknown = distractor_runs.ratio_of_medians(a, b)
    assert (unknown.low, unknown.high) == (0, math.inf)


def test_the_log_rank_test_needs_an_event_while_both_are_watched() -> None:
    nothing = distractor_runs.distinct("high")(learned([None, None], [150.0, None]))
    assert (nothing.low, nothing.high, nothing.censored) == (0, 1, 3)
    assert distractor_runs.distinct("high")(learned([20.0] * 8, [150.0] * 8)).value < 1e-3


@pytest.mark.parametrize("scale", Scale)
def test_both_kinds_see_as_many_doubly_stochastic_sequences(scale: Scale) -> None:
    figure, claim = fig_8_4_a.UnigramsSlowDown(), claim_faster_without_unigrams.NoSignalNoPlateau()
    work = claim.work(scale)
    assert all(work[name] == part for name, part in figure.work(scale).items())
    for rate in distractor_runs.RATES:
        doubly, mixture = (distractor_runs.runs(scale, kind, rate) for kind in ("doubly", "mixture"))
        steps = [sweep.run_.stages[0].stop.steps for sweep in (doubly, mixture)]
        assert steps[1] * distractor_runs.Q == steps[0]
        assert doubly.run_.watch == mixture.run_.watch
        assert steps[0] == doubly.run_.watch[0].every * distractor_runs.LOOKS


# --- trigrams ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ([0, 1, 1, 2, 2, 3, 3], True),
        ([0, 1, 2, 1, 1, 2, 3, 2, 3], True),  # returns of at most two looks
        ([0, 1, 2, 1, 1, 1, 2, 3], False),
        ([0, 2, 1, 3], False),
        ([0, 1, 2, 2], False),
    ],
)
def test_four_stages_in_order(order: list[int], expected: bool) -> None:
    assert trigram_runs.in_order(np.array(order)) == expected


def test_rest_is_near_unigrams_or_bigrams_before_the_last_drop() -> None:
    known = {"unigram": 0.2, "bigram": 0.1, "trigram": 0.02}
    t, loss = np.arange(8), np.array([0.3, 0.2, 0.19, 0.15, 0.1, 0.05, 0.02, 0.02])
    assert trigram_runs.resting(t, loss, known) == pytest.approx(3 / 5)
    assert trigram_runs.resting(t, np.full(8, 0.1), known) == 1


def test_facts_of_a_trigram_run() -> None:
    order = np.array([0, 1, 1, 2, 2, 3])
    curves = {s: np.where(order == i, 0.01, 0.05) for i, s in enumerate(trigram_runs.STRATEGIES)}
    trace = {"NGramKL.t": np.arange(6), "NGramKL.truth": np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.02])}
    trace |= {f"NGramKL.{s}": a for s, a in curves.items()} | {f"NGramKL.from_{s}": 1 - a for s, a in curves.items()}
    found = trigram_runs.facts(trace, {"unigram": 0.2, "bigram": 0.1, "trigram": 0.02})
    assert found["in_order"] and not found["in_order_reverse"]
    assert (found["end"], found["end_over_bigram"]) == (0.02, pytest.approx(0.2))
    assert found["trigram_over_bigram"] == pytest.approx(0.2)


def test_baselines_are_those_of_the_specification() -> None:
    found = trigram_runs.baselines(100, 4000, 2)
    for name, value in {"uniform": 0.2237, "unigram": 0.1452, "bigram": 0.0908, "trigram": 0.0171}.items():
        assert found[name][0] == pytest.approx(value, abs=5 * found[name][1])
    b = trigram_runs.NGrams(2, 50, 3).numpy(200, 2)
    truth = b.latent["table"][np.arange(200), 2 * b.x[:, -2] + b.x[:, -1]].astype(np.float64)
    assert trigram_runs.baselines(50, 200, 2)["bigram"][0] == pytest.approx(kl(truth, bigram(b.x, 2)).mean())


@pytest.mark.parametrize("scale", Scale)
def test_the_control_shares_the_runs_of_the_figure(scale: Scale) -> None:
    figure, control = fig_8_5.FourStages().work(scale), trigram_single_head.OneHeadFails().work(scale)
    assert figure["runs"] == control["three"] and figure["levels"] == control["levels"]
    assert figure["printed rate"] != figure["runs"]
