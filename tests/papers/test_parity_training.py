"""The sweep behind figure 7.5 and the structure of theorem 7.8: whose setting it is, and that its claims can be computed."""

from pathlib import Path

import pytest

from elegans.claims.conduct import conduct
from elegans.claims.judge import judge
from elegans.claims.scale import Scale
from elegans.lab.session import Session
from elegans.lab.store import Store
from elegans.papers.feature_emergence import presets
from elegans.papers.feature_emergence.fig_7_5 import ParityFigure
from elegans.papers.feature_emergence.parity_training import setting, training
from elegans.papers.feature_emergence.thm_7_8_structure import ParityStructure
from elegans.theory.parity_margins import gamma_star_parity


@pytest.mark.parametrize("scale", [Scale.LAPTOP, Scale.PAPER])
def test_beyond_smoke_it_is_the_preset(scale: Scale) -> None:
    run, p = training(scale).run_, presets.parity()
    (stage,) = run.stages
    assert (stage.task, run.model, stage.algorithm, stage.stop) == p


@pytest.mark.parametrize("scale", Scale)
def test_both_experiments_ask_for_the_same_runs(scale: Scale) -> None:
    one, other = (experiment().work(scale) for experiment in (ParityFigure, ParityStructure))
    assert one == other


@pytest.mark.parametrize("scale", Scale)
def test_the_penalty_is_far_from_the_collapse(scale: Scale) -> None:
    s = setting(scale)
    assert s.strength <= 0.2 * gamma_star_parity(s.k)


def test_a_smoke_run_ends_at_the_theory(tmp_path: Path) -> None:
    session = Session(Store.open(tmp_path), 1)
    for experiment in (ParityFigure(), ParityStructure()):
        evidence = conduct(experiment, Scale.SMOKE, session)
        for j in judge(experiment, evidence):
            assert j.estimate is not None, f"{j.id}: {j.error}"
            assert j.claim.expect.low <= j.estimate.value <= j.claim.expect.high, f"{j.id}: {j.estimate}"
            if j.wrong is not None:
                assert not j.claim.expect.low <= j.wrong.value <= j.claim.expect.high, f"{j.id}: {j.wrong}"
        experiment.figure(evidence)
        assert len(evidence.to_bytes()) < 20_000
