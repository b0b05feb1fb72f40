"""Figure 8.3: the transformer and the minimal model go from uniform over unigram to bigram; v̂ starts to alternate on the way.

top row: transformer, bottom row: minimal model; test loss, effective positions, KL(model || strategy)
"""

from dataclasses import replace

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation, Sweep
from elegans.papers.induction_heads.checklist import PAPER
from elegans.papers.induction_heads.flat_reading import condensed, middle, share, six_panels
from elegans.papers.induction_heads.flat_runs import CHOSEN, GIVEN, levels, minimal, transformer


class TwoModelsThreePhases(Experiment):
    """Both models end near bigrams; before its drop the transformer is a unigram model for long."""

    id = "fig-8.3"
    place = Place(PAPER, "figure 8.3")
    claims = (
        Claim(
            "fig-8.3-transformer-loss",
            "the loss is down at the unigram strategy's before 40 % of the time of the second drop",
            expect=at_most(0.4),
            why="'quickly', then 'a long period': specification 5, figure 8.3 (i)",
            value=middle("transformer", "early"),
        ),
        Claim(
            "fig-8.3-transformer-loss",
            "before the drop, it is within 10 % of the unigram strategy's at least half of the time",
            expect=at_least(0.5),
            why="'the intermediate plateau corresponds to' the unigram baseline; long means most of the time",
            value=middle("transformer", "at_unigram"),
        ),
        Claim(
            "fig-8.3-transformer-loss",
            "the final loss is at most half of the unigram strategy's",
            expect=at_most(0.5),
            why="'close to the Bayes optimal loss'; bound of specification 5, figure 8.3 (ii)",
            value=middle("transformer", "end"),
        ),
        Claim(
            "fig-8.3-transformer-posenc",
            "in most runs v̂ alternates before the drop: v̂₂ > v̂₁, v̂₃ and v̂₄ > v̂₃, v̂₅, by 10 %",
            expect=at_least(0.5),
            why="'shortly before the second drop ... the same even/odd pattern'; the paper shows one run",
            value=share("transformer", "alternates"),
        ),
        Claim(
            "fig-8.3-transformer-posenc",
            "at most looks the v̂ of two symbols share at least three quarters of their mass",
            expect=at_most(0.25),
            why="'during most of training, v̂ is similar regardless of the value of x'; total variation, median over looks",
            value=middle("transformer", "unlike"),
        ),
        Claim(
            "fig-8.3-transformer-kl",
            "most runs are nearest to uniform, then unigram, then bigram, with no lasting return",
            expect=at_least(0.5),
            why="the panel's order, judged as in figure 8.1 (right)",
            value=share("transformer", "in_order"),
        ),
        Claim(
            "fig-8.3-transformer-kl",
            "on the plateau unigram is the nearest strategy at nine looks of ten",
            expect=at_least(0.9),
            why="specification 5, figure 8.3 (iv); one look of ten for noise and for the beginning of the drop",
            value=middle("transformer", "nearest"),
        ),
        Claim(
            "fig-8.3-transformer-kl",
            "it is so, too, by KL(strategy || model)",
            of="derived",
            expect=at_least(0.9),
            why="the text does not say in which direction it compares; the finding should not depend on it",
            value=middle("transformer", "nearest_reverse"),
        ),
        Claim(
            "fig-8.3-transformer-kl",
            "on the plateau the model is three times nearer to unigram than to bigram",
            expect=at_most(1 / 3),
            why="'with the unigram solution being significantly lower'; three times as in figure 8.1 (right)",
            value=middle("transformer", "over_bigram"),
        ),
        Claim(
            "fig-8.3-minimal-loss",
            "at its best the minimal model has at most half of the unigram strategy's loss",
            expect=at_most(0.5),
            why="specification 5, figure 8.3 (iii); counts as logits are overconfident, so it cannot reach the bigram line",
            value=middle("minimal", "lowest"),
        ),
        Claim(
            "fig-8.3-minimal-v",
            "in most runs v alternates before the loss is half-way down: v₂ > v₁, v₃ and v₄ > v₃, v₅, by 10 %",
            expect=at_least(0.5),
            why="'the rest of the even coordinates also grow'; lemma 8.4 and specification 4.5",
            value=share("minimal", "alternates"),
        ),
        Claim(
            "fig-8.3-minimal-kl",
            "at the end the minimal model is twice nearer to bigram than to unigram",
            expect=at_most(0.5),
            why="specification 5, figure 8.3 (iii)",
            value=middle("minimal", "end_over_unigram"),
        ),
    )
    given = GIVEN
    chosen = CHOSEN | {
        "k": "3 symbols: figure E.7 says that it is the one for 2",
        "v̂": "softmax(e_x W_Q vᵀ/√d) behind the layer norm; the text prints W_K, but (8.5) has W_Q meet positions",
        "W at the start": "0 in the minimal model, as in the caption; the text says constant, the theory c 1 1ᵀ",
        "t = 92": "when 'the induction head forms': read as checkpoint 92 of 640 sequences, about 59 000; no claim rests on it",
        "colours": "green unigram, orange bigram as in this caption; in figure E.8 orange is unigram",
    }
    shows = (
        "Top left: a fall to the green line, a plateau, a second fall to the orange line. Top middle: before that second fall "
        "(dotted) even offsets rise above odd ones. Right: green is lowest first, orange afterwards."
    )

    def work(self, scale: Scale) -> dict[str, Sweep | Calculation]:
        return {"transformer": transformer(scale, 3), "minimal": minimal(scale, 3), "levels": levels(scale, 3)}

    def condense(self, e: Evidence) -> Evidence:
        read = {name: condensed(e[name], e["levels"]) for name in ("transformer", "minimal")}
        return replace(e, parts={**e.parts, **read})

    def figure(self, e: Evidence) -> object:
        return six_panels(e)
