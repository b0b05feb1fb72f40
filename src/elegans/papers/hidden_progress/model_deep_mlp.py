"""Deep networks of squares (appendix B.3.7): what they compute, and where their gradients vanish.

    z_i = (W_iᵀ z_{i-1} + b_i)²        f = u·z_{L-1} + c  has degree 2^{L-1}

A derivative of f by a weight has that degree too, so E[y ∂f] = 0 for parities of more than 2^{L-1} bits. A layer that is
trained with a read-out of its own is a network of L = 2: it learns nothing of k >= 3. End-to-end the signal is there.
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.models.deep_quadratic import DeepQuadratic
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.papers.hidden_progress.enumerated import outputs, points
from elegans.stats import Estimate, exact
from elegans.theory.boolean import parity
from elegans.theory.deep_quadratic import (
    correlation_gradient,
    largest,
    layers,
    output,
    parity_of_parities,
    random_network,
)

WIDTHS = {2: (10,), 3: (2, 1), 4: (10, 10, 1)}
ROUNDING = 1e-12


def nested(n: int) -> dict[str, np.ndarray]:
    """The explicit weights for (L, k) = (3, 4) on all inputs, and with the second bias forgotten."""
    x, p = points(n), parity_of_parities(n)
    y, z = parity(x, range(4)), layers(p, x)
    wrong = {**p, "b2": np.zeros(1)}
    model = DeepQuadratic(WIDTHS[3])
    return {
        "error": np.abs(outputs(model, p, x) - y), "error_without_bias": np.abs(outputs(model, wrong, x) - y),
        "strange": np.array([np.setdiff1d(layer, (0, 4)).size for layer in z[1:]]),
    }  # fmt: skip


def one_sign(n: int, networks: int, seed: int) -> dict[str, np.ndarray]:
    """Best accuracy on the parity of four bits over random networks of last width 1 with c = 0, and of the explicit one."""
    rng, x = np.random.default_rng(seed), points(n)
    y = parity(x, range(4))
    nets = [{**random_network(rng, n, WIDTHS[3]), "c": np.array(0.0)} for _ in range(networks)]
    accuracy = [np.mean(y * output(net, x) > 0) for net in nets]
    return {"accuracy": np.array(accuracy), "explicit": np.array(np.mean(y * output(parity_of_parities(n), x) > 0))}


def gradient_table(n: int, depths: tuple[int, ...], networks: int, seed: int) -> dict[str, np.ndarray]:
    """Largest entry of E[∇_{W_1} (-y f)] for every depth L and every k <= n, median over random networks; for L = 3 also
    that of W_2, with which layer-wise training goes on at frozen W_1."""
    rng, x = np.random.default_rng(seed), points(n)
    labels = [parity(x, range(k)) for k in range(1, n + 1)]
    first, second = np.zeros((len(depths), n, networks)), np.zeros((n, networks))
    for a, depth in enumerate(depths):
        for i in range(networks):
            net = random_network(rng, n, WIDTHS[depth])
            grads = [correlation_gradient(net, x, y) for y in labels]
            first[a, :, i] = [largest(g, "W1", "b1") for g in grads]
            if depth == 3:
                second[:, i] = [largest(g, "W2", "b2") for g in grads]
    return {"depth": np.array(depths), "size": first, "second": second}


def sizes(e: Evidence, beyond: bool, edge: int = 0) -> np.ndarray:
    """Gradients where k is above (or is at least 3 and at most) 2^{L-1} - edge."""
    part = e["gradients"]
    depth, size = part.array("depth")[:, None], part.array("size")
    k = np.arange(1, size.shape[1] + 1)[None]
    limit = 2 ** (depth - 1) - edge
    return size[k > limit] if beyond else size[(k >= 3) & (k <= limit)]


def second_layer(e: Evidence, k: tuple[int, ...]) -> Estimate:
    """Smallest gradient of W_2 in networks of L = 3 over these k."""
    return exact(float(min(e["gradients"].array("second")[m - 1].min() for m in k)), "smallest gradient of W_2")


class DeepQuadraticNetworks(Experiment):
    """Deep networks of squares: an explicit parity, and gradients that vanish beyond degree 2^{L-1}."""

    id = "model-deep-mlp"
    place = Place(PAPER, "appendix B.3.7")
    claims = (
        Claim(
            "model-deep-mlp",
            "explicit weights of widths (2, 1) compute the parity of four bits exactly",
            of="derived",
            expect=at_most(0),
            why="a parity of parities, x_1 x_2 = ½(x_1 + x_2)² - 1; small integers are exact in floating point",
            value=lambda e: e["nested"].max("error"),
            wrong=lambda e: e["nested"].max("error_without_bias"),
        ),
        Claim(
            "model-deep-mlp",
            "without output bias a last width of one has accuracy ½ on every parity, whatever its weights",
            of="corrected",
            expect=at_most(0.5),
            why="f = u z² has one sign and half of the labels are +1 (erratum E5); accuracies are counts of 2^n inputs",
            value=lambda e: e["one sign"].max("accuracy"),
            wrong=lambda e: e["one sign"].max("explicit"),
        ),
        Claim(
            "layerwise-zero-gradient",
            "the first layer's gradient vanishes for k > 2^{L-1}, for L = 2 (layer-wise training), 3 and 4",
            expect=at_most(ROUNDING),
            why="degree of the derivative; all 2^9 inputs listed in double precision, k up to 9",
            value=lambda e: exact(float(sizes(e, True).max()), "largest gradient"),
            wrong=lambda e: exact(float(sizes(e, True, edge=1).max()), "largest gradient, k >= 2^{L-1}"),
        ),
        Claim(
            "layerwise-zero-gradient",
            "end-to-end it does not vanish for 3 <= k <= 2^{L-1}, L = 3 and 4",
            expect=at_least(10 * ROUNDING),
            why="ten times what counts as rounding above; random networks at the paper's initialisation",
            value=lambda e: exact(float(sizes(e, False).min()), "smallest gradient"),
            wrong=lambda e: exact(float(sizes(e, True).min()), "smallest gradient beyond"),
        ),
        Claim(
            "layerwise-zero-gradient",
            "layer-wise training stops at the first layer only: the second one's own gradient is not zero for k = 3, 4",
            of="derived",
            expect=at_least(10 * ROUNDING),
            why="with W_1 frozen its inputs are quadratic in x, so the gradient has degree 4; zero from k = 5 on",
            value=lambda e: second_layer(e, (3, 4)),
            wrong=lambda e: second_layer(e, (5, 6)),
        ),
    )
    given = {"networks": "widths (2, 1) for L = 3 and (10, 10, 1) for L = 4, squares, uniform initialisation"}
    chosen = {"L = 2": "width 10: any width has degree 2", "n": "9, so that k = 9 exceeds the degree 8 of L = 4"}
    remarks = (
        "That layer-wise training has no signal (specification 4.21: at each layer) is true of the first layer. Alone, it "
        "stays where it started; random squares are then the second layer's inputs, and those do carry parities of up "
        "to four bits, though only as a random features method does."
    )
    shows = "Gradients end at the dashed staircase k = 2^{L-1}; white cells are zero but for rounding errors."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "nested": Calculation(nested, n=6),
            "one sign": Calculation(one_sign, n=6, networks=scale(50, 500, 5000), seed=0),
            "gradients": Calculation(gradient_table, n=9, depths=(2, 3, 4), networks=scale(5, 40, 200), seed=1),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes(height=2.5)
        part = e["gradients"]
        size, depth = np.median(part.array("size"), axis=2), part.array("depth")
        shown = np.where(size > ROUNDING, np.log10(np.maximum(size, 1e-300)), np.nan)
        image = ax.pcolormesh(
            np.arange(size.shape[1] + 1) + 0.5, np.arange(len(depth) + 1), shown, cmap="viridis_r", ec="w"
        )
        middle = (np.nanmin(shown) + np.nanmax(shown)) / 2
        for row, l in enumerate(depth):
            ax.plot([2 ** (l - 1) + 0.5] * 2, [row, row + 1], "--", color="k", lw=2)
            for k in range(size.shape[1]):
                text = f"{size[row, k]:.0e}".replace("e-0", "e-") if size[row, k] > ROUNDING else "0"
                ax.text(
                    k + 1,
                    row + 0.5,
                    text,
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="w" if shown[row, k] > middle else "k",
                )
        ax.set(
            xlabel="k, bits of the parity", yticks=np.arange(len(depth)) + 0.5, yticklabels=[f"L = {l}" for l in depth]
        )
        ax.set_xticks(np.arange(1, size.shape[1] + 1))
        ax.grid(visible=False)
        figure.colorbar(image, ax=ax, label="log₁₀ of the largest\nfirst-layer gradient")
        return figure
