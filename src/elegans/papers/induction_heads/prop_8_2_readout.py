"""The footnote of Proposition 8.2: a linear read-out a p̂ + b of the bigram frequencies p̂ comes near the optimum.

logits a p̂ + b: b cancels in the softmax;   probabilities ∝ p̂ + b/a: it does not
least KL at t = 100: 0.0147 and 0.0110 for k = 2, 0.0403 and 0.0295 for k = 3
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.readouts import BLOCKS, best_scale, blocks, softmax
from elegans.stats import Estimate, bootstrap
from elegans.theory.induction import construction_output
from elegans.theory.markov import Floats

AS_LOGITS = tuple(np.round(np.linspace(0.5, 6, 23), 3).tolist())
AS_PROBABILITIES = tuple(np.round(np.geomspace(0.004, 0.2, 23), 5).tolist())
STATED = {"logits": (0.0147, 0.0403), "probabilities": (0.0110, 0.0295)}


def read_out(k: tuple[int, ...], t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """Both curves for every k, with the strategies of the same sequences."""
    ways = {"logits": (AS_LOGITS, False), "probabilities": (AS_PROBABILITIES, True)}
    curves = {
        name: [blocks(m, t, n, seed, scales, frequencies=True, direct=direct) for m in k]
        for name, (scales, direct) in ways.items()
    }
    return {
        "k": np.array(k), "n": np.array(n), **{name: np.stack([c.values for c in found]) for name, found in curves.items()},
        "bigram": np.stack([c.bigram for c in curves["logits"]]), "unigram": np.stack([c.unigram for c in curves["logits"]]),
    }  # fmt: skip


def offsets(k: int, t: int, n: int, seed: int) -> dict[str, np.ndarray]:
    """What b changes of softmax(a p̂ + b), and of probabilities proportional to a p̂ + b."""
    rng = np.random.default_rng(seed)
    p = construction_output(rng.integers(0, k, (n, t)), k)
    b = rng.normal(size=(n, 1, 1))
    positive = np.abs(b)
    return {
        "as_logits": np.array(np.abs(softmax(2.5 * p + b) - softmax(2.5 * p)).max()),
        "as_probabilities": np.array(np.abs((2.5 * p + positive) / (2.5 + k * positive) - p).max()),
    }


def closed(e: Evidence, way: str) -> Estimate:
    """Share of the gap between unigrams and bigrams that the best read-out closes, the least over k."""
    found = [
        bootstrap(np.column_stack([values, unigram, bigram]), _share, seed=0, what="share of the gap")
        for values, unigram, bigram in zip(e.array(way), e.array("unigram"), e.array("bigram"), strict=True)
    ]
    return min(found, key=lambda estimate: estimate.low)


def _share(rows: Floats) -> float:
    *values, unigram, bigram = rows.mean(0)
    return float((unigram - min(values)) / (unigram - bigram))


def off_the_table(e: Evidence) -> Estimate:
    """Largest distance of the four least values from the specification's, in standard errors of the blocks' means."""
    away: list[float] = []
    for way, told in STATED.items():
        for values, value in zip(e.array(way), told, strict=False):
            best = values[:, int(np.argmin(values.mean(0)))]
            away.append(abs(best.mean() - value) / (best.std(ddof=1) / len(best) ** 0.5 + 5e-5))
    return Estimate(*[max(away)] * 3, n=int(e.array("n")), what="distance")


class ReadOut(Experiment):
    """Frequencies are nearly as good as the posterior mean, and the offset b does nothing."""

    id = "prop-8.2-readout"
    place = Place(PAPER, "proposition 8.2, footnote")
    claims = (
        Claim("prop-8.2-readout", "logits a p̂ + b close at least 85 % of the gap between unigrams and bigrams",
              expect=at_least(0.85),
              why="the footnote calls them near optimal, and 85 % is specification 4.2; both k, the best of 23 scales a",
              value=lambda e: closed(e["read out"], "logits")),
        Claim("prop-8.2-readout", "the offset b changes no probability", of="corrected", expect=at_most(1e-12),
              why="a softmax does not see what all logits share; it matters only where a p̂ + b is itself the probability",
              value=lambda e: e["offsets"].max("as_logits"), wrong=lambda e: e["offsets"].max("as_probabilities")),
        Claim("prop-8.2-readout", "a p̂ + b as probabilities closes at least 95 % of it", of="derived", expect=at_least(0.95),
              why="so smoothed frequencies are nearly the posterior mean (c + 1)/(N + k): 0.977 and 0.978 in the "
              "specification's numbers",
              value=lambda e: closed(e["read out"], "probabilities")),
        Claim("prop-8.2-readout", "least values 0.0147 and 0.0403 as logits, 0.0110 and 0.0295 as probabilities", of="derived",
              expect=at_most(5), why="specification 4.2, itself sampled; in standard errors of the mean of 20 blocks plus half "
              "of the last digit", value=lambda e: off_the_table(e["read out"])),
    )  # fmt: skip
    chosen = {"p̂": "the construction's frequencies with both edge effects", "t": "100; k = 2 and 3"}
    remarks = (
        "As printed, the read-out gives logits a p̂ + b, in which b cancels: what the footnote needs is the scale a alone, "
        "about 2.5 for two and 2.9 for three symbols."
    )
    shows = "KL over the scale of the read-out, as logits and as smoothed probabilities; dashed: unigrams above, bigrams below."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "read out": Calculation(read_out, k=(2, 3), t=100, n=scale(100, 800, 4000) * BLOCKS, seed=0),
            "offsets": Calculation(offsets, k=3, t=20, n=50, seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, (row,) = panels(1, 2, height=3.0)
        part = e["read out"]
        ways = (
            ("logits", AS_LOGITS, "scale a of the logits"),
            ("probabilities", AS_PROBABILITIES, "b/a added to frequencies"),
        )
        for ax, (way, scales, label) in zip(row, ways, strict=True):
            for i, k in enumerate(part.array("k").tolist()):
                values = part.array(way)[i].mean(0)
                a, least = best_scale(np.array(scales), values)
                ax.plot(scales, values, color=f"C{i}", label=f"k = {k}: {least:.4f} at {a:.3g}")
                for level in ("unigram", "bigram"):
                    ax.axhline(float(part.array(level)[i].mean()), color=f"C{i}", ls="--", lw=0.8)
            ax.set(
                xlabel=label,
                ylabel="KL(truth ‖ read-out), nats",
                ylim=(0, 0.24),
                xscale="log" if way != "logits" else "linear",
            )
            ax.legend()
        return figure
