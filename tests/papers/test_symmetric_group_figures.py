"""What figures D.2, D.3 and 7.6 read off networks, on networks of which it is known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elegans.claims.evidence import Evidence
from elegans.papers.feature_emergence import fig_7_6, four_panels, thm_7_1
from elegans.papers.feature_emergence.presets import s3, s4
from elegans.papers.feature_emergence.starts import representation_start
from elegans.probes.base import View
from elegans.tasks.composition import Symmetric

STRENGTH = 1e-4
DIMS = [3, 2, 3, 1]  # of the irreps of S4 but the trivial one, in the order of theory
Network = dict[str, np.ndarray]


def trace_of(*thetas: Network) -> dict[str, np.ndarray]:
    """The traces of a run on S4 that has these networks at steps 0, 1, 2, ..."""
    p, found = s4(), dict[str, list[np.ndarray]]()
    for t, theta in enumerate(thetas):
        view = View.of(p.task, p.model, {name: jnp.asarray(a, jnp.float32) for name, a in theta.items()})
        for probe in four_panels.watched(STRENGTH, 1, 1):
            seen = {**jax.jit(lambda probe=probe, view=view: probe.observe(view))(), "t": t}
            for name, value in seen.items():
                found.setdefault(f"{probe.name}.{name}", []).append(np.asarray(value))
    return {name: np.stack(values) for name, values in found.items()}


def random_start() -> Network:
    rng = np.random.default_rng(3)
    return {name: rng.normal(size=(200, 24)) for name in "UVW"}


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    """One run that jumps from a random network to K4 with 74 neurons too small to count, and one that turns K4 round."""
    best = representation_start(Symmetric(4), 200, norm=18.0)
    for name in "UVW":
        best[name][126:] = 1e-3 * random_start()[name][126:]
    wrong = {**best, "W": -best["W"]}
    part = four_panels.summary(Evidence(traces=(trace_of(random_start(), best), trace_of(best, wrong))), STRENGTH)
    theory = Evidence(arrays=four_panels.predictions(Symmetric(4), STRENGTH))
    return Evidence(parts={"trained": part, "theory": theory})


def test_a_network_of_largest_margin_is_read(evidence: Evidence) -> None:
    theory, part = evidence["theory"], evidence["trained"]
    assert theory.array("dims").tolist() == DIMS
    assert part.array("count")[0].tolist() == [2 * d**3 for d in DIMS]
    mass = np.array(DIMS) ** 2.5
    assert np.allclose(part.array("mass")[0], mass / mass.sum(), rtol=1e-3)
    ends = part.runs.row(0, named=True)
    gamma = float(theory.array("gamma"))
    assert ends["normalised"] / gamma == pytest.approx(1, rel=1e-3) and ends["spread"] == pytest.approx(1, rel=1e-3)
    assert min(ends["low_power"], ends["power"], ends["match"], ends["accuracy"]) > 0.999
    assert ends["objective"] == pytest.approx(ends["loss"] + STRENGTH * 18.0**3, rel=1e-3)
    assert ends["worst"] < 0 < ends["best"]
    assert part.runs["match"][1] == pytest.approx(-1, abs=1e-3)


def test_estimates_over_runs(evidence: Evidence) -> None:
    assert four_panels.highest("trained")(evidence).high == pytest.approx(1, rel=1e-3)
    assert four_panels.highest("trained", factor=2)(evidence).high == pytest.approx(2, rel=1e-3)
    match = four_panels.every_run("match")(evidence)
    assert (match.low, match.high, match.n) == (pytest.approx(-1, abs=1e-3), pytest.approx(1, abs=1e-3), 2)
    assert four_panels.order_of_counts(evidence).low == pytest.approx((3 / 2) ** 3)
    least = four_panels.above("objective")(evidence)
    assert least.low == pytest.approx(four_panels.excess(evidence).min()) and least.low > 0
    assert four_panels.above("objective_at_2λ")(evidence).low < 0
    assert (four_panels.excess(evidence) > 0).all()
    assert four_panels.distance(evidence)[0] == pytest.approx(
        np.abs(evidence["trained"].array("mass")[0] - evidence["theory"].array("shares")).max()
    )
    assert len(evidence.to_bytes()) < 25_000


def test_fading_counts_from_when_all_pairs_were_right() -> None:
    share = np.array([[0.1, 0.9], [0.5, 0.5], [0.6, 0.4], [0.8, 0.2]])
    trace = {
        "Margin.t": np.arange(0, 7, 1), "Margin.accuracy": np.array([0.1, 0.9, 0.9, 1, 1, 1, 1.0]),
        "Margin.normalised": np.linspace(-1, 1, 7), "RepresentationPower.t": np.arange(0, 7, 2),
        "RepresentationPower.shares": share,
    }  # fmt: skip
    theory = Evidence(arrays={"gamma": np.array(2.0), "shares": np.array([1.0, 0.0]), "dims": np.array([1, 2])})
    e = Evidence(parts={"trained": Evidence(traces=(trace,)), "theory": theory})
    assert fig_7_6.solved(trace) == 3
    assert fig_7_6.faded(e).value == pytest.approx(0.2 / 0.4)
    assert fig_7_6.approached(e).value == pytest.approx(0.4 / 0.8)
    assert fig_7_6.climbed(e).value == pytest.approx((1 - 0) / 2)
    assert fig_7_6.optimal_share(e).value == 0 and fig_7_6.optimal_share(e, largest=False).value == 1
    never = {**trace, "Margin.accuracy": np.full(7, 0.5)}
    unsolved = Evidence(parts={"trained": Evidence(traces=(never,)), "theory": theory})
    assert fig_7_6.solved(never) is None
    assert (
        fig_7_6.faded(unsolved).value
        == fig_7_6.approached(unsolved).value
        == -fig_7_6.climbed(unsolved).value
        == np.inf
    )


def test_the_learning_rate_times_lambda_is_nowhere_larger_than_in_the_paper() -> None:
    assert thm_7_1.recipe(1e-7) == s3()
    for strength in thm_7_1.TRAINED:
        algorithm = thm_7_1.recipe(strength).algorithm
        rate = algorithm.lr * float(algorithm.schedule.factor(jnp.int32(49_999), jnp.dtype(jnp.float32)))
        assert 0.5 < rate * strength / 1638.4e-7 < 1 + 1e-9
