"""Figure 7.6: S5 with batches of 1000, held against γ* and against the exact optimum of the regularised loss."""

from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.four_panels import predictions, watched
from elegans.papers.feature_emergence.presets import Preset, s3, s5
from elegans.tasks.composition import Symmetric
from elegans.training.penalties import NeuronNorm
from elegans.training.schedules import Doubling
from elegans.training.stops import Steps


def stand_in() -> Preset:
    """S3 for seconds, with batches of 18 and λ/γ* about as on S5."""
    p, small = s5(), s3()
    algorithm = p.algorithm.replace(batch=18, penalty=NeuronNorm(1e-3), schedule=Doubling((200, 400, 600, 800, 1000)))
    return Preset(small.task, small.model, algorithm, Steps(5000))


def reduced() -> Preset:
    """S5 in a fifth of the steps: 1200 neurons, just over the 1190 of K4, and doublings three times as close."""
    p = s5()
    algorithm = p.algorithm.replace(schedule=Doubling(tuple(range(1000, 8001, 1000))))
    return p._replace(model=p.model.replace(width=1200), algorithm=algorithm, stop=Steps(15_000))


class SymmetricGroupFive(Experiment):
    """Trained on S5, neurons come to live in one representation each, and the largest one fades."""

    id = "fig-7.6"
    place = Place(PAPER, "figure 7.6")
    claims = ()

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        p, strength = scale(stand_in, reduced, s5)(), scale(1e-3, 1e-5, 1e-5)
        stage = Stage(p.task, p.algorithm, p.stop)
        watch = watched(strength, scale(100, 500, 2500), scale(500, 1000, 2500))
        return {
            "trained": Sweep(Run(p.model, stage, watch=watch), seed=range(scale(1, 2, 2))),
            "theory": Calculation(predictions, group=Symmetric(scale(3, 5, 5)), strength=strength),
        }
