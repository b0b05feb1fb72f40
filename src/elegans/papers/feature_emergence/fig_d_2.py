"""Figure D.2: S3 at the paper's full setting in double precision, held against the exact optimum of the regularised loss."""

from collections.abc import Callable
from dataclasses import replace

from elegans.claims.claim import Claim, at_least, at_most, between, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep, given
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.estimates import each
from elegans.papers.feature_emergence.four_panels import (
    above,
    column,
    excess,
    four_panels,
    highest,
    order_of_counts,
    predictions,
    start_error,
    summary,
    watched,
)
from elegans.papers.feature_emergence.presets import s3
from elegans.papers.feature_emergence.starts import representation_start
from elegans.stats import Estimate, median, wilson
from elegans.tasks.composition import Symmetric

ROW = "fig-d.2a-d"


def final(name: str, unit: str = "") -> Callable[[Evidence], Estimate]:
    """Median over seeds of a final value, divided by the prediction named `unit` if there is one."""
    return lambda e: median(column(e, name, unit))


def lowest(part: str) -> Callable[[Evidence], Estimate]:
    """The smallest margin of a part's runs at any checkpoint, over γ*."""
    return lambda e: each(column(e, "worst", "gamma", part), "smallest margin / γ*")


def share_within(e: Evidence, tolerance: float) -> Estimate:
    """Share of the seeds whose regularised loss ends within a relative tolerance of the exact minimum."""
    return wilson(int((excess(e) <= tolerance).sum()), len(excess(e)))


