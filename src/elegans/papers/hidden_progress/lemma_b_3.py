"""Lemma B.3 and the warm-up of section 5.4.1: the population gradient of ReLU neurons at sign weights.

    ∂L/∂w_ij = -½ u_i ξ_{k-1} χ_{[k] - j}(w_i)   (j ≤ k)        -½ u_i ξ_{k+1} χ_{[k] + j}(w_i)   (j > k)        ∂L/∂b_i = 0

The gradient is measured as a slope of the enumerated hinge loss; the formula does not enter that.
"""

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.theory.majority import xi
from elegans.theory.neuron_gradients import gradient_at_signs, loss_slopes
from elegans.theory.symmetric_start import bias_grid

KS = (2, 4, 6)


def measured(n: int, k: tuple[int, ...], neurons: int, seed: int, ones: bool = False) -> dict[str, np.ndarray]:
    """Slopes of the loss in weights and biases against the formula, shape (k, neurons, n); odd parities for contrast."""
    rng = np.random.default_rng(seed)
    slope, formula, bias, odd = [], [], [], []
    for d in k:
        W = np.ones((neurons, n)) if ones else rng.choice((-1.0, 1.0), (neurons, n))
        b = np.zeros(neurons) if ones else rng.choice(bias_grid(d), neurons)
        u = np.ones(neurons) if ones else rng.choice((-1.0, 1.0), neurons)
        in_w, in_b = loss_slopes(W, b, u, d, h=1 / (4 * n))
        slope.append(in_w)
        bias.append(in_b)
        odd.append(loss_slopes(W, b, u, d - 1, h=1 / (4 * n))[1])
        formula.append(-u[:, None] * gradient_at_signs(W, d))
    same = np.stack(formula) * np.array([sign_slip(n, d) for d in k])[:, None]
    return {
        "slope": np.stack(slope), "formula": np.stack(formula),
        "error": np.abs(np.stack(slope) - np.stack(formula)), "error_same_sign": np.abs(np.stack(slope) - same),
        "error_doubled": np.abs(np.stack(slope) - 2 * np.stack(formula)),
        "bias": np.abs(np.stack(bias)), "bias_odd": np.abs(np.stack(odd)),
    }  # fmt: skip


def sign_slip(n: int, k: int) -> np.ndarray:
    """Factors that give ξ_{k+1} the sign of ξ_{k-1}, as if the signs did not alternate."""
    return np.where(np.arange(n) < k, 1.0, np.sign(xi(n, k - 1) * xi(n, k + 1)))


class GradientAtSigns(Experiment):
    """The population gradient of ReLU neurons at sign weights is the spectrum of majority."""

    id = "lemma-B.3"
    place = Place(PAPER, "lemma B.3, and the warm-up of section 5.4.1")
    claims = (
        Claim("warmup-relu-neuron", "at all-ones weights the gradient is -½ ξ_{k-1} on S and -½ ξ_{k+1} off S", of="derived",
              expect=at_most(1e-12), why="an identity for even k; all of {±1}^11 is enumerated",
              value=lambda e: e["ones"].max("error"), wrong=lambda e: e["ones"].max("error_doubled")),
        Claim("lemma-B.3", "the gradient in the first layer is that of the lemma, for any sign weights",
              expect=at_most(1e-12), why="an identity; the paper's n ≥ 2(k+1)² is not met here and not needed",
              value=lambda e: e["signs"].max("error"), wrong=lambda e: e["signs"].max("error_same_sign")),
        Claim("lemma-B.3", "the gradient in the biases is zero for even k", expect=at_most(1e-12),
              why="it is a coefficient of even degree of an odd function plus a constant",
              value=lambda e: e["signs"].max("bias"), wrong=lambda e: e["signs"].max("bias_odd")),
    )  # fmt: skip
    given = {"weights": "w ∈ {±1}^n, |b| < 1 on the grid of theorem 5.5, hinge loss at f = 0", "n, k": "n odd, k even"}
    chosen = {
        "n, k": "n = 11, k = 2, 4, 6, 20 neurons each: the whole cube is enumerated",
        "slope": "central differences, exact because the loss is linear between the kinks",
    }
    shows = (
        "All neurons have the same two sizes of slope: ½|ξ_{k-1}| on relevant coordinates, ½|ξ_{k+1}| elsewhere. At k = 6 and "
        "n = 11 the two are equal."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "ones": Calculation(measured, n=11, k=KS, neurons=1, seed=0, ones=True),
            "signs": Calculation(measured, n=11, k=KS, neurons=scale(5, 20, 20), seed=1),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, grid = panels(1, 3, height=2.6)
        part, n = e["signs"], 11
        places = ("center right", "lower left", "center")
        for ax, k, slope, place in zip(grid[0], KS, part.array("slope"), places, strict=True):
            at = np.tile(np.arange(1, n + 1), (len(slope), 1))
            ax.plot(at[:, :k].ravel(), np.abs(slope[:, :k]).ravel(), "o", ms=5, label="relevant")
            ax.plot(at[:, k:].ravel(), np.abs(slope[:, k:]).ravel(), "o", ms=5, label="irrelevant")
            for degree, style in ((k - 1, "--"), (k + 1, ":")):
                ax.axhline(
                    abs(xi(n, degree)) / 2, ls=style, lw=1, color="0.3", label=rf"$\frac{{1}}{{2}}|\xi_{{{degree}}}|$"
                )
            ax.set(
                title=f"k = {k}, {len(slope)} neurons",
                xlabel="coordinate j",
                ylim=(0, 1.12 * np.abs(slope).max()),
                xticks=(1, 6, 11),
            )
            ax.legend(fontsize=7, loc=place)
        grid[0, 0].set_ylabel("|slope of the loss in $w_{ij}$|, n = 11")
        return figure
