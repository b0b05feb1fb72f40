"""Figure D.3: S4 at the paper's full setting in double precision, held against the exact optimum of the regularised loss."""

from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Run, Stage, Sweep
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.four_panels import predictions, watched
from elegans.papers.feature_emergence.presets import LATE, Preset, s3, s4
from elegans.tasks.composition import Symmetric
from elegans.training.penalties import NeuronNorm
from elegans.training.schedules import Doubling
from elegans.training.stops import Steps


def stand_in() -> Preset:
    """S3 for seconds: λ is 100 times as large, and the learning rate ends 128 times as small."""
    p = s3()
    algorithm = p.algorithm.replace(penalty=NeuronNorm(1e-5), schedule=Doubling(LATE[:8]))
    return p._replace(algorithm=algorithm, stop=Steps(10_000))


class SymmetricGroupFour(Experiment):
    """Trained on S4, every neuron lives in one representation and the margin comes near its maximum."""

    id = "fig-d.3"
    place = Place(PAPER, "figure D.3")
    claims = ()

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        p, strength = scale(stand_in, s4, s4)(), scale(1e-5, 1e-7, 1e-7)
        stage, watch = Stage(p.task, p.algorithm, p.stop), watched(strength, scale(200, 500, 500), 5000)
        return {
            "trained": Sweep(Run(p.model, stage, watch=watch), seed=range(scale(1, 3, 6))),
            "theory": Calculation(predictions, group=Symmetric(scale(3, 4, 4)), strength=strength),
        }