class SymmetricGroupThree(Experiment):
    """Trained on S3, every neuron lives in one representation and the margin comes near its maximum."""

    id = "fig-d.2"
    place = Place(PAPER, "figure D.2")
    claims = (
        Claim(
            ROW,
            "the cross-entropy ends at the exact optimum of the regularised loss",
            of="derived",
            expect=near(1.0, 0.01),
            why="the optimum is computed by a convex programme; 50 000 steps should leave less than a hundredth",
            value=final("loss", "loss"),
        ),
        Claim(
            ROW,
            "the normalised margin ends within 5 % of γ*",
            expect=between(0.95, 1.0),
            why="the figure shows it approach γ*; at λ = 1e-7 the exact optimum itself has 0.980 γ*",
            value=final("normalised", "gamma"),
        ),
        Claim(
            ROW,
            "the share of mass in the two-dimensional representation is that of the exact optimum",
            of="derived",
            expect=near(1.0, 0.02),
            why="the convex programme gives 0.833; the specification allows a few per cent",
            value=lambda e: median(e["trained"].array("mass")[:, 0] / e["theory"].array("shares")[0]),
            wrong=lambda e: median(e["trained"].array("mass")[:, 1] / e["theory"].array("shares")[0]),
        ),
        Claim(
            ROW,
            "neurons that matter (norm over a tenth of the largest) live in one representation: power at least 0.99",
            expect=at_least(0.99),
            why="panel (d): all at 1; the smallest over a network's neurons, median over seeds",
            value=final("purity"),
        ),
        Claim(
            ROW,
            "so have u, v and w of these neurons: no power elsewhere, and no constant part",
            of="derived",
            expect=at_least(0.99),
            why="theorem 7.9 is about all three; the same hundredth as for the panel, worst neuron, median over seeds",
            value=final("least_share"),
            wrong=final("least_share_at_start"),
        ),
        Claim(
            ROW,
            "most seeds end within 1e-3 of the exact minimum of the regularised loss",
            of="derived",
            expect=at_least(0.5),
            why="the task set: most of the seeds; share of seeds, relative excess of the loss with its penalty",
            value=lambda e: share_within(e, 1e-3),
        ),
        Claim(
            ROW,
            "the margin of the exact optimum is less sharply attained: it is missed by at most 1 %",
            of="derived",
            expect=between(0.99, 1.01),
            why="an excess ε of the loss moves a minimiser by about √ε, and √1e-3 is 3 %; the trial missed 0.2 to 0.3 %",
            value=final("normalised", "normalised"),
        ),
        Claim(
            ROW,
            "no network, at any checkpoint, has a regularised loss below the exact minimum",
            of="derived",
            expect=at_least(-1e-9),
            why="the programme bounds every network; the slack is rounding. The minimum at 2λ is passed",
            value=above("objective"),
            wrong=above("objective_at_2λ"),
        ),
        Claim(
            ROW,
            "the two-dimensional representation has more neurons than the sign",
            expect=at_least(1.0),
            why="panel (b), in every run; weak evidence, as the start has the same order: masses say more",
            value=order_of_counts,
        ),
        Claim(
            ROW,
            "at the start the mean share of power in a representation is d²/(|G|-1)",
            of="derived",
            expect=at_most(0.05),
            why="exact for weights of any exchangeable law; 240 neurons, or 60 at smoke scale, leave a few hundredths",
            value=start_error,
        ),
        Claim(
            ROW,
            "neurons have rank one and are matched: mean match, by mass, at least 0.999",
            of="derived",
            expect=at_least(0.999),
            why="the best neurons of lemma D.13 have 1, the trial found 0.9999; at the start the mean is about 0",
            value=final("match"),
            wrong=final("match_at_start"),
        ),
        Claim(
            ROW,
            "neurons are stationary: Euler's identity holds within 2 % of λ‖ω‖³ on average",
            of="derived",
            expect=at_most(0.02),
            why="an identity at every stationary point; the rest is what dies or grows slowly",
            value=final("violation"),
        ),
        Claim(
            ROW,
            "neurons are balanced: Σ|B| is at most 1e-3 of ‖θ‖₂²",
            of="derived",
            expect=at_most(1e-3),
            why="flow shrinks B by exp(-∫6λ‖ω‖ lr dt), which is below e^-100 here; finite steps leave a little",
            value=final("balance"),
            wrong=final("balance_at_start"),
        ),
        Claim(
            "lem-7.6",
            "no network, at any checkpoint, has a normalised margin above γ*",
            expect=at_most(1 + 1e-9),
            why="theorem: the certificate bounds every network; the slack is rounding",
            value=highest("trained", "constructed"),
            wrong=highest("trained", "constructed", factor=2),
        ),
        Claim(
            "lem-d.15-16",
            "started from construction K4, training keeps the margin near γ* throughout",
            of="derived",
            expect=between(0.95, 1 + 1e-9),
            why="K4 has margin γ*, and the optimum at λ = 1e-7 has 0.980 γ*: nothing in between should be lost",
            value=lowest("constructed"),
            wrong=lowest("trained"),
        ),
    )
    given = {
        "network": "30 neurons, (u + v)² w",
        "steps": "50 000, full batch of 36",
        "η": "0.05, doubled at 200, 400, ..., 2600, 5000, 10 000",
        "λ": "1e-7, L_{2,3}",
    }
    chosen = {
        "initialisation": "U(±1/√12) and U(±1/√30): not given",
        "precision": "double: the loss ends at 4e-6",
        "penalty": "λ Σ‖ω‖³ (ambiguity A1)",
    }
    shows = (
        "(a) The margin climbs to just below γ* and to the optimum at this λ; K4 starts there and stays. (b) The masses are "
        "those of the exact optimum (orange). (c, d) Many neurons share their power at the start; at the end none does."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        p, watch = s3(), watched(1e-7, 1000, 5000)
        stage = Stage(p.task, p.algorithm, p.stop)
        from_k4 = given(representation_start, group=Symmetric(3), width=30, norm=8.4)
        return {
            "trained": Sweep(Run(p.model, stage, watch=watch), seed=range(scale(2, 8, 24))),
            "constructed": Sweep(Run(p.model, stage, start=from_k4, watch=watch), seed=[0]),
            "theory": Calculation(predictions, group=Symmetric(3), strength=1e-7),
        }

    def condense(self, e: Evidence) -> Evidence:
        strength = float(e["theory"].array("strength"))
        parts = {name: summary(part, strength) for name, part in e.parts.items() if name != "theory"}
        return replace(e, parts={**parts, "theory": e["theory"]})

    def figure(self, e: Evidence) -> object:
        return four_panels(e)
