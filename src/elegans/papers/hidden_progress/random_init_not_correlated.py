"""Section 5.3.2, footnote: a random network has a correlation Ω(1) with a given sparse parity only with probability 2^-Ω(n).

ĥ(S) = E_x sign f(x) χ_S(x)        P_n(c) = P(|ĥ(S)| ≥ c),  |S| = 3

The law of the start is symmetric in the inputs, so P_n is estimated from all 3-sets of every network, by a Walsh-Hadamard
transform over the cube. That the decay is exponential cannot be seen at finite n; that it outruns any fixed power of n can.
"""

from math import comb

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, bootstrap, mean, wilson
from elegans.theory.boolean import cube, walsh_hadamard

ROW = "random-init-not-correlated"
NS, K, WIDTH = (7, 9, 11, 13, 15), 3, 100
LEVELS = (1 / 32, 1 / 16, 1 / 8, 1 / 4)
JUDGED, LARGE = LEVELS.index(1 / 16), LEVELS.index(1 / 4)


def signs_at_start(x: np.ndarray, width: int, rng: np.random.Generator) -> np.ndarray:
    """sign f on the points x of a fresh ReLU network, all parameters from U(±1/√fan_in), shape (2^n,)."""
    n = x.shape[1]
    W, b = (rng.uniform(-1, 1, shape) / np.sqrt(n) for shape in ((n, width), width))
    u, c = (rng.uniform(-1, 1, shape) / np.sqrt(width) for shape in (width, ()))
    hidden = np.maximum(x @ W.astype(np.float32) + b.astype(np.float32), 0)
    return np.where(hidden @ u.astype(np.float32) + np.float32(c) >= 0, 1, -1).astype(np.int64)


def correlations(n: int, k: int, width: int, levels: tuple[float, ...], networks: int) -> dict[str, np.ndarray]:
    """The largest |ĥ(S)| of each network over all S of size k, and how many S reach each level."""
    x = cube(n).astype(np.float32)
    sets = (x < 0).sum(1) == k
    largest, reach = np.empty(networks, np.float16), np.empty((networks, len(levels)), np.uint16)
    for seed in range(networks):
        f = signs_at_start(x, width, np.random.default_rng((n, seed)))
        size = np.abs(walsh_hadamard(f)[sets])
        largest[seed] = size.max() / 2**n
        reach[seed] = [(size >= level * 2**n).sum() for level in levels]
    return {"largest": largest, "reach": reach}


def large(e: Evidence) -> Estimate:
    """Share of networks of 15 inputs with a correlation of 0.25 or more with some 3-set."""
    reach = e[str(NS[-1])].array("reach")[:, LARGE] > 0
    return wilson(int(reach.sum()), len(reach))


def shares(e: Evidence, level: int) -> np.ndarray:
    """Share of the 3-sets of a network that reach a level, shape (network, n)."""
    return np.stack([e[str(n)].array("reach")[:, level] / comb(n, K) for n in NS], axis=1)


def bend(x: np.ndarray) -> float:
    """Exponent of P_n ~ n^a over the upper three n minus that over the lower three."""
    P = np.maximum(x.mean(0), 0.5 / len(x) / comb(NS[-1], K))  # half a set where none was seen
    upper, lower = (np.polyfit(np.log(NS[part]), np.log(P[part]), 1)[0] for part in (slice(-3, None), slice(3)))
    return float(upper - lower)


class RandomStartsKnowNoParity(Experiment):
    """Fresh networks are hardly correlated with sparse parities, and ever less so for more inputs."""

    id = ROW
    place = Place(PAPER, "section 5.3.2, footnote on random networks")
    claims = (
        Claim(
            ROW,
            "n = 15: at most one network in twenty has a correlation of 0.25 or more with any 3-set",
            expect=at_most(0.05),
            why="specification 4.22: none of 60 networks reaches 0.25; 5 % is what so many without exception can show",
            value=large,
        ),
        Claim(
            ROW,
            "P(|ĥ(S)| ≥ 1/16) falls faster than a power of n: its log-log slope is steeper for n ≥ 11 than for n ≤ 11",
            of="derived",
            expect=at_most(0.0),
            why="a power law has the same slope in both halves; for 2^-an the slope is -a n log 2 and keeps falling",
            value=lambda e: bootstrap(shares(e, JUDGED), bend, seed=0, draws=1000, what="bend"),
        ),
    )
    given = {"statement": "under all standard architectures and initialisations, with probability 2^-Ω(n)"}
    chosen = {
        "architecture": "ReLU, width 100, with output bias, U(±1/√fan_in) (specification 4.22)",
        "n": "7 to 15, so that the whole cube is summed; 1200 networks each at laptop scale (specification: 60 of n = 15)",
        "constant": "1/16 for the trend: 1/4 is not reached often enough to be counted",
    }
    remarks = (
        "The footnote's reason is that nearly all influence lies on the n - k other inputs. That alone does not bound a "
        "correlation: |ĥ(S)| ≥ c asks for an influence of only c² of each relevant input."
    )
    shows = (
        "Left: the probability falls along straight lines, that is exponentially in n. Right: the largest correlation of a "
        "network shrinks."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        size = scale(5, 1200, 10_000)
        return {str(n): Calculation(correlations, n=n, k=K, width=WIDTH, levels=LEVELS, networks=size) for n in NS}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        for i, level in enumerate(LEVELS[:LARGE]):
            found = [mean(column) for column in shares(e, i).T]
            seen = [j for j, m in enumerate(found) if m.value > 0]
            n, P = np.array(NS)[seen], np.array([found[j].value for j in seen])
            bars = [np.minimum(P - [found[j].low for j in seen], 0.9 * P), [found[j].high for j in seen] - P]
            slope, start = np.polyfit(n, np.log2(P), 1) if len(n) > 1 else (0.0, np.log2(P[0]))
            name = f"c = 1/{round(1 / level)}: {-slope:.2f} bits per input"
            left.errorbar(n, P, yerr=bars, fmt="o", ms=3.5, capsize=2, color=f"C{i}", label=name)
            left.plot(n, 2 ** (start + slope * n), lw=1, color=f"C{i}")
        left.set(xlabel="inputs n", ylabel="P(|ĥ(S)| ≥ c), |S| = 3", ylim=(2**-20, 4), xticks=NS)
        left.set_yscale("log", base=2)
        left.legend(loc="lower left", fontsize=7)
        largest = [e[str(n)].array("largest").astype(np.float64) for n in NS]
        low, middle, high = np.quantile(largest, (0.1, 0.5, 0.9), axis=1)
        right.fill_between(NS, low, high, alpha=0.2, lw=0, label=f"10 % to 90 % of {len(largest[0])} networks")
        right.plot(NS, middle, "o-", ms=3.5, label="median")
        right.plot(NS, [x.max() for x in largest], "x", ms=5, color="C1", label="largest of all")
        right.axhline(LEVELS[LARGE], ls="--", lw=1, color="0.3", label=f"bound of the claim, {LEVELS[LARGE]}")
        right.set(xlabel="inputs n", ylabel="largest |ĥ(S)| over all 3-sets", ylim=(0, 0.55), xticks=NS)
        right.legend(fontsize=7)
        return figure
