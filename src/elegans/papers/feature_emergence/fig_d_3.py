"""Figure D.3: S4 at the paper's full setting in double precision, held against the exact optimum of the regularised loss."""

from dataclasses import replace

from elegans.claims.claim import Claim, at_least, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.estimates import each
from elegans.papers.feature_emergence.four_panels import (
    above,
    distance,
    every_run,
    excess,
    four_panels,
    highest,
    order_of_counts,
    predictions,
    rise,
    start_error,
    summary,
    watched,
)
from elegans.papers.feature_emergence.presets import LATE, Preset, s3, s4
from elegans.tasks.composition import Symmetric
from elegans.training.penalties import NeuronNorm
from elegans.training.schedules import Doubling
from elegans.training.stops import Steps

ROW = "fig-d.3a-d"


def stand_in() -> Preset:
    """S3 for seconds: λ is 100 times as large, and the learning rate ends 128 times as small."""
    p = s3()
    algorithm = p.algorithm.replace(penalty=NeuronNorm(1e-5), schedule=Doubling(LATE[:8]))
    return p._replace(algorithm=algorithm, stop=Steps(10_000))


class SymmetricGroupFour(Experiment):
    """Trained on S4, every neuron lives in one representation and the margin comes near its maximum."""

    id = "fig-d.3"
    place = Place(PAPER, "figure D.3")
    claims = (
        Claim(ROW, "the normalised margin ends within a tenth of γ*", expect=between(0.9, 1.0),
              why="panel (a): close to the line and still rising; the exact optimum at λ = 1e-7 has 0.946 γ*; every run",
              value=every_run("normalised", "gamma"), wrong=every_run("worst", "gamma")),
        Claim(ROW, "it is still rising: the end is above half-way in every run", of="derived", expect=at_least(0.0),
              why="the specification's trial went .905, .922 in the second half, on its way to .946; difference over γ*",
              value=lambda e: each(rise(e), "rise")),
        Claim(ROW, "the regularised loss ends within 2e-3 of its exact minimum in every run", of="derived", expect=at_most(2e-3),
              why="twice what is asked of S3, as the margin is still rising when the paper stops; relative excess",
              value=lambda e: each(excess(e), "excess")),
        Claim(ROW, "no network, at any checkpoint, has a regularised loss below the exact minimum", of="derived",
              expect=at_least(-1e-9), why="the programme bounds every network; slack for rounding. The minimum at 2λ is passed",
              value=above("objective"), wrong=above("objective_at_2λ")),
        Claim(ROW, "the share of every irrep in ‖θ‖³ is within 0.02 of the exact optimum's", of="derived", expect=at_most(0.02),
              why="theory gives all five; the specification allows a few per cent; largest difference, every run",
              value=lambda e: each(distance(e), "largest difference")),
        Claim(ROW, "an irrep of larger dimension has more neurons", expect=at_least(1.0),
              why="panel (b); counts of irreps of one dimension are averaged, smallest ratio of neighbours, every run; weak "
              "evidence, as the start has nearly the same order: masses say more", value=order_of_counts),
        Claim(ROW, "at the start the mean share of power in an irrep is d²/(|G|-1)", of="derived", expect=at_most(0.05),
              why="exact for weights of any exchangeable law; 600 neurons, or 30 at smoke scale, leave a few hundredths",
              value=start_error),
        Claim(ROW, "at the end nearly all neurons live in one irrep: the 5 % quantile of the largest share is at least 0.99",
              expect=at_least(0.99), why="panel (d): all at 1; living neurons of the every run",
              value=every_run("low_power")),
        Claim(ROW, "so have u, v and w: the 5 % quantile of their smallest share, of a constant part too, is at least 0.99",
              of="derived", expect=at_least(0.99), why="theorem 7.9 is about all three; the same hundredth; every run",
              value=every_run("low_share"), wrong=every_run("least_share_at_start")),
        Claim(ROW, "neurons have rank one and are matched: mean match, by mass, at least 0.99", of="derived",
              expect=at_least(0.99), why="the best neurons of lemma D.13 have 1; at the start the mean is about 0; every run",
              value=every_run("match"), wrong=every_run("match_at_start")),
        Claim(ROW, "neurons are stationary: Euler's identity holds within 5 % of λ‖ω‖³ on average", of="derived",
              expect=at_most(0.05), why="an identity at every stationary point; the rest is what is still growing; every run",
              value=every_run("violation")),
        Claim(ROW, "neurons are balanced: Σ|B| is at most 1e-3 of ‖θ‖₂²", of="derived", expect=at_most(1e-3),
              why="flow shrinks B by exp(-∫6λ‖ω‖ lr dt), which is below e^-100 here; finite steps leave a little; every run",
              value=every_run("balance"), wrong=every_run("balance_at_start")),
        Claim("lem-7.6", "on S4, too, no network at any checkpoint has a normalised margin above γ*", expect=at_most(1 + 1e-9),
              why="theorem: the certificate bounds every network; the slack is rounding",
              value=highest("trained"), wrong=highest("trained", factor=2)),
    )  # fmt: skip
    given = {
        "network": "200 neurons, (u + v)² w",
        "steps": "50 000, full batch of 576",
        "η": "0.05, doubled at 200, 400, ..., 2600, 5000, 10 000",
        "λ": "1e-7, L_{2,3}",
    }
    chosen = {
        "initialisation": "U(±1/√48) and U(±1/√200): not given",
        "precision": "double: the loss ends at 5e-5",
        "penalty": "λ Σ‖ω‖³ (ambiguity A1)",
        "neurons": "counted if their norm is over 1 % of the largest (ambiguity A5)",
        "smoke scale": "S3 at λ = 1e-5 in 10 000 steps stands in; claims about S4 may fail there",
    }
    shows = (
        "(a) The margin climbs towards γ* and the optimum at this λ. (b) Larger irreps have more neurons, and the masses are "
        "those of the exact optimum (orange). (c, d) A neuron's power is spread at the start and in one irrep at the end."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        p, strength = scale(stand_in, s4, s4)(), scale(1e-5, 1e-7, 1e-7)
        stage, watch = Stage(p.task, p.algorithm, p.stop), watched(strength, scale(200, 500, 500), 5000)
        return {
            "trained": Sweep(Run(p.model, stage, watch=watch), seed=range(scale(1, 3, 6))),
            "theory": Calculation(predictions, group=Symmetric(scale(3, 4, 4)), strength=strength),
        }

    def condense(self, e: Evidence) -> Evidence:
        strength = float(e["theory"].array("strength"))
        return replace(e, parts={"trained": summary(e["trained"], strength), "theory": e["theory"]})

    def figure(self, e: Evidence) -> object:
        return four_panels(e)
