"""Figure C.2 (center, right): five neurons of a trained network, pruned, rewound and trained again, win the lottery."""

from collections.abc import Mapping

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Run, Seeds, Stage, Sweep
from elegans.models.mlp import MLP
from elegans.models.sparse import Sparse
from elegans.papers.pareto_frontiers.checklist import PAPER
from elegans.stats import Estimate, mean, median, ratio, reached
from elegans.tasks.parity import SparseParity
from elegans.training.accurate import Accurate
from elegans.training.algorithms import SGD
from elegans.training.stops import Budget

N, K, KEEP = 30, 4, 5


def rewound(start: Mapping[str, np.ndarray], end: Mapping[str, np.ndarray], keep: int) -> dict[str, np.ndarray]:
    """The neurons whose input weights are largest at the end, as they were at the start."""
    best = np.argsort(-np.linalg.norm(end["W"], axis=0))[:keep]
    return {"W": start["W"][:, best], "b": start["b"][best], "u": start["u"][best], "c": start["c"]}


def slowness(e: Evidence) -> Estimate:
    """Median time of rewound over that of random networks; a censored time counts as the budget."""
    return ratio(median(e["rewound"].times("accurate").time), median(e["random"].times("accurate").time))


class LotteryTickets(Experiment):
    """Rewound subnetworks learn faster than random ones of their size."""

    id = "fig-c.2"
    place = Place(PAPER, "figure C.2 (center and right)")
    claims = (
        Claim("fig-c.2-center", "rewound networks need at most 0.7 times the median time of random ones", of="derived",
              expect=at_most(0.7), why="specification 5.8: the allowance for 'improves quickly'", value=slowness),
        Claim("fig-c.2-center", "the neurons kept began on relevant inputs more often than chance", of="derived",
              expect=at_least(2 * K / N), why="two ones among n inputs hit S 2k/n times in the mean",
              value=lambda e: mean(e["rewound"].array("start/W")[:, :K].sum(1).mean(1))),
        Claim("fig-c.2-right", "the majority of random small networks do not get to 10 % error in time",
              expect=at_most(0.5), why="a majority is more than half", value=lambda e: reached(e["random"].times("accurate"))),
    )  # fmt: skip
    given = {"batch, learning rate": "32 and 0.1", "width": "100, of which 5 neurons are kept; two ones a neuron"}
    chosen = {"n, k, steps": "30, 4, 20 000 (specification 5.8)", "norm": "of a neuron's input weights", "decay": "0"}

    def work(self, scale: Scale) -> dict[str, Sweep]:
        learn = Stage(SparseParity(N, K), SGD(0.1), Accurate() | Budget(scale(6000, 20_000, 60_000)))
        wide, small = (MLP(r, initial=Sparse(2)) for r in (100, KEEP))
        start, runs = Run(wide, learn).then(rewound, keep=KEEP), scale(8, 40, 100)
        ticket = Run(small, learn, start=start, seeds=Seeds(data=1), keep=("start",))  # other data than `start` met
        random = Sweep(Run(small, learn), init=range(1000, 1000 + runs))
        return {"rewound": Sweep(ticket, init=range(runs)), "random": random}
